"""``railwise simulate``: the same arrivals under several policies in virtual time, and what came of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from railwise.cli.durations import duration_of
from railwise.cli.options import POLICIES, files_option, levels_option
from railwise.cli.recorded_start import recorded_start_options
from railwise.cli.simulate_options import Draws, Outputs, draws_options, outputs_options
from railwise.cli.trace_options import TraceOptions, read_scenario, trace_options

if TYPE_CHECKING:
    from railwise.model.scenario import Scenario


@click.command("simulate")
@click.argument("paths", nargs=-1, metavar="FILE...")
@files_option
@levels_option
@click.option(
    "--policy",
    "policies",
    type=click.Choice(POLICIES),
    multiple=True,
    default=("railwise",),
    help="Who places; may be given several times to compare.",
)
@click.option(
    "--until", default="", metavar="DURATION", help="Stop at this time; default: when nothing happens any more."
)
@draws_options
@outputs_options
@trace_options
@recorded_start_options
def command(
    *,
    paths: tuple[str, ...],
    files: tuple[str, ...],
    levels: str,
    policies: tuple[str, ...],
    until: str,
    draws: Draws,
    outputs: Outputs,
    replay: TraceOptions,
) -> int:
    """Let a scenario live in virtual time: arrivals, ends, failures, and one round of decisions for each moment.

    Workloads arrive at their `submit`, and end after their `duration`; `events` change nodes. FILE is a scenario or
    Kubernetes manifests; with --trace, the files or the folder of a published job stream. The same input gives the
    same bytes. Ctrl-C ends the run early and keeps what there is.
    """
    from railwise.cli.run_progress import RunProgress
    from railwise.cli.simulate_output import check, show
    from railwise.report.run_data import Comparison
    from railwise.twin.comparison import compare

    check(outputs)
    scenario, end = read_scenario(paths, files, levels, replay, _time(until) if until else 0)
    scenario = _failing(scenario, draws)
    if not end:
        _warn_of_endless(scenario)
    scenarios = _drawn(scenario, draws)
    with RunProgress(end) as progress:
        runs = list(compare(scenarios.__getitem__, policies, tuple(scenarios), end, progress.tell))
    comparison = Comparison(scenarios[scenario.seed], tuple(run.data for run in runs), _notes(draws), scenarios)
    return show(comparison, runs, policies, outputs)


def _drawn(scenario: Scenario, draws: Draws) -> dict[int, Scenario]:
    """Return the scenario of every seed."""
    from railwise.twin.resample import parse_way, resample

    way = parse_way(draws.resample) if draws.resample else None
    return {
        seed: resample(scenario, seed, *way) if way else replace(scenario, seed=seed)
        for seed in range(scenario.seed, scenario.seed + draws.seeds)
    }


def _failing(scenario: Scenario, draws: Draws) -> Scenario:
    """Return the scenario in which every node fails by chance, if that is asked for."""
    if not draws.mtbf:
        return scenario
    from railwise.model.failure import Failure

    mean = duration_of("--mtbf", draws.mtbf, "as in --mtbf 30d", "expected more than 0s")
    repair = duration_of("--repair", draws.repair, "as in --repair 4h", "expected more than 0s")
    every = Failure(mean, repair, tuple(node.name for node in scenario.nodes))
    return replace(scenario, failures=(*scenario.failures, every))


def _warn_of_endless(scenario: Scenario) -> None:
    """Say who will hardly ever be done, so that nobody waits for the end of time."""
    from railwise.cli.errors import hint_line, warning_line
    from railwise.twin.failures import endless

    found = endless(scenario)
    for name, expected in found[:3]:
        warning_line(f"{name}: {expected} failures are to be expected before its work is saved: it may never be done")
    if found:
        hint_line("give it a checkpoint, or the run an end (--until 30d); Ctrl-C shows what there is")


def _notes(draws: Draws) -> tuple[str, ...]:
    """Return what a reader must know about the seeds."""
    if draws.resample:
        return (f"Each seed draws the arrivals anew ({draws.resample}).",)
    if draws.seeds > 1:
        text = "All seeds live through the same arrivals: only tosses of coins, and failures that are drawn, differ."
        return (text,)
    return ()


def _time(text: str) -> int:
    """Return the end of a run in µs."""
    hint = "a time after the start, such as 90m or 1h30m"
    return duration_of("--until", text, hint, "nothing happens before the start")
