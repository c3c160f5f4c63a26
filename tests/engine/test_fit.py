"""The one ``fits()``, against a second book that knows every card by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cluster.ledger import card_names
from railwise.engine.cluster.shapes import UNLIMITED, unlisted
from railwise.engine.cluster.state import ClusterState
from railwise.model.node import Cards, Node
from railwise.model.workload import CARDS_MIG, CardRequest, CardRule, Request
from tests.engine.random_life import Life
from tests.engine.small import asks_share, flat, request, shape_of, state_of
from tests.oracle.cluster import Machine, accepts, machine


def _place(state: ClusterState, node: Node, asks: Request, rule: CardRule | None = None) -> tuple[str, ...] | None:
    grant = state.put(shape_of(state, asks, rule), state.index_of[node.name])
    return None if grant is None else card_names(grant)


def _agree(seed: int) -> int:
    """Put random pods on random nodes in both books; return how many were put."""
    life = Life(seed)
    state = ClusterState(life.scenario.nodes, life.scenario.topologies, life.scenario.policy)
    books = [machine(node, index) for index, node in enumerate(life.scenario.nodes)]
    done = 0
    for _ in range(60):
        group, index = life.random.choice(life.shapes), life.random.randrange(len(books))
        shape = state.shapes.of_group(group)
        place = books[index]
        fits = state.fits(shape, index)
        grant = state.put(shape, index)
        assert fits == (grant is not None)
        welcome = place.takes_pods() and accepts(place.node, group.selection)
        if grant is None:
            assert not welcome or not _some_way(place, group.request, group.card_rule), (seed, index, group)
            continue
        done += 1
        cards = [int(card) for card in card_names(grant)]
        assert welcome
        assert place.put(group.request, group.card_rule, cards) == "", (seed, index, group)
        room = state.room_of[index]
        assert room.slots == place.slots(place.untouched(), place.amounts), (seed, index, group)
        assert (room.cpu, room.memory) == (place.amounts["cpu"], place.amounts["memory"])
    return done


def _some_way(place: Machine, asks: Request, rule: CardRule) -> bool:
    """Return whether a node has the resources and cards for one more pod."""
    if place.left_after([asks]) is None:
        return False
    wanted = asks.cards.count
    if asks.cards.kind == "none":
        return True
    whole = asks.cards.kind == "whole"
    usable = [card for card in place.cards if card.suits(rule)]
    usable = [card for card in usable if (card.untouched() if whole else card.has_room(asks))]
    if rule.island:
        islands = [card.island for card in usable]
        return any(islands.count(island) >= wanted for island in islands)
    return len(usable) >= wanted


def test_both_books_agree_on_every_pod() -> None:
    assert sum(_agree(seed) for seed in range(40)) > 400


@pytest.mark.parametrize(
    ("rule", "pods", "cards"),
    [
        (CardRule(), 3, [("0", "1"), ("2", "3"), ("4", "5")]),
        (CardRule(("B",)), 3, [("4", "5"), ("6", "7"), None]),
        (CardRule(memory=50_000), 1, [("4", "5")]),
        (CardRule(("A",), island=True), 2, [("0", "1"), ("2", "3")]),
        (CardRule(("C",)), 1, [None]),
    ],
)
def test_rules_about_cards(rule: CardRule, pods: int, cards: list[tuple[str, ...] | None]) -> None:
    node = Node("n", cards=(Cards(4, "A", 40_000, islands=2), Cards(4, "B", 80_000)))
    state = state_of([node])
    assert [_place(state, node, request(2), rule) for _ in range(pods)] == cards


def test_an_island_must_hold_all_cards_of_a_pod() -> None:
    node = Node("n", cards=(Cards(8, islands=2),))
    state = state_of([node])
    rule = CardRule(island=True)
    assert _place(state, node, request(3), rule) == ("0", "1", "2")
    assert _place(state, node, request(3), rule) == ("4", "5", "6")
    assert _place(state, node, request(2), rule) is None  # two cards are free, one in each island
    assert _place(state, node, request(2)) == ("3", "7")


def test_memory_of_a_card_is_exact_and_its_reserve_is_kept() -> None:
    node = Node("n", cards=(Cards(1, "A", 1000, reserve=100),))
    state = state_of([node])
    assert [_place(state, node, asks_share(part=333)) for _ in range(3)] == [("0",)] * 3
    assert state.ledgers[0].left == {0: (900_000 - 3 * 299_700, 1)}
    assert _place(state, node, asks_share(part=2)) is None
    assert _place(state, node, asks_share(memory=1)) is None
    assert _place(state, node, asks_share(part=1)) == ("0",)


@pytest.mark.parametrize(
    ("asks", "fits"),
    [
        (asks_share(part=500), True),
        (asks_share(percent=50), True),
        (asks_share(memory=100), False),  # nobody knows how much the card has
    ],
)
def test_a_card_of_unknown_memory(asks: Request, fits: bool) -> None:
    state = state_of(flat(1))
    assert state.fits(shape_of(state, asks), 0) is fits


@pytest.mark.parametrize("cards", [Cards(2, time_slices=4), Cards(2, mig=("1g.5gb", "1g.5gb"))])
def test_cards_offered_in_another_way_are_not_given_whole_or_in_shares(cards: Cards) -> None:
    state = state_of([Node("n", cards=(cards,))])
    assert not state.fits(shape_of(state, request(1)), 0)
    assert not state.fits(shape_of(state, asks_share(part=1)), 0)


def test_a_use_that_is_not_placed_yet_fits_nowhere() -> None:
    state = state_of([Node("n", cards=(Cards(2, mig=("dynamic",)),))])
    assert not state.fits(shape_of(state, Request(CardRequest(CARDS_MIG, 0))), 0)
    assert state.fits(shape_of(state, request(2)), 0)


def test_what_a_node_does_not_list() -> None:
    assert [unlisted(name) for name in ("cpu", "memory", "pods", "ephemeral-storage")] == [UNLIMITED] * 4
    assert unlisted("example.com/nic") == 0
    state = state_of([*flat(0), replace(flat(0, pods=2)[0], name="m")])
    assert state.fits(shape_of(state, request(0, cpu=10**9, **{"ephemeral-storage": 10**9})), 0)
    assert not state.fits(shape_of(state, request(0, **{"example.com/nic": 1})), 0)
    assert state.fits(shape_of(state, request(0, pods=1)), 1)  # a pod takes a slot of its own besides
    assert not state.fits(shape_of(state, request(0, pods=2)), 1)


def test_a_slot_needs_its_share_of_cpu_and_memory() -> None:
    state = state_of(flat(8, cpu=16_000, memory=80_000))
    assert state.put(shape_of(state, request(0, cpu=5_000)), 0) is not None
    assert state.room_of[0].slots == 11_000 * 8 // 16_000
    assert state.put(shape_of(state, request(0, memory=60_000)), 0) is not None
    assert state.room_of[0].slots == 2
    assert state.put(shape_of(state, request(8)), 0) is not None  # slots are not what is asked for
