"""What an empty cluster could hold."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.alter import alter_node
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.again import read_again
from railwise.engine.gangs.record import Record
from railwise.engine.reasons.capacity import EmptyCluster
from railwise.engine.search.placement import Found, Placer
from railwise.engine.search.sizing import find_minimum
from railwise.model.node import Node, Taint
from tests.engine.small import FABRIC, flat, gang, racks, request, shape_of, state_of

seeds = st.integers(0, 2**32 - 1)


def _of(nodes: list[Node]) -> tuple[ClusterState, EmptyCluster]:
    state = state_of(nodes, FABRIC) if "fabric" in nodes[0].places else state_of(nodes)
    return state, EmptyCluster(state)


def test_the_best_domain_of_a_level() -> None:
    state, empty = _of(racks(2, 3, 1))
    shape = shape_of(state, request(4))
    assert empty.best_domain(shape, 0, -1, 99) == (0, 12)
    assert empty.best_domain(shape, 0, 0, 99) == (0, 10)
    assert empty.best_domain(shape, 0, 1, 99) == (1, 6)
    assert empty.best_domain(shape, 0, 2, 99) == (0, 2)
    assert empty.best_domain(shape_of(state, request(9)), 0, 1, 99) == (-1, 0)


def test_what_runs_or_is_shut_or_sick_does_not_matter() -> None:
    nodes = [replace(node, ready=False, unhealthy=frozenset({0}), taints=(Taint("x"),)) for node in flat(8)]
    state, empty = _of(nodes)
    shape = shape_of(state, request(8))
    assert empty.pods_on(shape, 0, 5) == 1
    assert [node.taints for node in empty.pristine().nodes] == [()]
    assert empty.pristine().room_of[0].slots == 8
    assert empty.bare().room_of[0].slots == 0


@pytest.mark.parametrize("asked", [[1, 3, 5, 2, 9, 4], [9, 1], [3, 3]])
def test_counts_are_exact_below_what_is_asked_for_in_whatever_order(asked: list[int]) -> None:
    state, empty = _of(flat(8, 8, cpu=10_000))
    shape = shape_of(state, request(2, cpu=3_000))
    for pods in asked:
        assert empty.pods_on(shape, 0, pods) == min(pods, 3)
        room = empty.room_in_best(shape, 0, -1, pods)
        assert room == 6 if pods > 6 else room >= min(pods, 6)


def test_a_pod_without_limits_is_not_counted_beyond_what_is_asked_for() -> None:
    state, empty = _of(flat(*[0] * 50))
    shape = shape_of(state, request(0, cpu=1))
    rooms = len(state.rooms.all)
    assert empty.room_in_best(shape, 0, -1, 7) >= 7
    assert len(state.rooms.all) == rooms


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ({"ready": False}, True),
        ({"unschedulable": True}, True),
        ({"labels": {"pool": "gold"}}, True),
        ({"taints": (Taint("x"),)}, True),
        ({"gpu.unhealthy": frozenset({0})}, True),
        ({"resources": {"cpu": 5_000}}, False),
    ],
)
def test_new_facts_about_a_node_are_followed(values: dict[str, object], *, kept: bool) -> None:
    state, empty = _of(flat(8, 8, cpu=10_000))
    shape = shape_of(state, request(8, cpu=6_000))
    pristine, bare = empty.pristine(), empty.bare()
    assert empty.room_in_best(shape, 0, -1, 9) == 2
    alter_node(state, 1, values, ())
    empty.forget(1)
    assert (empty.pristine() is pristine) is kept
    assert empty.bare() is bare
    assert bare.nodes == state.nodes
    assert [room.figures() for room in bare.room_of] == [room.figures() for room in state.room_of]
    assert empty.room_in_best(shape, 0, -1, 9) == (2 if kept else 1)


def test_whether_anything_is_shut_follows_the_nodes() -> None:
    state, empty = _of(flat(8, 8))
    demand = Record(gang("a", 1, request(1)), state).demand
    changes: list[tuple[dict[str, object], bool]] = [
        ({"ready": False}, True),
        ({"ready": True, "unschedulable": True}, True),
        ({"unschedulable": False}, False),
        ({"gpu.unhealthy": frozenset({3})}, True),
        ({"gpu.unhealthy": frozenset()}, False),
        ({"taints": (Taint("x"),)}, True),
        ({"taints": ()}, False),
    ]
    for values, shut in changes:
        alter_node(state, 1, values, ())
        empty.forget(1)
        assert empty.anything_shut(demand) is shut, values


@given(seeds)
def test_open_nodes_are_counted_as_a_search_of_the_empty_cluster_finds_them(seed: int) -> None:
    draw = Random(seed)
    nodes = [
        replace(
            node,
            ready=draw.random() < 0.8,
            unschedulable=draw.random() < 0.1,
            unhealthy=frozenset(draw.sample(range(4), draw.randrange(3))),
            taints=(Taint("x"),) if draw.random() < 0.2 else (),
        )
        for node in racks(draw.randrange(1, 4), 3, 1, gpus=4, cpu=3000)
    ]
    state, empty = _of(nodes)
    for number in range(4):
        asked = request(draw.choice([0, 1, 2, 4]), cpu=draw.choice([1000, 2000]))
        required = draw.choice(["", "rack", "superpod", "hostname"])
        workload = gang(f"w{number}", draw.randrange(1, 9), asked, required)
        demand = Record(workload, state).demand
        found = empty.fits(demand, pristine=False)
        if not empty.anything_shut(demand):
            assert found is None
            continue
        bare = Placer(ClusterState(state.nodes, state.topologies, state.policy))
        searched = find_minimum(read_again(demand, bare.state, everywhere=False), bare.place)
        assert found is isinstance(searched, Found)
