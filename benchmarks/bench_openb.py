"""How full OpenB gets: the policies of the FGD study against their published results, and Railwise against FGD.

python -m benchmarks.run --only openb            the numbers with bars (a quarter of an hour on the pure build)
python -m benchmarks.bench_openb                 17 workloads × 7 policies × 10 seeds, as the documentation shows them
python -m benchmarks.bench_openb 2 default       the same with so many seeds, for some workloads
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import process_time

from benchmarks.openb import (
    MORE_SEEDS,
    PUBLISHED_NAMES,
    SEEDS,
    WORKLOADS,
    Run,
    made,
    mean,
    present,
    published,
    scenario,
)
from benchmarks.result import Bars, Quantity, Result
from railwise.twin.filling import Filling, fill

OURS = "railwise"
AT = (100, 130)
"""Demand in percent at which results are compared."""

FEW_SEEDS = SEEDS[:2]
ORDERS = (None, 1, 2)
"""Three orders of the nodes: the run's own, and two others."""

ORDERED = ("default", "cpu250", "gpushare100", "gpuspec33", "multigpu50")
"""Workloads of every kind on which orders are tried."""


def _skipped(name: str, unit: str) -> Result | None:
    if present():
        return None
    print(f"{name}: skipped, the lists are not there")
    return Result(0, unit, Quantity.PLAIN)


def _at(made_runs: dict[Run, Filling], workload: str, policy: str, seeds: Sequence[int], percent: int) -> float:
    return mean(made_runs[Run(workload, policy, seed)].allocated(percent) for seed in seeds)


def published_means() -> Result:
    """Return the largest difference (points) of a policy's mean to the published one: default workload, 20 seeds."""
    skipped = _skipped("openb-fgd", "points")
    if skipped is not None:
        return skipped
    runs = made([Run("default", policy, seed) for policy in PUBLISHED_NAMES for seed in MORE_SEEDS])
    worst = 0.0
    for policy in PUBLISHED_NAMES:
        for percent, known in zip(AT, published(policy)["default"], strict=True):
            worst = max(worst, abs(_at(runs, "default", policy, MORE_SEEDS, percent) - known))
    return Result(worst, "points", Quantity.PLAIN, higher_is_better=False, bars=Bars(pure=0.2, compiled=0.2))


def one_run() -> Result:
    """Return the time of one run of FGD on the default workload: about 10,800 pods on 1,213 nodes."""
    skipped = _skipped("openb-fgd-run", "s")
    if skipped is not None:
        return skipped
    cluster = scenario("default")
    start = process_time()
    fill(cluster, "fgd", SEEDS[0])
    seconds = process_time() - start
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=10, compiled=2))


def ours() -> Result:
    """Return on how many of the 17 workloads Railwise allocates at least as much as FGD at 130 % demand, 2 seeds."""
    skipped = _skipped("openb-ours", "of 17")
    if skipped is not None:
        return skipped
    runs = made(
        [Run(workload, policy, seed) for workload in WORKLOADS for policy in (OURS, "fgd") for seed in FEW_SEEDS]
    )
    won = sum(
        _at(runs, workload, OURS, FEW_SEEDS, AT[1]) >= _at(runs, workload, "fgd", FEW_SEEDS, AT[1])
        for workload in WORKLOADS
    )
    return Result(won, "of 17", Quantity.PLAIN, bars=Bars(pure=15, compiled=15))


def orders() -> Result:
    """Return the largest change (points) of what Railwise allocates between three orders of the nodes."""
    skipped = _skipped("openb-ours-orders", "points")
    if skipped is not None:
        return skipped
    runs = made([Run(workload, OURS, SEEDS[0], order) for workload in ORDERED for order in ORDERS])
    widest = 0.0
    for workload in ORDERED:
        used = [runs[Run(workload, OURS, SEEDS[0], order)].allocated(AT[1]) for order in ORDERS]
        widest = max(widest, max(used) - min(used))
    return Result(widest, "points", Quantity.PLAIN, higher_is_better=False, bars=Bars(pure=0.1, compiled=0.1))


BENCHMARKS: dict[str, Callable[[], Result]] = {
    "openb-fgd": published_means,
    "openb-fgd-run": one_run,
    "openb-ours": ours,
    "openb-ours-orders": orders,
}


def tables(seeds: Sequence[int], workloads: Sequence[str]) -> list[str]:
    """Return the results at 130 % and at 100 % demand as Markdown tables; (published) stands behind ours."""
    policies = (*PUBLISHED_NAMES, OURS)
    runs = made([Run(workload, policy, seed) for workload in workloads for policy in policies for seed in seeds])
    lines: list[str] = []
    for place, percent in reversed(list(enumerate(AT))):
        won = 0
        worst = 0.0
        lines += [
            f"At {percent} % demand:",
            "",
            f"| workload | {' | '.join(policies)} |",
            f"|---|{'---:|' * len(policies)}",
        ]
        for workload in workloads:
            cells = []
            for policy in policies:
                used = _at(runs, workload, policy, seeds, percent)
                known = published(policy)[workload][place] if policy in PUBLISHED_NAMES else None
                cells.append(f"{used:.2f}" if known is None else f"{used:.2f} ({known:.2f})")
                worst = max(worst, abs(used - known) if known is not None else 0.0)
            won += _at(runs, workload, OURS, seeds, percent) >= _at(runs, workload, "fgd", seeds, percent)
            lines.append(f"| {workload} | {' | '.join(cells)} |")
        lines += [
            "",
            f"{OURS} ≥ fgd: {won} of {len(workloads)}; largest difference to a published mean: {worst:.2f}",
            "",
        ]
    return lines


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else len(SEEDS)
    print("\n".join(tables(SEEDS[:count], sys.argv[2:] or WORKLOADS)))
