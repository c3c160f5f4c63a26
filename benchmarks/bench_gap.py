"""How often a decision is as good as the best there is, on the recorded trace.

Decisions of the measured part of ``decide-10k``, evenly spaced, are compared with a slow reference on the same cluster,
rebuilt from the plans: equal in the objective of every criterion but the ties.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from benchmarks.ground import Ask, Ground
from benchmarks.optimum import Objective, Optimum, judge
from benchmarks.replay import cycles
from benchmarks.result import Bars, Quantity, Result
from benchmarks.trace import read_trace
from railwise.engine.cycle import Engine, Finish, Submit

SAMPLE = 500
TRACE = "decide-10k"


@dataclass(slots=True)
class Tally:
    """Decisions compared and equal, in all and where one narrowest domain holds everything; and what differs."""

    all: int = 0
    equal: int = 0
    in_rack: int = 0
    equal_in_rack: int = 0
    differences: Counter[str] = field(default_factory=Counter)

    def note(self, ask: Ask, found: Objective | None, best: Objective | None) -> None:
        """Count one decision."""
        same = found == best
        self.all += 1
        self.equal += same
        if best is not None and best.above == 0:
            self.in_rack += 1
            self.equal_in_rack += same
        if not same:
            self.differences[f"{ask.pods}×{ask.cards}: {_difference(found, best)}"] += 1


def _difference(found: Objective | None, best: Objective | None) -> str:
    if found is None or best is None:
        return "refused, though possible" if best is not None else "breaks a rule"
    fields = zip(Objective._fields, found, best, strict=True)
    return next(f"{name} {mine} instead of {theirs}" for name, mine, theirs in fields if mine != theirs)


@cache
def compared() -> Tally:
    """Replay the trace and compare the sampled decisions."""
    trace = read_trace(TRACE)
    engine = Engine(trace.scenario)
    ground = Ground(trace.scenario)
    optimum = Optimum(ground)
    tally = Tally()
    submits = sum(isinstance(event, Submit) for event in trace.events[trace.warm_up :])
    step = submits // SAMPLE
    number = -sum(isinstance(event, Submit) for event in trace.events[: trace.warm_up])
    for given, plan in cycles(engine, trace.events):
        for event in given:
            if isinstance(event, Finish):
                ground.remove(event.name)
        decided = plan.workloads[-1]
        submit = given[-1]
        assert isinstance(submit, Submit)
        if number >= 0 and number % step == 0 and tally.all < SAMPLE:
            ask = Ask.of(submit.workload, ground)
            nodes = [ground.index[pod.node] for pod in decided.pods]
            tally.note(ask, judge(ground, ask, nodes) if nodes else None, optimum.best(ask))
        ground.put(decided.name, decided.pods)
        number += 1
    for difference, count in tally.differences.most_common(8):
        sys.stderr.write(f"{count} × {difference}\n")
    return tally


def gap() -> Result:
    """Return the share of sampled decisions that are as good as the best."""
    tally = compared()
    return Result(100 * tally.equal / tally.all, "% best", Quantity.PLAIN, bars=Bars(pure=95, compiled=95))


def gap_rack() -> Result:
    """Return the same share among decisions for which one domain of the narrowest level holds everything."""
    tally = compared()
    share = 100 * tally.equal_in_rack / tally.in_rack
    return Result(share, "% best", Quantity.PLAIN, bars=Bars(pure=100, compiled=100))


BENCHMARKS = {"decide-gap": gap, "decide-gap-rack": gap_rack}
