"""Experiments on published traces: what placement by the map is worth on a real fabric with real jobs.

The number is an effect, not a speed: how many points of GPU utilisation node lists written by hand lose against
Railwise, as a mean over ten seeds. The table that is printed before holds every measure with its interval, also those
in which Railwise does not win.

    python -m benchmarks.run --only lingjun         both streams
    python -m benchmarks.bench_experiments          the tables of all experiments, as the documentation shows them
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.result import Quantity, Result
from railwise.cli.errors import HintedError
from railwise.cli.output import print_table
from railwise.cli.sweep import read_files, read_sweep_file
from railwise.formats.sweep.model import Sweep
from railwise.report.sweep_tables import gaps_table, means_table
from railwise.twin.sweep import Cell, Numbers, Runner, cells_of
from railwise.twin.sweep_results import Results, gap_rows, mean_rows, results_of
from railwise.twin.sweep_scenarios import collect

FOLDER = Path(__file__).parent.parent / "examples" / "experiments"
"""Where the experiments lie; those on traces read ``../shared/traces`` beside the repository."""

EFFECT = ("used", "")


def lived(name: str) -> tuple[Sweep, Results]:
    """Live through an experiment on all CPUs; HintedError where its data are not there."""
    path = FOLDER / f"{name}.yaml"
    sweep = read_sweep_file(str(path))
    material = collect(sweep, read_files(path.parent))
    cells = cells_of(sweep, material)
    with get_context("spawn").Pool(os.cpu_count(), _start, (Runner(sweep, material),)) as pool:
        numbers = pool.map(_live, cells, chunksize=1)
    return sweep, results_of(sweep, list(zip(cells, numbers, strict=True)))


_runners: list[Runner] = []


def _start(runner: Runner) -> None:
    _runners.append(runner)


def _live(cell: Cell) -> Numbers:
    return _runners[0].live(cell)


def show(sweep: Sweep, results: Results) -> None:
    """Print means and differences."""
    axes = [axis.name for axis in sweep.axes if len(axis.choices) > 1]
    print(f"\n{sweep.name}, {len(sweep.seeds)} seeds")
    print_table(means_table(axes, mean_rows(results)))
    print(f"\nCompared with {sweep.against}, seed by seed (95 % intervals):\n")
    print_table(gaps_table(axes, gap_rows(results)))


def effect(name: str) -> Result:
    """Return how many points of utilisation ``affinity`` has less than Railwise in an experiment's first variant."""
    try:
        sweep, results = lived(name)
    except HintedError as error:
        print(f"{name}: skipped, {error.message}")
        return Result(0, "points of use", Quantity.PLAIN)
    show(sweep, results)
    pairs = next(one.pairs for one in results.comparisons if one.policy == "affinity")
    return Result(-pairs[EFFECT].difference.mean / 10, "points of use", Quantity.PLAIN)


BENCHMARKS: dict[str, Callable[[], Result]] = {
    "lingjun-itp": partial(effect, "lingjun-itp"),
    "lingjun-philly": partial(effect, "lingjun-philly"),
}
"""What is measured here."""

if __name__ == "__main__":
    for experiment in sorted(path.stem for path in FOLDER.glob("*.yaml")):
        try:
            show(*lived(experiment))
        except HintedError as missing:
            print(f"{experiment}: skipped, {missing.message}")
