"""What the runs of a sweep say together: means a variant and policy, and differences on the same seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from railwise.formats.sweep.model import Labels, Sweep
from railwise.report.run_data import Key
from railwise.report.runs import camel
from railwise.report.sweep_tables import Gap, GapRow, Mean, MeanRow
from railwise.twin.statistics import Estimate, Paired, estimate, paired
from railwise.twin.sweep import Cell, Numbers


class Summary(NamedTuple):
    """One variant under one policy: its means over the seeds that have the number."""

    labels: Labels
    policy: str
    seeds: int
    means: dict[Key, Estimate]


class Comparison(NamedTuple):
    """One variant: a policy minus the one it is compared with, over the seeds that both have."""

    labels: Labels
    policy: str
    pairs: dict[Key, Paired]


class Results(NamedTuple):
    """All of it, in the order of the sweep."""

    summaries: list[Summary]
    comparisons: list[Comparison]


def results_of(sweep: Sweep, done: Sequence[tuple[Cell, Numbers]]) -> Results:
    """Return means and differences from the runs that there are; a variant without any run is left out."""
    runs: dict[Labels, dict[str, dict[int, Numbers]]] = {}
    for cell, numbers in sorted(done, key=lambda pair: pair[0].number):
        runs.setdefault(cell.variant.labels, {}).setdefault(cell.policy, {})[cell.seed] = numbers
    summaries: list[Summary] = []
    comparisons: list[Comparison] = []
    for labels, of_policy in runs.items():
        base = _series(of_policy.get(sweep.against, {}))
        for policy, of_seed in of_policy.items():
            series = _series(of_seed)
            means = {key: estimate(list(values.values())) for key, values in series.items()}
            summaries.append(Summary(labels, policy, len(of_seed), means))
            pairs = {key: paired(values, base[key]) for key, values in series.items() if key in base}
            if base and policy != sweep.against:
                found = {key: pair for key, pair in pairs.items() if pair is not None}
                comparisons.append(Comparison(labels, policy, found))
    return Results(summaries, comparisons)


def _series(of_seed: Mapping[int, Numbers]) -> dict[Key, dict[int, float]]:
    """Return each number by seed."""
    series: dict[Key, dict[int, float]] = {}
    for seed, numbers in of_seed.items():
        for key, value in numbers.items():
            series.setdefault(key, {})[seed] = float(value)
    return series


def mean_rows(results: Results) -> list[MeanRow]:
    """Return the means for a table."""
    return [
        MeanRow(one.labels, one.policy, one.seeds, {key: Mean(mean.mean, mean.half) for key, mean in one.means.items()})
        for one in results.summaries
    ]


def gap_rows(results: Results) -> list[GapRow]:
    """Return the differences for a table."""
    return [
        GapRow(one.labels, one.policy, {key: _gap(pair) for key, pair in one.pairs.items()})
        for one in results.comparisons
    ]


def _gap(pair: Paired) -> Gap:
    difference = Mean(pair.difference.mean, pair.difference.half)
    return Gap(difference, pair.relative, pair.effect, pair.lower, pair.equal, pair.higher)


def key_text(key: Key) -> str:
    """Return how documents write a measure: ``waitMean``, ``close/rack`` for a part of a run."""
    name, part = key
    return f"{camel(name)}/{part}" if part else camel(name)


def document(sweep: Sweep, results: Results, done: Sequence[tuple[Cell, Numbers]]) -> dict[str, Any]:
    """Return everything as plain values for machines, in the units of the measures."""
    return {
        "apiVersion": "railwise.dev/v1alpha1",
        "kind": "SweepResult",
        "metadata": {"name": sweep.name},
        "against": sweep.against,
        "summaries": [
            {
                "variant": dict(one.labels),
                "policy": one.policy,
                "seeds": one.seeds,
                "measures": {key_text(key): _estimate(mean) for key, mean in one.means.items()},
            }
            for one in results.summaries
        ],
        "differences": [
            {
                "variant": dict(one.labels),
                "policy": one.policy,
                "measures": {key_text(key): _difference(pair) for key, pair in one.pairs.items()},
            }
            for one in results.comparisons
        ],
        "cells": [
            {
                "variant": dict(cell.variant.labels),
                "policy": cell.policy,
                "seed": cell.seed,
                "measures": {key_text(key): value for key, value in numbers.items()},
            }
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
