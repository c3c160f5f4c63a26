"""Fair shares of links: closed forms, and the property that defines max-min fairness."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.traffic.contention import Flow, fair_bits, fair_rates


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


def test_rates_are_exact_until_the_seam() -> None:
    flows = [Flow(name, ("up",)) for name in "abc"]
    assert fair_rates({"up": 100}, flows) == [Fraction(100, 3)] * 3
    assert fair_bits({"up": 100}, flows) == [33] * 3


def test_a_flow_that_nothing_bounds_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="flow a is bounded by nothing"):
        fair_rates({"up": 1}, [Flow("a", ("elsewhere",))])


LINKS = ("a", "b", "c", "d")
FLOWS = st.lists(
    st.builds(
        Flow,
        st.just("f"),
        st.lists(st.sampled_from(LINKS), min_size=1, max_size=3, unique=True).map(tuple),
        st.sampled_from([0, 0, 7, 40]),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=6,
)


@given(st.fixed_dictionaries({link: st.integers(1, 100) for link in LINKS}), FLOWS)
def test_nobody_can_get_more_without_a_poorer_one_losing(capacity: dict[str, int], flows: list[Flow]) -> None:
    rates = fair_rates(dict(capacity), flows)
    load = {
        link: sum((rate for flow, rate in zip(flows, rates, strict=True) if link in flow.links), Fraction(0))
        for link in LINKS
    }
    assert all(load[link] <= capacity[link] for link in LINKS)
    for flow, rate in zip(flows, rates, strict=True):
        if flow.wants and rate == flow.wants:
            continue
        assert not flow.wants or rate < flow.wants
        full = [link for link in flow.links if load[link] == capacity[link]]
        others = {link: [r / f.weight for f, r in zip(flows, rates, strict=True) if link in f.links] for link in full}
        assert any(rate / flow.weight == max(others[link]) for link in full)


@given(st.fixed_dictionaries({link: st.integers(1, 100) for link in LINKS}), FLOWS)
def test_the_order_of_flows_does_not_matter(capacity: dict[str, int], flows: list[Flow]) -> None:
    assert fair_rates(dict(capacity), flows[::-1]) == fair_rates(dict(capacity), flows)[::-1]
