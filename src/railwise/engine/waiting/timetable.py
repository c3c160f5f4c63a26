"""The reservations of a round as a timetable: each the earliest start that leaves those before it as they are.

Where everybody is promised a start (``conservative``), promises outlive the round: a workload gives up the one it has
only for an earlier one, so that a search that breaks ties differently once the cluster has changed delays nobody.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.deciding import Decider
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.guard import Search
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import find_minimum
from railwise.engine.waiting.future import Ask, Booked, Fit, Future
from railwise.engine.waiting.kept_room import KeptRoom
from railwise.engine.waiting.promise import ENDLESS, LATER, UNKNOWN, Promise, longest, run_time

MOST_MOMENTS: Final = 256
"""How many times a round looks at, beyond the first at which there would be room but for the promises of others."""


class Timetable:
    """The promises made so far, and how new ones are found on the live state, which is as before afterwards."""

    def __init__(self, decider: Decider) -> None:
        """Start with none."""
        self.decider: Final = decider
        self.state: Final[ClusterState] = decider.workloads.state
        self.future: Final = Future(decider.workloads)
        self.room: Final = KeptRoom(decider.workloads, self.future)
        self.promises: Final[list[Promise]] = []
        self._moments = 0

    def open_round(self, *, keep: bool) -> None:
        """Forget the round before; ``keep``: but for the starts that are still possible."""
        self._moments = 0
        old = [promise for promise in self.promises if keep and self._lives(promise)]
        self.promises.clear()
        now = self.decider.workloads.now
        for promise in sorted(old, key=lambda promise: (promise.start, promise.place)):
            promise.place = LATER
            if promise.start < now:
                promise.put_off(now)
            if self.still_fits(promise):
                self.promises.append(promise)

    def _lives(self, promise: Promise) -> bool:
        record = promise.record
        known = self.decider.workloads.records.get(record.workload.name) is record
        return known and promise.start != UNKNOWN and promise.open() and not record.pods

    def own(self, record: Record) -> Promise | None:
        """Return the promise of a workload, None where it has none."""
        for promise in self.promises:
            if promise.record is record:
                return promise
        return None

    def others(self, record: Record, place: int = LATER + 1) -> list[Promise]:
        """Return the promises of others who still wait and had their turn before a place."""
        return [
            promise
            for promise in self.promises
            if promise.record is not record and promise.place < place and promise.open()
        ]

    def still_fits(self, promise: Promise) -> bool:
        """Return whether the pods of a promise fit where they were meant to, next to those of the others."""
        future = self.future
        future.look(promise.record)

        def ask() -> Fit | None:
            booked: Booked = []
            whole = future.put(promise.demand, promise.found.pods, booked)
            future.take_off(booked)
            return (promise.demand, promise.found) if whole else None

        return future.at(promise.start, run_time(promise.demand), self.others(promise.record), ask) is not None

    def settle_again(self, promise: Promise) -> bool:
        """Find a place for a promise at its time on the state as it is; return whether there is one."""
        record = promise.record
        self.future.look(record)
        indices = self.decider.alternatives(record)
        ask = self._ask(record, indices, self.decider.search)
        fit = self.future.at(promise.start, longest(record, indices), self.others(record), ask)
        if fit is not None:
            promise.settle(*fit)
        return fit is not None

    def earliest(self, record: Record, place: int, before: int = ENDLESS) -> Promise | None:
        """Promise the earliest time at which there is room, as far as ends are known; None where none is (``before``).

        A workload with a promise leaves those of all others alone, a new one those of who had their turn before it.
        """
        future = self.future
        future.look(record)
        indices = self.decider.alternatives(record)
        ask = self._ask(record, indices, self.decider.accounts.guard(record, self.decider.search))
        others = self.others(record) if before < ENDLESS else self.others(record, place)
        start: int | None = None
        fit: Fit | None = None
        if others and ask() is not None:
            start = self.decider.workloads.now
        else:
            first = future.first(ask)
            if first is not None:
                start, fit = future.times[first[0]], first[1]
        if start is not None and others:
            start, fit = self._after(others, start, before, longest(record, indices), ask)
        if start is None or fit is None or start >= before:
            return None
        promise = Promise(record, place, fit[0], start, start)
        promise.settle(*fit)
        return promise

    def _after(
        self, others: list[Promise], start: int, before: int, run: int, ask: Ask
    ) -> tuple[int | None, Fit | None]:
        """Return the first time from ``start`` on at which there is room that nobody else is promised."""
        moments = {start, *(time for time in self.future.times if time > start)}
        moments.update(time for other in others for time in (other.start, other.end) if start < time < ENDLESS)
        for moment in sorted(moments):
            if moment >= before or self._moments >= MOST_MOMENTS:
                break
            self._moments += 1
            fit = self.future.at(moment, run, others, ask)
            if fit is not None:
                return moment, fit
        return None, None

    def kept(self, record: Record, place: int) -> Promise | None:
        """Keep the best domain for a workload whose start is not known."""
        others = self.others(record)
        guard = self.decider.accounts.guard(record, self.decider.search)
        shut = self.state.shut(sorted({node for other in others for node in other.nodes}))
        promise: Promise | None = None
        for index in self.decider.alternatives(record):
            demand = record.demands[index]
            kept = self.room.best(record, demand, self._ask_one(demand, guard))
            if kept is not None:
                promise = Promise(record, place, demand, UNKNOWN, kept.until)
                promise.keep(kept.nodes)
                break
        self.state.open_again(shut)
        return promise

    def enter(self, promise: Promise) -> None:
        """Add a promise; those of the round before that it crosses are off, and are made anew in their turn."""
        crossed = [
            other
            for other in self.promises
            if other.place == LATER
            and not promise.nodes.isdisjoint(other.nodes)
            and (promise.start == UNKNOWN or (promise.start < other.end and other.start < promise.end))
        ]
        for other in crossed:
            self.promises.remove(other)
        self.promises.append(promise)

    def _ask(self, record: Record, indices: list[int], search: Search) -> Ask:
        """Return the question whether a workload fits the state as it is."""
        asks = [self._ask_one(record.demands[index], search) for index in indices]

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
            return (demand, found) if isinstance(found, Found) else None

        return ask
