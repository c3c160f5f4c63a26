"""``railwise why``: why a workload waits, why it is where it is, or why a queue is due what it is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.asked import Inputs, scenario_inputs
from railwise.cli.options import output_option

if TYPE_CHECKING:
    from railwise.model.scenario import Scenario


@click.command("why")
@click.argument("name", metavar="POD|WORKLOAD|QUEUE")
@scenario_inputs
@output_option
def command(*, name: str, asked: Inputs, form: str) -> None:
    """Say why a workload waits, why it is where it is, or why a queue is due what it is due.

    For one who waits: figures that add up and one next step. For a queue: its fair share step by step. The name of a
    pod stands for its workload. A name that both a workload and a queue have is the workload; queue/NAME, workload/NAME
    and pod/NAME choose.
    """
    from railwise.cli.named import chosen

    scenario = asked.scenario()
    found = chosen(scenario, asked.look, name)
    if found.kind == "queue":
        _why_queue(scenario, found.name, form)
    elif found.kind == "gang":
        _why_incomplete(asked, found.name, form)
    else:
        _why_workload(scenario, found.name, form)


def _why_incomplete(asked: Inputs, name: str, form: str) -> None:
    """Say of a gang without all its pods what it waits for: it has not been decided on."""
    from railwise.cli.output import print_data, print_lines

    lack = asked.look.waiting[name] if asked.look is not None else None
    if lack is None:
        return
    if form in ("json", "yaml"):
        print_data({"name": name, "state": "incomplete", "pods": lack.there, "needed": lack.needed}, form)
        return
    needed = f" of {lack.needed}" if lack.needed else ""
    print_lines(
        [
            f"{name} waits for the rest of its gang: {lack.there}{needed} pods are there.",
            "It is placed once all the pods that it needs exist; whoever makes them has to make the others.",
        ]
    )


def _why_queue(scenario: Scenario, name: str, form: str) -> None:
    from railwise.cli.decide import decide
    from railwise.cli.output import print_data, print_lines
    from railwise.engine.standing import books
    from railwise.report.queue_text import queue_lines
    from railwise.report.queues import queue_data, queue_items

    found = books(scenario, name)
    if form in ("json", "yaml"):
        item = next(item for item in queue_items(found) if item["name"] == name)
        print_data({**item, "levels": queue_data(found, name)}, form)
    else:
        print_lines(queue_lines(found, name, decide(scenario)))


def _why_workload(scenario: Scenario, name: str, form: str) -> None:
    from dataclasses import replace

    from railwise.cli.decide import advised, decide
    from railwise.cli.output import print_data, print_lines
    from railwise.model.plan import State
    from railwise.report.reason_text import reason_lines
    from railwise.report.where_text import where_lines

    plan = decide(scenario)
    asked = next(entry for entry in scenario.workloads if entry.name == name)
    entry = advised(scenario, next(entry for entry in plan.workloads if entry.name == name))
    if form in ("json", "yaml"):
        from railwise.formats.plan_writer import plan_document

        print_data(plan_document(replace(plan, workloads=(entry,)))["workloads"][0], form)
    elif entry.state is State.PENDING or not entry.pods:
        print_lines(reason_lines(asked, entry, plan))
    else:
        print_lines(where_lines(scenario, plan, asked, entry))
