from __future__ import annotations

import pytest

from railwise.model.plan import State
from railwise.model.workload import Group, Request, Workload
from tests.engine.policies.clusters import gang, last, nodes_of, planned, racks, request, running


@pytest.mark.parametrize(
    ("pods", "asks", "nodes"),
    [
        (1, request(gpu=8), ["n2"]),
        (2, request(gpu=4), ["n1", "n2"]),
        (4, request(gpu=2), ["n0", "n1", "n1", "n2"]),
        (3, request(part=600), ["n0", "n0", "n1"]),
        (1, request(cpu=4000), ["n0"]),
    ],
)
def test_the_first_nodes_that_fit(pods: int, asks: Request, nodes: list[str]) -> None:
    old = [running("a", ["n0"], request(gpu=6)), running("b", ["n1"], request(gpu=4))]
    assert nodes_of(last(planned("flat", racks(2, 2), *old, gang("new", pods, asks)))) == nodes


def test_the_largest_pods_go_first() -> None:
    old = running("old", ["n1"], request(gpu=7))
    single = Group("single", pods=1, min_pods=1, request=request(gpu=1))
    whole = Group("whole", pods=1, min_pods=1, request=request(gpu=8))
    new = Workload("new", Group(groups=(single, whole), min_groups=2))
    answer = last(planned("flat", racks(2), old, new))
    assert {pod.group: pod.node for pod in answer.pods} == {"whole": "n0", "single": "n1"}


def test_all_or_nothing() -> None:
    old = running("old", ["n0"], request(gpu=1))
    plan = planned("flat", racks(2), old, gang("two", 2, request(gpu=8)), gang("one", 1, request(gpu=8)))
    assert [answer.state for answer in plan.workloads] == [State.RUNNING, State.PENDING, State.PLACED]
    assert nodes_of(last(plan)) == ["n1"]


def test_racks_are_not_seen() -> None:
    old = running("old", ["n0"], request(gpu=8))
    answer = last(planned("flat", racks(2, 2), old, gang("new", 2, request(gpu=8), required="rack")))
    assert nodes_of(answer) == ["n1", "n2"]
    assert not answer.preferred_met


def test_the_seed_is_of_no_account() -> None:
    new = gang("new", 3, request(gpu=8))
    assert len({repr(planned("flat", racks(4), new, seed=seed)) for seed in range(10)}) == 1
