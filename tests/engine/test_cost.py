"""One integer holds the criteria in order."""

from __future__ import annotations

from itertools import pairwise

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.cost import DEAD, LEFT, LOSS, MISPLACED, NODE, WIDE, Curves, taken_of, without_taken
from tests.engine.small import flat, request, shape_of, state_of


def _curve(state: ClusterState, shape: Shape, *, by_cpu: bool = False, nodes_first: bool = False) -> tuple[int, ...]:
    return Curves(state.rooms, shape, by_cpu=by_cpu, nodes_first=nodes_first).curve(state.room_of[0].index, 4)


def test_no_criterion_runs_over_into_a_more_important_one() -> None:
    fields = [1, LEFT, NODE, LOSS, DEAD, MISPLACED, WIDE]
    biggest = [(1 << 24) - 1, 10**6 * (1 << 20), 10**6, 10**12, 10**6, 10**6]
    for (low, high), most in zip(pairwise(fields), biggest, strict=True):
        assert low * most < high


def test_slots_taken_are_the_lowest_field_and_count_in_favour() -> None:
    cost = 5 * LOSS + NODE + 3 * LEFT - 7
    assert taken_of(cost) == 7
    assert without_taken(cost) == without_taken(5 * LOSS + NODE + 3 * LEFT)
    assert without_taken(cost) < without_taken(cost + LEFT)


def test_what_pods_on_one_node_cost() -> None:
    state = state_of(flat(8))
    loss = [32 - worth for worth in (32, 16, 12, 4, 0)]
    assert _curve(state, shape_of(state, request(2))) == tuple(
        LOSS * loss[pods] + NODE + LEFT * (8 - 2 * pods) - 2 * pods for pods in range(1, 5)
    )
    assert _curve(state, shape_of(state, request(3)))[2:] == (-1,)
    assert _curve(state, shape_of(state, request(9))) == (-1,)


def test_a_workload_without_cards_is_judged_by_millicores_and_does_not_belong_on_cards() -> None:
    state = state_of(flat(8, cpu=10_000))
    shape = shape_of(state, request(0, cpu=4_000))
    first = _curve(state, shape, by_cpu=True)[0]
    assert first // MISPLACED == 1
    assert first % MISPLACED == LOSS * (32 - 12) + NODE + LEFT * 6_000  # 6 of 10 cores leave cpu for 4 of the 8 cards
    bare = state_of(flat(0, cpu=10_000))
    assert _curve(bare, shape_of(bare, request(0, cpu=4_000)), by_cpu=True)[0] == NODE + LEFT * 6_000


def test_who_prefers_one_node_counts_nodes_before_everything_else() -> None:
    state = state_of(flat(8))
    shape = shape_of(state, request(2))
    plain, first = _curve(state, shape), _curve(state, shape, nodes_first=True)
    assert [high - low for high, low in zip(first, plain, strict=True)] == [WIDE] * 4


def test_a_longer_curve_is_computed_when_it_is_asked_for() -> None:
    state = state_of(flat(8))
    curves = Curves(state.rooms, shape_of(state, request(1)), by_cpu=False)
    room = state.room_of[0].index
    assert len(curves.curve(room, 2)) == 2
    assert len(curves.curve(room, 6)) == 6
    assert len(curves.curve(room, 20)) == 9
    assert curves.curve(room, 30)[-1] == -1
    assert curves.first(room) == curves.curve(room, 1)[0]
