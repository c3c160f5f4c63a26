"""The recorded operations in ``bench/`` as events for the engine.

A trace is JSON lines: the cluster first, then workloads that are submitted and workloads that end; the mark ``measure``
says where measuring starts. The whole file is read before anything is timed, its workloads by the reader that users'
documents go through, so that the engine gets what it would get in earnest.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from railwise.engine.cycle import Finish, Submit
from railwise.formats.scenario.reader import read_spec
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
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        first, *steps = map(json.loads, lines)
    return made_trace(first["scenario"], steps)


def made_trace(spec: Mapping[str, object], steps: Iterable[Mapping[str, Any]]) -> Trace:
    """Return a cluster (``spec`` of a scenario without workloads) and its steps (submit, finish, measure) as events."""
    submitted: list[object] = []
    ends: list[str | None] = []
    warm_up = 0
    for step in steps:
        if "submit" in step:
            submitted.append(step["submit"])
            ends.append(None)
        elif "finish" in step:
            ends.append(step["finish"])
        else:
            warm_up = len(ends)
    scenario = read_spec({**spec, "workloads": submitted})
    workloads = iter(scenario.workloads)
    events: list[Submit | Finish] = [Submit(next(workloads)) if name is None else Finish(name) for name in ends]
    return Trace(replace(scenario, workloads=()), events, warm_up)
