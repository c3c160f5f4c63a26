"""A search that leaves promised parts of uplinks alone: elsewhere, else the workload waits.

Inside one domain nothing crosses its uplink, so narrower places are tried first: they are also the closer ones. Then
the domains on whose uplinks a promise would break are closed, one after the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from railwise.engine.cluster.state import ClusterState, Shut
from railwise.engine.gangs.demand import Demand, read_demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.bandwidth import BandwidthPromises, Broken
from railwise.engine.queues.guard import Search
from railwise.engine.search.placement import Found, Refused
from railwise.model.reason import Code

MOST_STEPS: Final = 8
"""So many domains are closed before the workload waits."""


class BandwidthRule:
    """The rule that promised parts of uplinks stay free of everybody else."""

    def __init__(self, promises: BandwidthPromises, state: ClusterState) -> None:
        """Keep the promises."""
        self.promises: Final = promises
        self.state: Final = state

    def around(self, record: Record, search: Search) -> BandwidthGate | None:
        """Return a search that keeps promises, None for work that says nothing over links."""
        if not any(self.promises.concerns(demand) for demand in record.demands):
            return None
        return BandwidthGate(self.promises, self.state, search)


class BandwidthGate:
    """The search of one workload. ``refusal`` is (code, text) of the first place that a promise forbade."""

    def __init__(self, promises: BandwidthPromises, state: ClusterState, search: Search) -> None:
        """Start with nothing refused."""
        self.promises: Final = promises
        self.state: Final = state
        self.search: Final = search
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search, and search elsewhere as long as what is found would break a promise."""
        found = self.search.place(demand, ranks, chosen)
        if isinstance(found, Refused) or not self.promises.concerns(demand):
            return found
        broken = self.promises.broken(demand, found.pods)
        if broken is None:
            return found
        other = self._inside(broken, demand, ranks, chosen) or self._around(broken, demand, ranks, chosen)
        if other is None:
            self.refusal = self.refusal or (Code.RESERVED, self._text(broken))
            return Refused(proven=False)
        return other

    def _inside(self, broken: Broken, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | None:
        """Search inside one domain, of the level whose uplink is promised and of narrower ones."""
        if any(leaf.fixed for leaf in demand.leaves):
            return None
        tree = self.state.trees[demand.root.tree].tree
        group = demand.root.group
        for level in range(max(broken.uplink[0], demand.root.required + 1), tree.depth):
            rule = replace(group.topology, required=tree.levels[level])
            inside = read_demand(demand.workload, replace(group, topology=rule), self.state, demand.alternative)
            found = self.search.place(inside, ranks, chosen)
            if isinstance(found, Found) and self.promises.broken(demand, found.pods) is None:
                return found
        return None

    def _around(
        self, broken: Broken | None, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]
    ) -> Found | None:
        """Search with more and more domains closed; the state is as before afterwards."""
        tree = self.state.trees[demand.root.tree].tree
        undo: list[Shut] = []
        found: Found | Refused = Refused(proven=False)
        while broken is not None and len(undo) < MOST_STEPS:
            level, domain, _ = broken.uplink
            start, end = tree.tiers[level].ranges()[domain]
            undo.append(self.state.shut(tree.order[start:end]))
            found = self.search.place(demand, ranks, chosen)
            if isinstance(found, Refused):
                break
            broken = self.promises.broken(demand, found.pods)
        while undo:
            self.state.open_again(undo.pop())
        return found if isinstance(found, Found) and broken is None else None

    def _text(self, broken: Broken) -> str:
        level, domain, _ = broken.uplink
        tree = self.state.trees[0].tree
        where = f"the uplink of {tree.levels[level]} {tree.tiers[level].names[domain]}"
        return (
            f"there is room, but only where it would take {broken.wants} % of {where}, of which the promise to queue "
            f"'{broken.queue}' leaves {broken.left} %"
        )
