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
from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import KIND_SHARE, KIND_WHOLE
from railwise.engine.deciding import Decider
from railwise.engine.gangs.ask import ask_of
from railwise.engine.gangs.record import Record
from railwise.engine.queues.order import queue_order
from railwise.engine.search.bounds import most_pods
from railwise.engine.search.placement import MOST_CELLS
from railwise.engine.waiting.backfill import WANT_ROOM, Backfill, Kept, Look
from railwise.engine.waiting.promise import ENDLESS, run_time
from railwise.model.reason import Code, Reason

Turn = tuple[int, bool, int, int, str]
"""The place of a workload in the order of turns, as a key that grows."""

KindKey = tuple[int, int, str, int]
"""(what is asked for, least pods, queue, priority)."""

FEW: Final = 64
"""Of so many who end in time the one whose turn comes next is looked for among them, of more by turn."""


class Held(NamedTuple):
    """Somebody was held back: in what state, by which promises, after which look at the future."""

    moment: tuple[int, int, int]
    outlasts: tuple[Kept, ...]
    look: Look


class Kind:
    """Workloads that ask for the same, by turn. ``at`` is the place of the next one to be asked in this round.

    ``limit`` (µs): only who runs shorter may still start in this round; ``refused`` is the mark of the state on which
    none of them fits, ``hopeless`` the count of facts about nodes by which they never will. ``held`` tells when one of
    them was held back last.
    """

    def __init__(self) -> None:
        """Start with nobody."""
        self.members: Final[list[tuple[Turn, Record]]] = []
        self._by_run: Final[list[tuple[int, Turn]]] = []
        self.at = 0
        self.limit = ENDLESS
        self.refused = -1
        self.hopeless = -1
        self.held: Held | None = None

    def enter(self, turn: Turn, record: Record) -> None:
        """Take a workload in."""
        insort(self.members, (turn, record), key=_turn_of)
        insort(self._by_run, (run_time(record.demand), turn))

    def leave(self, turn: Turn, record: Record) -> None:
        """Let a workload go."""
        del self.members[bisect_left(self.members, turn, key=_turn_of)]
        del self._by_run[bisect_left(self._by_run, (run_time(record.demand), turn))]

    def after(self, turn: Turn) -> int:
        """Return the place of the first member whose turn is later."""
        return bisect_right(self.members, turn, key=_turn_of)

    def next(self) -> int:
        """Return the place of the next member from ``at`` on that ends in time, the number of members for none."""
        members = self.members
        if self.limit == ENDLESS or self.at >= len(members):
            return self.at
        first = bisect_right(self._by_run, 0, key=_run_of)
        in_time = self._by_run[first : bisect_right(self._by_run, self.limit, key=_run_of)]
        if len(in_time) > FEW:
            for place in range(self.at, len(members)):
                if 0 < run_time(members[place][1].demand) <= self.limit:
                    return place
            return len(members)
        soonest = members[self.at][0]
        turns = [turn for _, turn in in_time if turn >= soonest]
        return bisect_left(members, min(turns), key=_turn_of) if turns else len(members)


def _turn_of(member: tuple[Turn, Record]) -> Turn:
    return member[0]


def _run_of(entry: tuple[int, Turn]) -> int:
    return entry[0]


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
            if kind is not None and self._known(kind, record, heap):
                continue
            self.answer = self.backfill.look = None
            yield record
            if self.state.freed != freed:
                freed = self.state.freed
                heap = self._again(turn, heap)
            elif kind is not None and self._goes_on(kind, record):
                self._push(heap, kind)

    def _known(self, kind: Kind, record: Record, heap: list[tuple[Turn, Kind | None, Record]]) -> bool:
        """Return whether it is known what a workload would hear; who else of its kind may be asked is on the heap."""
        freed = self.state.freed
        if kind.refused != freed and self._too_many(record):
            kind.refused, kind.hopeless = freed, -1
        if kind.refused == freed:
            return self._in_vain(kind, record)
        if kind.held is None or not self._held_again(kind.held, kind, record):
            return False
        kind.at += 1
        kind.limit = min(kind.limit, self.backfill.in_time(record))
        self._push(heap, kind)
        return True

    def _too_many(self, record: Record) -> bool:
        """Return whether all nodes together have too few free cards for the pods of a workload."""
        root = record.demand.root
        shape = root.shape
        if shape is None or shape.kind != KIND_WHOLE or not shape.cards:
            return False
        return most_pods(shape, self.state) < root.group.min_pods

    def _held_again(self, held: Held, kind: Kind, record: Record) -> bool:
        """Return whether a workload is held back as one of its kind was before: since then nothing has changed."""
        if held.moment != self._moment() or not self.backfill.full() or not self._in_vain(kind, record):
            return False
        if held.outlasts != self.backfill.outlasted(record) or self.backfill.table.future.overdue():
            return False
        return self.backfill.looked(held.look)

    def _moment(self) -> tuple[int, int, int]:
        """Return what is the same as long as nothing is placed, freed, or otherwise changed."""
        return self.workloads.changes, self.state.freed, self.state.generation

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
            kind.at, kind.limit = kind.after(turn), ENDLESS
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
                self._hold(kind, record)
            return True
        if not self.decider.no_room_for(record.demand):
            return True
        kind.refused = self.state.freed
        kind.hopeless = self.decider.verdict.facts if reason.code not in WANT_ROOM else -1
        return not self._in_vain(kind, record)

    def _hold(self, kind: Kind, record: Record) -> None:
        """Remember that somebody was held back after a look at the future on all ends that are known now."""
        look = self.backfill.look
        kind.held = None
        if look is not None and self.backfill.table.future.knows_all():
            kind.held = Held(self._moment(), self.backfill.outlasted(record), look)

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
        kind.enter(turn, record)
        self._place_of[record] = key, turn

    def _leave(self, record: Record, key: KindKey, turn: Turn) -> None:
        kind = self._kinds[key]
        kind.leave(turn, record)
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
