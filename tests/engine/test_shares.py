"""Shares on several cards: which cards, and all of one island where the rule asks for it."""

from __future__ import annotations

import pytest

from railwise.engine.cluster.ledger import card_names
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.shares import available, choices, share_cards
from railwise.engine.cluster.state import ClusterState
from railwise.model.node import Cards, Node
from railwise.model.policy import Policy
from railwise.model.workload import CARDS_SHARE, CARDS_WHOLE, CardRequest, CardRule, Request, Selection


def _state() -> ClusterState:
    return ClusterState([Node("n", cards=(Cards(4, memory=1000, islands=2),))], (), Policy())


def _share(state: ClusterState, cards: int, percent: int, *, island: bool = False) -> Shape:
    asks = Request(CardRequest(CARDS_SHARE, cards, memory_percent=percent))
    return state.shapes.intern(asks, CardRule(island=island), Selection())


def _put(state: ClusterState, shape: Shape) -> tuple[str, ...] | None:
    grant = state.put(shape, 0)
    return None if grant is None else card_names(grant)


@pytest.mark.parametrize(
    ("used", "island", "cards"),
    [
        ([], False, ("0", "1")),
        ([], True, ("0", "1")),
        ([60], False, ("1", "2")),  # card 0 has no half left: the next two, of two islands
        ([30], True, ("0", "1")),
        ([60, 60, 30], False, ("2", "3")),
    ],
)
def test_the_lowest_cards_that_cost_least(used: list[int], island: bool, cards: tuple[str, ...]) -> None:
    state = _state()
    for percent in used:
        assert _put(state, _share(state, 1, percent)) is not None
    assert _put(state, _share(state, 2, 50, island=island)) == cards


def test_one_island_must_hold_the_whole_share() -> None:
    state = _state()
    assert _put(state, _share(state, 1, 60)) == ("0",)
    shape = _share(state, 2, 50, island=True)
    assert _put(state, shape) == ("2", "3")
    assert _put(state, shape) == ("2", "3")
    assert _put(state, shape) is None  # card 1 is free, but alone in its island
    assert _put(state, _share(state, 1, 50, island=True)) == ("1",)


def test_the_island_that_loses_fewest_whole_cards() -> None:
    state = _state()
    whole = state.shapes.intern(Request(CardRequest(CARDS_WHOLE, 2)), CardRule(), Selection())
    grant = state.put(whole, 0)
    assert grant is not None
    assert _put(state, _share(state, 1, 30)) == ("2",)
    state.take_away(whole, 0, grant)
    assert _put(state, _share(state, 2, 30, island=True)) == ("2", "3")


def test_every_way_lies_in_one_island() -> None:
    state = _state()
    assert _put(state, _share(state, 1, 30)) == ("0",)
    shape = _share(state, 2, 50, island=True)
    room = state.room_of[0]
    ways = choices(shape, room)
    assert ways[0] == share_cards(shape, room)
    assert [{bank for bank, _, _ in way} for way in ways] == [{0}, {1}]
    across = (ways[0][0], ways[1][0])
    assert all(available(shape, room, way) for way in ways)
    assert not available(shape, room, across)
    assert available(_share(state, 2, 50), room, across)
