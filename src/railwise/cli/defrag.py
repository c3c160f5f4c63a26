"""``railwise defrag``: which moves would let the biggest waiting gang start, what they cost, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from railwise.cli.asked import Inputs, scenario_inputs
from railwise.cli.errors import ExitCode
from railwise.cli.options import output_option

if TYPE_CHECKING:
    from railwise.engine.defrag import Proposal


@click.command("defrag")
@scenario_inputs
@output_option
@click.option(
    "--max-moves", type=click.IntRange(min=1), default=4, show_default=True, help="Move at most so many workloads."
)
@click.option(
    "--max-lost", type=click.IntRange(min=0), default=0, metavar="GPU-SECONDS", help="Lose at most so much work."
)
@click.option("--svg", metavar="FILE", help="Also draw the cluster before and after into an SVG file.")
def command(
    *,
    asked: Inputs,
    form: str,
    max_moves: int,
    max_lost: int,
    svg: str | None,
) -> int:
    """Propose the cheapest moves by which the biggest waiting gang starts.

    Where no moves start any, those that win most slots are proposed. Only preemptible workloads are moved, and only to
    where they fit at once. FILE is a scenario or Kubernetes manifests; nothing is changed. The exit code is 1 where
    nothing helps.
    """
    from railwise.cli.output import print_data, print_lines, print_table, write_file
    from railwise.engine.defrag import propose_moves
    from railwise.report.defrag_text import closing, opening, slots_table

    proposal = propose_moves(asked.scenario(), max_moves, max_lost)
    if form in ("json", "yaml"):
        print_data(_document(proposal), form)
    else:
        print_lines(opening(proposal))
        if proposal.plan.moves:
            print_table(slots_table(proposal), wide=form == "wide")
            print_lines(closing(proposal))
    if svg:
        write_file(svg, _drawing(proposal))
    return ExitCode.OK if proposal.plan.moves else ExitCode.FINDING


def _document(proposal: Proposal) -> dict[str, Any]:
    from railwise.formats.plan_writer import API_VERSION, plan_document

    plan = plan_document(proposal.plan)
    return {
        "apiVersion": API_VERSION,
        "kind": "MoveProposal",
        "starts": proposal.starts,
        "lostGpuSeconds": proposal.lost,
        "moves": plan["moves"],
        "slotsLeft": {
            "before": {level: {str(k): n for k, n in sizes.items()} for level, sizes in proposal.before.items()},
            "after": {level: {str(k): n for k, n in sizes.items()} for level, sizes in proposal.after.items()},
        },
        "workloads": plan["workloads"],
    }


def _drawing(proposal: Proposal) -> str:
    from railwise.report.occupancy import occupancy
    from railwise.report.svg_topology import Panel, panels_svg

    before = Panel("Before", occupancy(proposal.scenario), "as it runs, and what starts without moves")
    after = Panel("After", occupancy(proposal.scenario, proposal.plan), "once the moves are made")
    return panels_svg(proposal.scenario.name or "The cluster", [before, after])
