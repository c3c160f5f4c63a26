"""``railwise fill``: pods come until more was asked for than there is. How full does each policy get the cluster?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from railwise.cli.errors import ExitCode
from railwise.cli.options import POLICIES, files_option, levels_option, output_option
from railwise.cli.trace_options import TraceOptions, trace_options

if TYPE_CHECKING:
    from railwise.model.scenario import Scenario
    from railwise.report.fill_table import Filled
    from railwise.twin.filling import Filling


class Run(NamedTuple):
    """One run to make: the workload's number, the policy, and the seed."""

    workload: int
    policy: str
    seed: int


class Series(NamedTuple):
    """How each policy runs: so many seeds from the first one on, at what demand, and so many runs at the same time.

    ``order`` is the seed of the nodes' order, None where it goes with the run's.
    """

    seeds: int
    first: int
    processes: int
    demand: int
    order: int | None


def runs_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--demand``, ``--seeds``, ``--seed``, ``--node-order`` and ``--processes``, together as ``series``."""

    @wraps(command)
    def repeated(
        *,
        seeds: int,
        seed: int,
        processes: int,
        demand: int,
        node_order: int | None,
        **rest: Any,  # noqa: ANN401 -- click's own
    ) -> Any:  # noqa: ANN401 -- click's own
        return command(series=Series(seeds, seed, processes, demand, node_order), **rest)

    repeated = click.option(
        "--node-order",
        type=click.IntRange(0),
        metavar="SEED",
        help="Order the nodes by this seed in all runs; default: each run by its own.",
    )(repeated)
    for name, kind, default, text in (
        ("--processes", click.IntRange(1, 256), 1, "Runs at the same time."),
        ("--seed", click.IntRange(0), 42, "The first seed."),
        ("--seeds", click.IntRange(1, 1000), 1, "Runs of each policy, with the seeds from --seed on."),
        ("--demand", click.IntRange(1, 1000), 130, "Cards asked for, in percent of those there are."),
    ):
        repeated = click.option(name, type=kind, default=default, show_default=True, help=text)(repeated)
    return repeated


@click.command("fill")
@click.argument("paths", nargs=-1, metavar="FILE...")
@files_option
@output_option
@levels_option
@click.option(
    "--policy",
    "policies",
    type=click.Choice(POLICIES),
    multiple=True,
    default=("railwise", "fgd"),
    help="Who places; may be given several times. Default: railwise and fgd.",
)
@runs_options
@trace_options
def command(
    *,
    paths: tuple[str, ...],
    files: tuple[str, ...],
    form: str,
    levels: str,
    policies: tuple[str, ...],
    series: Series,
    replay: TraceOptions,
) -> int:
    """Fill an empty cluster until more was asked for than there is: how full does it get?

    The workloads of FILE come in an order drawn from a seed, again and again until the demand for cards reaches
    --demand percent of the capacity; nothing leaves, and what does not fit is not tried again. With --trace every file
    of the trace is a workload by itself. Policies that use the mix of pods that usually come learn it from the
    workload, unless `spec.policy.mix` gives one. The same input gives the same bytes.
    """
    from railwise.cli.history import read_histories
    from railwise.cli.output import listing, print_data, print_table
    from railwise.report.fill_table import fill_document, fill_table

    named = read_histories(paths, files, levels, replay)
    _check(named)
    policies = tuple(dict.fromkeys(policies))
    runs = [
        Run(workload, policy, series.first + number)
        for workload in range(len(named))
        for policy in policies
        for number in range(series.seeds)
    ]
    with click.progressbar(length=len(runs), file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        fillings = []
        for filling in _made([scenario for _, scenario in named], series, runs):
            fillings.append(filling)
            bar.update(1)
    figures = [
        _figure(named[runs[start].workload][0], fillings[start : start + series.seeds], series.demand)
        for start in range(0, len(runs), series.seeds)
    ]
    if form in ("json", "yaml"):
        print_data(listing("FillList", fill_document(figures)), form)
    else:
        print_table(fill_table(figures), wide=form == "wide")
    return ExitCode.OK


def _check(named: list[tuple[str, Scenario]]) -> None:
    """Raise HintedError where there is nothing to fill, or nothing to fill it with."""
    from railwise.cli.errors import HintedError

    for name, scenario in named:
        if not any(node.card_count() for node in scenario.nodes):
            raise HintedError(f"{name}: no node has cards", "give the nodes gpus, or name a cluster with --cluster")
        if not scenario.workloads:
            raise HintedError(f"{name}: there are no workloads", "add spec.workloads, or a job stream with --trace")


def _made(scenarios: list[Scenario], series: Series, runs: list[Run]) -> Iterator[Filling]:
    """Yield the runs in order, made one after another or side by side."""
    if series.processes == 1:
        _take(scenarios, series)
        yield from map(_run, runs)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(series.processes, get_context("spawn"), _take, (scenarios, series)) as pool:
        try:
            yield from pool.map(_run, runs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_TAKEN: list[tuple[list[Scenario], Series]] = []


def _take(scenarios: list[Scenario], series: Series) -> None:
    """Keep what all runs of this process share."""
    _TAKEN[:] = [(scenarios, series)]


def _run(run: Run) -> Filling:
    from railwise.twin.filling import Options, fill

    scenarios, series = _TAKEN[0]
    return fill(scenarios[run.workload], run.policy, run.seed, Options(series.demand, order=series.order))


def _figure(workload: str, fillings: list[Filling], demand: int) -> Filled:
    """Return the means over the runs of one policy on one workload."""
    from railwise.report.fill_table import Filled

    asked = sorted({95, 100, demand} if demand > 100 else {demand})  # noqa: PLR2004 -- percent
    means = [(percent, _mean([filling.allocated(percent) for filling in fillings])) for percent in asked]
    last = [filling.allocated(demand) for filling in fillings]
    return Filled(
        workload=workload,
        policy=fillings[0].policy,
        seeds=len(fillings),
        allocated=tuple(means),
        least=min(last),
        most=max(last),
        fragmented=_mean([filling.fragmented(demand) for filling in fillings]),
        left=_mean([filling.left() for filling in fillings]),
    )


def _mean(values: list[float]) -> float:
    from math import fsum

    return fsum(values) / len(values)
