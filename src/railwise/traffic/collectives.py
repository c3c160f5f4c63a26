"""Collectives between ranks: how many steps they take, and how many bytes the busiest link carries.

Every function answers with a ``Cost`` in ns. ``size`` is always the whole array in bytes: what each rank holds before
an AllReduce or all-to-all, what all hold together after an AllGather or before a ReduceScatter. The byte counts are
the ones on which the performance notes of NVIDIA's nccl-tests base their bus bandwidth; step counts are those of the
textbook algorithms (Thakur, Rabenseifner and Gropp on collectives in MPICH; the double binary trees of NCCL).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from railwise.traffic.links import (
    LAUNCH,
    RAMP,
    SWITCH_EFFICIENCY,
    THOUSAND,
    Cost,
    Link,
    Phase,
    cost,
    fast_link,
    network_link,
    phase,
)

PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Hardware:
    """What joins the ranks: ``fast`` one card to its node, ``nic`` one card's share of the NICs; ``launch`` in ns."""

    fast: Link
    nic: Link
    launch: int = LAUNCH
    ramp: int = RAMP


def hardware(nic_bits: int, fast: str = "nvlink4") -> Hardware:
    """Return default hardware: NICs of ``nic_bits`` bits/s a card, cards joined by a link named in ``FAST_LINKS``."""
    return Hardware(fast_link(fast), network_link(nic_bits))


def share(size: int, part: int, whole: int) -> int:
    """Return ``size`` · part / whole bytes, rounded up."""
    return -(-size * part // whole)


def ring_phase(name: str, link: Link, ranks: int, size: int) -> Phase:
    """Return a ring AllReduce: 2(n-1) steps, 2(n-1)/n of the array over every link."""
    if ranks < PAIR:
        return phase(name, link, 0, 0)
    return phase(name, link, 2 * (ranks - 1), share(size, 2 * (ranks - 1), ranks))


def tree_phase(name: str, link: Link, ranks: int, size: int) -> Phase:
    """Return a double binary tree AllReduce: 2⌈log₂ n⌉ steps, twice the array over every link (two ranks: once).

    Fewer steps than a ring, so it wins for short messages on many nodes; the ring carries less and wins for long ones.
    """
    if ranks < PAIR:
        return phase(name, link, 0, 0)
    carried = size if ranks == PAIR else 2 * size
    return phase(name, link, 2 * (ranks - 1).bit_length(), carried)


def switch_phase(name: str, link: Link, ranks: int, size: int) -> Phase:
    """Return an AllReduce that the switch adds up: (n+1)/n of the array over every link, at 85 % of a ring's rate.

    NCCL calls it NVLS. It gains a third at 8 cards, an eighth at 5 and nothing at 4, as measured on H200. Its steps are
    those of a ring: start-up times of measured nodes with such a switch are no shorter than of others.
    """
    if ranks < PAIR:
        return phase(name, link, 0, 0)
    carried = share(size, (ranks + 1) * THOUSAND, ranks * SWITCH_EFFICIENCY)
    return phase(name, link, 2 * (ranks - 1), carried)


def inside_phase(link: Link, cards: int, size: int) -> Phase:
    """Return the part of an AllReduce inside a node: a ring, or the switch where it can add up and is quicker."""
    name = "inside the node"
    ring = ring_phase(name, link, cards, size)
    if not link.adds:
        return ring
    return min(ring, switch_phase(f"{name}, added up in the switch", link, cards, size), key=lambda one: one.transfer)


def one_way_phase(name: str, link: Link, ranks: int, size: int) -> Phase:
    """Return an AllGather or ReduceScatter in a ring: n-1 steps, (n-1)/n of the array over every link."""
    if ranks < PAIR:
        return phase(name, link, 0, 0)
    return phase(name, link, ranks - 1, share(size, ranks - 1, ranks))


def flat_ring(made: Hardware, ranks: int, size: int) -> Cost:
    """Return an AllReduce in one ring over all ranks, each hop over one NIC."""
    return cost("flat ring AllReduce", [ring_phase("one ring", made.nic, ranks, size)], made.launch, made.ramp)


def all_reduce(made: Hardware, nodes: int, cards: int, size: int) -> Cost:
    """Return a hierarchical AllReduce over ``nodes`` · ``cards`` ranks.

    Inside each node the array is reduced and scattered over the cards (and gathered at the end), so that each card
    carries only its 1/g over its own NIC between the nodes; there a ring or a tree, whichever is quicker.
    """
    inside = inside_phase(made.fast, cards, size)
    piece = share(size, 1, max(1, cards))
    ways = [
        cost("AllReduce", [inside, shape("between nodes", made.nic, nodes, piece)], made.launch, made.ramp)
        for shape in (ring_phase, tree_phase)
    ]
    return min(ways, key=Cost.total)


def all_gather(made: Hardware, nodes: int, cards: int, size: int) -> Cost:
    """Return an AllGather of ``size`` bytes in all: between nodes each card brings its 1/g, then inside."""
    return _one_way("AllGather", made, nodes, cards, size)


def reduce_scatter(made: Hardware, nodes: int, cards: int, size: int) -> Cost:
    """Return a ReduceScatter of ``size`` bytes: inside the node first, then each card's 1/g between nodes."""
    return _one_way("ReduceScatter", made, nodes, cards, size)


def _one_way(name: str, made: Hardware, nodes: int, cards: int, size: int) -> Cost:
    inside = one_way_phase("inside the node", made.fast, cards, size)
    between = one_way_phase("between nodes", made.nic, nodes, share(size, 1, max(1, cards)))
    return cost(name, [inside, between], made.launch, made.ramp)


def all_to_all(made: Hardware, nodes: int, cards: int, size: int, *, rails: bool = True) -> Cost:
    """Return an all-to-all in which every rank holds ``size`` bytes, an equal part for each rank.

    A rank sends S·(n-g)/n over its NIC and S·(g-1)/n to the cards beside it. On ``rails`` what leaves the node first
    moves to the card whose NIC is on the target's rail (NCCL calls this PXN), (g-1)/g of it over the fast links.
    """
    ranks = nodes * cards
    if ranks < PAIR:
        return cost("all-to-all", [], made.launch, made.ramp)
    leaving = share(size, ranks - cards, ranks)
    beside = share(size, cards - 1, ranks) + (share(leaving, cards - 1, cards) if rails else 0)
    phases = [
        phase("inside the node", made.fast, cards - 1, beside),
        phase("between nodes", made.nic, min(1, nodes - 1), leaving),
    ]
    return cost("all-to-all", phases, made.launch, made.ramp)


def point_to_point(made: Hardware, size: int, *, same_node: bool) -> Cost:
    """Return one message from a card to another: one step over the fast link or over the NIC."""
    link = made.fast if same_node else made.nic
    where = "inside the node" if same_node else "between nodes"
    return cost("send", [phase(where, link, 1, size)], made.launch, made.ramp)
