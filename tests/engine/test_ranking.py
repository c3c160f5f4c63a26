"""Nodes by what a pod costs there: the same as looking at every node anew, whatever happened in between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.ranking import Ranking
from railwise.model.policy import Policy
from railwise.model.workload import CardRule, Request, Selection
from tests.engine.small import flat, request


def shape_of(state: ClusterState, asks: Request) -> Shape:
    return state.shapes.intern(asks, CardRule(), Selection())


def fewest_left(shape: Shape, room: Room, node: int) -> int:
    """Return the cards left on a node, two and three being the same."""
    del node
    return (room.free - shape.cards) // 2


def anew(state: ClusterState, shape: Shape) -> list[int]:
    """Return all nodes of the least cost, by looking at every node."""
    costs = {
        node: fewest_left(shape, room, node)
        for node, room in enumerate(state.room_of)
        if state.rooms.fits(shape, room) is not None
    }
    return [node for node, cost in costs.items() if cost == min(costs.values())]


def test_an_empty_cluster_has_no_best_node() -> None:
    state = ClusterState([], (), Policy())
    ranking = Ranking(state, shape_of(state, request(1)), fewest_left)
    assert ranking.best() == -1
    assert ranking.ties() == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3), st.booleans()), max_size=80))
def test_it_follows_every_change(steps: list[tuple[int, int, bool]]) -> None:
    state = ClusterState(flat(8, 4, 8, 2, 8, 6), (), Policy())
    shapes = [shape_of(state, request(cards)) for cards in (1, 2, 3)]
    rankings = [Ranking(state, shape, fewest_left) for shape in shapes]
    held: list[tuple[Shape, int, Grant]] = []
    for node, cards, comes in steps:
        if comes:
            grant = state.put(shapes[cards - 1], node)
            if grant is not None:
                held.append((shapes[cards - 1], node, grant))
        elif held:
            state.take_away(*held.pop(node % len(held)))
        asked = rankings[cards - 1]
        expected = anew(state, shapes[cards - 1])
        assert asked.best() == (expected[0] if expected else -1)
        assert asked.ties() == expected
