"""``railwise estimate``: what communication takes, term by term, of a message or of a workload at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from railwise.cli.errors import ExitCode, HintedError
from railwise.cli.options import files_option, levels_option, output_option

if TYPE_CHECKING:
    from railwise.traffic.collectives import Hardware
    from railwise.traffic.links import Cost

PATTERNS = ("dense", "moe", "pipeline", "pd")


@click.command("estimate")
@files_option
@levels_option
@click.option("--workload", metavar="NAME", help="With -f: the workload whose step is predicted.")
@click.option("--pattern", type=click.Choice(PATTERNS), default="dense", show_default=True, help="Who speaks to whom.")
@click.option("--bytes", "size", metavar="SIZE", help="The array: what each rank holds (pipeline, pd: what is sent).")
@click.option("--nodes", type=click.IntRange(1, 1_000_000), default=2, show_default=True, help="Nodes that take part.")
@click.option(
    "--gpus-per-node", "cards", type=click.IntRange(1, 1024), default=8, show_default=True, help="GPUs of a node."
)
@click.option("--nic", metavar="RATE", default="400Gbps", show_default=True, help="The NIC of one GPU.")
@click.option(
    "--nvlink",
    metavar="RATE",
    default="900GBps",
    show_default=True,
    help="Between GPUs of a node, both directions together as in data sheets, or a name such as nvlink5 or pcie4.",
)
@click.option("--nic-latency", metavar="TIME", help="One step between nodes, such as 15us; default: as in clouds.")
@click.option(
    "--oversubscription",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="How many times more all NICs carry than the uplinks between the nodes.",
)
@output_option
def command(  # noqa: PLR0913 -- each is an option of the command
    *,
    files: tuple[str, ...],
    levels: str,
    workload: str | None,
    pattern: str,
    size: str | None,
    nodes: int,
    cards: int,
    nic: str,
    nvlink: str,
    nic_latency: str | None,
    oversubscription: int,
    form: str,
) -> int:
    """Tell what communication takes, with every term: an AllReduce, or a workload's step where the plan puts it.

    With -f and --workload the step of that workload is set against one domain of each level. Without a file the terms
    of one message are explained (dense: AllReduce, moe: all-to-all, pipeline and pd: one message).
    """
    if files or workload:
        if not files or not workload:
            raise HintedError("-f and --workload belong together", "railwise estimate -f scenario.yaml --workload NAME")
        return _workload(list(files), levels, workload, form)
    if not size:
        raise HintedError("how many bytes?", "railwise estimate --pattern dense --bytes 16Mi --nodes 16 --nic 400Gbps")
    made = _hardware(nic, nvlink, nic_latency, oversubscription)
    length = _parsed("--bytes", size, _bytes)
    cost = _message(pattern, made, nodes, cards, length)
    _print_message(pattern, cost, (nodes, cards, length, made.nic.bits_per_second), form)
    return ExitCode.OK


def _hardware(nic: str, nvlink: str, latency: str | None, oversubscription: int) -> Hardware:
    from dataclasses import replace

    from railwise.formats.rate import parse_rate
    from railwise.traffic.collectives import Hardware
    from railwise.traffic.links import FAST_LINKS, fast_link, network_link

    both_ways = 0 if nvlink in FAST_LINKS else _parsed("--nvlink", nvlink, parse_rate)
    kind = nvlink if nvlink in FAST_LINKS else "nvlink4" if both_ways >= FAST_LINKS["nvlink3"] * 5 // 2 else "nvlink3"
    fast = fast_link(kind)
    if both_ways:
        fast = replace(fast, bits_per_second=both_ways // 2)
    rate = _parsed("--nic", nic, parse_rate)
    link = (
        network_link(rate) if latency is None else network_link(rate, _parsed("--nic-latency", latency, _nanoseconds))
    )
    return Hardware(fast, link.at_most(rate // oversubscription, "uplink"))


def _message(pattern: str, made: Hardware, nodes: int, cards: int, size: int) -> Cost:
    from railwise.traffic.collectives import all_reduce, all_to_all, point_to_point

    if pattern == "dense":
        return all_reduce(made, nodes, cards, size)
    if pattern == "moe":
        return all_to_all(made, nodes, cards, size)
    return point_to_point(made, size, same_node=nodes == 1)


def _print_message(pattern: str, cost: Cost, question: tuple[int, int, int, int], form: str) -> None:
    from fractions import Fraction

    from railwise.cli.output import print_data, print_lines, print_table
    from railwise.formats.plan_writer import API_VERSION
    from railwise.report.cost_text import cost_document, cost_table, rate_text, size_text, time_text
    from railwise.report.estimate_text import copied_lines
    from railwise.report.table import STRONG, Cell
    from railwise.report.wording import counted
    from railwise.traffic.copied import NVLINK_GIGABITS, copied_formula
    from railwise.traffic.links import GIGA

    nodes, cards, size, nic = question
    if form in ("json", "yaml"):
        document: dict[str, Any] = {"apiVersion": API_VERSION, "kind": "Estimate", "pattern": pattern, "bytes": size}
        document |= {"nodes": nodes, "gpusPerNode": cards, "nanoseconds": cost.total(), "costs": [cost_document(cost)]}
        if pattern == "dense":
            wrong = copied_formula(cards, nodes, NVLINK_GIGABITS, max(1, nic // GIGA), Fraction(size, 1_000_000))
            document["copiedFormula"] = {"intra": float(wrong.intra), "inter": float(wrong.inter)}
        print_data(document, form)
        return
    where = f"{counted(nodes, 'node')} of {counted(cards, 'GPU')}, {rate_text(nic)} of network a GPU"
    print_lines([Cell(f"{cost.name} of {size_text(size)} on {where}: {time_text(cost.total())}", STRONG), ""])
    print_table(cost_table(cost), wide=form == "wide")
    if pattern == "dense":
        print_lines(["", *copied_lines(nodes, cards, nic, size)], widest=120)


def _workload(files: list[str], levels: str, name: str, form: str) -> int:
    from railwise.cli.output import print_data, print_lines, print_table
    from railwise.cli.sources import load_scenario
    from railwise.cli.suggest import unknown
    from railwise.engine.step_estimates import estimate_steps
    from railwise.formats.plan_writer import API_VERSION
    from railwise.report.cost_text import step_document, step_lines
    from railwise.report.estimate_text import closing, opening, place_table

    scenario = load_scenario(files, levels)
    names = [workload.name for workload in scenario.workloads]
    if name not in names:
        raise unknown("workload", name, names)
    found = estimate_steps(scenario, name)
    if not found.linked:
        hint = "give levels their uplinks: levels: [{name: rack, uplink: 1600Gbps}, {name: node, uplink: 3200Gbps}]"
        raise HintedError(f"nothing tells what the links of {name}'s topology carry", hint)
    if not found.speaks:
        raise HintedError(f"{name} has no traffic to predict", "say what it says: traffic: dense, moe, pipeline or pd")
    if form in ("json", "yaml"):
        document: dict[str, Any] = {"apiVersion": API_VERSION, "kind": "StepEstimate", "workload": name}
        document |= {"pattern": found.pattern, "nodes": list(found.nodes), "here": step_document(found.here)}
        document |= {"beside": step_document(found.beside), "neighbours": list(found.neighbours)}
        document["levels"] = [{"level": level, "step": step_document(step)} for level, step in found.levels]
        print_data(document, form)
        return ExitCode.OK
    print_lines([*opening(found), ""])
    print_table(place_table(found), wide=form == "wide")
    shown = found.here or next((step for _, step in found.levels if step is not None), None)
    for heading, terms in step_lines(shown) if shown is not None else []:
        print_lines(["", heading, ""])
        print_table(terms, wide=form == "wide")
    print_lines(["", *closing(found)], widest=120)
    return ExitCode.OK


def _bytes(text: str) -> int:
    from railwise.model.quantity import parse_bytes

    return parse_bytes(text)


def _nanoseconds(text: str) -> int:
    from railwise.model.quantity import EXPECTED_DURATION, parse_duration

    time = parse_duration(text) * 1000
    if time < 0:
        raise ValueError(EXPECTED_DURATION)
    return time


def _parsed(option: str, text: str, parse: Callable[[str], int]) -> int:
    try:
        return parse(text)
    except ValueError as error:
        raise HintedError(f"{option} {text}: {error}") from None
