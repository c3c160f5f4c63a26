"""Making room for a workload that found none: who goes, for whom, by which right, at what cost.

Nobody is asked while there is room, and nobody goes for a preference or for surplus. The least important tier of
victims that makes room decides; within it surplus pods alone if they suffice, else the least work lost. A victim that
fits elsewhere at once is moved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NamedTuple

from railwise.engine.eviction.claim import Claim, Way, total
from railwise.engine.eviction.holders import Holders
from railwise.engine.eviction.moving import MoveClaim, moves_for
from railwise.engine.eviction.news import Evicted, taken_from
from railwise.engine.eviction.proposals import Proposals
from railwise.engine.eviction.prospects import Prospects
from railwise.engine.eviction.rehousing import places_for
from railwise.engine.eviction.survey import Survey
from railwise.engine.eviction.trial import Trial
from railwise.engine.eviction.units import FREE, Unit, surplus_units, whole_unit
from railwise.engine.eviction.wide import search_wide
from railwise.engine.gangs.charges import GPU
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.queues.guard import Guard
from railwise.engine.queues.order import queue_order
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import Search, find_minimum
from railwise.engine.workloads import Workloads

SMALL_CLUSTER: Final = 200
"""Up to so many nodes all victims are tried together,"""

MOST_TOGETHER: Final = 64
"""and up to so many workloads."""

MOST_PROPOSALS: Final = 8
"""So many domains of a large cluster are tried."""

MOST_SURPLUS: Final = 256
"""So many surplus pods of a large cluster are tried."""

Gate = Callable[[Record], Guard]
"""Makes a workload's view of the search."""


class Room(NamedTuple):
    """Room that was made: where the claimant goes (by which of its demands), and who left for it."""

    demand: int
    found: Found
    gone: list[Evicted]


class Evictor:
    """Finds and carries out the cheapest way to make room."""

    def __init__(self, workloads: Workloads, gate: Gate) -> None:
        """Keep the parts."""
        self.workloads: Final = workloads
        self.gate: Final = gate
        self._holders: Holders | None = None
        self._prospects: Prospects | None = None
        self._seen = (-1, -1)

    def make_room(self, record: Record, indices: list[int]) -> Room | None:
        """Take off the victims for the first demand that can be served so; None where none can."""
        if self._in_vain(record):
            return None
        for index in indices:
            claim = Claim(record, index, self.workloads, self._minimum, self._again)
            way = self._own_surplus(claim) or self._others(claim)
            if way is not None:
                return Room(index, way.found, self._carry_out(claim, way))
        return None

    def move_others(self, record: Record, indices: list[int], again: Search, most: int, lost: int) -> Room | None:
        """Take off up to ``most`` workloads that fit elsewhere at once, with up to ``lost`` GPU-seconds (0: any)."""
        for index in indices:
            room = self._move_for(MoveClaim(record, index, self.workloads, self._minimum, again, most, lost))
            if room is not None:
                return room
        return None

    def move_for_promise(self, record: Record, indices: list[int], again: Search) -> Room | None:
        """Move preemptible work of any queue out of domains that are promised to the workload's queue."""
        guarantee = self.workloads.accounts.guarantee
        promised = guarantee.claims(record.workload.queue) if guarantee is not None else []
        if guarantee is None or not promised:
            return None
        nodes = frozenset(node for claim in promised for domain in claim.domains for node in domain)
        for index in indices:
            claim = MoveClaim(record, index, self.workloads, self._minimum, again, MOST_TOGETHER, 0)
            claim.only = nodes
            if guarantee.is_inside(record, claim.ask.get(GPU, 0)):
                room = self._move_for(claim)
                if room is not None:
                    return room
        return None

    def _move_for(self, claim: MoveClaim) -> Room | None:
        small = len(self.workloads.state.nodes) <= SMALL_CLUSTER
        way = moves_for(claim, None if small else self._index(), MOST_TOGETHER)
        return Room(claim.index, way.found, self._carry_out(claim, way)) if way is not None else None

    def _index(self) -> Holders:
        """Return the index of who stands where, up to date."""
        if self._holders is None:
            self._holders = Holders(self.workloads)
        self._holders.refresh()
        return self._holders

    def _in_vain(self, record: Record) -> bool:
        """Return whether nobody can have to go for a workload of which nothing runs."""
        if record.pods:
            return False
        moment = (self.workloads.changes, self.workloads.accounts.rounds)
        if self._prospects is None or self._seen != moment:
            self._prospects = Prospects(self.workloads)
            self._seen = moment
        return not self._prospects.any_for(record)

    def _minimum(self, record: Record, index: int) -> Found | None:
        found = find_minimum(record.demands[index], self.gate(record).place)
        return found if isinstance(found, Found) else None

    def _own(self, claim: Claim) -> list[Unit]:
        """Return the claimant's own surplus, highest ranks first; it costs nothing."""
        if not claim.record.pods:
            return []
        units = surplus_units(claim.record, self.workloads.state, self.workloads.now)
        return [Unit(unit.record, unit.keys, FREE, whole=False, after=None) for unit in units]

    def _own_surplus(self, claim: Claim) -> Way | None:
        own = self._own(claim)
        return Trial(claim, own).run() if own else None

    def _others(self, claim: Claim) -> Way | None:
        """Return the cheapest way by the least important victims that suffice."""
        if len(self.workloads.state.nodes) <= SMALL_CLUSTER:
            records = [record for record in self.workloads.records.values() if claim.rights.may_take(record)]
            if len(records) <= MOST_TOGETHER:
                return self._among(claim, records)
        return self._in_large(claim)

    def _among(self, claim: Claim, records: list[Record]) -> Way | None:
        """Try all victims of a small cluster together."""
        state, now = self.workloads.state, self.workloads.now
        own = self._own(claim)
        for priority in sorted({record.workload.priority for record in records}):
            tier = [record for record in records if record.workload.priority <= priority]
            surplus = [unit for record in tier for unit in surplus_units(record, state, now)]
            alone = [unit for unit in surplus if unit.record.workload.kind != "training"]
            way = Trial(claim, own + alone).run() if alone else None
            if way is None:
                way = Trial(claim, own + surplus + [whole_unit(record, state, now) for record in tier]).run()
            if way is not None:
                return way
        return None

    def _in_large(self, claim: Claim) -> Way | None:
        """Find the victims of a large cluster by the index of who stands where."""
        holders = self._index()
        rights = claim.rights
        priorities = sorted(
            {
                manner.priority
                for manner in holders.manners
                if rights.may_take_from(manner.queue, manner.priority, preemptible=manner.preemptible)
            }
        )
        if not priorities:
            return None
        shape = claim.demand.root.shape
        if not claim.demand.simple or shape is None:
            ways = (self._surplus_of(claim, holders, one) or search_wide(claim, holders, one) for one in priorities)
            return next((way for way in ways if way is not None), None)
        pods = claim.demand.root.group.min_pods - len(claim.demand.root.fixed)
        surveyed: dict[int, Proposals] = {}

        def proposals(priority: int) -> Proposals:
            if priority not in surveyed:
                surveyed[priority] = Proposals(claim, Survey(claim, holders, shape, pods, priority), pods)
            return surveyed[priority]

        first = bisect_left(priorities, True, key=lambda priority: proposals(priority).possible())  # noqa: FBT003
        for priority in priorities[first:]:
            way = self._surplus_of(claim, holders, priority) or self._best_of(claim, proposals(priority))
            if way is not None:
                return way
        return None

    def _surplus_of(self, claim: Claim, holders: Holders, priority: int) -> Way | None:
        """Try the surplus pods of all that may shrink, the cheapest of them where there are many."""
        units = [
            unit
            for record in holders.elastic
            if record.workload.priority <= priority and claim.rights.may_take(record)
            for unit in surplus_units(record, self.workloads.state, self.workloads.now)
        ]
        units.sort(key=lambda unit: (unit.cost, -unit.since))
        return Trial(claim, units[:MOST_SURPLUS], MOST_SURPLUS).run() if units else None

    def _best_of(self, claim: Claim, proposals: Proposals) -> Way | None:
        best: Way | None = None
        for least, units in islice(proposals.each(), MOST_PROPOSALS):
            if best is not None and best.key[0][0] <= least and best.key[0][0]:
                break
            way = Trial(claim, units, len(units) + MOST_PROPOSALS).run()
            if way is not None and (best is None or way.key < best.key):
                best = way
        return best

    def _carry_out(self, claim: Claim, way: Way) -> list[Evicted]:
        """Take the victims off the state."""
        by_record: dict[Record, list[Unit]] = {}
        for unit in way.units:
            by_record.setdefault(unit.record, []).append(unit)
        why = {record: claim.rights.why(record) for record in by_record}
        gone: list[Evicted] = []
        for record, units in by_record.items():
            keys = sorted({key for unit in units for key in unit.keys})
            cards = taken_from(record, keys, self.workloads.state)
            lost = total(units)[0]
            gone.append(Evicted(record, self.workloads.stop(record, keys), cards, claim.record, lost, why[record]))
        return gone

    def rehouse(self, gone: list[Evicted]) -> None:
        """Let victims run on elsewhere: whole gangs with all pods they had, surplus pods as far as they fit."""
        for one in sorted(gone, key=lambda one: queue_order(one.record)):
            if one.record.pods:
                for key in sorted(one.pods):
                    self._place_again(one.record, [key])
            elif not self._place_again(one.record, sorted(one.pods)) and self.workloads.state.policy.defrag_max_moves:
                self._keep_alive(one.record)

    def _keep_alive(self, record: Record) -> None:
        """Let a workload run on with its minimum; a move that costs somebody his surplus is one of defragmentation."""
        if record.workload.kind != "training":
            found = self._minimum(record, record.current)
            if found is not None:
                self.workloads.place(record, found.pods)
                record.started = True

    def _place_again(self, record: Record, keys: list[PodKey]) -> bool:
        found = self._again(record, keys)
        if found is None:
            return False
        self.workloads.place(record, found.pods)
        record.started = True
        return True

    def _again(self, record: Record, keys: Iterable[PodKey]) -> Found | None:
        return places_for(record, keys, self.gate(record).place)
