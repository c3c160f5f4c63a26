"""The event loop: what happens next in virtual time, one round of the engine for every moment at which anything does.

The engine is the one that runs a cluster: it gets events and answers with a plan. The twin carries the plan out at
once, knows when work is done, and wakes the engine when a wait that it has promised to end is over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from railwise.engine.cycle import Engine, Event, Finish, NodeChange, Policy, Submit, UplinkChange
from railwise.engine.gangs.record import Record
from railwise.formats.beginning import found, running_since, runs
from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.policy import Change
from railwise.model.scenario import Scenario
from railwise.twin.calendar import ARRIVE, CHANGE, Calendar
from railwise.twin.card_count import CardCount
from railwise.twin.contended_pace import ContendedPace
from railwise.twin.failures import Failures
from railwise.twin.history import History
from railwise.twin.map_rules import MapRules
from railwise.twin.pace import FULL, Pace, PaceOf, Rate
from railwise.twin.progress import Progress, all_pods
from railwise.twin.watching import Moment, Watch


class Simulation:
    """One run of one scenario under one policy."""

    def __init__(
        self,
        scenario: Scenario,
        policy: Policy | None = None,
        pace: PaceOf | None = None,
        watch: Watch | None = None,
        *,
        reasons: bool = True,
    ) -> None:
        """Put arrivals and changes on the calendar; what is submitted by time 0, or runs, is there from the start.

        ``pace`` makes what slows work down (default: places and neighbours, where the document says what links
        carry); ``watch`` is told of every moment. Without ``reasons`` the same is decided sooner, and ``plan`` cannot
        say why somebody waits.
        """
        present = tuple(one for one in scenario.workloads if one.submit <= 0 or runs(one.root))
        there = {one.name for one in present}
        self.scenario: Final = scenario
        self.engine: Final = Engine(replace(scenario, workloads=present), policy, brief=not reasons)
        self.history: Final = History(scenario)
        self.now = 0
        self.pace: Final[Pace] = ContendedPace(self.engine) if pace is None else pace(self.engine)
        self._watch: Final = watch
        self._calendar: Final = Calendar()
        self._failures: Final = Failures(scenario)
        self._cards: Final = CardCount(self.engine.state)
        self._progress: Final = {workload.name: Progress(workload) for workload in scenario.workloads}
        self._working: Final[set[str]] = set()
        self._begun: Final[set[str]] = set()
        self._halted: Final[set[str]] = set()
        for workload in scenario.workloads:
            if workload.name not in there:
                self._calendar.note(workload.submit, ARRIVE, Submit(workload))
        nodes = self.engine.state.index_of
        for change in (*scenario.changes, *(effect for effect in scenario.effects if effect.names[-1] in nodes)):
            event = _event(change)
            if event is not None:
                self._calendar.note(change.at, CHANGE, event)
        self.map_rules: Final = MapRules(scenario)
        for at in self.map_rules.times():
            self._calendar.wake(at)
        self._calendar.wake(0)

    def run(self, until: int = 0) -> None:
        """Go on until a time in µs (0: until nothing happens any more); what happens at that time still happens."""
        while True:
            certain = self._calendar.next()
            now = self._failures.next(certain, endless=until > 0)
            if now is None or (until and now > until):
                break
            self._pass_time(now)
            broken = self._failures.take(now, quiet=certain is None and not until)
            self._moment([*self._calendar.take(now), *broken])
        if until > self.now:
            self._pass_time(until)

    def plan(self) -> Plan:
        """Return the state of all workloads as a plan, with everything that was evicted or moved so far."""
        entries = tuple(self._entry(workload.name, workload.queue) for workload in self.scenario.workloads)
        seen = self.history
        broken = tuple(rule.text() for rule in self.map_rules.broken)
        return Plan(
            self.scenario.name,
            self.now,
            entries,
            tuple(seen.evictions),
            tuple(seen.moves),
            seen.reservations,
            (*self.engine.warnings, *broken),
        )

    def work(self, name: str) -> Progress:
        """Return how far a workload is by now."""
        if name in self._working:
            self._progress[name].advance(self.now)
        return self._progress[name]

    def _entry(self, name: str, queue: str) -> WorkloadPlan:
        record = self.engine.records.get(name)
        if record is None:
            return WorkloadPlan(name, queue, State.FINISHED if name in self.history.ended else State.PENDING)
        return self.engine.describe(record, None if self.engine.brief else self.history.reasons.get(name))

    def _pass_time(self, now: int) -> None:
        """Let the clock go on; cards in use until then count."""
        self.history.card_time += self._cards.used * (now - self.now)
        self.now = now

    def _moment(self, events: list[Event]) -> None:
        """Let everything of a moment happen, and decide once."""
        ended: list[str] = []
        for event in events:
            if isinstance(event, Finish):
                self._progress[event.name].advance(self.now)
                self._working.discard(event.name)
                ended.append(event.name)
        first = not self.history.rounds
        if first:
            self._take_running()
        self.history.came_in(events, self.now)
        plan = self.engine.cycle(events, self.now)
        altered = sorted(self.engine.records) if first else sorted(self.engine.workloads.altered)
        self._carry_out(plan, altered)
        self._slow_down(altered, events)
        self._cards.follow(altered, self.engine.records)
        self.map_rules.look(self.engine, self.now)
        self.history.record(plan, self.now, self.engine, altered)
        for at in self.engine.wakes.fresh():
            if at > self.now:
                self._calendar.wake(at)
        if self._watch is not None:
            self._watch.see(self, self._seen(events, ended, altered))
        self._begun.clear()
        self._halted.clear()

    def _seen(self, events: list[Event], ended: list[str], altered: list[str]) -> Moment:
        """Return what a recorder is told."""
        begun, halted = tuple(sorted(self._begun)), tuple(sorted(self._halted))
        waiting = len(self.engine.records) - len(self._working)
        return Moment(
            self.now, tuple(events), tuple(sorted(ended)), begun, halted, tuple(altered), waiting, self._cards.used
        )

    def _take_running(self) -> None:
        """Count the work of what runs already when the document begins."""
        grace = self.scenario.policy.node_grace > 0
        alive = {node.name for node in self.scenario.nodes if node.ready or grace}
        self.history.begin(self.engine.scenario.workloads, alive)
        for workload in self.engine.scenario.workloads:
            since = running_since(workload.root)
            if since is not None:
                self._progress[workload.name].ran_since(since, len(found(workload.root)), self.now)
                self._working.add(workload.name)
                self.history.started(workload.name, since)

    def _carry_out(self, plan: Plan, altered: Iterable[str]) -> None:
        """Note for whom work goes on, stops, or starts anew, and when it will be done."""
        stopped = {one.workload for one in plan.evictions} | {one.workload for one in plan.moves}
        for name in altered:
            record = self.engine.records.get(name)
            if record is not None:
                self._continue(record, stopped=name in stopped)
                self._calendar.end(name, self._progress[name].end(self.now))

    def _continue(self, record: Record, *, stopped: bool) -> None:
        name = record.workload.name
        progress = self._progress[name]
        pods = 0 if record.short() else len(record.pods)
        broke = bool(progress.rate) and (not pods or (stopped and record.began == self.now) or self._renewed(record))
        if pods == progress.rate and not broke:
            return
        if broke:
            progress.stop(self.now)
            self._working.discard(name)
            self._halted.add(name)
        if pods:
            if name not in self._working:
                self._working.add(name)
                self._begun.add(name)
            if name not in self.history.starts:
                self.history.spread[name] = _spread(record, self.engine)
            self.history.started(name, self.now)
            progress.run(pods, self.now, fresh=progress.rate == 0, way=_way(record))

    def _renewed(self, record: Record) -> bool:
        """Return whether so many pods were replaced just now that the gang cannot have gone on meanwhile."""
        new = sum(1 for key in record.pods if record.since(key) == self.now)
        old = len(record.pods) - new
        if not new or len(record.pods) > self._progress[record.workload.name].rate:
            return False
        return record.workload.kind == "training" or old < record.demand.least

    def _slow_down(self, altered: list[str], events: list[Event]) -> None:
        """Ask how fast work goes on from now on, where anything changed that may matter."""
        if not (altered or any(isinstance(event, NodeChange | UplinkChange) for event in events)):
            return
        for name, rate in self.pace.rates(altered, self.now).items():
            self._progress[name].at_pace(rate, self.now)
            if name in self.engine.records:
                self._calendar.end(name, self._progress[name].end(self.now))


def _event(change: Change) -> Event | None:
    """Return what an engine is told of a change; None: nothing, since it follows from others."""
    if change.target == "node":
        return NodeChange(change.names[0], change.values)
    megabits = change.values.get("megabits")
    if change.target == "uplink" and isinstance(megabits, int):
        topology, level, node = change.names
        return UplinkChange(topology, level, node, megabits)
    return None


def _way(record: Record) -> Rate:
    """Return the work that a pod does in the way that a workload runs, compared with one of its own pods."""
    index = record.demand.alternative
    if index < 0:
        return FULL
    way = record.workload.alternatives[index]
    return all_pods(record.workload.root) * 1000, all_pods(way.root) * way.slowdown


def _spread(record: Record, engine: Engine) -> tuple[int, int]:
    """Return on how many nodes, and in how many domains of the narrowest level, a workload runs."""
    nodes = {node for node, _ in record.pods.values()}
    tree = engine.state.trees[record.demand.root.tree].tree
    return len(nodes), len({tree.domain_of[-1][node] for node in nodes}) if tree.depth else 1
