"""Fair shares of siblings: tables worked out by hand, and what must hold for all."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.queues.fairness import CARD, Sharing, fair_shares, shrunk
from railwise.engine.queues.siblings import Claim


def claim(
    name: str,
    demand: int,
    quota: int = 0,
    *,
    weight: int = 1000,
    priority: int = 0,
    limit: int = -1,
    keep: int = 0,
    held: int = 0,
) -> Claim:
    return Claim(name, Fraction(quota), demand, Fraction(keep), limit, weight, priority, held)


def shares(claims: list[Claim], total: int, unit: int = 1) -> dict[str, int]:
    return {name: int(share) for name, share in fair_shares(claims, Fraction(total), unit).items()}


@pytest.mark.parametrize(
    ("claims", "total", "expected"),
    [
        ([claim("a", 6, 2), claim("b", 6, 2, weight=3000)], 8, {"a": 3, "b": 5}),
        ([claim("a", 2), claim("b", 16, limit=5), claim("c", 16)], 16, {"a": 2, "b": 5, "c": 9}),
        ([claim("a", 16, 4, weight=100_000), claim("b", 16, 4, priority=1)], 16, {"a": 4, "b": 12}),
        ([claim("a", 12, 12), claim("b", 12, 6)], 12, {"a": 8, "b": 4}),
        ([claim("a", 10, 5, weight=5000), claim("b", 5, weight=0)], 10, {"a": 10, "b": 0}),
        ([claim("a", 3, 5), claim("b", 5, weight=0)], 10, {"a": 3, "b": 5}),
        ([claim("a", 0, 4, keep=4), claim("b", 9)], 10, {"a": 0, "b": 6}),
        ([claim("a", 0, 4, keep=1), claim("b", 9)], 10, {"a": 0, "b": 9}),
    ],
)
def test_shares_worked_out_by_hand(claims: list[Claim], total: int, expected: dict[str, int]) -> None:
    assert shares(claims, total) == expected


def test_the_odd_card_goes_by_remainder_then_to_who_holds_more_then_by_name() -> None:
    remainder = [claim("a", 16, weight=4000), claim("b", 16, weight=2000), claim("c", 16, weight=1000)]
    assert shares(remainder, 16) == {"a": 9, "b": 5, "c": 2}
    equal = [claim("a", 6), claim("b", 6)]
    assert shares(equal, 11) == {"a": 6, "b": 5}
    holder = [claim("a", 6), claim("b", 6, held=3)]
    assert shares(holder, 11) == {"a": 5, "b": 6}


def test_parts_of_cards_stay_where_all_can_have_what_they_ask_for() -> None:
    assert shares([claim("a", 32_500), claim("b", 9_500)], 45_000, CARD) == {"a": 32_500, "b": 9_500}


def test_scarce_cards_are_whole() -> None:
    assert shares([claim("a", 6_000), claim("b", 6_000)], 11_000, CARD) == {"a": 6_000, "b": 5_000}


claims_of = st.lists(
    st.builds(
        lambda quota, demand, weight, priority, limit, lent: (quota, demand, weight, priority, limit, lent),
        st.integers(0, 20),
        st.integers(0, 40),
        st.sampled_from([0, 500, 1000, 3000]),
        st.integers(0, 2),
        st.sampled_from([-1, -1, 3, 10]),
        st.integers(0, 20),
    ),
    min_size=1,
    max_size=6,
)


def _claims(drawn: list[tuple[int, int, int, int, int, int]]) -> list[Claim]:
    return [
        claim(f"q{index}", demand, quota, weight=weight, priority=priority, limit=limit, keep=max(quota - lent, 0))
        for index, (quota, demand, weight, priority, limit, lent) in enumerate(drawn)
    ]


@given(claims_of, st.integers(0, 80))
def test_never_more_than_there_is_nor_than_anyone_wants(
    drawn: list[tuple[int, int, int, int, int, int]], total: int
) -> None:
    claims = _claims(drawn)
    found = fair_shares(claims, Fraction(total), 1)
    assert sum(found.values()) <= total
    for one in claims:
        wanted = one.demand if one.limit < 0 else min(one.demand, one.limit)
        assert 0 <= found[one.name] <= wanted


@given(claims_of, st.integers(0, 80))
def test_quota_that_is_wanted_is_given_up_to_one_unit_of_rounding(
    drawn: list[tuple[int, int, int, int, int, int]], total: int
) -> None:
    claims = _claims(drawn)
    found = fair_shares(claims, Fraction(total), 1)
    for one in shrunk(claims, Fraction(total)):
        wanted = one.demand if one.limit < 0 else min(one.demand, one.limit)
        assert found[one.name] > min(one.quota, Fraction(wanted)) - 1


@given(claims_of, st.integers(0, 80))
def test_the_order_of_the_queues_does_not_matter(drawn: list[tuple[int, int, int, int, int, int]], total: int) -> None:
    claims = _claims(drawn)
    assert fair_shares(claims, Fraction(total), 1) == fair_shares(claims[::-1], Fraction(total), 1)


@given(claims_of, st.integers(0, 80))
def test_nothing_idles_that_someone_wants_and_nobody_keeps(
    drawn: list[tuple[int, int, int, int, int, int]], total: int
) -> None:
    claims = [one._replace(keep=Fraction(0)) for one in _claims(drawn)]
    found = fair_shares(claims, Fraction(total), 1)
    wanted = sum(one.demand if one.limit < 0 else min(one.demand, one.limit) for one in claims)
    assert sum(found.values()) == min(total, wanted)


@given(claims_of, st.integers(0, 80))
def test_the_steps_lead_to_the_shares_and_change_nothing(
    drawn: list[tuple[int, int, int, int, int, int]], total: int
) -> None:
    claims = _claims(drawn)
    steps = Sharing()
    found = fair_shares(claims, Fraction(total), 1, steps)
    assert found == fair_shares(claims, Fraction(total), 1) == steps.shares
    reached = dict(steps.first)
    left = steps.left
    for pour in steps.pours:
        assert pour.left == left
        assert {claim.name for claim in claims if claim.name in pour.weights} == set(pour.weights)
        for name, more in pour.given.items():
            reached[name] += more
        left -= sum(pour.given.values())
    assert reached == steps.exact
    assert left >= 0
    assert all(steps.shares[name] > steps.exact[name] for name in steps.raised)
    assert all(-1 < steps.shares[name] - steps.exact[name] < 1 for name in found)
