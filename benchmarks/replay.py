"""A trace played through the engine's one entrance: events in, plan out.

One cycle per submitted workload, at time 0, after whatever ended before it. A workload that is not placed at once is
withdrawn and does not count. Processor time is measured, because other processes share the machine; everything between
two cycles (the loop below) counts as well, it is small.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import process_time

from benchmarks.calibration import REFERENCE_SPEED, pace
from benchmarks.trace import Trace
from railwise.engine.cycle import Engine, Event, Finish, Submit
from railwise.model.plan import Plan, State

STRETCH = 1_000
"""Events of a stretch, about."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Workloads placed and refused, the processor time it took in seconds, and the machine's pace meanwhile."""

    placed: int
    refused: int
    seconds: float
    pace: float = REFERENCE_SPEED

    def rate(self) -> float:
        """Return placements per second."""
        return self.placed / self.seconds

    def rounds(self) -> float:
        """Return how many rounds of calibration would have passed in the same time."""
        return self.seconds * self.pace


def cycles(engine: Engine, events: Sequence[Submit | Finish]) -> Iterator[tuple[list[Event], Plan]]:
    """Play events and yield, per cycle, what went in (the submitted workload last) and the plan.

    What ends after the last submitted workload goes into a cycle of its own that is not yielded.
    """
    given: list[Event] = []
    for event in events:
        given.append(event)
        if isinstance(event, Submit):
            plan = engine.cycle(given)
            yield given, plan
            placed = plan.workloads[-1].state is State.PLACED
            given = [] if placed else [Finish(event.workload.name)]
    if given:
        engine.cycle(given)


def play(engine: Engine, events: Sequence[Submit | Finish]) -> Outcome:
    """Play events to the end and measure it."""
    placed = refused = 0
    start = process_time()
    for _, plan in cycles(engine, events):
        if plan.workloads[-1].state is State.PLACED:
            placed += 1
        else:
            refused += 1
    return Outcome(placed, refused, process_time() - start)


def replay(trace: Trace, repeats: int = 1) -> Outcome:
    """Fill a new engine with the trace's beginning, then play and measure the rest; ``repeats`` times from the start.

    Every repetition does the same work, so of each stretch of the trace the quickest repetition counts, measured
    against the pace of the machine just before and after it: other processes only ever take time away, and hardly ever
    from the same stretch in all repetitions. The trace itself is kept from the garbage collector, which would otherwise
    go through workloads that are still to come.
    """
    gc.collect()
    gc.freeze()
    best: list[Outcome] = []
    for _ in range(repeats):
        engine = Engine(trace.scenario)
        play(engine, trace.events[: trace.warm_up])
        gc.collect()
        stretches = [_paced(engine, stretch) for stretch in _stretches(trace.events[trace.warm_up :])]
        best = [min(pair, key=lambda one: one.rounds()) for pair in zip(best or stretches, stretches, strict=True)]
    gc.unfreeze()
    seconds = sum(one.seconds for one in best)
    rounds = sum(one.rounds() for one in best)
    return Outcome(sum(one.placed for one in best), sum(one.refused for one in best), seconds, rounds / seconds)


def _paced(engine: Engine, events: Sequence[Submit | Finish]) -> Outcome:
    before = pace()
    outcome = play(engine, events)
    return replace(outcome, pace=(before + pace()) / 2)


def _stretches(events: Sequence[Submit | Finish]) -> Iterator[Sequence[Submit | Finish]]:
    """Yield the events in runs that end with a submitted workload."""
    start = 0
    for place, event in enumerate(events):
        if place - start >= STRETCH and isinstance(event, Submit):
            yield events[start : place + 1]
            start = place + 1
    if start < len(events):
        yield events[start:]
