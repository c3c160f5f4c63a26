"""A trace played through the engine's one entrance: events in, plan out.

One cycle per submitted workload, at time 0, after whatever ended before it. A workload that is not placed at once is
withdrawn and does not count. Processor time is measured, because other processes share the machine; everything between
two cycles (the loop below) counts as well, it is small.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

from benchmarks.trace import Trace
from railwise.engine.cycle import Engine, Event, Finish, Submit
from railwise.model.plan import Plan, State

Watch = Callable[[Submit, Plan], None]
"""Called after every cycle with what was submitted and what was decided."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Workloads placed and refused, and the processor time it took in seconds."""

    placed: int
    refused: int
    seconds: float

    def rate(self) -> float:
        """Return placements per second."""
        return self.placed / self.seconds


def play(engine: Engine, events: Sequence[Submit | Finish], watch: Watch | None = None) -> Outcome:
    """Play events to the end; what ends after the last submitted workload is left out."""
    placed = refused = 0
    pending: list[Event] = []
    start = process_time()
    for event in events:
        pending.append(event)
        if isinstance(event, Finish):
            continue
        plan = engine.cycle(pending)
        pending = []
        if plan.workloads[-1].state is State.PLACED:
            placed += 1
        else:
            refused += 1
            pending.append(Finish(event.workload.name))
        if watch is not None:
            watch(event, plan)
    return Outcome(placed, refused, process_time() - start)


def replay(trace: Trace) -> Outcome:
    """Fill a new engine with the trace's beginning, then play and measure the rest."""
    engine = Engine(trace.scenario)
    play(engine, trace.events[: trace.warm_up])
    gc.collect()
    return play(engine, trace.events[trace.warm_up :])
