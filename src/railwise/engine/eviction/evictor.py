"""Making room for a workload that found none: who goes, for whom, by which right, at what cost.

Nobody is asked while there is room, and nobody goes for a preference or for surplus. The least important tier of
victims that makes room decides; within it surplus pods alone if they suffice, else the least work lost. A victim that
fits elsewhere at once is moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from railwise.engine.eviction.by_index import search_by_index
from railwise.engine.eviction.claim import Claim, Way, total
from railwise.engine.eviction.holders import Holders
from railwise.engine.eviction.moving import MoveClaim, moves_for
from railwise.engine.eviction.news import Evicted, taken_from
from railwise.engine.eviction.prospects import Prospects
from railwise.engine.eviction.rehousing import places_for
from railwise.engine.eviction.together import own_units, search_together
from railwise.engine.eviction.trial import Trial
from railwise.engine.eviction.units import Unit
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
        if self.in_vain(record):
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

    def in_vain(self, record: Record) -> bool:
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

    def _own_surplus(self, claim: Claim) -> Way | None:
        own = own_units(claim)
        return Trial(claim, own).run() if own else None

    def _others(self, claim: Claim) -> Way | None:
        """Return the cheapest way by the least important victims that suffice."""
        if len(self.workloads.state.nodes) <= SMALL_CLUSTER:
            records = [record for record in self.workloads.records.values() if claim.rights.may_take(record)]
            if len(records) <= MOST_TOGETHER:
                return search_together(claim, records)
        return search_by_index(claim, self._index())

    def _carry_out(self, claim: Claim, way: Way) -> list[Evicted]:
        """Take the victims off the state."""
        by_record: dict[Record, list[Unit]] = {}
        for unit in way.units:
            by_record.setdefault(unit.record, []).append(unit)
        gone: list[Evicted] = []
        for record, units in by_record.items():
            keys = sorted({key for unit in units for key in unit.keys})
            cards = taken_from(record, keys, self.workloads.state)
            lost = total(units)[0]
            gone.append(Evicted(record, self.workloads.stop(record, keys), cards, claim.record, lost, ""))
        ends = claim.rights.ends()
        return [one._replace(why=claim.rights.why(one.record, claim.before, ends)) for one in gone]

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
