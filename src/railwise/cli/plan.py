"""``railwise plan``: one decision on a scenario, shown as a table, a document or a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.asked import Inputs, scenario_inputs
from railwise.cli.errors import ExitCode, warning_line
from railwise.cli.options import Questions, output_option, policy_option, what_if_options

if TYPE_CHECKING:
    from railwise.model.plan import Plan
    from railwise.model.scenario import Scenario


@click.command("plan")
@scenario_inputs
@output_option
@policy_option
@click.option("--svg", metavar="FILE", help="Also draw the cluster after the plan into an SVG file.")
@click.option(
    "--write", metavar="FILE", help="Also write the scenario with the plan carried out; - is standard output."
)
@click.option("--check", is_flag=True, help="Exit with 1 where something stays pending.")
@what_if_options
def command(
    *,
    asked: Inputs,
    form: str,
    policy: str,
    svg: str | None,
    write: str | None,
    check: bool,
    questions: Questions,
) -> int:
    """Decide once on a scenario: what would go where, what would be evicted, and why the rest waits.

    FILE is a scenario or Kubernetes manifests; several are read together, - is standard input. With --context they are
    added to what runs and waits on that cluster. Nothing is changed.

    With a what-if the difference to the plan without it is printed instead, and the exit code is 1 where what is
    submitted does not start or somebody would be worse off.
    """
    if questions.any():
        from railwise.cli.what_if import answer

        _no_what_if(svg=svg, write=write)
        return answer(asked, questions, form, policy)
    from railwise.cli.decide import decide
    from railwise.cli.output import print_lines, print_table, write_file
    from railwise.model.plan import State
    from railwise.report.plan_tables import plan_notes, plan_table, plan_totals

    scenario = asked.scenario()
    plan = decide(scenario, policy)
    for warning in plan.warnings:
        if warning not in scenario.warnings:
            warning_line(warning)
    if form in ("json", "yaml"):
        from railwise.formats.plan_writer import plan_text

        click.echo(plan_text(plan, form).rstrip("\n"))
    elif "-" not in (write, svg):
        print_table(plan_table(scenario, plan), wide=form == "wide")
        notes = plan_notes(plan)
        print_lines(["", *notes, ""] if notes else [""])
        print_lines(_closing(scenario, plan, asked))
    if svg:
        from railwise.report.occupancy import occupancy
        from railwise.report.svg_topology import Panel, topology_svg

        title = f"{scenario.name or 'The cluster'} after the plan"
        write_file(svg, topology_svg(Panel(title, occupancy(scenario, plan), plan_totals(plan))))
    if write:
        write_file(write, scenario_text(scenario, plan))
    waits = any(entry.state is State.PENDING for entry in plan.workloads)
    return ExitCode.FINDING if check and waits else ExitCode.OK


def _no_what_if(*, svg: str | None, write: str | None) -> None:
    from railwise.cli.errors import HintedError

    if svg or write:
        raise HintedError("a what-if writes nothing", "leave out --svg and --write, or plan a changed copy of the file")


def _closing(scenario: Scenario, plan: Plan, asked: Inputs) -> list[str]:
    """Return the totals, the slots left, and the command that tells more about the first one who waits."""
    from railwise.model.plan import State
    from railwise.report.plan_tables import plan_totals
    from railwise.report.slots import narrowest, slots_line

    level = narrowest(scenario, plan.slots_left)
    where = f"inside one {level}" if level != "cluster" else "in all"
    left = slots_line(plan.slots_left, level)
    waits = next((entry.name for entry in plan.workloads if entry.state is State.PENDING), "")
    return [
        f"{plan_totals(plan)}.",
        *([f"Slots left {where}: {left}."] if left else []),
        *([f"More: railwise why {waits} {asked.words()}"] if waits and asked.words() else []),
    ]


def scenario_text(scenario: Scenario, plan: Plan) -> str:
    """Return the scenario with the plan carried out, as a YAML document."""
    from railwise.engine.outcome import after
    from railwise.formats.scenario import writer as scenario_writer

    return scenario_writer.scenario_text(after(scenario, plan), "yaml")
