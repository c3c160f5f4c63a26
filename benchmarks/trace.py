"""The recorded operations in ``bench/`` as events for the engine.

A trace is JSON lines: the cluster first, then workloads that are submitted and workloads that end; the mark ``measure``
says where measuring starts. The whole file is read before anything is timed, its workloads by the reader that users'
documents go through, so that the engine gets what it would get in earnest.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, replace
from pathlib import Path

from railwise.engine.cycle import Finish, Submit
from railwise.formats.scenario import read_spec
from railwise.model.scenario import Scenario

FOLDER = Path(__file__).parent.parent / "bench"
"""Where the traces lie."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A cluster without workloads, and what happens to it; the first ``warm_up`` events only fill it."""

    scenario: Scenario
    events: list[Submit | Finish]
    warm_up: int


def read_trace(name: str, folder: Path = FOLDER) -> Trace:
    """Return the trace ``NAME.jsonl.gz``.

    Raises:
        OSError: there is no such trace, or it cannot be read.
        InputError: it holds a cluster or workload that cannot be read.
    """
    spec: dict[str, object] = {}
    submitted: list[object] = []
    steps: list[str | None] = []
    warm_up = 0
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            step = json.loads(line)
            if "submit" in step:
                submitted.append(step["submit"])
                steps.append(None)
            elif "finish" in step:
                steps.append(step["finish"])
            elif "scenario" in step:
                spec = step["scenario"]
            else:
                warm_up = len(steps)
    scenario = read_spec({**spec, "workloads": submitted})
    workloads = iter(scenario.workloads)
    events: list[Submit | Finish] = [Submit(next(workloads)) if step is None else Finish(step) for step in steps]
    return Trace(replace(scenario, workloads=()), events, warm_up)
