"""Who has to be asked in a round at all: of thousands that wait, those whose answer is not known already.

Most of a crowd asks for the same few things. What was proven not to fit for one of them fits for none, and who is held
back by a reservation holds back everybody behind him who asks for the same and does not end sooner. So a round asks one
of each kind and passes over the rest. It decides exactly what asking everybody would have decided, but nobody hears why
he waits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Final

from railwise.engine.cluster.shapes import KIND_SHARE
from railwise.engine.deciding import Decider
from railwise.engine.gangs.ask import ask_of
from railwise.engine.gangs.record import Record
from railwise.engine.queues.order import queue_order
from railwise.engine.search.placement import MOST_CELLS
from railwise.engine.waiting.backfill import WANT_ROOM, Backfill
from railwise.engine.waiting.promise import ENDLESS, run_time
from railwise.model.reason import Code, Reason

Turn = tuple[int, bool, int, int, str]
"""The place of a workload in the order of turns, as a key that grows."""

KindKey = tuple[int, int, str, int]
"""(what is asked for, least pods, queue, priority)."""


class Kind:
    """Workloads that ask for the same, by turn. ``at`` is the place of the next one to be asked in this round.

    ``limit`` (µs): only who runs shorter may still start in this round; ``refused`` is the mark of the state on which
    none of them fits, ``hopeless`` the count of facts about nodes by which they never will.
    """

    def __init__(self) -> None:
        """Start with nobody."""
        self.members: Final[list[tuple[Turn, Record]]] = []
        self.at = 0
        self.limit = ENDLESS
        self.refused = -1
        self.hopeless = -1

    def next(self) -> int:
        """Return the place of the next member from ``at`` on that ends in time, the number of members for none."""
        if self.limit == ENDLESS:
            return self.at
        members = self.members
        for place in range(self.at, len(members)):
            if 0 < run_time(members[place][1].demand) <= self.limit:
                return place
        return len(members)


class Crowd:
    """Everybody who waits, by kind; ``answer`` is what the last one asked heard, None where he starts."""

    def __init__(self, decider: Decider, backfill: Backfill) -> None:
        """Start with nobody."""
        self.decider: Final = decider
        self.workloads: Final = decider.workloads
        self.state: Final = decider.workloads.state
        self.backfill: Final = backfill
        self.answer: Reason | None = None
        self._kinds: Final[dict[KindKey, Kind]] = {}
        self._place_of: Final[dict[Record, tuple[KindKey, Turn]]] = {}
        self._single: Final[dict[Record, None]] = {}
        self._read = 0
        self._epoch = -1

    def turns(self) -> Iterator[Record]:
        """Hand out, by turn, whoever may start or be promised a start."""
        self._follow()
        freed = self.state.freed
        heap: list[tuple[Turn, Kind | None, Record]] = [(queue_order(record), None, record) for record in self._single]
        for each in self._kinds.values():
            each.at, each.limit = 0, ENDLESS
            heap.append((each.members[0][0], each, each.members[0][1]))
        heapify(heap)
        while heap:
            turn, kind, record = heappop(heap)
            if kind is not None and kind.refused == self.state.freed and self._in_vain(kind, record):
                continue
            self.answer = None
            yield record
            if self.state.freed != freed:
                freed = self.state.freed
                heap = self._again(turn, heap)
            elif kind is not None and self._goes_on(kind, record):
                self._push(heap, kind)

    def _push(self, heap: list[tuple[Turn, Kind | None, Record]], kind: Kind) -> None:
        kind.at = kind.next()
        if kind.at < len(kind.members):
            turn, record = kind.members[kind.at]
            heappush(heap, (turn, kind, record))

    def _again(
        self, turn: Turn, heap: list[tuple[Turn, Kind | None, Record]]
    ) -> list[tuple[Turn, Kind | None, Record]]:
        """Return all turns to come, now that room has come free in mid-round."""
        heap = [entry for entry in heap if entry[1] is None]
        for kind in self._kinds.values():
            kind.at, kind.limit = bisect_right(kind.members, turn, key=lambda entry: entry[0]), ENDLESS
            if kind.at < len(kind.members):
                heap.append((kind.members[kind.at][0], kind, kind.members[kind.at][1]))
        heapify(heap)
        return heap

    def _goes_on(self, kind: Kind, record: Record) -> bool:
        """Return whether others of a kind are to be asked after one of them, and which."""
        kind.at += 1
        reason = self.answer
        if reason is None:
            return True
        if reason.code == Code.RESERVED:
            if self.backfill.full():
                kind.limit = min(kind.limit, self.backfill.in_time(record))
            return True
        if not self.decider.no_room_for(record.demand):
            return True
        kind.refused = self.state.freed
        kind.hopeless = self.decider.verdict.facts if reason.code not in WANT_ROOM else -1
        return not self._in_vain(kind, record)

    def _in_vain(self, kind: Kind, record: Record) -> bool:
        """Return whether those of a kind for which there is no room can hope for nothing else in this round."""
        if not self.backfill.full() and kind.hopeless != self.decider.verdict.facts:
            return False
        return self.decider.evictor is None or self.decider.evictor.in_vain(record)

    # --- Who waits ---------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Catch up with who came and who went."""
        workloads = self.workloads
        if self._epoch != workloads.epoch:
            self._epoch = workloads.epoch
            changed = dict.fromkeys([*self._place_of, *self._single, *workloads.waiting.values()])
        else:
            changed = dict.fromkeys(workloads.journal[self._read :])
        self._read = len(workloads.journal)
        for record in changed:
            waits = workloads.waiting.get(record.workload.name) is record
            key = self._key_of(record) if waits else None
            before = self._place_of.get(record)
            if before is not None and before[0] != key:
                self._leave(record, *before)
            if key is not None and (before is None or before[0] != key):
                self._enter(record, key)
            if waits and key is None:
                self._single[record] = None
            else:
                self._single.pop(record, None)

    def _enter(self, record: Record, key: KindKey) -> None:
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = Kind()
        turn = queue_order(record)
        insort(kind.members, (turn, record), key=lambda entry: entry[0])
        self._place_of[record] = key, turn

    def _leave(self, record: Record, key: KindKey, turn: Turn) -> None:
        kind = self._kinds[key]
        del kind.members[bisect_left(kind.members, turn, key=lambda entry: entry[0])]
        del self._place_of[record]
        if not kind.members:
            del self._kinds[key]

    def _key_of(self, record: Record) -> KindKey | None:
        """Return the kind of a workload, None where it has to be asked by itself."""
        workload, demand = record.workload, record.demand
        root = demand.root
        if record.started or record.pods or len(record.demands) > 1 or record.unreadable is not None:
            return None
        if workload.invalid or workload.suspend or workload.unsupported or demand.unsupported:
            return None
        shape = root.shape
        if not demand.simple or shape is None or (shape.kind == KIND_SHARE and shape.cards > 1):
            return None
        if root.group.min_pods < 1 or root.group.min_pods**2 > MOST_CELLS:
            return None
        ask = ask_of(demand)
        return None if ask is None else (ask, root.group.min_pods, workload.queue, workload.priority)
