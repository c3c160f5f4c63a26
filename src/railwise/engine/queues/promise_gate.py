"""A search that breaks no promise: what would is placed elsewhere, and waits only where there is no elsewhere.

Which places must stay shut is computed, not tried out (see ``spared``). Where single domains are harmless and only
together too many, those with the most pods are kept as long as promises allow, and the search goes on without the
rest. Every such step shuts at least one domain more, and a last search is made where no promise can be touched at all.
Nothing is shut and searched where what stays open cannot hold the pods by count.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import KIND_NONE
from railwise.engine.cluster.state import ClusterState, Shut
from railwise.engine.gangs.charges import GPU, of_ranks
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.queues.guarantee import Guarantee
from railwise.engine.queues.guard import Search
from railwise.engine.queues.promises import Books
from railwise.engine.queues.spared import Spared
from railwise.engine.queues.supply import SPOILT
from railwise.engine.search.placement import Found, Refused
from railwise.model.reason import Code

MOST_STEPS: Final = 8
"""So many searches elsewhere, before the last one."""


class PromiseRule:
    """The rule that promises can still be kept after every placement."""

    def __init__(self, guarantee: Guarantee) -> None:
        """Keep the promises."""
        self.guarantee: Final = guarantee
        self._spared: Final[dict[int, Spared]] = {}

    def around(self, record: Record, search: Search) -> PromiseGate | None:
        """Return a search that keeps promises, None for work that can always be moved out of the way."""
        holder = self.guarantee.holder_of.get(record.workload.queue, SPOILT)
        if record.workload.preemptible and holder < 0:
            return None
        if holder not in self._spared:
            self._spared[holder] = Spared(self.guarantee, holder)
        return PromiseGate(self.guarantee, self._spared[holder], record, search)


class PromiseGate:
    """The search of one workload. ``refusal`` is (code, text) of the first place that a promise forbade."""

    def __init__(self, guarantee: Guarantee, spared: Spared, record: Record, search: Search) -> None:
        """Start with nothing refused."""
        self.guarantee: Final = guarantee
        self.spared: Final = spared
        self.record: Final = record
        self.search: Final = search
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search, and search elsewhere as long as what is found would break a promise."""
        found = self.search.place(demand, ranks, chosen)
        if isinstance(found, Refused) or not found.pods or not self._protects(demand, ranks):
            return found
        judges = self.spared.judges(firm=not self.record.workload.preemptible)
        units = self._units(demand, found.pods)
        broken = self.spared.broken(judges, units)
        if broken is None:
            return found
        other = self._elsewhere(judges, units, demand, ranks, chosen)
        if other is None:
            self.refusal = self.refusal or (Code.RESERVED, self.spared.text(broken, units))
            return Refused(proven=False)
        return other

    def _protects(self, demand: Demand, ranks: dict[int, list[int]]) -> bool:
        """Return whether what is to be placed would be protected work."""
        if not self.record.workload.preemptible:
            return True
        more = of_ranks(demand, ranks, self.guarantee.state).get(GPU, 0)
        return self.guarantee.is_inside(self.record, more)

    def _units(self, demand: Demand, pods: list[Spot]) -> list[int]:
        """Return the units in which protected work would stand, those with most pods first."""
        counts: dict[int, int] = {}
        guarantee = self.guarantee
        for number, _, node, _ in pods:
            shape = demand.leaves[number].shape
            if shape is not None and (shape.kind != KIND_NONE or not guarantee.state.nodes[node].cards):
                unit = guarantee.ground.of[-1][node]
                counts[unit] = counts.get(unit, 0) + 1
        return sorted(counts, key=lambda unit: (-counts[unit], unit))

    def _elsewhere(
        self, judges: list[Books], units: list[int], demand: Demand, ranks: dict[int, list[int]], chosen: set[int]
    ) -> Found | None:
        """Search with more and more domains shut; the state is as before afterwards."""
        state, spared = self.guarantee.state, self.spared
        undo: list[Shut] = []
        try:
            closed = shut = spared.forbidden(judges)
            if not self._may_fit(closed, demand, ranks):
                return None
            if shut.isdisjoint(units):
                closed = shut = spared.too_many(judges, units)
            for _ in range(MOST_STEPS):
                if not self._may_fit(closed, demand, ranks):
                    break
                undo.append(state.shut(self._nodes(shut)))
                found = self.search.place(demand, ranks, chosen)
                if isinstance(found, Refused):
                    break
                units = self._units(demand, found.pods)
                if spared.broken(judges, units) is None:
                    return found
                shut = spared.too_many(judges, units)
                closed = closed | shut
            _reopen(undo, state)
            costly = spared.costly(judges)
            if not self._may_fit(costly, demand, ranks):
                return None
            undo.append(state.shut(self._nodes(costly)))
            found = self.search.place(demand, ranks, chosen)
            return found if isinstance(found, Found) else None
        finally:
            _reopen(undo, state)

    def _nodes(self, units: set[int]) -> list[int]:
        ground = self.guarantee.ground
        last = len(ground.levels) - 1
        return [node for unit in sorted(units) for node in ground.nodes_of(last, unit)]

    def _may_fit(self, shut: set[int], demand: Demand, ranks: dict[int, list[int]]) -> bool:
        """Return whether the pods may fit outside some units, as far as counts of equal pods per domain can tell."""
        state, ground = self.guarantee.state, self.guarantee.ground
        last = len(ground.levels) - 1
        nodes = [node for unit in range(ground.size[-1]) if unit not in shut for node in ground.nodes_of(last, unit)]
        for leaf in demand.leaves:
            needed = len(ranks.get(leaf.index, ()))
            if leaf.shape is None or not needed:
                continue
            tree = state.trees[leaf.tree].tree
            of = None if leaf.required < 0 or leaf.required >= tree.depth else tree.domain_of[leaf.required]
            rooms: dict[tuple[int, int], int] = {}
            for node in nodes:
                key = (0 if of is None else of[node], state.room_of[node].index)
                rooms[key] = rooms.get(key, 0) + 1
            held: dict[int, int] = {}
            for (domain, room), count in rooms.items():
                each = len(state.rooms.left(leaf.shape, state.rooms.all[room], needed))
                held[domain] = held.get(domain, 0) + each * count
            if max(held.values(), default=0) < needed:
                return False
        return True


def _reopen(undo: list[Shut], state: ClusterState) -> None:
    """Undo all of ``shut``, the last first."""
    while undo:
        state.open_again(undo.pop())
