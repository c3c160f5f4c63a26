"""``railwise why``: why a workload waits, why it is where it is, or why a queue is due what it is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.options import files_option, levels_option, output_option

if TYPE_CHECKING:
    from railwise.model.scenario import Scenario


@click.command("why")
@click.argument("name", metavar="WORKLOAD|QUEUE")
@click.argument("paths", nargs=-1, metavar="[FILE...]")
@files_option
@output_option
@levels_option
def command(*, name: str, paths: tuple[str, ...], files: tuple[str, ...], form: str, levels: str) -> None:
    """Say why a workload waits, why it is where it is, or why a queue is due what it is due.

    For one who waits: figures that add up and one next step. For a queue: its fair share step by step. A name that both
    a workload and a queue have is the workload; queue/NAME and workload/NAME choose.
    """
    from railwise.cli.sources import load_scenario

    scenario = load_scenario([*paths, *files], levels)
    kind, plain = _chosen(scenario, name)
    if kind == "queue":
        _why_queue(scenario, plain, form)
    else:
        _why_workload(scenario, plain, form)


def _chosen(scenario: Scenario, name: str) -> tuple[str, str]:
    """Return whether a workload or a queue is meant, and its name."""
    from railwise.cli.suggest import unknown

    workloads = [workload.name for workload in scenario.workloads]
    queues = list(dict.fromkeys([*(queue.name for queue in scenario.queues), "default"]))
    kind, found, plain = name.partition("/")
    if found and kind in {"queue", "workload"}:
        known = queues if kind == "queue" else workloads
        if plain not in known:
            raise unknown(kind, plain, known)
        return kind, plain
    if name in workloads:
        return "workload", name
    if name in queues:
        return "queue", name
    raise unknown("workload or queue", name, [*workloads, *(queue.name for queue in scenario.queues)])


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
