"""OpenB and what its publishers got on it: the lists beside the repository, and means of their 10 runs a policy."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from railwise.formats.traces import LoadOptions, combine, load
from railwise.formats.traces.openb import NODE_FILES
from railwise.formats.traces.registry import convert
from railwise.model.scenario import Scenario
from railwise.twin.filling import Filling, Options, fill

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "traces" / "openb-gpu-v2023"

SEEDS = range(42, 52)
"""The seeds of the published runs. Ours draw differently from the same numbers, so only means can be compared."""

MORE_SEEDS = range(42, 62)
"""Twice as many, so that a difference of means says little of which seeds were ours: runs of one policy differ by up to
0.4 points, and the published means of ten still have a standard error of 0.03 to 0.2."""

PUBLISHED_NAMES = {
    "random": "01-Random",
    "dot-product": "02-DotProd",
    "gpu-clustering": "03-GpuClustering",
    "gpu-packing": "04-GpuPacking",
    "weighted-fit": "05-BestFit",
    "fgd": "06-FGD",
}
"""The policies of the study by our names."""

WORKLOADS = (
    *("default", "cpu050", "cpu100", "cpu200", "cpu250"),
    *("gpushare40", "gpushare60", "gpushare80", "gpushare100"),
    *("gpuspec10", "gpuspec20", "gpuspec25", "gpuspec33"),
    *("multigpu20", "multigpu30", "multigpu40", "multigpu50"),
)
"""The pod lists with published results."""


class Run(NamedTuple):
    """One run to make; ``order`` is the seed of the nodes' order, None for the run's own."""

    workload: str
    policy: str
    seed: int
    order: int | None = None


def present() -> bool:
    """Return whether the lists are there."""
    return (FOLDER / f"{NODE_FILES[0]}.gz").is_file()


@cache
def scenario(workload: str) -> Scenario:
    """Return the cluster with the pods of a list."""
    cluster = convert("", {NODE_FILES[0]: (FOLDER / f"{NODE_FILES[0]}.gz").read_bytes()})
    name = f"openb_pod_list_{workload}.csv.gz"
    return combine(load("openb", {name: (FOLDER / name).read_bytes()}, LoadOptions(cpu_jobs=True)), cluster)


@cache
def published(policy: str) -> dict[str, tuple[float, float]]:
    """Return, per workload, the published means at 100 and 130 % demand, in percent of the capacity."""
    sums: dict[str, list[tuple[float, float]]] = {}
    with gzip.open(FOLDER / "fgd-expected-results" / "analysis_allo_discrete.csv.gz", "rt") as table:
        for row in csv.DictReader(table):
            if row["sc_policy"] == PUBLISHED_NAMES[policy]:
                workload = row["workload"].removeprefix("openb_pod_list_")
                sums.setdefault(workload, []).append((float(row["100"]), float(row["130"])))
    return {
        workload: (mean(early for early, _ in runs), mean(late for _, late in runs)) for workload, runs in sums.items()
    }


def mean(values: Iterable[float]) -> float:
    """Return the mean of some values."""
    listed = list(values)
    return sum(listed) / len(listed)


def make(run: Run) -> Filling:
    """Make one run."""
    return fill(scenario(run.workload), run.policy, run.seed, Options(order=run.order))


def made(runs: list[Run], processes: int = 2) -> dict[Run, Filling]:
    """Make runs side by side."""
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return dict(zip(runs, pool.map(make, runs), strict=True))
