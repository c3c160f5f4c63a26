"""What an empty cluster could hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cluster.state import ClusterState
from railwise.engine.reasons.capacity import EmptyCluster
from railwise.model.node import Node, Taint
from tests.engine.small import FABRIC, flat, racks, request, shape_of, state_of


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


def test_new_facts_about_nodes_are_forgotten_on_demand() -> None:
    _, empty = _of(flat(8))
    first = empty.pristine()
    assert empty.pristine() is first
    empty.forget()
    assert empty.pristine() is not first
