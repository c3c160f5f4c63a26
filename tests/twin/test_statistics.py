"""Statistics over seeds against tables, closed forms, and the promise of an interval: to hold the mean so often."""

from __future__ import annotations

from math import sqrt, tan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.twin.statistics import estimate, paired, t_quantile, t_within

TABLE = {
    # degrees: two-sided 90 %, 95 %, 99 %, 99.9 %, as printed in every textbook
    1: (6.314, 12.706, 63.657, 636.619),
    2: (2.920, 4.303, 9.925, 31.599),
    3: (2.353, 3.182, 5.841, 12.924),
    4: (2.132, 2.776, 4.604, 8.610),
    5: (2.015, 2.571, 4.032, 6.869),
    6: (1.943, 2.447, 3.707, 5.959),
    7: (1.895, 2.365, 3.499, 5.408),
    8: (1.860, 2.306, 3.355, 5.041),
    9: (1.833, 2.262, 3.250, 4.781),
    10: (1.812, 2.228, 3.169, 4.587),
    15: (1.753, 2.131, 2.947, 4.073),
    19: (1.729, 2.093, 2.861, 3.883),
    20: (1.725, 2.086, 2.845, 3.850),
    29: (1.699, 2.045, 2.756, 3.659),
    30: (1.697, 2.042, 2.750, 3.646),
    60: (1.671, 2.000, 2.660, 3.460),
    120: (1.658, 1.980, 2.617, 3.373),
}


@pytest.mark.parametrize("degrees", TABLE)
def test_quantiles_are_those_of_the_tables(degrees: int) -> None:
    found = tuple(round(t_quantile(degrees, level), 3) for level in (0.9, 0.95, 0.99, 0.999))
    assert found == TABLE[degrees]


@given(st.floats(0.001, 0.9999))
def test_quantiles_of_one_two_and_four_degrees_have_closed_forms(level: float) -> None:
    assert t_quantile(1, level) == pytest.approx(tan(level * 3.141592653589793 / 2), rel=1e-9)
    assert t_quantile(2, level) == pytest.approx(level * sqrt(2 / (1 - level**2)), rel=1e-9)
    t = t_quantile(4, level)
    x = t / sqrt(4 + t * t)
    assert x * (3 - x * x) / 2 == pytest.approx(level, rel=1e-12)


@given(st.integers(1, 3000), st.floats(0.01, 0.999))
def test_probability_and_quantile_are_each_others_inverse(degrees: int, level: float) -> None:
    assert t_within(t_quantile(degrees, level), degrees) == pytest.approx(level, abs=1e-12)


def test_many_degrees_come_to_the_normal_distribution() -> None:
    assert t_quantile(10**9) == t_quantile(10_000) == pytest.approx(1.959964, rel=2e-4)


@pytest.mark.parametrize(("degrees", "level"), [(0, 0.95), (3, 0.0), (3, 1.0), (3, float("nan"))])
def test_what_is_no_question_is_refused(degrees: int, level: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        t_quantile(degrees, level)


def test_an_estimate_by_hand() -> None:
    found = estimate([4, 8, 6, 5, 3])
    assert (found.size, found.mean) == (5, 5.2)
    assert found.deviation == pytest.approx(sqrt(3.7))
    assert found.half == pytest.approx(2.7764451 * sqrt(3.7 / 5))
    assert found.low() == pytest.approx(5.2 - 2.3883884)
    assert found.high() == pytest.approx(5.2 + 2.3883884)


def test_one_value_has_no_interval_and_equal_values_a_point() -> None:
    assert estimate([7]) == (1, 7.0, None, None)
    assert estimate([0.1] * 3) == (3, 0.1, 0.0, 0.0)
    assert (estimate([7]).sign(), estimate([7, 7]).sign(), estimate([-1, 1]).sign()) == (0, 1, 0)
    with pytest.raises(ValueError, match="no values"):
        estimate([])


@given(st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_the_seeds_does_not_matter(values: list[int], chance: Random) -> None:
    mixed = list(values)
    chance.shuffle(mixed)
    assert estimate(mixed) == estimate(values)


def test_pairs_by_hand() -> None:
    found = paired({1: 10, 2: 20, 3: 30, 9: 1}, {1: 12, 2: 26, 3: 31, 8: 5})
    assert found is not None
    assert found.difference.mean == -3
    assert found.difference.deviation == pytest.approx(sqrt(7))
    assert found.relative == pytest.approx(-3 / 23)
    assert found.effect == pytest.approx(-3 / sqrt(7))
    assert (found.lower, found.equal, found.higher) == (3, 0, 0)
    assert found.difference.sign() == 0
    assert paired({1: 1}, {2: 1}) is None


def test_pairs_show_what_hard_seeds_hide() -> None:
    theirs: dict[int, float] = {seed: 1000.0 * seed for seed in range(10)}
    ours = {seed: value - 10 - seed % 3 for seed, value in theirs.items()}
    apart = [estimate(list(one.values())) for one in (ours, theirs)]
    assert apart[0].half is not None
    assert apart[0].half > abs(apart[0].mean - apart[1].mean)
    found = paired(ours, theirs)
    assert found is not None
    assert found.difference.sign() == -1


def test_nothing_divides_by_nothing() -> None:
    found = paired({1: 2, 2: 2}, {1: 0, 2: 0})
    assert found is not None
    assert (found.relative, found.effect, found.difference.sign()) == (None, None, 1)


def test_an_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    chance = Random(5)
    rounds = 2000
    held = 0
    for _ in range(rounds):
        found = estimate([chance.gauss(3, 2) for _ in range(6)], 0.9)
        assert found.half is not None
        held += abs(found.mean - 3) <= found.half
    spread = sqrt(0.9 * 0.1 / rounds)
    assert abs(held / rounds - 0.9) < 3 * spread
