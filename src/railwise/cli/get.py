"""``railwise get``: the cluster as tables, as plain data, or as a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.asked import Inputs, scenario_inputs
from railwise.cli.options import output_option

if TYPE_CHECKING:
    from railwise.report.occupancy import Occupancy
    from railwise.report.table import Table

KINDS = ("topology", "nodes", "workloads", "slots", "queues")


@click.command("get")
@click.argument("kind", type=click.Choice(KINDS), metavar="topology|nodes|workloads|slots|queues")
@scenario_inputs
@output_option
@click.option("--planned", is_flag=True, help="Show the cluster once the plan is carried out, instead of as it is.")
@click.option("--svg", metavar="FILE", help="With topology: also draw it into an SVG file.")
def group(
    *,
    kind: str,
    asked: Inputs,
    form: str,
    planned: bool,
    svg: str | None,
) -> None:
    """Show topology, nodes, workloads, queues or the slots left, of a scenario or a live cluster.

    The slots left say how many gangs of each size still fit inside one domain of each level. Queues are shown with what
    each is promised, is due, holds, has borrowed and lent, and waits for.
    """
    from railwise.cli.decide import decide
    from railwise.cli.output import listing, print_data, print_table
    from railwise.report.occupancy import occupancy

    scenario = asked.scenario()
    moment = occupancy(scenario, decide(scenario) if planned else None)
    if form in ("json", "yaml"):
        name, items = _items(kind, moment)
        print_data(listing(name, items), form)
    elif svg != "-":
        print_table(_table(kind, moment, wide=form == "wide"), wide=form == "wide")
    if svg:
        _draw(svg, kind, moment)


def _items(kind: str, moment: Occupancy) -> tuple[str, list[dict[str, object]]]:
    from railwise.engine.standing import books
    from railwise.report import lists
    from railwise.report.domains import domain_items
    from railwise.report.queues import queue_items
    from railwise.report.slots import slot_items

    running = lists.as_running(moment)
    if kind == "nodes":
        return "NodeList", lists.node_items(moment)
    if kind == "workloads":
        return "WorkloadList", lists.workload_items(running)
    if kind == "queues":
        return "QueueList", queue_items(books(running))
    if kind == "slots":
        return "SlotList", slot_items(moment)
    return "DomainList", domain_items(moment)


def _table(kind: str, moment: Occupancy, *, wide: bool) -> Table:
    from railwise.engine.standing import books
    from railwise.report import lists
    from railwise.report.domains import domain_tree
    from railwise.report.marks import marks
    from railwise.report.queues import queues_table
    from railwise.report.slots import slots_table
    from railwise.report.tree import topology_table

    if kind == "nodes":
        return lists.nodes_table(moment, wide=wide)
    if kind == "workloads":
        return lists.workloads_table(lists.as_running(moment))
    if kind == "queues":
        return queues_table(books(lists.as_running(moment)))
    if kind == "slots":
        return slots_table(moment)
    shown = marks(moment.scenario, moment.plan)
    return topology_table(domain_tree(moment), shown, nodes=True if wide else None)


def _draw(svg: str, kind: str, moment: Occupancy) -> None:
    from railwise.cli.errors import HintedError
    from railwise.cli.output import write_file
    from railwise.report.svg_topology import Panel, topology_svg

    if kind != "topology":
        raise HintedError(f"--svg draws the topology, not {kind}", "railwise get topology FILE --svg out.svg")
    write_file(svg, topology_svg(Panel(moment.scenario.name or "The cluster", moment)))
