"""What a run comes to in whole numbers: waits, ends, how full the cluster was, who was thrown out, who lay close.

The names are those of ``report.measures``, which says what each number means; a measure that a run has nothing to say
about (no workload on several nodes, no queue, no links) is left out, so that a number is never a stand-in for none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from railwise.engine.cluster.tree import Tree
from railwise.model.scenario import Scenario
from railwise.report.run_data import NONE, JobRun, Key, RunData, Sample
from railwise.report.spreads import Sizes, first_topology, sizes
from railwise.twin.simulation import Simulation

Numbers = dict[Key, int]

LEAST_GANG = 2
"""Gangs of at least so many nodes count for fragmentation."""


def measures(data: RunData, simulation: Simulation) -> Numbers:
    """Return the numbers of a run; ``data`` is all that was recorded of it."""
    scenario = simulation.scenario
    seen = simulation.history
    found: Numbers = {}
    classes = sizes(scenario)
    _times(found, data, scenario, classes)
    bounded = [one.end for one, workload in zip(data.jobs, scenario.workloads, strict=True) if workload.duration]
    if bounded and NONE not in bounded:
        found["makespan", ""] = max(bounded)
    capacity = sum(node.card_count() for node in scenario.nodes) * data.end
    if capacity:
        found["held", ""] = 1000 * seen.card_time // capacity
        found["used", ""] = sum(one.done for one in data.jobs) // capacity
    levels = _levels(scenario)
    _places(found, data.jobs, levels)
    _paces(found, data.jobs, scenario, classes)
    for link in data.links:
        found["uplink_mean", link.level] = link.mean
        found["uplink_peak", link.level] = link.peak
    _over_time(found, data, [name for _, name in levels])
    found["evictions", ""] = len(seen.evictions)
    found["moves", ""] = len(seen.moves)
    found["stops", ""] = sum(one.stops for one in data.jobs)
    found["lost", ""] = sum(one.lost for one in data.jobs) // 1_000_000_000
    _fairness(found, data)
    return found


def _times(found: Numbers, data: RunData, scenario: Scenario, classes: Sizes) -> None:
    """Count workloads, waits and completions, for all and by size class."""
    jobs = data.jobs
    submits = [workload.submit for workload in scenario.workloads]
    members: list[tuple[str, list[int]]] = [("", list(range(len(jobs))))]
    members += [
        (name, [job for job, its in enumerate(classes.of) if its == index]) for index, name in enumerate(classes.names)
    ]
    for part, inside in members:
        found["workloads", part] = len(inside)
        waits = sorted(max(jobs[job].start - submits[job], 0) for job in inside if jobs[job].start != NONE)
        _spread_of(found, "wait", part, waits, "wait_mean")
        ends = sorted(jobs[job].end - submits[job] for job in inside if jobs[job].end >= 0)
        _spread_of(found, "completion", part, ends, "completion")
        if not part:
            idle = [data.end - submits[job] for job in inside if jobs[job].start == NONE and jobs[job].end < 0]
            so_far = [one for one in idle if one >= 0]
            if so_far:
                found["wait_so_far", ""] = sum(so_far) // len(so_far)
            found["started", ""] = sum(1 for job in jobs if job.start != NONE or job.end >= 0)
            found["finished", ""] = len(ends)


def _spread_of(found: Numbers, name: str, part: str, values: Sequence[int], mean: str) -> None:
    """Note mean, median and the 95th percentile (nearest rank) of sorted values; nothing for none."""
    if values:
        found[mean, part] = sum(values) // len(values)
        found[f"{name}_median", part] = nearest_rank(values, 50)
        found[f"{name}_95", part] = nearest_rank(values, 95)


def nearest_rank(values: Sequence[int], percent: int) -> int:
    """Return the value below which so many percent of the sorted values lie; there must be one."""
    return values[max(-(-percent * len(values) // 100) - 1, 0)]


def _levels(scenario: Scenario) -> list[tuple[int, str]]:
    """Return number and name of the first topology's levels that have several domains: in a single one all are."""
    topology = first_topology(scenario)
    tree = Tree(topology, scenario.nodes)
    return [(index, level.name) for index, level in enumerate(topology.levels) if len(tree.tiers[index].names) > 1]


def _places(found: Numbers, jobs: Sequence[JobRun], levels: Sequence[tuple[int, str]]) -> None:
    wide = [one for one in jobs if one.nodes > 1]
    for index, name in levels if wide else ():
        inside = sum(1 for one in wide if one.domains[index] == 1)
        found["close", name] = 1000 * inside // len(wide)


def _paces(found: Numbers, jobs: Sequence[JobRun], scenario: Scenario, classes: Sizes) -> None:
    """Compare predicted steps with the best ones, and the time that work took with its duration."""
    known = [one for one in jobs if one.step and one.best and one.held]
    if known:
        weight = sum(one.held for one in known)
        found["step", ""] = sum(one.held * (1000 * one.step // one.best) for one in known) // weight
    took = due = 0
    for one, workload, gpus in zip(jobs, scenario.workloads, classes.gpus, strict=True):
        if one.end >= 0 and workload.duration:
            took += gpus * (one.end - one.start)
            due += gpus * workload.duration
    if due:
        found["stretch", ""] = 1000 * took // due


def _over_time(found: Numbers, data: RunData, levels: Sequence[str]) -> None:
    """Take means over time of what the samples hold."""
    total = sum(sample.span for sample in data.samples)
    if not total:
        return
    found["waiting", ""] = _mean(((one.waiting, one.span) for one in data.samples), total)
    free = sum(one.free * one.span for one in data.samples)
    if free:
        found["stranded", ""] = 1000 * sum(one.stranded * one.span for one in data.samples) // free
    for index, (level, size) in enumerate(data.slot_keys):
        mean = _mean(((1000 * one.slots[index], one.span) for one in data.samples), total)
        found["slots_left", f"{level}/{size}"] = mean
    for level in levels:
        _fragmentation(found, data.samples, data.slot_keys, level)


def _mean(values: Iterable[tuple[int, int]], total: int) -> int:
    return sum(value * span for value, span in values) // total


def _fragmentation(found: Numbers, samples: Sequence[Sample], keys: Sequence[tuple[str, int]], level: str) -> None:
    """Compare the gangs for which single domains have room with those that all free nodes together could hold.

    Only moments count at which some free nodes stand anywhere; a size counts that the largest domain could hold.
    """
    whole = next((index for index, key in enumerate(keys) if key == ("cluster", 1)), None)
    sizes_here = [(index, size) for index, (name, size) in enumerate(keys) if name == level and size >= LEAST_GANG]
    lost = weight = 0
    for one in samples if whole is not None else ():
        for index, size in sizes_here:
            could = one.slots[whole] // size if whole is not None else 0
            if could:
                lost += 1000 * max(could - one.slots[index], 0) * one.span // could
                weight += one.span
    if weight:
        found["fragmented", level] = lost // weight


def _fairness(found: Numbers, data: RunData) -> None:
    """Compare what queues held with what was due to them, while something was due."""
    served: list[int] = []
    for index, name in enumerate(data.queues):
        held = sum(one.queues[index][0] * one.span for one in data.samples if one.queues[index][1])
        due = sum(one.queues[index][1] * one.span for one in data.samples)
        if due:
            served.append(1000 * held // due)
            found["served", name] = served[-1]
    squares = sum(one * one for one in served)
    if len(served) > 1 and squares:
        found["fairness", ""] = 1000 * sum(served) ** 2 // (len(served) * squares)
