"""Several runs of one small scenario, workload by workload: when each was done, and how each came through a failure.

A comparison of means suits a month of jobs. For a handful of workloads whose names the reader knows, the question is
what became of each.
"""

from __future__ import annotations

from collections.abc import Sequence

from railwise.model.workload import Workload
from railwise.report.run_data import NONE, Comparison, RunData, Stint
from railwise.report.table import BAD, DIM, GOOD, STRONG, Cell, Table, row, table
from railwise.report.wording import domain_path, span

FULL = 1000
"""The pace of an undisturbed run, and the step at the best place, in thousandths."""


def ends_table(names: Sequence[str], comparison: Comparison, workloads: Sequence[str]) -> Table:
    """Return when each workload was done under each policy, and how long a step took there.

    Args:
        names: of the policies, in the order of the runs (one run a policy).
        comparison: the runs.
        workloads: those that have an end.
    """
    rows = []
    for job, workload in _named(comparison, workloads):
        ends = [run.jobs[job].end for run in comparison.runs]
        first = min((end for end in ends if end >= 0), default=NONE)
        cells = [_end(run, job, first) for run in comparison.runs]
        rows.append(row(Cell(workload.name, STRONG), *cells))
    return table(["DONE AFTER", *(name.upper() for name in names)], rows)


def _end(run: RunData, job: int, first: int) -> Cell:
    lived = run.jobs[job]
    if lived.end < 0:
        return Cell("never" if lived.start == NONE else "not yet", BAD)
    slower = FULL * lived.step // lived.best if lived.step and lived.best else FULL
    steps = f", steps {slower / 10:.0f} %" if slower > FULL else ""
    return Cell(f"{span(lived.end)}{steps}", GOOD if lived.end == first else "")


def recovery_table(names: Sequence[str], comparison: Comparison, workloads: Sequence[str], at: int) -> Table:
    """Return how each workload came through what happened at a time (µs): untouched, back when and where, or not.

    Args:
        names: of the policies, in the order of the runs (one run a policy, with its stints).
        comparison: the runs.
        workloads: whom to tell of.
        at: the time of the failure.
    """
    rows = [
        row(Cell(workload.name, STRONG), *(_recovery(comparison, run, job, at) for run in comparison.runs))
        for job, workload in _named(comparison, workloads)
    ]
    return table(["WORKLOAD", *(name.upper() for name in names)], rows)


def _recovery(comparison: Comparison, run: RunData, job: int, at: int) -> Cell:
    stints = [stint for stint in run.stints if stint.job == job and stint.works]
    hit = next((stint for stint in stints if stint.start < at == stint.end), None)
    if hit is None:
        through = any(stint.start < at < stint.end for stint in stints)
        if not through:
            return Cell("still waits" if all(stint.start > at for stint in stints) else "done", DIM)
        return Cell("untouched", GOOD)
    again = next((stint for stint in stints if stint.start >= at), None)
    if again is None:
        return Cell("not back", BAD)
    after = again.start - at
    place, together = _place(comparison, again)
    return Cell(
        f"back {'at once' if not after else f'after {span(after)}'}, {place}", "" if after or not together else GOOD
    )


def _place(comparison: Comparison, stint: Stint) -> tuple[str, bool]:
    """Return where pods lie as a path of domains, and whether that is one domain of the narrowest level."""
    scenario = comparison.scenario
    topology = scenario.topologies[0] if scenario.topologies else None
    nodes = [scenario.nodes[node] for node, _ in stint.places]
    if topology is None:
        return f"{len({node.name for node in nodes})} nodes", True
    levels = [level.name for level in topology.levels]
    domains = {
        level: list(dict.fromkeys(node.places.get(topology.name, {}).get(level, "") for node in nodes))
        for level in levels
    }
    paths = {tuple(node.places.get(topology.name, {}).get(level, "") for level in levels) for node in nodes}
    together = len(paths) == 1
    return domain_path(domains, levels) if together else f"over {len(paths)} {levels[-1]}s", together


def _named(comparison: Comparison, workloads: Sequence[str]) -> list[tuple[int, Workload]]:
    return [(job, one) for job, one in enumerate(comparison.scenario.workloads) if one.name in workloads]
