"""The reservations of a round as a timetable: each the earliest start that leaves those before it as they are.

Where everybody is promised a start (``conservative``), promises outlive the round: a workload gives up the one it has
only for an earlier one, so that a search that breaks ties differently once the cluster has changed delays nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
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
from railwise.engine.waiting.outlook import Chance
from railwise.engine.waiting.promise import ENDLESS, LATER, UNKNOWN, Promise, longest, run_time
from railwise.engine.waiting.seen_starts import SeenStarts

MOST_MOMENTS: Final = 256
"""How many times a round looks at, beyond the first at which there would be room but for the promises of others."""


MOST_CHANCES: Final = 4
"""How many sets of nodes are tried of those on which there is room by counting cards."""

LARGE: Final = 200
"""On more nodes than that, who might fit at another time or place than counting says is not looked for."""


class Timetable:
    """The promises made so far, and how new ones are found on the live state, which is as before afterwards.

    ``large``: only where counting cards says that there is room is looked for it.
    """

    def __init__(self, decider: Decider) -> None:
        """Start with none."""
        self.decider: Final = decider
        self.state: Final[ClusterState] = decider.workloads.state
        self.future: Final = Future(decider.workloads)
        self.seen: Final = SeenStarts(self.state, self.future.outlook)
        self.room: Final = KeptRoom(decider.workloads, self.future)
        self.promises: Final[list[Promise]] = []
        self.large = len(self.state.nodes) > LARGE
        self._moments = 0
        self._last: tuple[int, Fit | None] = (0, None)
        self._last_of: tuple[Record, tuple[int, int, int]] | None = None

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
        """Return whether the pods of a promise fit where they were meant to, next to those of who starts before them.

        Who starts later has been asked the same with these pods in their place.
        """
        future = self.future
        future.look(promise.record)

        def ask() -> Fit | None:
            booked: Booked = []
            whole = future.put(promise.demand, promise.found.pods, booked)
            future.take_off(booked)
            return (promise.demand, promise.found) if whole else None

        others = [other for other in self.others(promise.record) if other.start <= promise.start]
        return future.at(promise.start, run_time(promise.demand), others, ask, promise.nodes) is not None

    def settle_again(self, promise: Promise) -> bool:
        """Find a place for a promise at its time on the state as it is; return whether there is one."""
        record = promise.record
        self.future.look(record, again=not self.large)
        indices = self.decider.alternatives(record)
        ask = self._ask(record, indices, self.decider.search)
        fit = self._at(
            promise.start, self._counted(record, indices), longest(record, indices), self.others(record), ask
        )
        if fit is not None:
            promise.settle(*fit)
        return fit is not None

    def earliest(self, record: Record, place: int, reach: int, before: int = ENDLESS) -> Promise | None:
        """Promise the earliest time (before a given one) at which there is room, as far as ends are known, or None.

        The promises of others who have a place before ``reach`` are left alone.
        """
        others = self.others(record, reach)
        if not others and self._as_before(record, before):
            return _promised(record, place, self._last)
        self.future.look(record)
        indices = self.decider.alternatives(record)
        counted, run = self._counted(record, indices), longest(record, indices)
        ask = self._ask(record, indices, self.decider.accounts.guard(record, self.decider.search, self.decider.lasting))
        if others and counted and self.large:
            start, fit = self._apart(others, before, run, counted, ask)
        else:
            now = self.decider.workloads.now
            alone = bool(not others and counted and self._depends_on_room_alone(record))
            first = (now, None) if others and ask() is not None else self._first(counted, ask, remembers=alone)
            if first is None or first[0] >= before:
                return None
            start, fit = self._after(others, first[0], before, run, counted, ask) if others else first
            self._last = (start, fit)
            self._last_of = (record, self._moment()) if alone else None
        return _promised(record, place, (start, fit))

    def _as_before(self, record: Record, before: int) -> bool:
        """Return whether the start that was found last is this workload's and is the earliest one still.

        So it is where nothing has changed but the time, and where nobody has outlived his end.
        """
        now, start = self.decider.workloads.now, self._last[0]
        return self._last_of == (record, self._moment()) and now < start < before and not self.future.overdue()

    def _moment(self) -> tuple[int, int, int]:
        """Return what is the same as long as nothing is placed, freed, or otherwise changed."""
        return self.decider.workloads.changes, self.state.freed, self.state.generation

    def _depends_on_room_alone(self, record: Record) -> bool:
        """Return whether a workload that has one way to run is kept from it by nothing but a lack of room."""
        decider = self.decider
        free = not (decider.lasting or decider.accounts.tree.declared or decider.step_time is not None)
        return free and self.large and len(record.demands) == 1 and decider.no_room_for(record.demand)

    def _first(self, counted: list[Demand], ask: Ask, *, remembers: bool) -> tuple[int, Fit | None] | None:
        """Return the earliest time at which there is room but for promises, with the way; None where none is known.

        ``remembers``: the only way does not fit now, and room alone decides when it does.
        """
        future = self.future
        bound = 0
        if counted:
            chances = [chance for demand in counted for chance in self._soonest(demand)]
            if not chances:
                return None
            time = min(chance.time for chance in chances)
            for chance in [chance for chance in chances if chance.time == time][:MOST_CHANCES]:
                known = self.seen.get(counted[0], chance) if remembers else None
                fit = future.at(time, 0, (), ask, chance.nodes) if known is None else (counted[0], known)
                if fit is not None:
                    if remembers and known is None:
                        self.seen.keep(fit[0], chance, fit[1])
                    return time, fit
            bound = max(future.index_at(time), 0)
        first = future.first(ask, bound)
        return None if first is None else (future.times()[first[0]], first[1])

    def _soonest(self, demand: Demand) -> Iterator[Chance]:
        """Yield the chances of a demand that come first, all at one time."""
        first: Chance | None = None
        for chance in self.future.outlook.chances(demand, self.decider.workloads.now, ENDLESS):
            first = first or chance
            if chance.time > first.time:
                return
            yield chance

    def _after(
        self, others: list[Promise], start: int, before: int, run: int, counted: list[Demand], ask: Ask
    ) -> tuple[int, Fit | None]:
        """Return the first time from ``start`` on at which there is room that nobody else is promised."""
        moments = {start, *(time for time in self.future.times() if time > start)}
        moments.update(time for other in others for time in (other.start, other.end) if start < time < ENDLESS)
        for moment in sorted(moments):
            if moment >= before or self._moments >= MOST_MOMENTS:
                break
            self._moments += 1
            fit = self._at(moment, counted, run, others, ask)
            if fit is not None:
                return moment, fit
        return start, None

    def _apart(
        self, others: list[Promise], before: int, run: int, counted: list[Demand], ask: Ask
    ) -> tuple[int, Fit | None]:
        """Return the first time at which there is room on nodes that nobody else is promised at any time."""
        now = self.decider.workloads.now
        taken: set[int] = set().union(*(other.nodes for other in others))
        chances = [
            chance
            for demand in counted
            for chance in islice(self.future.outlook.chances(demand, now, before - 1, taken), MOST_CHANCES)
        ]
        for chance in sorted(chances, key=lambda chance: chance[:2])[:MOST_CHANCES]:
            fit = self.future.at(chance.time, run, others, ask, chance.nodes)
            if fit is not None:
                return chance.time, fit
        return before, None

    def _at(self, time: int, counted: list[Demand], run: int, others: list[Promise], ask: Ask) -> Fit | None:
        """Ask at a time: first where counting says that there is room, then, unless that is too dear, everywhere."""
        future, now = self.future, self.decider.workloads.now
        if counted:
            taken: set[int] = set().union(*(other.nodes for other in others)) if self.large else set()
            chances = chain.from_iterable(future.outlook.chances(demand, now, time) for demand in counted)
            soonest = next(chances, None)
            if soonest is None:
                return None
            free = (one for one in chain((soonest,), chances) if taken.isdisjoint(one.nodes))
            for chance in list(islice(free, MOST_CHANCES)):
                fit = future.at(time, run, others, ask, chance.nodes)
                if fit is not None:
                    return fit
            if self.large:
                return None
        return future.at(time, run, others, ask)

    def _counted(self, record: Record, indices: list[int]) -> list[Demand]:
        """Return the ways of a workload where all of them are known by counting, none otherwise."""
        demands = [record.demands[index] for index in indices]
        return demands if all(self.future.outlook.speaks_of(demand) for demand in demands) else []

    def kept(self, record: Record, place: int) -> Promise | None:
        """Keep the best domain for a workload whose start is not known."""
        others = self.others(record)
        guard = self.decider.accounts.guard(record, self.decider.search, self.decider.lasting)
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

    def enter(self, promise: Promise, *, crosses: bool) -> None:
        """Add a promise; those of the round before that it ``crosses`` are off, and are made anew in their turn."""
        crossed = [
            other
            for other in self.promises
            if crosses
            and other.place == LATER
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


def _promised(record: Record, place: int, found: tuple[int, Fit | None]) -> Promise | None:
    """Return the promise of a start; None where no way to run was found."""
    start, fit = found
    if fit is None:
        return None
    promise = Promise(record, place, fit[0], start, start)
    promise.settle(*fit)
    return promise
