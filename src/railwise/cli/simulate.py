"""``railwise simulate``: the same arrivals under several policies in virtual time, and what came of each."""

from __future__ import annotations

from dataclasses import replace

import click

from railwise.cli.options import POLICIES, files_option, levels_option
from railwise.cli.simulate_options import Outputs, outputs_options
from railwise.cli.trace_options import TraceOptions, read_scenario, trace_options


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
@outputs_options
@trace_options
def command(
    *,
    paths: tuple[str, ...],
    files: tuple[str, ...],
    levels: str,
    policies: tuple[str, ...],
    until: str,
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
    with RunProgress(end) as progress:
        runs = list(compare(lambda seed: replace(scenario, seed=seed), policies, (scenario.seed,), end, progress.tell))
    comparison = Comparison(scenario, tuple(run.data for run in runs))
    return show(comparison, runs, policies, outputs)


def _time(text: str) -> int:
    """Return the end of a run in µs."""
    from railwise.cli.errors import HintedError
    from railwise.model.quantity import parse_duration

    hint = "a time after the start, such as 90m or 1h30m"
    try:
        end = parse_duration(text)
    except ValueError as error:
        raise HintedError(f"--until {text}: {error}", hint) from None
    if end <= 0:
        raise HintedError(f"--until {text}: nothing happens before the start", hint)
    return end
