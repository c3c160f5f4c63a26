"""The figures of a comparison: means over seeds, and differences to the first policy seed by seed."""

from __future__ import annotations

from collections.abc import Sequence

from railwise.report.measures import MEASURES
from railwise.report.run_data import Key, RunData
from railwise.report.summary import Difference, Figure, Summary
from railwise.twin.statistics import estimate, paired

_ORDER = {measure.name: index for index, measure in enumerate(MEASURES)}


def summarise(runs: Sequence[RunData]) -> Summary:
    """Return all figures of the runs, policies and seeds in the order of the runs, measures in theirs."""
    policies = tuple(dict.fromkeys(run.policy for run in runs))
    seeds = tuple(dict.fromkeys(run.seed for run in runs))
    found: dict[Key, None] = {}
    values: dict[tuple[str, Key], dict[int, float]] = {}
    for run in runs:
        for key, value in run.measures.items():
            found.setdefault(key)
            values.setdefault((run.policy, key), {})[run.seed] = value
    keys = tuple(sorted(found, key=lambda key: _ORDER[key[0]]))
    figures: dict[tuple[str, Key], Figure] = {}
    differences: dict[tuple[str, Key], Difference] = {}
    for (policy, key), of in values.items():
        mean = estimate(tuple(of.values()))
        figures[policy, key] = Figure(mean.mean, mean.half, mean.size)
        first = values.get((policies[0], key))
        both = paired(of, first) if policy != policies[0] and first is not None else None
        if both is not None:
            gap = both.difference
            sign = gap.sign() if gap.half is not None else (gap.mean > 0) - (gap.mean < 0)
            differences[policy, key] = Difference(gap.mean, gap.half, both.relative, sign)
    return Summary(policies, seeds, keys, figures, differences)
