"""Fair shares of links: closed forms, and the property that defines max-min fairness."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.traffic.contention import Flow, fair_bits, fair_rates, newcomer_share


def test_two_tenants_share_one_uplink_in_halves() -> None:
    assert fair_bits({"up": 400}, [Flow("a", ("up",)), Flow("b", ("up",))]) == [200, 200]


def test_a_tenant_with_three_streams_gets_three_quarters() -> None:
    assert fair_bits({"up": 400}, [Flow("a", ("up",), weight=3), Flow("b", ("up",))]) == [300, 100]


def test_what_a_modest_tenant_leaves_goes_to_the_other() -> None:
    assert fair_bits({"up": 400}, [Flow("a", ("up",), wants=50), Flow("b", ("up",))]) == [50, 350]


def test_the_closed_form_of_two_tenants_with_own_nics() -> None:
    """Capacity C, NICs of x and y: min(x, max(C/2, C - y)) and the mirror of it."""
    for capacity, x, y in [(400, 100, 500), (400, 500, 100), (400, 300, 300), (400, 100, 100), (401, 900, 900)]:
        rates = fair_rates({"up": capacity, "x": x, "y": y}, [Flow("a", ("x", "up")), Flow("b", ("y", "up"))])
        half = Fraction(capacity, 2)
        assert rates == [min(x, max(half, capacity - y)), min(y, max(half, capacity - x))]


def test_the_textbook_chain() -> None:
    """One long flow over n links and a short one on each: each link is halved."""
    links = {f"l{i}": 100 for i in range(4)}
    flows = [Flow("long", tuple(links)), *(Flow(link, (link,)) for link in links)]
    assert fair_bits(links, flows) == [50] * 5


def test_a_link_crossed_twice_carries_the_flow_twice() -> None:
    assert fair_bits({"up": 400}, [Flow("ring", ("up", "up"))]) == [200]


def test_a_link_that_carries_half_as_many_bytes_is_half_as_narrow() -> None:
    """One workload sends 2 bytes over the first link for each over the second, which it shares with another."""
    uneven = Flow("a", ("x", "up"), carried=(2, 1))
    assert fair_bits({"x": 400, "up": 100}, [uneven]) == [200]
    assert fair_bits({"x": 100, "up": 400}, [uneven]) == [100]
    assert fair_bits({"x": 900, "up": 300}, [uneven, Flow("b", ("up",))]) == [200, 200]


@given(st.integers(1, 1000), st.lists(st.integers(1, 1000), max_size=5))
def test_a_newcomer_gets_on_one_link_what_water_filling_gives(capacity: int, wanted: list[int]) -> None:
    flows = [Flow("new", ("up",)), *(Flow("old", ("up",), wants) for wants in wanted)]
    assert newcomer_share(capacity, wanted) == fair_bits({"up": capacity}, flows)[0]


def test_the_newcomer_in_closed_form() -> None:
    """Capacity C and one other who wants w: max(C/2, C - w)."""
    assert [newcomer_share(400, [wants]) for wants in (50, 200, 300, 900)] == [350, 200, 200, 200]
    assert newcomer_share(400, []) == 400
    assert newcomer_share(400, [10, 900, 900]) == 130


def test_rates_are_exact_until_the_seam() -> None:
    flows = [Flow(name, ("up",)) for name in "abc"]
    assert fair_rates({"up": 100}, flows) == [Fraction(100, 3)] * 3
    assert fair_bits({"up": 100}, flows) == [33] * 3


def test_a_flow_that_nothing_bounds_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="flow a is bounded by nothing"):
        fair_rates({"up": 1}, [Flow("a", ("elsewhere",))])


LINKS = ("a", "b", "c", "d")


@st.composite
def flows_over(draw: st.DrawFn) -> Flow[str]:
    links = tuple(draw(st.lists(st.sampled_from(LINKS), min_size=1, max_size=3, unique=True)))
    carried = draw(st.one_of(st.just(()), st.tuples(*(st.integers(1, 9) for _ in links))))
    return Flow("f", links, draw(st.sampled_from([0, 0, 7, 40])), draw(st.integers(1, 3)), carried)


FLOWS = st.lists(flows_over(), min_size=1, max_size=6)


def loads(flows: list[Flow[str]], rates: list[Fraction]) -> dict[str, Fraction]:
    held = dict.fromkeys(LINKS, Fraction(0))
    for flow, rate in zip(flows, rates, strict=True):
        for link, part in flow.parts().items():
            held[link] += part * rate
    return held


@given(st.fixed_dictionaries({link: st.integers(1, 100) for link in LINKS}), FLOWS)
def test_nobody_can_get_more_without_a_poorer_one_losing(capacity: dict[str, int], flows: list[Flow[str]]) -> None:
    rates = fair_rates(dict(capacity), flows)
    load = loads(flows, rates)
    assert all(load[link] <= capacity[link] for link in LINKS)
    for flow, rate in zip(flows, rates, strict=True):
        if flow.wants and rate == flow.wants:
            continue
        assert not flow.wants or rate < flow.wants
        full = [link for link in flow.links if load[link] == capacity[link]]
        others = {link: [r / f.weight for f, r in zip(flows, rates, strict=True) if link in f.links] for link in full}
        assert any(rate / flow.weight == max(others[link]) for link in full)


@given(st.fixed_dictionaries({link: st.integers(1, 100) for link in LINKS}), FLOWS)
def test_the_order_of_flows_does_not_matter(capacity: dict[str, int], flows: list[Flow[str]]) -> None:
    assert fair_rates(dict(capacity), flows[::-1]) == fair_rates(dict(capacity), flows)[::-1]
