"""``railwise learn``: which pods and which sizes usually come, counted from history, to paste into a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.errors import ExitCode
from railwise.cli.options import files_option, levels_option, output_option
from railwise.cli.trace_options import TraceOptions, trace_options

if TYPE_CHECKING:
    from railwise.twin.learning import Learned


@click.command("learn")
@click.argument("paths", nargs=-1, metavar="FILE...")
@files_option
@output_option
@levels_option
@click.option(
    "--cover",
    type=click.IntRange(1, 100),
    default=95,
    show_default=True,
    metavar="PERCENT",
    help="The commonest kinds of pods that together make up so many of them.",
)
@trace_options
def command(
    *,
    paths: tuple[str, ...],
    files: tuple[str, ...],
    form: str,
    levels: str,
    cover: int,
    replay: TraceOptions,
) -> int:
    """Count which pods and which sizes of gangs came, as `spec.policy.mix` and `spec.policy.sizes`.

    FILE is a scenario or Kubernetes manifests whose workloads are the history; with --trace, a published job stream.
    With -o yaml the answer can be pasted into a scenario. By the mix single pods are packed so that those that usually
    come still fit; by the sizes free nodes and racks are kept for gangs.
    """
    from railwise.cli.history import read_histories
    from railwise.cli.output import print_data, print_lines, print_table
    from railwise.report.learned_table import learned_document, learned_lines, learned_table
    from railwise.twin.learning import learn

    histories = read_histories(paths, files, levels, replay)
    learned = learn((one for _, scenario in histories for one in scenario.workloads), cover)
    _check(learned)
    if form in ("json", "yaml"):
        print_data(learned_document(learned.mix, learned.sizes), form)
        return ExitCode.OK
    print_lines(learned_lines(learned.workloads, learned.pods, learned.kinds, learned.left_out, learned.sizes, cover))
    print_table(learned_table(learned.mix, learned.pods), wide=form == "wide")
    return ExitCode.OK


def _check(learned: Learned) -> None:
    from railwise.cli.errors import HintedError

    if not learned.mix:
        raise HintedError(
            "there is nothing to learn from: no workload asks for whole cards, a share of one, or none",
            "name a scenario with workloads, or a job stream with --trace",
        )
