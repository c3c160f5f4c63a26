"""The book of a node's cards: which card serves whom, and that everything can be undone."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.ledger import Grant, Ledger, card_names, lowest_bits
from railwise.engine.cluster.room import NodeSpec
from railwise.model.node import Cards, Node


def _ledger(*cards: Cards, unhealthy: frozenset[int] = frozenset()) -> Ledger:
    return Ledger(NodeSpec(0, Node("n", cards=cards or (Cards(4, memory=1000),), unhealthy=unhealthy)))


def _all(ledger: Ledger) -> tuple[object, ...]:
    return ledger.free, ledger.busy, ledger.debt, dict(ledger.left), dict(ledger.closed), ledger.summary()


@pytest.mark.parametrize(
    ("mask", "count", "lowest"), [(0b1111, 2, 0b0011), (0b1010, 1, 0b0010), (0b1010, 2, 0b1010), (0b1010, 0, 0)]
)
def test_the_lowest_cards_of_a_mask(mask: int, count: int, lowest: int) -> None:
    assert lowest_bits(mask, count) == lowest


def test_sick_cards_cut_cards_and_time_sliced_cards_are_not_whole() -> None:
    ledger = _ledger(Cards(2), Cards(1, mig=("1g.5gb",)), Cards(1, time_slices=4), Cards(2), unhealthy=frozenset({5}))
    assert ledger.free == 0b010011
    assert ledger.summary() == ((2, 0, 0, 1), ())


def test_a_shared_card_is_no_whole_card_until_its_last_sharer_has_gone() -> None:
    ledger = _ledger()
    first, second = Grant(0, ((1, 300_000, 300),), (), 0), Grant(0, ((1, 100_000, 700),), (), 0)
    ledger.take(first)
    ledger.take(second)
    assert ledger.free == 0b1101
    assert ledger.summary() == ((3,), ((0, 600_000, 0),))
    ledger.give_back(first)
    assert ledger.free == 0b1101
    ledger.give_back(second)
    assert ledger.free == 0b1111
    assert ledger.summary() == ((4,), ())


def test_a_debt_is_paid_from_the_next_cards_that_come_free() -> None:
    ledger = _ledger()
    whole, owing = Grant(0b1111, (), (), 0), Grant(0, (), (), 2)
    ledger.take(whole)
    ledger.take(owing)
    assert ledger.summary() == ((0,), ())
    ledger.give_back(whole)
    assert ledger.summary() == ((2,), ())
    ledger.give_back(owing)
    assert ledger.summary() == ((4,), ())


def test_a_debt_of_a_node_with_several_kinds_of_cards_is_paid_from_the_first() -> None:
    ledger = _ledger(Cards(2, "A"), Cards(2, "B"))
    ledger.take(Grant(0, (), (), 3))
    assert ledger.summary() == ((0, 1), ())


def test_a_closed_card_serves_nobody_else_until_its_last_use_has_gone() -> None:
    ledger = _ledger()
    use = Grant(0, (), (2,), 0)
    ledger.take(use)
    ledger.take(use)
    assert ledger.in_use(2)
    ledger.give_back(use)
    assert ledger.free == 0b1011
    ledger.give_back(use)
    assert ledger.free == 0b1111
    assert not ledger.in_use(2)


def test_a_card_that_several_kinds_of_use_hold_is_free_when_the_last_has_gone() -> None:
    ledger = _ledger()
    uses = [Grant(0b0100, (), (), 0), Grant(0, (), (2,), 0), Grant(0, ((2, 1000, 1),), (), 0)]
    for use in uses:
        ledger.take(use)
    for use in uses[:2]:
        ledger.give_back(use)
        assert not ledger.free >> 2 & 1
    ledger.give_back(uses[2])
    assert ledger.free == 0b1111


def test_a_card_that_recovers_while_it_is_held_is_not_free() -> None:
    ledger = _ledger()
    healthy = ledger.spec
    held, shared = Grant(0b0010, (), (), 0), Grant(0, ((2, 500_000, 0),), (), 0)
    ledger.take(held)
    ledger.take(shared)
    sick = NodeSpec(1, Node("n", cards=(Cards(4, memory=1000),), unhealthy=frozenset({0, 1, 2})))
    ledger.respecify(sick)
    assert ledger.summary() == ((1,), ())
    ledger.respecify(healthy)
    assert ledger.summary() == ((2,), ((0, 500_000, 1000),))
    ledger.give_back(held)
    ledger.give_back(shared)
    assert ledger.summary() == ((4,), ())


def test_a_card_given_back_while_it_is_sick_stays_out_of_use_until_it_recovers() -> None:
    ledger = _ledger()
    healthy = ledger.spec
    held = Grant(0b0011, (), (), 0)
    ledger.take(held)
    ledger.respecify(NodeSpec(1, Node("n", cards=(Cards(4, memory=1000),), unhealthy=frozenset({1}))))
    ledger.give_back(held)
    assert ledger.free == 0b1101
    ledger.respecify(healthy)
    assert ledger.free == 0b1111


@pytest.mark.parametrize(
    ("grant", "names"),
    [
        (Grant(0, (), (), 0), ()),
        (Grant(0b1000000001001, (), (), 0), ("0", "3", "12")),
        (Grant(0, ((4, 1, 1), (2, 1, 1)), (), 0), ("2", "4")),
        (Grant(0, (), (1,), 0), ("1",)),
        (Grant(0b0001, (), (), 2), ("0",)),
    ],
)
def test_cards_are_named_in_ascending_order(grant: Grant, names: tuple[str, ...]) -> None:
    assert card_names(grant) == names
    assert card_names(grant) == names


@given(st.integers(0, 2**32 - 1))
def test_undo_in_any_order_restores_the_book(seed: int) -> None:
    random = Random(seed)
    ledger = _ledger(Cards(3, memory=1000), Cards(3, memory=2000), unhealthy=frozenset({random.randrange(6)}))
    before = _all(ledger)
    given: list[Grant] = []
    for _ in range(12):
        free = ledger.free
        shared = [card for card in range(6) if (free >> card & 1 or card in ledger.left) and random.random() < 0.3]
        choices = [
            Grant(lowest_bits(free, random.randint(0, free.bit_count())), (), (), 0),
            Grant(0, tuple((card, random.randint(1, 400_000), random.randint(0, 400)) for card in shared), (), 0),
            Grant(0, (), (random.randrange(6),), 0),
            Grant(0, (), (), random.randint(0, 2)),
        ]
        given.append(random.choice(choices))
        ledger.take(given[-1])
        whole, partial = ledger.summary()
        assert 0 <= sum(whole) <= ledger.free.bit_count()
        assert all(memory > 0 or compute > 0 for _, memory, compute in partial)
    random.shuffle(given)
    for grant in given:
        ledger.give_back(grant)
    assert _all(ledger) == before
