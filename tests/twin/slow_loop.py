"""The event loop once more, slowly: no heap, nothing kept up to date, every workload looked at at every moment.

It shares the engine with the twin and nothing else. What is going to happen next is found by asking everybody; work is
a fraction that is added up from moment to moment; whoever works, stops or starts anew is told by comparing pods.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from railwise.engine.cycle import Engine, Event, Finish, NodeChange, Submit
from railwise.engine.gangs.record import Record
from railwise.model.plan import Plan
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload


def leaves(group: Group) -> list[Group]:
    """Return the groups that hold pods."""
    return [leaf for child in group.groups for leaf in leaves(child)] if group.groups else [group]


def count(group: Group) -> int:
    """Return all pods of a group."""
    return sum(leaf.pods for leaf in leaves(group))


@dataclass
class Job:
    """The work of a workload in pods times µs: all, done, lost; ``pods`` at work, each doing ``each`` in a µs."""

    workload: Workload
    done: Fraction = Fraction(0)
    lost: Fraction = Fraction(0)
    pods: int = 0
    each: Fraction = Fraction(1)
    busy: int = 0
    ran: bool = False

    def total(self) -> int:
        return self.workload.duration * count(self.workload.root)

    def pass_time(self, before: int, now: int) -> None:
        self.done += self.pods * self.each * max(now - max(before, self.busy), 0)

    def end(self, now: int) -> int | None:
        speed = self.pods * self.each
        if not self.total() or not speed:
            return None
        return max(now, self.busy) + ceil(max(self.total() - self.done, Fraction(0)) / speed)

    def stop(self) -> None:
        step = self.workload.checkpoint.every * count(self.workload.root) if self.workload.checkpoint else 0
        saved = Fraction(self.done // step * step) if step else Fraction(0)
        self.lost += self.done - saved
        self.done, self.pods = saved, 0

    def go_on(self, pods: int, record: Record, now: int) -> None:
        if not self.pods and self.ran and self.workload.checkpoint and self.done:
            self.busy = now + self.workload.checkpoint.restore
        way = record.demand.alternative
        if way >= 0:
            taken = self.workload.alternatives[way]
            self.each = Fraction(count(self.workload.root) * 1000, count(taken.root) * taken.slowdown)
        self.ran, self.pods = True, pods


@dataclass
class SlowLoop:
    """One run of a scenario without links; ``starts`` and ``ended`` are µs."""

    scenario: Scenario
    starts: dict[str, int] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)
    evicted: list[tuple[int, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.jobs = {workload.name: Job(workload) for workload in self.scenario.workloads}
        there = [one for one in self.scenario.workloads if one.submit <= 0 or self._runs(one)]
        self.engine = Engine(replace(self.scenario, workloads=tuple(there)))
        self.coming = [one for one in self.scenario.workloads if one not in there]
        self.changes = list(self.scenario.changes)
        self.wakes = {0}
        self.now = 0

    def _runs(self, workload: Workload) -> bool:
        return any(leaf.running is not None for leaf in leaves(workload.root))

    def _times(self) -> list[int]:
        ends = [self.jobs[name].end(self.now) for name in self.engine.records]
        return [end for end in ends if end is not None] + [
            *(workload.submit for workload in self.coming),
            *(change.at for change in self.changes),
            *self.wakes,
        ]

    def run(self, until: int) -> None:
        """Live until a time in µs."""
        while min(self._times(), default=until + 1) <= until:
            self._moment(min(self._times()))
        for job in self.jobs.values():
            job.pass_time(self.now, until)
        self.now = until

    def _moment(self, now: int) -> None:
        over = sorted(name for name in self.engine.records if self.jobs[name].end(self.now) == now)
        for job in self.jobs.values():
            job.pass_time(self.now, now)
        first, self.now = not self.starts and now == 0, now
        events: list[Event] = [Finish(name) for name in over]
        for name in over:
            self.ended[name], self.jobs[name].pods = now, 0
        events += [NodeChange(one.names[0], one.values) for one in self.changes if one.at == now]
        events += [Submit(one) for one in self.coming if one.submit == now]
        self.changes = [one for one in self.changes if one.at != now]
        self.coming = [one for one in self.coming if one.submit != now]
        self.wakes.discard(now)
        if first:
            self._take_running()
        plan = self.engine.cycle(events, now)
        self.evicted += [(now, one.workload, one.beneficiary) for one in plan.evictions]
        for name, record in sorted(self.engine.records.items()):
            self._compare(self.jobs[name], record, plan)
        self.wakes |= {time for time in self.engine.wake_times() if time > now}

    def _take_running(self) -> None:
        for job in self.jobs.values():
            running = [leaf.running for leaf in leaves(job.workload.root) if leaf.running is not None]
            if running:
                job.pods = sum(node is not None for one in running for node in one.nodes)
                began = min(one.since for one in running)
                job.done, job.ran = Fraction(job.pods * max(-began, 0)), True
                self.starts[job.workload.name] = began

    def _compare(self, job: Job, record: Record, plan: Plan) -> None:
        pods = 0 if record.short() else len(record.pods)
        new = sum(record.since(key) == self.now for key in record.pods)
        taken = job.workload.name in [*(one.workload for one in plan.evictions), *(one.workload for one in plan.moves)]
        replaced = new and pods <= job.pods and (job.workload.kind == "training" or pods - new < record.demand.least)
        if job.pods and (not pods or (taken and record.began == self.now) or replaced):
            job.stop()
        if pods and pods != job.pods:
            self.starts.setdefault(job.workload.name, self.now)
            job.go_on(pods, record, self.now)
