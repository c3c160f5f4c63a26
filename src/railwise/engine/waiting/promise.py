"""What a reservation is inside a round: who it is for, where, and from when.

The nodes are a witness: at ``start`` the workload fits just there, whatever else has been placed since. So a placement
that touches none of them, or has ended by then, delays nobody, and no search is needed to see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.record import Record
from railwise.engine.gangs.spot import Spot

UNKNOWN: Final = -1
"""A start that is not known."""

ENDLESS: Final = 1 << 62
"""The end of what has no known duration, µs."""


class Promise:
    """Room kept for one waiting workload from ``start`` (µs, or UNKNOWN: as soon as it is free) to ``end``.

    ``place`` is its turn in the round. ``until``: who has ended by then does no harm. ``spots`` is where the pods of
    ``demand`` fit at the start (none where the start is unknown), ``nodes`` what is kept.
    """

    def __init__(self, record: Record, place: int, demand: Demand, start: int, until: int) -> None:
        """Promise a time; ``settle`` or ``keep`` say where."""
        self.record: Final = record
        self.place: Final = place
        self.demand = demand
        self.start: Final = start
        self.until: Final = until
        self.end = ENDLESS if start == UNKNOWN else start + (run_time(demand) or ENDLESS - start)
        self.spots: Sequence[Spot] = ()
        self.nodes: frozenset[int] = frozenset()

    def settle(self, demand: Demand, spots: Sequence[Spot]) -> None:
        """Say where the pods fit at the start."""
        self.demand = demand
        self.end = self.start + (run_time(demand) or ENDLESS - self.start)
        self.spots = spots
        self.nodes = frozenset(spot.node for spot in spots)

    def keep(self, nodes: Iterable[int]) -> None:
        """Say which nodes are kept until the workload fits there."""
        self.nodes = frozenset(nodes)

    def open(self) -> bool:
        """Return whether the workload still waits."""
        return self.record.short()

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


def run_time(demand: Demand) -> int:
    """Return how long a workload runs in this way, µs; 0 where that is not known."""
    workload = demand.workload
    if demand.alternative < 0 or not workload.alternatives:
        return workload.duration
    return -(-workload.duration * workload.alternatives[demand.alternative].slowdown // 1000)
