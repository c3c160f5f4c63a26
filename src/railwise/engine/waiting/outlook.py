"""When cards free on every node: a bound for the earliest start that needs no search, and where to look for it.

Thousands of ends can lie before the start of a large gang, and applying them all to the state to ask once is dear. For
equal pods on whole cards the times at which each node gets room for one more pod follow from the ends on it alone. No
domain can hold the gang before its last pod has such a place, and where it has, only the ends on these few nodes need
be applied to see that it fits. Cards in shared use count as free from the first of their ends: the bound is never late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import KIND_WHOLE
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.record import Record
from railwise.engine.waiting.ends import Ending, Ends
from railwise.engine.waiting.slot_times import NEVER, Codes, SlotTimes
from railwise.engine.workloads import Workloads

MOST_SHAPES: Final = 32
"""So many shapes have their slots followed; those that were not asked for longest are forgotten."""


class Chance(NamedTuple):
    """Nodes (one domain of the required level) on which there may be room from a time on, µs."""

    time: int
    place: int
    nodes: frozenset[int]


class Outlook:
    """The known ends of one moment, node by node, and what room they make."""

    def __init__(self, workloads: Workloads) -> None:
        """Know nothing yet."""
        self.workloads: Final = workloads
        self.state: Final[ClusterState] = workloads.state
        self.ends: Final = Ends(workloads)
        self.now = 0
        self._gone: set[Record] = set()
        self._slots: Final[dict[tuple[int, int], SlotTimes]] = {}
        self._generation = -1

    def sync(self, now: int, apart: Record | None) -> None:
        """Find out what is known to end as things are, apart from one workload."""
        touched = self.ends.follow()
        grace = self.state.policy.reserve_after
        late = list(self.ends.until(now))
        self.now = now
        before, self._gone = self._gone, {record for end, record in late if now - end > grace}
        if apart is not None:
            self._gone.add(apart)
        if touched is None or self._generation != self.state.generation:
            self._generation = self.state.generation
            self._slots.clear()
            return
        for record in {*(record for _, record in late), *before, *self._gone}:
            touched.update(self.ends.nodes_of(record))
        for slots in self._slots.values():
            slots.pending |= touched

    def known(self) -> list[tuple[int, int, str, Record]]:
        """Return all ends as (time, order, name, workload), ascending; who should have ended is about to."""
        now = self.now
        past = [record for _, record in self.ends.until(now)]
        late = [
            (now, record.workload.order, record.workload.name, record) for record in past if record not in self._gone
        ]
        late.sort(key=lambda entry: entry[:3])
        rest = self.ends.all[len(past) :]
        return late + [entry for entry in rest if entry[3] not in self._gone]

    def endings(self, node: int, time: int) -> Iterator[Ending]:
        """Yield what has ended on a node by a time (µs, not before now), in the order of the ends."""
        for ending in self.ends.on.get(node, ()):
            if ending.end > time:
                return
            if ending.record not in self._gone:
                yield ending

    def speaks_of(self, demand: Demand) -> bool:
        """Return whether a demand is of the kind that is known by counting: equal pods on whole cards, none running."""
        shape = demand.root.shape
        return demand.simple and shape is not None and shape.kind == KIND_WHOLE and not demand.root.fixed

    def chances(self, demand: Demand, now: int, latest: int, apart: Iterable[int] = ()) -> Iterator[Chance]:
        """Yield where a demand that does not fit now may fit by ``latest`` (µs), the earliest first.

        Nodes ``apart`` are left out.
        """
        if self.nothing_ends():
            return
        slots = self._of(demand)
        level, pods = demand.root.required, demand.root.group.min_pods
        if slots is None:
            return
        level = -1 if level == NOT_GIVEN else min(level, slots.tree.depth)
        other = slots.seen_otherwise(apart)
        moments = slots.moments(level, pods, other)
        if 0 <= level < slots.tree.depth:
            named = slots.tree.tiers[level].named
            if not all(named):
                moments = [moment if ok else NEVER for moment, ok in zip(moments, named, strict=True)]
        soonest = min(moments, default=NEVER)
        if soonest == NEVER:
            return
        first = soonest // slots.size
        if (first or now) > latest:
            return
        end = (first + 1) * slots.size
        for domain, moment in enumerate(moments):
            if moment < end:
                yield self._chance(slots, level, domain, pods, first or now, other)
        rest = [
            (moment // slots.size, domain)
            for domain, moment in enumerate(moments)
            if end <= moment < (latest + 1) * slots.size and moment != NEVER
        ]
        rest.sort()
        for time, domain in rest:
            yield self._chance(slots, level, domain, pods, time, other)

    def nothing_ends(self) -> bool:
        """Return whether nothing is known to end."""
        return len(self.ends.all) <= len(self._gone) and all(entry[3] in self._gone for entry in self.ends.all)

    def _of(self, demand: Demand) -> SlotTimes | None:
        shape = demand.root.shape
        if shape is None or not shape.cards:
            return None
        key = (demand.root.tree, shape.index)
        slots = self._slots.pop(key, None)
        if slots is None:
            slots = SlotTimes(self.state, demand.root.tree, shape, self.ends)
            if len(self._slots) >= MOST_SHAPES:
                del self._slots[next(iter(self._slots))]
        self._slots[key] = slots
        if slots.pending:
            slots.sync(self.now, self._gone)
        return slots

    def _chance(
        self, slots: SlotTimes, level: int, domain: int, pods: int, time: int, other: dict[int, Codes]
    ) -> Chance:
        order = slots.tree.order
        places = {code % slots.size for code in slots.first(level, domain, pods, other)}
        start = domain if not 0 <= level < slots.tree.depth else slots.tree.tiers[level].start[domain]
        return Chance(time, start, frozenset(order[place] for place in places))
