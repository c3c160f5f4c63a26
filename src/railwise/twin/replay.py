"""A recorded run of a live cluster, lived through again: the same engine, told the same at the same times.

A run in virtual time makes its own future; this one has it given. So what a scheduler decided on a cluster can be
asked again without the cluster, step by step, and has to be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from railwise.engine.cycle import Engine
from railwise.formats.decision_record import DecisionRecord, altered
from railwise.formats.recording import Began, Round
from railwise.model.decision import Decision


def replayed(recording: Iterable[Began | Round]) -> Iterator[Decision]:
    """Yield the decisions that follow from a recording, round by round."""
    record = DecisionRecord()
    engine: Engine | None = None
    first = True
    for moment in recording:
        if isinstance(moment, Began):
            engine, first = Engine(moment.scenario), True
            record.begun(moment.scenario, moment.at)
        elif engine is not None:
            record.came_in(moment.events, moment.at)
            plan = engine.cycle(moment.events, moment.at)
            record.record(plan, moment.at, engine, altered(engine, first=first))
            first = False
        yield from record.taken()
