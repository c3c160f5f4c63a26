"""What the runs of a sweep say together: means a variant and policy, and differences on the same seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from railwise.formats.sweep.model import Labels, Sweep
from railwise.twin.statistics import Estimate, Paired, estimate, paired
from railwise.twin.sweep import Cell

NONE: Final = -1
"""A number that says that there was nothing to measure."""

Numbers = Mapping[str, int]


class Summary(NamedTuple):
    """One variant under one policy: its means by name over the seeds that have the number."""

    labels: Labels
    policy: str
    seeds: int
    means: dict[str, Estimate]


class Difference(NamedTuple):
    """One variant: a policy minus another, by name, over the seeds that both have."""

    labels: Labels
    policy: str
    against: str
    measures: dict[str, Paired]


class Results(NamedTuple):
    """All of it, in the order of the sweep."""

    summaries: list[Summary]
    differences: list[Difference]


def results_of(sweep: Sweep, done: Sequence[tuple[Cell, Numbers]]) -> Results:
    """Return means and differences from the runs that there are; a variant without any run is left out."""
    runs: dict[Labels, dict[str, dict[int, Numbers]]] = {}
    for cell, numbers in sorted(done, key=lambda pair: pair[0].number):
        runs.setdefault(cell.variant.labels, {}).setdefault(cell.policy, {})[cell.seed] = numbers
    summaries = []
    differences = []
    for labels, of_policy in runs.items():
        for policy, of_seed in of_policy.items():
            series = _series(of_seed)
            means = {name: estimate(list(values.values())) for name, values in series.items() if values}
            summaries.append(Summary(labels, policy, len(of_seed), means))
        base = of_policy.get(sweep.against)
        for policy, of_seed in of_policy.items():
            if base is not None and policy != sweep.against:
                differences.append(Difference(labels, sweep.against, policy, _paired(base, of_seed)))
    return Results(summaries, differences)


def _series(of_seed: Mapping[int, Numbers]) -> dict[str, dict[int, float]]:
    """Return each number by seed, where there was something to measure."""
    names = next(iter(of_seed.values()), {})
    return {
        name: {seed: float(numbers[name]) for seed, numbers in of_seed.items() if numbers.get(name, NONE) != NONE}
        for name in names
    }


def _paired(ours: Mapping[int, Numbers], theirs: Mapping[int, Numbers]) -> dict[str, Paired]:
    mine, other = _series(ours), _series(theirs)
    found = {name: paired(mine[name], other[name]) for name in mine if name in other}
    return {name: one for name, one in found.items() if one is not None}


def document(sweep: Sweep, results: Results, done: Sequence[tuple[Cell, Numbers]]) -> dict[str, Any]:
    """Return everything as plain values for machines: numbers in µs, thousandths and GPU-seconds."""
    return {
        "apiVersion": "railwise.dev/v1alpha1",
        "kind": "SweepResult",
        "metadata": {"name": sweep.name},
        "summaries": [
            {
                "variant": dict(one.labels),
                "policy": one.policy,
                "seeds": one.seeds,
                "metrics": {name: _estimate(mean) for name, mean in one.means.items()},
            }
            for one in results.summaries
        ],
        "differences": [
            {
                "variant": dict(one.labels),
                "policy": one.policy,
                "against": one.against,
                "metrics": {name: _difference(pair) for name, pair in one.measures.items()},
            }
            for one in results.differences
        ],
        "cells": [
            {"variant": dict(cell.variant.labels), "policy": cell.policy, "seed": cell.seed, "metrics": dict(numbers)}
            for cell, numbers in sorted(done, key=lambda pair: pair[0].number)
        ],
    }


def _estimate(mean: Estimate) -> dict[str, Any]:
    return {"mean": mean.mean, "seeds": mean.size} | (
        {} if mean.half is None else {"deviation": mean.deviation, "halfWidth": mean.half}
    )


def _difference(pair: Paired) -> dict[str, Any]:
    return _estimate(pair.difference) | {
        "relative": pair.relative,
        "effect": pair.effect,
        "lower": pair.lower,
        "equal": pair.equal,
        "higher": pair.higher,
    }
