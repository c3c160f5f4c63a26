"""The same arrivals under several policies and seeds: one run each, in the order in which they were asked for.

A run can be stopped between two moments and still tells what it has seen: whoever waits for a month of virtual time may
lose patience, and half an answer that says so is worth more than none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from railwise.engine.cycle import Submit
from railwise.engine.policies import by_name
from railwise.model.decision import Decision
from railwise.model.scenario import Scenario
from railwise.report.run_data import RunData
from railwise.twin.pace import PaceOf
from railwise.twin.recording import Recorder
from railwise.twin.simulation import Simulation
from railwise.twin.watching import Moment


class Run(NamedTuple):
    """One run: what is to be told of it, and its decisions."""

    data: RunData
    decisions: tuple[Decision, ...]


class Stage(NamedTuple):
    """How far the runs are: which is going on, at what virtual time (µs), and arrivals and ends, seen and in all."""

    policy: str
    seed: int
    number: int
    runs: int
    now: int
    done: int
    total: int


class StopRun(Exception):  # noqa: N818 -- nothing is wrong: somebody has seen enough
    """Raised by who is told of a stage, to end the run after this moment."""


Tell = Callable[[Stage], None]
"""Is told after each moment how far the runs are; may raise ``StopRun``."""


def compare(
    make: Callable[[int], Scenario],
    policies: Sequence[str],
    seeds: Sequence[int],
    until: int = 0,
    tell: Tell | None = None,
    pace: PaceOf | None = None,
) -> Iterator[Run]:
    """Run every policy on every seed, policy by policy; a policy that is named twice runs once.

    Where a run is stopped by ``StopRun`` it is the last one, and its data say so. Who ran where (``stints``) is kept
    for the first seed of a policy only: pictures show that one, and numbers do not need it.

    Args:
        make: returns the scenario of a seed; all policies live through the same one.
        policies: names of the engine's policies.
        seeds: at least one.
        until: when to stop, µs (0: when nothing happens any more).
        tell: is told how far the runs are.
        pace: makes what slows work down.
    """
    scenarios = {seed: make(seed) for seed in seeds}
    names = tuple(dict.fromkeys(policies))
    number = 0
    for policy in names:
        for seed, scenario in scenarios.items():
            watch = _Teller(Stage(policy, seed, number, len(names) * len(scenarios), 0, 0, _total(scenario)), tell)
            simulation = Simulation(scenario, by_name(policy, scenario.seed), pace, watch, reasons=False)
            stopped = False
            try:
                simulation.run(until)
            except StopRun:
                stopped = True
            data = watch.recorder.data(simulation, policy, seed, stopped=stopped)
            kept = data if seed == seeds[0] else replace(data, stints=(), outages=())
            yield Run(kept, tuple(simulation.history.decisions))
            if stopped:
                return
            number += 1


def _total(scenario: Scenario) -> int:
    """Return how many arrivals and ends there will be at most."""
    return len(scenario.workloads) + sum(1 for workload in scenario.workloads if workload.duration)


class _Teller:
    """Records a run, and tells how far it is."""

    def __init__(self, stage: Stage, tell: Tell | None) -> None:
        self.recorder: Final = Recorder()
        self._tell: Final = tell
        self._stage = stage
        self._seen = False

    def see(self, simulation: Simulation, moment: Moment) -> None:
        """Take note of a moment."""
        self.recorder.see(simulation, moment)
        if self._tell is None:
            return
        new = sum(isinstance(event, Submit) for event in moment.events)
        if not self._seen:
            self._seen = True
            new += len(simulation.engine.scenario.workloads)
        self._stage = self._stage._replace(now=moment.at, done=self._stage.done + new + len(moment.ended))
        self._tell(self._stage)
