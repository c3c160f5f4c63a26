"""Borrowing and lending add up, level by level."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.queues.fairness import CARD
from railwise.engine.queues.lending import all_lent, borrowed, split
from railwise.engine.queues.queue_tree import QueueTree
from railwise.model.queue import Queue


def tree(*rows: tuple[str, str, int, int, int]) -> QueueTree:
    """Return a tree of (name, parent, quota, held, lend) in GPUs; quota -1: none, lend -1: all of it."""
    made = QueueTree(
        Queue(
            name,
            parent,
            {"gpu": quota * CARD} if quota >= 0 else {},
            lend=None if lend < 0 else {"gpu": lend * CARD},
        )
        for name, parent, quota, _, lend in rows
    )
    for name, _, _, held, _ in rows:
        if name not in made.children:
            made.charge(name, {"gpu": held * CARD}, 1, firm=False)
    return made


def lent(made: QueueTree, capacity: int) -> dict[str, int]:
    """Return what others use of each queue's quota, in GPUs, without those of whom nothing is used."""
    found = all_lent(made, {"gpu": capacity * CARD})
    return {name: amounts["gpu"] // CARD for name, amounts in found.items() if amounts}


def test_what_nobody_was_promised_goes_first() -> None:
    made = tree(("a", "", 4, 10, -1), ("b", "", 4, 0, -1))
    assert (borrowed(made, "a", "gpu"), borrowed(made, "b", "gpu")) == (6 * CARD, 0)
    assert lent(made, 16) == {}
    assert lent(made, 10) == {"b": 4}
    assert lent(made, 12) == {"b": 2}


def test_lenders_share_in_proportion_to_what_they_leave() -> None:
    made = tree(("a", "", 0, 6, -1), ("b", "", 6, 0, -1), ("c", "", 6, 3, -1))
    assert lent(made, 12) == {"b": 4, "c": 2}


def test_what_is_kept_back_is_never_lent() -> None:
    made = tree(("a", "", 0, 3, -1), ("b", "", 4, 0, 1), ("c", "", 4, 0, -1))
    assert lent(made, 8) == {"b": 1, "c": 2}


def test_what_a_parent_borrows_its_children_need_not_lend_and_what_it_lends_they_do() -> None:
    made = tree(
        ("left", "", 8, 0, -1),
        ("l1", "left", 4, 10, -1),
        ("l2", "left", 4, 2, -1),
        ("right", "", 8, 0, -1),
        ("r1", "right", 4, 4, -1),
        ("r2", "right", 4, 0, -1),
    )
    assert borrowed(made, "left", "gpu") == 4 * CARD
    assert lent(made, 16) == {"right": 4, "r2": 4, "l2": 2}


def test_without_any_quota_nothing_is_borrowed() -> None:
    made = tree(("a", "", -1, 6, -1), ("b", "", -1, 0, -1))
    assert borrowed(made, "a", "gpu") == 0
    assert lent(made, 8) == {}


@given(st.integers(0, 60), st.lists(st.integers(0, 20), max_size=6), st.sampled_from([1, 1000]))
def test_a_split_adds_up_and_gives_nobody_more_than_they_have(amount: int, most: Sequence[int], unit: int) -> None:
    limits = {str(number): limit for number, limit in enumerate(most)}
    given_out = split(amount, limits.items(), unit)
    assert sum(given_out.values()) == min(amount, sum(most))
    assert all(0 <= given_out[name] <= limits[name] for name in limits)


@pytest.mark.parametrize("amount", [0, 1, 1000, 2500, 5000])
def test_a_split_is_in_whole_cards_where_the_amount_is(amount: int) -> None:
    parts = split(amount, {"a": 3000, "b": 3000}.items(), CARD)
    assert amount % CARD or all(part % CARD == 0 for part in parts.values())
    assert parts["a"] >= parts["b"]
