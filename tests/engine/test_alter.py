"""Facts about nodes that change while they are in use."""

from __future__ import annotations

import pytest

from railwise.engine.cluster.alter import altered
from railwise.engine.events import Finish, NodeChange
from railwise.model.node import Cards, Node, Taint
from railwise.model.plan import State
from railwise.model.policy import Policy
from railwise.model.reason import Code
from tests.engine.small import engine, flat, gang, racks, request, submitted, where

NODE = Node("n", {"fabric": {"rack": "r"}}, (Cards(4),))


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("ready", False, "ready"),
        ("unschedulable", True, "unschedulable"),
        ("labels", {"a": "b"}, "labels"),
        ("taints", (Taint("x"),), "taints"),
        ("resources", {"cpu": 1000}, "resources"),
        ("gpu.unhealthy", frozenset({1}), "unhealthy"),
    ],
)
def test_one_fact_changes_and_the_others_stay(key: str, value: object, field: str) -> None:
    after = altered(NODE, {key: value})
    assert getattr(after, field) == value
    assert altered(after, {key: getattr(NODE, field)}) == NODE


def test_what_a_node_does_not_know_is_left_alone() -> None:
    assert altered(NODE, {"colour": "red"}) == NODE


def test_pods_on_a_node_that_is_no_longer_ready_are_lost_and_come_back_in_their_domain() -> None:
    lived = engine(racks(3, 3))
    assert where(submitted(lived, gang("a", 2, request(8), required="rack"))) == ["n0", "n1"]
    plan = lived.cycle([NodeChange("n0", {"ready": False})])
    (one,) = plan.workloads
    assert (one.state, where(one)) == (State.RUNNING, ["n2", "n1"])
    assert lived.cycle([NodeChange("n0", {"ready": True})]).workloads == ()


def test_a_cordon_loses_nothing_and_takes_nothing_more() -> None:
    lived = engine(flat(8, 8))
    submitted(lived, gang("a", 1, request(4)))
    assert lived.cycle([NodeChange("n0", {"unschedulable": True})]).workloads == ()
    assert where(submitted(lived, gang("b", 1, request(4)))) == ["n1"]


def test_with_a_grace_a_node_that_is_not_ready_keeps_its_pods() -> None:
    lived = engine(flat(8, 8), policy=Policy(node_grace=60_000_000))
    submitted(lived, gang("a", 1, request(4)))
    assert lived.cycle([NodeChange("n0", {"ready": False})]).workloads == ()
    assert lived.records["a"].pods


def test_a_node_that_comes_back_starts_who_waits_for_it() -> None:
    lived = engine(flat(8, 8))
    lived.cycle([NodeChange("n1", {"ready": False})])
    waiting = submitted(lived, gang("a", 2, request(8)))
    assert waiting.reason is not None
    assert waiting.reason.code is Code.NODES_EXCLUDED
    (one,) = lived.cycle([NodeChange("n1", {"ready": True})]).workloads
    assert (one.state, where(one)) == (State.PLACED, ["n0", "n1"])


def test_nodes_and_workloads_that_nobody_knows_are_ignored() -> None:
    lived = engine(flat(8))
    assert lived.cycle([NodeChange("n7", {"ready": False}), Finish("nobody")]).workloads == ()
    assert submitted(lived, gang("a", 1, request(8))).state is State.PLACED


@pytest.mark.parametrize("kind", ["batch", "training", "inference"])
def test_lost_pods_are_replaced_whatever_the_kind(kind: str) -> None:
    lived = engine(flat(8, 8, 8))
    workload = gang("a", 2, request(8), kind=kind)
    submitted(lived, workload)
    (one,) = lived.cycle([NodeChange("n0", {"ready": False})]).workloads
    assert sorted(where(one)) == ["n1", "n2"]


def test_a_node_that_is_shut_takes_nothing_and_opens_as_it_was() -> None:
    lived = engine(racks(2, 2))
    submitted(lived, gang("a", 1, request(4)))
    before = lived.state.snapshot()
    shut = lived.state.shut([0, 1])
    assert where(submitted(lived, gang("b", 1, request(4)))) == ["n2"]
    lived.cycle([Finish("b")])
    lived.state.open_again(shut)
    assert lived.state.snapshot() == before
