"""What the page's script draws from, within a size: fewer moments and fewer workloads where there is much to tell.

Everything that a table says is in the page as text. Here is what moves: the cluster at many moments under each policy,
and the workloads one by one. The size of the page is a promise, so that it can be sent around: what does not fit is
left out, largest workloads first kept, and the page says how much that was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from railwise.model.scenario import Scenario
from railwise.report import pack
from railwise.report.html.layout import Picture, card_runs, names_of, picture
from railwise.report.html.moments import cells, series
from railwise.report.run_data import Comparison, RunData, Stint
from railwise.report.spreads import Sizes, first_topology, sizes, spread_names
from railwise.report.wording import SECOND

MOST_MOMENTS = 240
LEAST_MOMENTS = 8
_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000)
"""Seconds between two moments: times that read well; longer runs take whole days, shorter ones thousandths of these."""

_PER_STEP = 1000
"""Times in the page are whole parts of a step."""

MOST_JOBS = 1500
BUDGET = 700_000
"""Bytes of text for everything that is packed here, where nobody says otherwise."""

_NAME = 60
"""Names are cut at so many characters in lists that can be long."""


@dataclass(frozen=True)
class Payload:
    """The data of the page, and what was left out: jobs told one by one, and in all; moments."""

    data: dict[str, object]
    jobs: int
    all_jobs: int
    moments: int
    names: bool


def payload(comparison: Comparison, budget: int = BUDGET) -> Payload:
    """Return the data for a comparison.

    Args:
        comparison: the runs; the first seed of each policy is told.
        budget: how many bytes it may take, about.
    """
    scenario = comparison.scenario
    shown = picture(scenario)
    runs = [comparison.first(policy) for policy in comparison.policies()]
    names, used = names_of(scenario, shown.order, budget // 5)
    left = budget - used - 40 * len(scenario.nodes) // 16
    span = max((run.end for run in runs), default=0)
    step, frames = _frames(runs, scenario, shown, span, left * 6 // 10)
    times = _times(span, step)
    left -= sum(len(text) for text in frames)
    tick = step // _PER_STEP
    classes = sizes(scenario)
    chosen, told = _stints(runs, classes, shown, tick, left)
    data: dict[str, object] = {
        "span": max(-(-span // tick), 1),
        "tick": tick,
        "step": _PER_STEP,
        "moments": len(times),
        "kinds": kinds_of(scenario),
        "spreads": list(spread_names(first_topology(scenario))),
        "nodes": {"count": len(scenario.nodes), "names": names, "cards": card_runs(scenario, shown.order)},
        "layout": shown.data,
        "jobs": _jobs(scenario, chosen, classes, tick),
        "runs": [
            _run(run, scenario, chosen, times, frame, packed, tick)
            for run, frame, packed in zip(runs, frames, told, strict=True)
        ],
    }
    return Payload(data, len(chosen), len(scenario.workloads), len(times), bool(names))


def _frames(
    runs: Sequence[RunData], scenario: Scenario, shown: Picture, span: int, budget: int
) -> tuple[int, list[str]]:
    """Return the µs between moments and the packed cells of each run: as many moments as the size allows."""
    nodes, kinds = len(shown.order), kinds_of(scenario)
    most = MOST_MOMENTS
    step, found = 1, [""]
    for step in _steps(span):
        times = _times(span, step)
        if len(times) > max(most, LEAST_MOMENTS):
            continue
        found = [pack.text(pack.frames(cells(run, scenario, shown.order, times), nodes, kinds)) for run in runs]
        total = sum(len(text) for text in found)
        if total <= budget or len(times) <= LEAST_MOMENTS:
            break
        most = min(len(times) * budget // total, len(times) - 1)
    return step, found


def kinds_of(scenario: Scenario) -> int:
    """Return how many different cells there can be."""
    return pack.in_use(len(spread_names(first_topology(scenario))), partly=False)


def _steps(span: int) -> Iterator[int]:
    """Yield µs between moments that read well, from the shortest with which there are not too many moments."""
    scale = SECOND if span >= MOST_MOMENTS * SECOND else 1000
    for seconds in _STEPS:
        if seconds * scale * MOST_MOMENTS >= span:
            yield seconds * scale
    step = _STEPS[-1] * scale
    while True:
        step *= 2
        if step * MOST_MOMENTS >= span:
            yield step


def _times(span: int, step: int) -> list[int]:
    return [step * index for index in range(max(-(-span // step), 1))]


def _stints(
    runs: Sequence[RunData], classes: Sizes, shown: Picture, tick: int, budget: int
) -> tuple[list[int], list[str]]:
    """Return the jobs that are told one by one, and the packed stints of each run: the same jobs under every policy."""
    place = [0] * len(shown.order)
    for position, node in enumerate(shown.order):
        place[node] = position
    held = [0] * len(classes.of)
    for run in runs:
        for number, job in enumerate(run.jobs):
            held[number] = max(held[number], job.held)
    ranked = sorted(range(len(held)), key=lambda job: (-held[job], -classes.gpus[job], job))
    count = min(len(ranked), MOST_JOBS)
    while True:
        jobs = sorted(ranked[:count])
        index = {job: number for number, job in enumerate(jobs)}
        found = [pack.text(pack.stints(_of(run.stints, index), place, index, tick)) for run in runs]
        total = sum(len(text) for text in found) + 40 * count
        if total <= budget or not count:
            return jobs, found
        count = min(count * budget // total, count - 1) * 9 // 10


def _of(stints: Sequence[Stint], jobs: dict[int, int]) -> list[Stint]:
    return [stint for stint in stints if stint.job in jobs]


def _jobs(scenario: Scenario, chosen: Sequence[int], classes: Sizes, tick: int) -> dict[str, object]:
    queues = list(dict.fromkeys(scenario.workloads[job].queue for job in chosen))
    return {
        "names": [cut(scenario.workloads[job].name) for job in chosen],
        "gpus": [classes.gpus[job] for job in chosen],
        "submit": [max(scenario.workloads[job].submit, 0) // tick for job in chosen],
        "queue": [queues.index(scenario.workloads[job].queue) for job in chosen],
        "queues": [cut(queue) for queue in queues],
    }


def _run(
    run: RunData,
    scenario: Scenario,
    chosen: Sequence[int],
    times: Sequence[int],
    frame: str,
    packed: str,
    tick: int,
) -> dict[str, object]:
    held, running, waiting = series(run, scenario, times)
    return {
        "policy": run.policy,
        "end": run.end // tick,
        "stopped": run.stopped,
        "cells": frame,
        "stints": packed,
        "ends": [run.jobs[job].end // tick if run.jobs[job].end >= 0 else -1 for job in chosen],
        "held": held,
        "running": running,
        "waiting": waiting,
    }


def cut(name: str) -> str:
    """Return a name, or the beginning of a very long one."""
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"
