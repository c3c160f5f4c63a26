"""What a reservation is inside a round: who it is for, where, and from when.

The nodes are a witness: at ``start`` the workload fits just there, whatever else has been placed since. So a placement
that touches none of them, or has ended by then, delays nobody, and no search is needed to see it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.record import Record
from railwise.engine.search.placement import Found

UNKNOWN: Final = -1
"""A start that is not known."""

NOWHERE: Final = Found([], met=True, exact=True)

ENDLESS: Final = 1 << 62
"""The end of what has no known duration, µs."""


LATER: Final = 1 << 60
"""The place of a promise of the round before whose workload has not had its turn yet."""


class Promise:
    """Room kept for one waiting workload from ``start`` (µs, or UNKNOWN: as soon as it is free) to ``end``.

    ``place`` is its turn in the round. ``until``: who has ended by then does no harm. ``found`` is where the pods of
    ``demand`` fit at the start (none where the start is unknown), ``nodes`` what is kept.
    """

    def __init__(self, record: Record, place: int, demand: Demand, start: int, until: int) -> None:
        """Promise a time; ``settle`` or ``keep`` say where."""
        self.record: Final = record
        self.place = place
        self.demand = demand
        self.start = start
        self.until = until
        self.end = ENDLESS
        self.found = NOWHERE
        self.nodes: frozenset[int] = frozenset()

    def settle(self, demand: Demand, found: Found) -> None:
        """Say where the pods fit at the start."""
        self.demand, self.found = demand, found
        self.end = self.start + (run_time(demand) or ENDLESS - self.start)
        self.nodes = frozenset(spot.node for spot in found.pods)

    def put_off(self, now: int) -> None:
        """Promise the present instead of a start that has passed."""
        self.start = self.until = now
        self.settle(self.demand, self.found)

    def keep(self, nodes: Iterable[int]) -> None:
        """Say which nodes are kept until the workload fits there."""
        self.nodes = frozenset(nodes)

    def open(self) -> bool:
        """Return whether the workload still waits."""
        return self.record.short()

    def due(self, demand: Demand, ranks: dict[int, list[int]], state: ClusterState, now: int) -> bool:
        """Return whether just these pods were promised this moment, and each still fits where it was meant to."""
        numbers = {leaf.index: number for number, leaf in enumerate(demand.leaves)}
        asked = sorted((numbers[leaf], rank) for leaf, wanted in ranks.items() for rank in wanted)
        promised = sorted((spot.leaf, spot.rank) for spot in self.found.pods)
        if demand is not self.demand or self.start != now or asked != promised:
            return False
        before = state.shut(())
        booked: list[tuple[Shape, int, Grant]] = []
        for number, _, node, chosen in self.found.pods:
            shape = demand.leaves[number].shape
            grant = None if shape is None else state.put(shape, node, chosen)
            if shape is not None and grant is not None:
                booked.append((shape, node, grant))
        whole = len(booked) == len(promised)
        while booked:
            state.take_away(*booked.pop())
        state.open_again(before)
        return whole

    def domain(self, state: ClusterState) -> str:
        """Return the path of the narrowest domain that holds all nodes, not wider than a required level; or empty."""
        tree = state.trees[self.demand.root.tree].tree
        level = self.demand.root.required
        if self.start != UNKNOWN or level == NOT_GIVEN:
            level = tree.depth - 1
        for wide in range(min(level, tree.depth - 1), -1, -1):
            domains = {tree.domain_of[wide][node] for node in self.nodes}
            if len(domains) == 1:
                (domain,) = domains
                return "/".join(tree.path(wide, domain)) if tree.tiers[wide].named[domain] else ""
        return ""


def longest(record: Record, indices: Iterable[int]) -> int:
    """Return how long a workload runs in the slowest of these ways, µs; 0 where that is not known."""
    times = [run_time(record.demands[index]) for index in indices]
    return max(times) if all(times) else 0


def run_time(demand: Demand) -> int:
    """Return how long a workload runs in this way, µs; 0 where that is not known."""
    workload = demand.workload
    if demand.alternative < 0 or not workload.alternatives:
        return workload.duration
    return -(-workload.duration * workload.alternatives[demand.alternative].slowdown // 1000)
