"""The event loop: what happens next in virtual time, one round of the engine for every moment at which anything does.

The engine is the one that runs a cluster: it gets events and answers with a plan. The twin carries the plan out at
once, knows when work is done, and wakes the engine when a wait that it has promised to end is over.
"""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush
from typing import Final

from railwise.engine.cycle import Engine, Event, Finish, NodeChange, Policy, Submit
from railwise.engine.gangs.record import Record
from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.workload import Group
from railwise.twin.history import History
from railwise.twin.progress import Progress

FINISH, CHANGE, ARRIVE, WAKE = range(4)
"""What happens at one moment, in this order."""


class Simulation:
    """One run of one scenario under one policy."""

    def __init__(self, scenario: Scenario, policy: Policy | None = None) -> None:
        """Put arrivals and changes on the calendar; what is submitted by time 0, or runs, is there from the start."""
        present = tuple(one for one in scenario.workloads if one.submit <= 0 or _runs(one.root))
        self.scenario: Final = scenario
        self.engine: Final = Engine(replace(scenario, workloads=present), policy)
        self.history: Final = History(scenario)
        self.now = 0
        self._calendar: Final[list[tuple[int, int, int, object]]] = []
        self._number = 0
        self._progress: Final[dict[str, Progress]] = {}
        self._ends: Final[dict[str, int]] = {}
        self._waking: Final[set[int]] = set()
        for workload in scenario.workloads:
            self._progress[workload.name] = Progress(workload)
            if workload not in present:
                self._note(workload.submit, ARRIVE, Submit(workload))
        for change in scenario.changes:
            if change.target == "node":
                self._note(change.at, CHANGE, NodeChange(change.names[0], change.values))
        self._wake(0)

    def run(self, until: int = 0) -> None:
        """Go on until a time in µs (0: until nothing happens any more); what happens at that time still happens."""
        while self._calendar and (not until or self._calendar[0][0] <= until):
            self._moment()
        if until > self.now:
            self._pass_time(until)

    def _pass_time(self, now: int) -> None:
        """Let the clock go on; cards in use until then count."""
        if self.history.rounds:
            self.history.card_time += self._cards_in_use() * (now - self.now)
        self.now = now

    def _cards_in_use(self) -> int:
        rooms = self.engine.state.rooms.all
        return sum(
            count * (rooms[index].spec.cards - sum(rooms[index].whole))
            for index, count in self.engine.state.room_count.items()
        )

    def plan(self) -> Plan:
        """Return the state of all workloads as a plan, with everything that was evicted or moved so far."""
        entries = tuple(self._entry(workload.name) for workload in self.scenario.workloads)
        seen = self.history
        return Plan(self.scenario.name, self.now, entries, tuple(seen.evictions), tuple(seen.moves), seen.reservations)

    def _entry(self, name: str) -> WorkloadPlan:
        record = self.engine.records.get(name)
        if record is None:
            state = State.FINISHED if name in self.history.ended else State.PENDING
            queue = next(one.queue for one in self.scenario.workloads if one.name == name)
            return WorkloadPlan(name, queue, state)
        return self.engine.describe(record, self.history.reasons.get(name))

    def _note(self, at: int, kind: int, what: object) -> None:
        self._number += 1
        heappush(self._calendar, (at, kind, self._number, what))

    def _wake(self, at: int) -> None:
        if at not in self._waking:
            self._waking.add(at)
            self._note(at, WAKE, None)

    def _moment(self) -> None:
        """Let everything of the next moment happen, and decide once."""
        now = self._calendar[0][0]
        self._pass_time(now)
        events: list[Event] = []
        while self._calendar and self._calendar[0][0] == now:
            _, kind, _, what = heappop(self._calendar)
            if kind == WAKE:
                self._waking.discard(now)
            elif isinstance(what, Finish):
                if self._ends.get(what.name) == now:
                    del self._ends[what.name]
                    self._progress[what.name].advance(now)
                    self.history.finished(what.name, now)
                    events.append(what)
            elif isinstance(what, (Submit, NodeChange)):
                events.append(what)
        first = not self.history.rounds
        if first:
            self._take_running()
        plan = self.engine.cycle(events, now)
        self._carry_out(plan)
        self.history.record(plan, now)
        self._promises()

    def _take_running(self) -> None:
        """Count the work of what runs already when the document begins."""
        for workload in self.engine.scenario.workloads:
            since = _since(workload.root)
            if since is not None:
                progress = self._progress[workload.name]
                progress.ran_since(since, _running_pods(workload.root), self.now)
                self.history.started(workload.name, since)

    def _carry_out(self, plan: Plan) -> None:
        """Note for whom work goes on, stops, or starts anew, and when it will be done."""
        stopped = {one.workload for one in plan.evictions} | {one.workload for one in plan.moves}
        changed = {one.name for one in plan.workloads} | stopped | set(self._ends)
        if not self.history.rounds:
            changed |= set(self.engine.records)
        for name in sorted(changed):
            record = self.engine.records.get(name)
            if record is not None:
                self._continue(record, stopped=name in stopped)

    def _continue(self, record: Record, *, stopped: bool) -> None:
        name = record.workload.name
        progress = self._progress[name]
        pods = 0 if record.short() else len(record.pods)
        broke = bool(progress.rate) and (not pods or (stopped and record.began == self.now) or self._renewed(record))
        if pods == progress.rate and not broke:
            if pods and name not in self._ends:
                self._set_end(name, progress)
            return
        if broke:
            progress.stop(self.now)
        if pods:
            if name not in self.history.starts:
                self.history.spread[name] = _spread(record, self.engine)
            self.history.started(name, self.now)
            progress.run(pods, self.now, fresh=progress.rate == 0)
        self._set_end(name, progress)

    def _renewed(self, record: Record) -> bool:
        """Return whether so many pods were replaced just now that the gang cannot have gone on meanwhile."""
        new = sum(1 for key in record.pods if record.since(key) == self.now)
        old = len(record.pods) - new
        if not new or len(record.pods) > self._progress[record.workload.name].rate:
            return False
        return record.workload.kind == "training" or old < record.demand.least

    def _set_end(self, name: str, progress: Progress) -> None:
        end = progress.end(self.now)
        if end is None:
            self._ends.pop(name, None)
        elif self._ends.get(name) != end:
            self._ends[name] = end
            self._note(end, FINISH, Finish(name))

    def _promises(self) -> None:
        """Wake the engine when a wait is over by which it decides otherwise."""
        for at in self.engine.wake_times():
            if at > self.now:
                self._wake(at)


def _spread(record: Record, engine: Engine) -> tuple[int, int]:
    """Return on how many nodes, and in how many domains of the narrowest level, a workload runs."""
    nodes = {node for node, _ in record.pods.values()}
    tree = engine.state.trees[record.demand.root.tree].tree
    return len(nodes), len({tree.domain_of[-1][node] for node in nodes}) if tree.depth else 1


def _runs(group: Group) -> bool:
    return group.running is not None or any(_runs(child) for child in group.groups)


def _since(group: Group) -> int | None:
    """Return since when any pod of a group runs, None where none does."""
    times = [since for child in group.groups if (since := _since(child)) is not None]
    if group.running is not None and any(group.running.nodes):
        times.append(group.running.since)
    return min(times, default=None)


def _running_pods(group: Group) -> int:
    here = sum(1 for node in group.running.nodes if node is not None) if group.running is not None else 0
    return here + sum(_running_pods(child) for child in group.groups)
