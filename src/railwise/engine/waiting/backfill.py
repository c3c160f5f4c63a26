"""Backfill: who may start although somebody before him waits.

The first workload that waits for room gets a reservation: the earliest time at which its room is free, known from the
durations of what runs, or, once it has waited long enough, a domain in which everything that frees is kept. Others
start only where that delays nobody: on other nodes, or ended in time, or after a look at the future with them in it
that finds the reserved start unchanged. Reservations are made anew in every round, in the order of turns; a workload
that was decided before a reservation was made is not held back by it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.deciding import Decider
from railwise.engine.gangs.ask import ask_of
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.guard import Gate, Search
from railwise.engine.search.placement import Found
from railwise.engine.waiting.future import Booked
from railwise.engine.waiting.held_back import HeldBack
from railwise.engine.waiting.line import Line
from railwise.engine.waiting.promise import ENDLESS, LATER, UNKNOWN, Promise, run_time
from railwise.engine.waiting.timetable import Timetable
from railwise.model.plan import Reservation
from railwise.model.reason import Code, Reason

EASY: Final = "easy"
NONE: Final = "none"
CONSERVATIVE: Final = "conservative"
"""Values of ``spec.policy.backfill``."""

WANT_ROOM: Final = frozenset({Code.NOT_ENOUGH_FREE, Code.TOO_FRAGMENTED, Code.RESERVED, Code.UNPROVEN})
"""Who is refused so waits for room, and for nothing else."""

MOST_PROMISED: Final = 16
"""To so many workloads conservative backfill promises a start; those behind them come without one."""

MOST_TRIED: Final = 4
"""How many workloads whose start is not known are looked at in a round."""

MOST_LOOKS: Final = 32
"""How many looks at the future a round allows to candidates on reserved nodes; later ones must go elsewhere."""

Kept = tuple[int, int, frozenset[int]]
"""A promise as (start, until, nodes)."""


class Look(NamedTuple):
    """A look at the future that found harm: what was asked for, with how many pods, and what it took of the budget."""

    key: tuple[str | int, int]
    looks: int


class Backfill:
    """The reservations of one round, and the rule that nobody breaks them."""

    def __init__(self, decider: Decider) -> None:
        """Stand between the searches of a decider and what they decide."""
        self.decider: Final = decider
        self.table: Final = Timetable(decider)
        self.policy: Final = self.table.state.policy
        self.everybody: Final = self.policy.backfill == CONSERVATIVE
        self.line: Final = Line(decider.accounts.tree) if self.policy.backfill == NONE else None
        self._turns: Final[dict[Record, int]] = {}
        self._known: Final[set[Record]] = set()
        self._failed: Final[set[tuple[object, ...]]] = set()
        self.look: Look | None = None
        self._harmful: Final[dict[tuple[str | int, int], int]] = {}
        self._tried = self._looks = 0
        decider.rules.append(self)
        if self.line is not None:
            decider.rules.append(self.line)

    def open_round(self) -> None:
        """Forget the round before; promises to everybody stay."""
        self._tried = self._looks = 0
        self._known.clear()
        if self.everybody:
            self._known.update(self._turns)
        self._turns.clear()
        self._failed.clear()
        self._harmful.clear()
        if self.table.promises:
            self.table.open_round(keep=self.everybody)
        if self.line is not None:
            self.line.ahead.clear()

    def refused(self, record: Record, reason: Reason) -> None:
        """Hear that a workload cannot start; the first ones that wait for room get a reservation."""
        place = self._turns.setdefault(record, len(self._turns))
        if self.line is not None:
            self.line.refused(record, reason)
        own = self.table.own(record)
        if own is not None:
            self.table.promises.remove(own)
            if reason.code in WANT_ROOM and self.table.still_fits(own):
                own.place = place
                self.table.promises.append(self.table.earliest(record, place, self._reach(record), own.start) or own)
                return
        if reason.code not in WANT_ROOM or self._tried >= MOST_TRIED:
            return
        timed, kept = self._left()
        if not timed and not kept:
            return
        late = not record.started and self.decider.workloads.now - record.workload.submit >= self.policy.reserve_after
        asks = (record.workload.queue, late, *signature(record.demand, record.demand.root.group.min_pods))
        if asks in self._failed:
            return
        promise = self.table.earliest(record, place, self._reach(record)) if timed else None
        if promise is None and late and kept:
            promise = self.table.kept(record, place)
        if promise is not None:
            self.table.enter(promise, crosses=record not in self._known)
        else:
            self._tried += 1
            self._failed.add(asks)

    def full(self) -> bool:
        """Return whether nobody else is promised anything in this round."""
        return self._tried >= MOST_TRIED or not any(self._left())

    def in_time(self, record: Record) -> int:
        """Return the longest run (µs) that ends before some promise that a workload, started now, would outlast."""
        now, run = self.decider.workloads.now, run_time(record.demand)
        end = now + run if run else ENDLESS
        return max((promise.until - now for promise in self.table.others(record) if promise.until < end), default=0)

    def _left(self) -> tuple[bool, bool]:
        """Return whether one more start may be promised, and one more domain be kept."""
        live = [promise for promise in self.table.promises if promise.open()]
        if not self.everybody:
            left = len(live) < self.policy.reservations
            return left, left
        return len(live) < MOST_PROMISED, sum(promise.start == UNKNOWN for promise in live) < self.policy.reservations

    def around(self, record: Record, search: Search) -> Gate | None:
        """Return a search that keeps the reservations of others: surplus keeps all, a start those made before it."""
        if not self.table.promises:
            return None
        waits = record.short()
        kept = self.table.others(record, self._reach(record) if waits else LATER + 1)
        own = self.table.own(record) if waits else None
        now = self.decider.workloads.now
        return HeldBack(record, search, kept, own, self.table.state, now, self.harmless) if kept else None

    def _reach(self, record: Record) -> int:
        """Return before which place promises must have been made for a workload that waits to keep them.

        Who waited already when somebody behind him was promised a start leaves him that.
        """
        return LATER + 1 if record in self._known else self._turns.get(record, len(self._turns))

    def harmless(self, demand: Demand, found: Found, harmed: list[Promise]) -> bool:
        """Return whether a placement that does not end in time still lets everybody start as promised.

        Looks at each reserved start with the placement in it. Who then fits elsewhere is settled there.
        """
        ask = ask_of(demand)
        key = (demand.workload.name if ask is None else ask, len(found.pods))
        if key in self._harmful:
            self.look = Look(key, self._harmful[key])
            return False
        if self._looks >= MOST_LOOKS or any(promise.start == UNKNOWN for promise in harmed):
            return False
        before_all = self._looks
        booked: Booked = []
        before = self.table.state.shut(())
        fine = self.table.future.put(demand, found.pods, booked)
        for promise in harmed:
            if fine:
                self._looks += 1
                fine = self.table.settle_again(promise)
        self.table.future.take_off(booked)
        self.table.state.open_again(before)
        if not fine:
            self._harmful[key] = self._looks - before_all
            self.look = Look(key, self._looks - before_all)
        return fine

    def looked(self, look: Look) -> bool:
        """Count a look whose answer is known to be the same as before; return whether this round has it left."""
        if look.key not in self._harmful:
            if self._looks >= MOST_LOOKS:
                return False
            self._looks += look.looks
            self._harmful[look.key] = look.looks
        return True

    def outlasted(self, record: Record) -> tuple[Kept, ...]:
        """Return the promises to others that a workload, started now, would outlast: start, until and nodes of each."""
        now, run = self.decider.workloads.now, run_time(record.demand)
        end = now + run if run else ENDLESS
        return tuple((one.start, one.until, one.nodes) for one in self.table.others(record) if one.until < end)

    def listed(self) -> tuple[Reservation, ...]:
        """Return the reservations of those who still wait, for the plan."""
        state = self.table.state
        return tuple(
            Reservation(
                promise.record.workload.name,
                promise.domain(state),
                tuple(state.nodes[node].name for node in sorted(promise.nodes)),
                promise.start,
            )
            for promise in self.table.promises
            if promise.open()
        )


def signature(demand: Demand, pods: int) -> tuple[object, ...]:
    """Return what makes two demands ask for the same, for as many pods and as long."""
    ask = ask_of(demand)
    return (demand.workload.name, pods) if ask is None else (ask, pods, run_time(demand))
