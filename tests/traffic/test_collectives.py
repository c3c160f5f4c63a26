"""Collectives: closed forms, and what must never happen (more bytes, nodes or latency in less time)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.traffic.collectives import (
    Hardware,
    all_gather,
    all_reduce,
    all_to_all,
    flat_ring,
    hardware,
    inside_phase,
    point_to_point,
    reduce_scatter,
    ring_phase,
    switch_phase,
    tree_phase,
)
from railwise.traffic.links import GIGA, Link, fast_link, link_of_model, network_link, ramp_time, transfer_time

PLAIN = Link("wire", 8 * GIGA, 1000)
"""A byte a nanosecond, a microsecond a step."""

MADE = hardware(400 * GIGA)
SIZES = st.integers(0, 1 << 36)
NODES = st.integers(1, 300)
CARDS = st.integers(1, 16)


def test_a_ring_carries_nearly_twice_the_array_whatever_its_length() -> None:
    assert [ring_phase("", PLAIN, n, 1000).carried for n in (1, 2, 4, 8, 1000)] == [0, 1000, 1500, 1750, 1998]
    assert [ring_phase("", PLAIN, n, 1000).steps for n in (1, 2, 4, 8)] == [0, 2, 6, 14]


def test_a_tree_has_few_steps_and_carries_twice_the_array() -> None:
    assert [tree_phase("", PLAIN, n, 1000).steps for n in (1, 2, 3, 4, 16, 17)] == [0, 2, 4, 4, 8, 10]
    assert [tree_phase("", PLAIN, n, 1000).carried for n in (1, 2, 3, 16)] == [0, 1000, 2000, 2000]


@pytest.mark.parametrize(("cards", "gain"), [(4, 101), (5, 113), (8, 132)])
def test_a_switch_that_adds_up_gains_what_was_measured(cards: int, gain: int) -> None:
    ring, switch = (shape("", PLAIN, cards, 10**9).carried for shape in (ring_phase, switch_phase))
    assert ring * 100 // switch == gain


def test_a_switch_that_gains_nothing_is_not_used() -> None:
    adding = replace(PLAIN, adds=True)
    assert inside_phase(adding, 2, 1000).carried == ring_phase("", PLAIN, 2, 1000).carried
    assert inside_phase(adding, 8, 1000).carried < ring_phase("", PLAIN, 8, 1000).carried
    assert inside_phase(PLAIN, 8, 1000).carried == ring_phase("", PLAIN, 8, 1000).carried


def test_the_corrected_example_without_latency() -> None:
    """16 MB, 8 cards, links of 400 and 200 Gbit/s: the bandwidth parts of research notes, in µs."""
    fast, nic = Link("fast", 400 * GIGA, 0), Link("nic", 200 * GIGA, 0)
    bare = Hardware(fast, nic, launch=0, ramp=0)
    size = 16 * 10**6
    assert all_reduce(bare, 1, 8, size).total() == 560_000
    assert flat_ring(bare, 16, size).total() == 1_200_000
    two = all_reduce(bare, 2, 8, size)
    assert [one.transfer for one in two.phases] == [560_000, 80_000]
    assert two.total() == 560_000  # the phases overlap


def test_short_messages_take_the_tree_and_long_ones_the_ring() -> None:
    short, long = all_reduce(MADE, 8, 8, 1024), all_reduce(MADE, 8, 8, 1 << 36)
    assert short.phases[1].steps == 6
    assert long.phases[1].steps == 14


def test_gathering_and_scattering_are_half_an_all_reduce() -> None:
    bare = Hardware(Link("fast", 80 * GIGA, 0), Link("nic", 8 * GIGA, 0), launch=0, ramp=0)
    for one_way in (all_gather, reduce_scatter):
        assert one_way(bare, 4, 2, 8_000_000).total() * 2 == all_reduce(bare, 4, 2, 8_000_000).total()
    assert all_gather(MADE, 1, 1, 1000).total() == 0


def test_all_to_all_sends_each_rank_its_part() -> None:
    rails, plain = (all_to_all(MADE, 4, 8, 32_000, rails=rails) for rails in (True, False))
    assert [one.carried for one in rails.phases] == [7_000 + 21_000, 24_000]
    assert [one.carried for one in plain.phases] == [7_000, 24_000]
    assert all_to_all(MADE, 1, 1, 1000).total() == 0


def test_a_message_inside_a_node_never_meets_the_nic() -> None:
    inside, between = (point_to_point(MADE, 1 << 20, same_node=same) for same in (True, False))
    assert (inside.phases[0].link, between.phases[0].link) == ("NVLink", "NIC")
    assert inside.total() < between.total()


@given(SIZES, SIZES, NODES, CARDS)
def test_more_bytes_never_take_less(size: int, more: int, nodes: int, cards: int) -> None:
    for collective in (all_reduce, all_gather, reduce_scatter, all_to_all):
        assert collective(MADE, nodes, cards, size).total() <= collective(MADE, nodes, cards, size + more).total()


@given(SIZES, NODES, NODES, CARDS)
def test_more_nodes_never_take_less(size: int, nodes: int, more: int, cards: int) -> None:
    for collective in (all_reduce, all_gather, reduce_scatter, all_to_all):
        assert collective(MADE, nodes, cards, size).total() <= collective(MADE, nodes + more, cards, size).total()


@given(SIZES, NODES, CARDS, st.integers(0, 10**6))
def test_more_latency_never_takes_less(size: int, nodes: int, cards: int, more: int) -> None:
    slow = replace(MADE, nic=replace(MADE.nic, latency=MADE.nic.latency + more))
    for collective in (all_reduce, all_gather, reduce_scatter, all_to_all):
        assert collective(MADE, nodes, cards, size).total() <= collective(slow, nodes, cards, size).total()


@given(SIZES, NODES, CARDS, st.integers(1, 10**6))
def test_less_bandwidth_never_takes_less_time(size: int, nodes: int, cards: int, megabits: int) -> None:
    slow = replace(MADE, nic=MADE.nic.at_most(megabits * 10**6, "uplink"))
    assert all_reduce(MADE, nodes, cards, size).total() <= all_reduce(slow, nodes, cards, size).total()


def test_the_terms_add_up() -> None:
    cost = all_reduce(MADE, 16, 8, 1 << 24)
    assert cost.total() == cost.latency + cost.transfer + cost.ramp
    assert cost.latency == cost.launch + sum(one.latency for one in cost.phases)
    assert cost.transfer == max(one.transfer for one in cost.phases)
    assert replace(cost, times=58).total() == 58 * cost.total()


def test_transfer_times_round_up_and_the_ramp_is_a_geometric_mean() -> None:
    assert transfer_time(1, 8 * GIGA) == 1
    assert transfer_time(1, 8 * GIGA + 1) == 1
    assert transfer_time(0, 1) == 0
    assert ramp_time(10_000, 40_000, ramp=500) == 20_000
    assert ramp_time(0, 40_000) == 0


def test_a_slower_link_behind_another_takes_its_name() -> None:
    assert MADE.nic.at_most(50 * GIGA, "rack uplink").name == "rack uplink"
    assert MADE.nic.at_most(800 * GIGA, "rack uplink") == MADE.nic
    assert network_link(1).usable() == 1


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("H100-80GB", "nvlink4"),
        ("NVIDIA-A100-SXM4-80GB", "nvlink3"),
        ("A100-PCIE-40GB", "pcie4"),
        ("NVIDIA-GB200", "nvlink5"),
        ("A10", "pcie4"),
        ("Tesla-T4", "pcie3"),
        ("something new", "nvlink4"),
        ("", "nvlink4"),
    ],
)
def test_a_model_tells_what_joins_its_cards(model: str, kind: str) -> None:
    assert link_of_model(model) == fast_link(kind)
