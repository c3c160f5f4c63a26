"""Bytes over uplinks, NVLink between nodes, rails: closed forms of what each link carries in a step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.model.workload import Traffic
from railwise.traffic.links import GIGA, fast_link
from railwise.traffic.placement_time import Party, Step, step_at
from railwise.traffic.sizes import read_sizes
from railwise.traffic.wiring import INTO, OUT, Seat, Wiring


def seats(*places: tuple[int, int], clique: tuple[int, ...] = (), nics: int = 1000) -> list[Seat]:
    """Return seats of whole nodes of 8 cards, each given by its rack and number."""
    cliques = clique or (-1,) * len(places)
    fast = fast_link("nvlink4")
    return [Seat(node, (0, rack), 8, 8, fast, nics, one) for (rack, node), one in zip(places, cliques, strict=True)]


RACKED = Wiring(("superpod", "rack"), (0, 400 * GIGA), 3200 * GIGA)
RING = read_sizes(Traffic("dense", {"gradients": "8Gi"}))
EXPERTS = read_sizes(Traffic("moe", {"tokens": 4096, "hidden": 7168, "topK": 8, "layers": 1, "expertParallel": 32}))


def busy_links(step: Step) -> list[str]:
    return [phase.link for one in step.costs for phase in one.phases if phase.name == "between nodes"]


def test_a_ring_between_two_racks_brings_its_bytes_over_both_uplinks_both_ways() -> None:
    step = step_at(RING, [Party("", seats((0, 0), (0, 1), (1, 2), (1, 3)))], RACKED)
    once = 2 * 3 * (8 << 30) // 4
    assert step.carried == {(1, rack, way): once for rack in (0, 1) for way in (OUT, INTO)}
    assert step.wants(once) <= RACKED.usable(400 * GIGA)
    assert step_at(RING, [Party("", seats((0, 0), (0, 1)))], RACKED).carried == {}


def test_every_card_sends_over_the_uplink_what_its_experts_elsewhere_get() -> None:
    """Half of the other nodes lie beyond the uplink: two of three copies that leave a node."""
    step = step_at(EXPERTS, [Party("", seats((0, 0), (0, 1), (1, 2), (1, 3)))], RACKED)
    tokens = 4096 * 7168 * 2
    copies = min(8 * 3 * 8, 3 * 32)
    leaves = 8 * tokens * copies // 32
    both_ways = 2 * 2  # dispatch and combine, forward and backward
    assert step.carried[1, 0, OUT] == pytest.approx(both_ways * 2 * leaves * 2 / 3, rel=1e-6)


def test_dead_rails_slow_a_node_in_proportion() -> None:
    steps = [step_at(RING, [Party("", seats((0, 0), (0, 1), nics=nics))], RACKED) for nics in (1000, 875)]
    whole, lame = (next(phase.transfer for phase in step.costs[0].phases if phase.link == "NIC") for step in steps)
    assert lame == pytest.approx(whole * 8 / 7, rel=1e-6)


def test_nodes_of_one_clique_talk_over_nvlink() -> None:
    wide = replace(RACKED, uplinks=(0, 0))
    joined = step_at(RING, [Party("", seats((0, 0), (0, 1), clique=(3, 3)))], wide)
    apart = step_at(RING, [Party("", seats((0, 0), (0, 1), clique=(3, 4)))], wide)
    assert busy_links(joined) == ["NVLink between nodes"]
    assert busy_links(apart) == ["NIC"]
    assert joined.total() < apart.total()


def test_experts_of_two_cliques_take_each_link_for_what_lies_behind_it() -> None:
    """Of three copies that leave a node one stays in the clique, two cross to the other."""
    step = step_at(EXPERTS, [Party("", seats((0, 0), (0, 1), (1, 2), (1, 3), clique=(1, 1, 2, 2)))], RACKED)
    phases = {phase.link: phase.carried for phase in step.costs[0].phases if phase.name == "between nodes"}
    assert list(phases) == ["NVLink between nodes", "NIC", "rack uplink"]
    assert phases["NIC"] == pytest.approx(2 * phases["NVLink between nodes"], rel=1e-6)
    assert phases["rack uplink"] == pytest.approx(2 * phases["NIC"], rel=1e-6)


def test_on_rails_what_leaves_is_first_handed_on_inside_the_node() -> None:
    plain = step_at(EXPERTS, [Party("", seats((0, 0), (0, 1)))], RACKED)
    railed = step_at(EXPERTS, [Party("", seats((0, 0), (0, 1)))], replace(RACKED, railed=True))
    before, after = (step.costs[0].phases[0].carried for step in (plain, railed))
    assert after > before
    leaves = 4096 * 7168 * 2 * min(8 * 8, 16) // 16
    assert after - before == pytest.approx(leaves * 7 / 8, rel=1e-6)
