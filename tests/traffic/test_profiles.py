"""Measured step times by placement: what is predicted has not seen what it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measured_places import measured_places
from railwise.traffic.profiles import Row, blind_table, blind_terms, measured_again, order_kept, terms

PLACES = [(4,), (2, 2), (1, 3), (1, 1, 2), (1, 1, 1, 1), (8,), (4, 4), (2, 3, 3), (2, 2, 2, 2), (1, 7)]
BATCHES = [4, 8, 16]


@st.composite
def profiles(draw: st.DrawFn) -> list[Row]:
    times = st.integers(1_000, 9_000_000)
    return [Row(places, batch, draw(times)) for places in PLACES[:5] for batch in BATCHES]


@given(profiles(), st.integers(0, 14), st.integers(1_000, 9_000_000))
def test_a_row_says_nothing_to_its_own_prediction(rows: list[Row], number: int, other: int) -> None:
    row = rows[number]
    changed = [*rows[:number], row._replace(nanoseconds=other), *rows[number + 1 :]]
    for blind in (blind_table, measured_again):
        assert blind(changed)[row.places, row.batch] == blind(rows)[row.places, row.batch]
    new = [one._replace(nanoseconds=other) if one.places == row.places else one for one in rows]
    before, after = blind_terms(rows), blind_terms(new)
    assert after[row.places, row.batch] == pytest.approx(before[row.places, row.batch], rel=1e-6)


def test_the_table_weights_other_batch_sizes_by_their_ratio() -> None:
    """Of three placements one is always in the middle; a second is 2, 3 and 5 times as slow."""
    rows = [
        Row(places, batch, round(1000 * batch * factor))
        for batch, slow in zip(BATCHES, (2, 3, 5), strict=True)
        for places, factor in (((4,), 1), ((2, 2), slow), ((1, 3), 0.5))
    ]
    found = blind_table(rows)
    weights = {8: 1 / 2, 16: 1 / 4}
    expected = exp((weights[8] * log(3) + weights[16] * log(5)) / sum(weights.values()))
    assert found[(2, 2), 4] == pytest.approx(expected)
    assert [found[(4,), batch] for batch in BATCHES] == pytest.approx([1, 1, 1])
    again = measured_again(rows)
    assert [again[(2, 2), batch] for batch in BATCHES] == pytest.approx([3, 2, 3])


def test_what_was_measured_once_is_taken_to_be_in_the_middle() -> None:
    rows = [Row((4,), 8, 1000), Row((2, 2), 8, 3000)]
    assert set(blind_table(rows).values()) == {1.0}
    assert order_kept(rows, blind_table(rows)) == (0, 1)


def test_terms_predict_placements_that_nobody_measured() -> None:
    """Times made of the terms are found again for every placement but one, from all others."""
    weights = (9e6, 2e5, 1e6, 3e4, 4e7, 2e7, 1e6)
    rows = [
        Row(places, batch, round(sum(x * y for x, y in zip(weights, terms(places, batch), strict=True))))
        for places in PLACES
        for batch in BATCHES
    ]
    found = blind_terms(rows)
    for row in rows:
        if row.places != (1, 1, 1, 1):
            assert found[row.places, row.batch] == pytest.approx(row.nanoseconds, rel=0.02)


def test_pairs_are_those_of_as_many_cards_that_differ_enough() -> None:
    rows = [Row((4,), 8, 100), Row((2, 2), 8, 109), Row((1, 3), 8, 120), Row((2,), 8, 900), Row((4,), 4, 10)]
    right = {(places, batch): float(time) for places, batch, time in rows}
    assert order_kept(rows, right) == (2, 2)  # 100 and 109 are too close, 120 is more than a tenth above both
    assert order_kept(rows, dict.fromkeys(right, 1.0)) == (0, 2)
    assert order_kept(rows, {key: -time for key, time in right.items()}, least=1.0) == (0, 3)


@pytest.mark.slow
def test_measured_placements_are_ordered_as_measured(shared: Callable[[str], Path]) -> None:
    shared("traces/pollux-osdi21/profiles_placements.csv.gz")
    shared("traces/sia-sosp23/profiles_placements.csv.gz")
    counts = [order_kept(rows, blind_table(rows)) for rows in measured_places().values()]
    right, pairs = (sum(figures) for figures in zip(*counts, strict=True))
    assert pairs == 11_556
    assert right >= 0.9 * pairs
