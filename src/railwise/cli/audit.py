"""``railwise audit``: what of a cluster would hurt, before it does."""

from __future__ import annotations

import click

from railwise.cli.asked import Inputs, scenario_inputs
from railwise.cli.errors import ExitCode
from railwise.cli.options import output_option


@click.command("audit")
@scenario_inputs
@output_option
def command(*, asked: Inputs, form: str) -> int:
    """Check a cluster for what would hurt: nodes, levels, queues, and workloads that can never start.

    FILE is a scenario, a snapshot or Kubernetes manifests; with --context a live cluster is checked. The exit code is 1
    where a problem is found; advice alone is none.
    """
    from railwise.cli.decide import decide
    from railwise.cli.output import listing, print_data, print_lines
    from railwise.report.audit import PROBLEM, audit_items, audit_lines
    from railwise.report.audit_nodes import of_nodes
    from railwise.report.audit_queues import of_queues
    from railwise.report.audit_work import of_work

    scenario = asked.scenario()
    look = asked.look
    waiting = look.waiting.items() if look is not None else ()
    incomplete = {name: f"{lack.there} of {lack.needed or 'more'} are there" for name, lack in waiting}
    findings = [*of_nodes(scenario), *of_queues(scenario), *of_work(scenario, decide(scenario), incomplete)]
    if form in ("json", "yaml"):
        print_data(listing("FindingList", audit_items(findings)), form)
    else:
        print_lines(audit_lines(findings), widest=110)
    return ExitCode.FINDING if any(one.grade == PROBLEM for one in findings) else ExitCode.OK
