"""A search that breaks no promise: what would is placed elsewhere, and waits only where there is no elsewhere.

Which places must stay shut is computed, not tried out: domains fall into few groups of equal ones, and one of each
group tells whether work there would break a promise. Where single domains are harmless and only together too many,
those with the most pods are kept as long as promises allow, and the search goes on without the rest. Every such step
shuts at least one domain more, and a last search is made where no promise can be touched at all.
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
from railwise.engine.queues.keeping import most_kept
from railwise.engine.queues.promises import Books
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

    def around(self, record: Record, search: Search) -> PromiseGate | None:
        """Return a search that keeps promises, None for work that can always be moved out of the way."""
        workload = record.workload
        if workload.preemptible and self.guarantee.holder_of.get(workload.queue, SPOILT) < 0:
            return None
        return PromiseGate(self.guarantee, record, search)


class PromiseGate:
    """The search of one workload. ``refusal`` is (code, text) of the first place that a promise forbade."""

    def __init__(self, guarantee: Guarantee, record: Record, search: Search) -> None:
        """Start with nothing refused."""
        self.guarantee: Final = guarantee
        self.record: Final = record
        self.search: Final = search
        self.holder: Final = guarantee.holder_of.get(record.workload.queue, SPOILT)
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search, and search elsewhere as long as what is found would break a promise."""
        found = self.search.place(demand, ranks, chosen)
        if isinstance(found, Refused) or not found.pods:
            return found
        judges = self._judges(demand, ranks)
        units = self._units(demand, found.pods)
        broken = self._broken(judges, units)
        if broken is None:
            return found
        other = self._elsewhere(judges, units, demand, ranks, chosen)
        if other is None:
            self.refusal = self.refusal or (Code.RESERVED, self._text(broken, units))
            return Refused(proven=False)
        return other

    def _judges(self, demand: Demand, ranks: dict[int, list[int]]) -> list[Books]:
        """Return the books that this placement may not worsen."""
        guarantee = self.guarantee
        if not self.record.workload.preemptible:
            return [guarantee.firm, guarantee.kept]
        more = of_ranks(demand, ranks, guarantee.state).get(GPU, 0)
        return [guarantee.kept] if guarantee.is_inside(self.record, more) else []

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

    def _broken(self, judges: list[Books], units: list[int]) -> Books | None:
        for books in judges:
            if not books.still_keeps(self.guarantee.promised, units, self.holder):
                return books
        return None

    def _elsewhere(
        self, judges: list[Books], units: list[int], demand: Demand, ranks: dict[int, list[int]], chosen: set[int]
    ) -> Found | None:
        """Search with more and more domains shut; the state is as before afterwards."""
        state = self.guarantee.state
        freed = state.freed
        undo: list[Shut] = []
        try:
            shut = self._forbidden(judges, [])
            if shut.isdisjoint(units):
                shut = self._too_many(judges, units)
            for _ in range(MOST_STEPS):
                undo.append(state.shut(self._nodes(shut)))
                found = self.search.place(demand, ranks, chosen)
                if isinstance(found, Refused):
                    break
                units = self._units(demand, found.pods)
                if self._broken(judges, units) is None:
                    return found
                shut = self._too_many(judges, units)
            _reopen(undo, state)
            undo.append(state.shut(self._nodes(self._costly(judges))))
            found = self.search.place(demand, ranks, chosen)
            return found if isinstance(found, Found) else None
        finally:
            _reopen(undo, state)
            state.freed = freed

    def _forbidden(self, judges: list[Books], taken: list[int]) -> set[int]:
        """Return the units in which work would break a promise, once these others are taken."""
        found: set[int] = set()
        for books in judges:
            kept = books.kept(self.guarantee.promised)
            books.mark(taken, self.holder, 1)
            for units in books.alike().values():
                books.mark(units[:1], self.holder, 1)
                if not books.can_keep(kept):
                    found.update(units)
                books.unmark(units[:1], self.holder)
            books.unmark(taken, self.holder)
        return found

    def _too_many(self, judges: list[Books], units: list[int]) -> set[int]:
        """Return which units must stay shut where as many as possible of the given ones, the first first, are taken."""
        taken: list[int] = []
        for unit in units:
            if self._broken(judges, [*taken, unit]) is None:
                taken.append(unit)
        return self._forbidden(judges, taken) | set(units).difference(taken)

    def _costly(self, judges: list[Books]) -> set[int]:
        """Return the units in which work could matter to a promise at all."""
        found: set[int] = set()
        kinds = self.guarantee.kinds.all
        for books in judges:
            for key, units in books.alike().items():
                if kinds[key[0]].holder != self.holder and any(kinds[kind].usable for kind in key):
                    found.update(units)
        return found

    def _nodes(self, units: set[int]) -> list[int]:
        ground = self.guarantee.ground
        last = len(ground.levels) - 1
        return [node for unit in sorted(units) for node in ground.nodes_of(last, unit)]

    def _text(self, books: Books, units: list[int]) -> str:
        """Name the first promise that the place which was found would break."""
        guarantee = self.guarantee
        before = books.kept(guarantee.promised)
        books.mark(units, self.holder, 1)
        after = most_kept(books.can_keep, before)
        books.unmark(units, self.holder)
        for level, name in enumerate(guarantee.level_names):
            for holder, queue in enumerate(guarantee.holders):
                if after[holder][level] < before[holder][level]:
                    return (
                        f"there is room, but only where the guarantee of queue '{queue}' ({before[holder][level]} "
                        f"{name}) could not be kept any more"
                    )
        return "there is room, but only where a guarantee could not be kept any more"


def _reopen(undo: list[Shut], state: ClusterState) -> None:
    """Undo all of ``shut``, the last first."""
    while undo:
        state.open_again(undo.pop())
