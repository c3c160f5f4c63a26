"""Backfill: who may start although somebody before him waits.

The first workload that waits for room gets a reservation: the earliest time at which its room is free, known from the
durations of what runs, or, once it has waited long enough, a domain in which everything that frees is kept. Others
start only where that delays nobody: on other nodes, or ended in time, or after a look at the future with them in it
that finds the reserved start unchanged. Reservations are made anew in every round, in the order of turns; a workload
that was decided before a reservation was made is not held back by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.deciding import Decider
from railwise.engine.gangs.ask import ask_of
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.queues.guard import Gate, Search
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import find_minimum
from railwise.engine.waiting.future import Ask, Booked, Fit, Future
from railwise.engine.waiting.held_back import HeldBack
from railwise.engine.waiting.kept_room import KeptRoom
from railwise.engine.waiting.line import Line
from railwise.engine.waiting.promise import ENDLESS, UNKNOWN, Promise, run_time
from railwise.model.plan import Reservation
from railwise.model.reason import Code, Reason

NONE: Final = "none"
"""The policy without backfill."""

WANT_ROOM: Final = frozenset({Code.NOT_ENOUGH_FREE, Code.TOO_FRAGMENTED, Code.RESERVED, Code.UNPROVEN})
"""Who is refused so waits for room, and for nothing else."""

MOST_TRIED: Final = 8
"""How many reservations are computed in a round beyond those that are made."""

MOST_MOMENTS: Final = 64
"""How many times are looked at, from the first at which there would be room but for the reservations of others."""

MOST_LOOKS: Final = 64
"""How many looks at the future a round allows to candidates on reserved nodes; later ones must go elsewhere."""


class Backfill:
    """The reservations of one round, and the rule that nobody breaks them."""

    def __init__(self, decider: Decider) -> None:
        """Stand between the searches of a decider and what they decide."""
        self.decider: Final = decider
        self.state: Final[ClusterState] = decider.workloads.state
        self.future: Final = Future(decider.workloads)
        self.room: Final = KeptRoom(decider.workloads, self.future)
        self.promises: Final[list[Promise]] = []
        self.looks = 0
        self._turns: Final[dict[Record, int]] = {}
        self._failed: Final[set[tuple[object, ...]]] = set()
        self._harmful: Final[set[tuple[object, ...]]] = set()
        self._tried = 0
        self.line: Final = Line(decider.accounts.tree) if self.state.policy.backfill == NONE else None
        decider.rules.append(self)
        if self.line is not None:
            decider.rules.append(self.line)

    def open_round(self) -> None:
        """Forget the round before."""
        self.looks = self._tried = 0
        self.promises.clear()
        self._turns.clear()
        self._failed.clear()
        self._harmful.clear()
        if self.line is not None:
            self.line.ahead.clear()

    def refused(self, record: Record, reason: Reason) -> None:
        """Hear that a workload cannot start; the first ones that wait for room get a reservation."""
        self._turns.setdefault(record, len(self._turns))
        if self.line is not None:
            self.line.refused(record, reason)
        if reason.code not in WANT_ROOM or not self._any_left():
            return
        late = (
            not record.started
            and self.decider.workloads.now - record.workload.submit >= self.state.policy.reserve_after
        )
        asks = (record.workload.queue, late, *signature(record.demand, record.demand.root.group.min_pods))
        if asks in self._failed or self._tried >= MOST_TRIED:
            return
        promise = self._earliest(record) or (self._kept(record) if late else None)
        if promise is not None:
            self.promises.append(promise)
        else:
            self._tried += 1
            self._failed.add(asks)

    def around(self, record: Record, search: Search) -> Gate | None:
        """Return a search that keeps the reservations of others; new surplus keeps all, a start only earlier ones."""
        if not self.promises:
            return None
        turn = self._turns.get(record, len(self._turns)) if record.short() else len(self._turns)
        kept = [promise for promise in self.promises if promise.record is not record and promise.open()]
        kept = [promise for promise in kept if promise.place < turn]
        if not kept:
            return None
        return HeldBack(record, search, kept, self.state, self.decider.workloads.now, self.harmless)

    def listed(self) -> tuple[Reservation, ...]:
        """Return the reservations of those who still wait, for the plan."""
        nodes = self.state.nodes
        return tuple(
            Reservation(
                promise.record.workload.name,
                promise.domain(self.state),
                tuple(nodes[node].name for node in sorted(promise.nodes)),
                promise.start,
            )
            for promise in self.promises
            if promise.open()
        )

    def harmless(self, demand: Demand, spots: Sequence[Spot], harmed: list[Promise]) -> bool:
        """Return whether a placement that does not end in time still lets everybody start as promised.

        Looks at each reserved start with the placement in it. Who then fits elsewhere is settled there.
        """
        key = signature(demand, len(spots))
        if key in self._harmful or self.looks >= MOST_LOOKS or any(promise.start == UNKNOWN for promise in harmed):
            return False
        booked: Booked = []
        before = self.state.shut(())
        fine = self.future.put(demand, spots, booked)
        for promise in harmed:
            if fine:
                self.looks += 1
                fine = self._settle_again(promise)
        self.future.take_off(booked)
        self.state.open_again(before)
        if not fine:
            self._harmful.add(key)
        return fine

    def _settle_again(self, promise: Promise) -> bool:
        self.future.look(promise.record)
        ask = self._ask(promise.record, self.decider.search)
        fit = self.future.at(promise.start, run_time(promise.demand), self._others(promise.record), ask)
        if fit is not None:
            promise.settle(*fit)
        return fit is not None

    def _others(self, record: Record) -> list[Promise]:
        return [promise for promise in self.promises if promise.record is not record and promise.open()]

    def _any_left(self) -> bool:
        return sum(1 for promise in self.promises if promise.open()) < self.state.policy.reservations

    def _ask(self, record: Record, search: Search) -> Ask:
        """Return the question whether a workload fits the state as it is."""
        asks = [self._ask_one(record.demands[index], search) for index in self.decider.alternatives(record)]

        def ask() -> Fit | None:
            for ask_one in asks:
                fit = ask_one()
                if fit is not None:
                    return fit
            return None

        return ask

    def _ask_one(self, demand: Demand, search: Search) -> Ask:
        def ask() -> Fit | None:
            found = find_minimum(demand, search.place)
            return (demand, found.pods) if isinstance(found, Found) else None

        return ask

    def _earliest(self, record: Record) -> Promise | None:
        """Reserve the earliest time at which there is room, as far as ends are known."""
        future = self.future
        future.look(record)
        ask = self._ask(record, self.decider.accounts.guard(record, self.decider.search))
        others = self._others(record)
        start: int | None = None
        fit: Fit | None = None
        if others and ask() is not None:
            start = self.decider.workloads.now
        else:
            first = future.first(ask)
            if first is not None:
                start, fit = future.times[first[0]], first[1]
        if start is not None and others:
            start, fit = self._after(record, others, start, ask)
        if start is None or fit is None:
            return None
        promise = Promise(record, self._turns[record], fit[0], start, start)
        promise.settle(*fit)
        return promise

    def _after(self, record: Record, others: list[Promise], start: int, ask: Ask) -> tuple[int | None, Fit | None]:
        """Return the first time from ``start`` on at which there is room that nobody else is promised."""
        runs = [run_time(record.demands[index]) for index in self.decider.alternatives(record)]
        run = max(runs) if all(runs) else 0
        moments = {start, *(time for time in self.future.times if time > start)}
        moments.update(time for other in others for time in (other.start, other.end) if start < time < ENDLESS)
        for moment in sorted(moments)[:MOST_MOMENTS]:
            fit = self.future.at(moment, run, others, ask)
            if fit is not None:
                return moment, fit
        return None, None

    def _kept(self, record: Record) -> Promise | None:
        """Reserve the best domain of a workload whose start is not known."""
        others = self._others(record)
        guard = self.decider.accounts.guard(record, self.decider.search)
        shut = self.state.shut(sorted({node for other in others for node in other.nodes}))
        promise: Promise | None = None
        for index in self.decider.alternatives(record):
            demand = record.demands[index]
            kept = self.room.best(record, demand, self._ask_one(demand, guard))
            if kept is not None:
                promise = Promise(record, self._turns[record], demand, UNKNOWN, kept.until)
                promise.keep(kept.nodes)
                break
        self.state.open_again(shut)
        return promise


def signature(demand: Demand, pods: int) -> tuple[object, ...]:
    """Return what makes two demands ask for the same, for as many pods and as long."""
    ask = ask_of(demand)
    return (demand.workload.name, pods) if ask is None else (ask, pods, run_time(demand))
