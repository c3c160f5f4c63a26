"""``railwise why``: why a workload waits, or why it is where it is."""

from __future__ import annotations

import click

from railwise.cli.options import files_option, levels_option, output_option


@click.command("why")
@click.argument("workload")
@click.argument("paths", nargs=-1, metavar="[FILE...]")
@files_option
@output_option
@levels_option
def command(*, workload: str, paths: tuple[str, ...], files: tuple[str, ...], form: str, levels: str) -> None:
    """Say why a workload waits, with figures that add up and one next step; or why it is where it is."""
    from dataclasses import replace

    from railwise.cli.decide import advised, decide
    from railwise.cli.output import print_data, print_lines
    from railwise.cli.sources import load_scenario
    from railwise.cli.suggest import unknown
    from railwise.model.plan import State
    from railwise.report.reason_text import reason_lines
    from railwise.report.where_text import where_lines

    scenario = load_scenario([*paths, *files], levels)
    names = [entry.name for entry in scenario.workloads]
    if workload not in names:
        raise unknown("workload", workload, names)
    plan = decide(scenario)
    asked = next(entry for entry in scenario.workloads if entry.name == workload)
    entry = advised(scenario, next(entry for entry in plan.workloads if entry.name == workload))
    if form in ("json", "yaml"):
        from railwise.formats.plan_writer import plan_document

        print_data(plan_document(replace(plan, workloads=(entry,)))["workloads"][0], form)
    elif entry.state is State.PENDING or not entry.pods:
        print_lines(reason_lines(asked, entry, plan))
    else:
        print_lines(where_lines(scenario, plan, asked, entry))
