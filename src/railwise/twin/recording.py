"""What a run leaves for tables, pages and files: it looks on while the twin goes on, and keeps what can be told later.

It is told what changed at each moment and looks at nothing else, so that recording a month of a large cluster costs a
small part of the run. Who runs where is kept exactly, as stints; the state of the cluster over time as samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Final

from railwise.engine.cycle import Engine, NodeChange, Submit
from railwise.engine.gangs.charges import of_pod
from railwise.engine.gangs.record import Record
from railwise.engine.slots import slots_left
from railwise.report.run_data import (
    CHANGED,
    FINISHED,
    NONE,
    RUNNING,
    STOPPED,
    JobRun,
    LinkLevel,
    LinkSample,
    Outage,
    RunData,
    Stint,
)
from railwise.report.spreads import Spreads, gpus_of
from railwise.twin.contended_pace import ContendedPace
from railwise.twin.metrics import measures
from railwise.twin.queue_balance import QueueBalance
from railwise.twin.sampling import Counts, Level, Sampler, thinned
from railwise.twin.simulation import Simulation
from railwise.twin.watching import Moment


class _Open:
    """A stint that has begun."""

    def __init__(
        self, start: int, places: tuple[tuple[int, int], ...], spread: int, times: tuple[int, int], *, works: bool
    ) -> None:
        self.start: Final = start
        self.places: Final = places
        self.spread: Final = spread
        self.times: Final = times
        self.works: Final = works


class Recorder:
    """Watches one run (``Simulation(watch=…)``); ``data`` tells of it afterwards."""

    def __init__(self) -> None:
        """Start with an empty record; the scenario is known at the first moment."""
        self.stints: Final[list[Stint]] = []
        self.outages: Final[list[Outage]] = []
        self.sampler: Final = Sampler()
        self.slot_keys: tuple[tuple[str, int], ...] = ()
        self._index: Final[dict[str, int]] = {}
        self._gpus: Final[dict[str, int]] = {}
        self._queue: Final[dict[str, str]] = {}
        self._open: Final[dict[str, _Open]] = {}
        self._first: Final[dict[str, _Open]] = {}
        self._stops: Final[dict[str, int]] = {}
        self._out: Final[dict[int, tuple[int, str]]] = {}
        self._waiting: Final[dict[str, None]] = {}
        self._wanted = 0
        self._usable = 0
        self._spreads: Spreads | None = None
        self._queues: QueueBalance | None = None

    def see(self, simulation: Simulation, moment: Moment) -> None:
        """Take note of a moment."""
        engine = simulation.engine
        if self._spreads is None:
            self._begin(simulation)
        for event in moment.events:
            if isinstance(event, Submit):
                self._wait(event.workload.name)
            elif isinstance(event, NodeChange):
                self._node(engine, engine.state.index_of[event.name], moment.at)
        ended, stopped = set(moment.ended), set(moment.stopped)
        for name in moment.changed:
            ending = FINISHED if name in ended else STOPPED if name in stopped else CHANGED
            self._follow(engine, name, moment.at, ending)
        for name in (*moment.ended, *moment.started):
            self._go(name)
        for name in stopped.difference(moment.started, ended):
            self._wait(name)
        for name in stopped:
            self._stops[name] = self._stops.get(name, 0) + 1
        running = len(engine.records) - moment.waiting
        level = Level(moment.cards, self._usable, running, moment.waiting, self._wanted)
        self.sampler.step(moment.at, level, lambda: self._counts(engine))

    def _begin(self, simulation: Simulation) -> None:
        """Read the scenario, and what runs at the first moment."""
        engine, scenario = simulation.engine, simulation.scenario
        self._spreads = Spreads(scenario)
        self._queues = QueueBalance(scenario.queues, engine.state)
        for index, workload in enumerate(scenario.workloads):
            self._index[workload.name] = index
            self._gpus[workload.name] = gpus_of(workload)
            self._queue[workload.name] = workload.queue
        self.slot_keys = tuple((level, size) for level, counts in slots_left(engine.state).items() for size in counts)
        for index in range(len(scenario.nodes)):
            self._usable += engine.state.specs[index].cards
            self._node(engine, index, 0)
        for name, record in engine.records.items():
            if record.short():
                self._wait(name)

    def _wait(self, name: str) -> None:
        if name not in self._waiting:
            self._waiting[name] = None
            self._wanted += self._gpus[name]

    def _go(self, name: str) -> None:
        if name in self._waiting:
            del self._waiting[name]
            self._wanted -= self._gpus[name]

    def _node(self, engine: Engine, index: int, now: int) -> None:
        """Note whether a node is out of order."""
        node = engine.state.nodes[index]
        state = "notReady" if not node.ready else "cordoned" if node.unschedulable else ""
        since, before = self._out.get(index, (0, ""))
        if state == before:
            return
        if before:
            self.outages.append(Outage(index, since, now, before))
            self._usable += engine.state.specs[index].cards
            del self._out[index]
        if state:
            self._out[index] = (now, state)
            self._usable -= engine.state.specs[index].cards

    def _follow(self, engine: Engine, name: str, now: int, ending: str) -> None:
        """Close the stint of a workload whose pods changed, and open the next one."""
        before = self._open.pop(name, None)
        record = engine.records.get(name)
        places = () if record is None else _places(record, engine)
        works = record is not None and not record.short()
        if before is not None and (before.places, before.works, ending) == (places, works, CHANGED):
            self._open[name] = before
            return
        if before is not None:
            self._close(name, before, now, ending)
        if record is not None and places and self._spreads is not None:
            spread = self._spreads.of([node for node, _ in places])
            start = min(record.began, now) if not self.sampler.begun() else now
            self._open[name] = one = _Open(start, places, spread, _times(record, engine), works=works)
            if works:
                self._first.setdefault(name, one)

    def _close(self, name: str, one: _Open, now: int, ending: str) -> None:
        if now > one.start:
            stint = Stint(self._index[name], one.start, now, one.places, ending, one.spread, one.works, *one.times)
            self.stints.append(stint)

    def _counts(self, engine: Engine) -> Counts:
        free = stranded = 0
        rooms = engine.state.rooms.all
        for room_id, nodes in engine.state.room_count.items():
            room = rooms[room_id]
            free += nodes * room.slots
            stranded += 0 if room.wholly else nodes * room.slots
        slots = slots_left(engine.state)
        numbers = tuple(slots[level].get(size, 0) for level, size in self.slot_keys)
        queues = self._queues.now(self._holding(), self._asking()) if self._queues is not None else ()
        return Counts(free, stranded, numbers, queues)

    def _holding(self) -> Iterable[tuple[str, int]]:
        return ((self._queue[name], sum(gpus for _, gpus in one.places)) for name, one in self._open.items())

    def _asking(self) -> Iterable[tuple[str, int]]:
        return ((self._queue[name], self._gpus[name]) for name in self._waiting)

    def data(self, simulation: Simulation, policy: str, seed: int, *, stopped: bool = False) -> RunData:
        """Return what is to be told of a run, up to where it got."""
        if self._spreads is None:
            self._begin(simulation)
        now = simulation.now
        for name, one in self._open.items():
            self._close(name, one, now, RUNNING)
        self._open.clear()
        outages = [*self.outages, *(Outage(node, since, now, state) for node, (since, state) in self._out.items())]
        jobs = self._jobs(simulation)
        samples = self.sampler.finish(now)
        queues = self._queues.names if self._queues is not None else ()
        data = RunData(
            policy,
            seed,
            now,
            stopped,
            jobs,
            tuple(self.stints),
            tuple(sorted(outage for outage in outages if outage.end > outage.start)),
            samples,
            self.slot_keys,
            queues,
            {},
            _links(simulation),
        )
        return replace(data, measures=measures(data, simulation))

    def _jobs(self, simulation: Simulation) -> tuple[JobRun, ...]:
        held = [0] * len(simulation.scenario.workloads)
        for stint in self.stints:
            held[stint.job] += (stint.end - max(stint.start, 0)) * sum(gpus for _, gpus in stint.places)
        seen = simulation.history
        found: list[JobRun] = []
        for index, workload in enumerate(simulation.scenario.workloads):
            name = workload.name
            first = self._first.get(name)
            nodes = {node for node, _ in first.places} if first is not None else set()
            domains = self._spreads.domains(nodes) if nodes and self._spreads is not None else ()
            progress = simulation.work(name)
            one = self._gpus[name]
            found.append(
                JobRun(
                    seen.starts.get(name, NONE),
                    seen.ended.get(name, NONE),
                    self._stops.get(name, 0),
                    held[index],
                    int(max(progress.done - progress.brought, Fraction(0)) * one / progress.pods)
                    if progress.pods
                    else 0,
                    int(progress.lost * one / progress.pods) if progress.pods else 0,
                    len(nodes),
                    domains,
                    first.spread if first is not None else NONE,
                    *_steps(simulation, name),
                )
            )
        return tuple(found)


def _steps(simulation: Simulation, name: str) -> tuple[int, int]:
    """Return the ns of a workload's steps, on average and at the best place; 0: unknown."""
    pace = simulation.pace
    record = pace.steps.get(name) if isinstance(pace, ContendedPace) else None
    known = None if record is None else record.summary(simulation.now)
    return (0, 0) if known is None else (known.mean, known.best)


def _links(simulation: Simulation) -> tuple[LinkLevel, ...]:
    """Return the uplinks of the first topology's levels, widest first."""
    pace = simulation.pace
    if not isinstance(pace, ContendedPace):
        return ()
    return tuple(
        LinkLevel(
            load.name,
            load.mean(simulation.now),
            load.worst,
            tuple(LinkSample(*sample) for sample in thinned(load.samples, simulation.now)),
        )
        for (tree, _), load in sorted(pace.links.levels.items())
        if tree == 0
    )


def _places(record: Record, engine: Engine) -> tuple[tuple[int, int], ...]:
    """Return (node, GPUs in thousandths) in rank order, leaf by leaf, neighbours on one node as one."""
    found: list[tuple[int, int]] = []
    leaves = record.demand.leaves
    for key in sorted(record.pods):
        node, grant = record.pods[key]
        shape = leaves[key[0]].shape
        gpus = of_pod(shape, node, grant, engine.state).get("gpu", 0) if shape is not None else 0
        if found and found[-1][0] == node:
            found[-1] = (node, found[-1][1] + gpus)
        else:
            found.append((node, gpus))
    return tuple(found)


def _times(record: Record, engine: Engine) -> tuple[int, int]:
    """Return the predicted ns of a step where a workload runs, and at its best place; 0: unknown."""
    step = None if engine.link_time is None else engine.link_time.step_here(record.demand)
    if step is None or engine.link_time is None:
        return 0, 0
    here = step.total()
    return here, min(engine.link_time.best(record.demand) or here, here)
