"""An estimate for people: a workload's step at its place against one domain of each level, and a wrong formula."""

from __future__ import annotations

from fractions import Fraction

from railwise.engine.step_estimates import StepEstimate
from railwise.formats.hostlist import fold
from railwise.report.cost_text import time_text
from railwise.report.table import BAD, GOOD, STRONG, Cell, Column, Table, row, table
from railwise.report.wording import joined, thousandths
from railwise.traffic.collectives import all_reduce, hardware
from railwise.traffic.copied import NVLINK_GIGABITS, OWN_EXAMPLE, copied_formula
from railwise.traffic.links import GIGA
from railwise.traffic.placement_time import Step

MEGA = 1_000_000
FEW = 2
"""So few ranks are no case against the formula."""

NOT_FITTING = "does not fit"


def place_table(found: StepEstimate) -> Table:
    """Return the step here and inside one domain of each level, with the factor to the quickest."""
    steps = [step.total() for _, step in found.levels if step is not None]
    steps += [step.total() for step in (found.here, found.beside) if step is not None]
    quickest, slowest = min(steps, default=0), max(steps, default=0)

    def line(place: str | Cell, step: Step | None) -> tuple[Cell, ...]:
        if step is None:
            return row(place, Cell(NOT_FITTING), "", "")
        total = step.total()
        tone = "" if quickest == slowest else GOOD if total == quickest else BAD if total == slowest else ""
        factor = f"{thousandths(total * 1000 // quickest // 10 * 10)} ×" if quickest else ""
        return row(place, Cell(time_text(total), tone), factor, bottleneck(step))

    here = [line(Cell("here, by the plan", STRONG), found.here)] if found.here is not None else []
    if found.beside is not None:
        here.append(line(f"here, while {joined(found.neighbours)} speak too", found.beside))
    rows = [*here, *(line(f"inside one {level}", step) for level, step in found.levels)]
    return table(["PLACE", Column("A STEP", right=True), Column("TO THE BEST", right=True), "SLOWEST LINK"], rows)


def bottleneck(step: Step) -> str:
    """Return the link over which the most time is spent in a step."""
    spent: dict[str, int] = {}
    for cost in step.costs:
        longest = max(cost.phases, key=lambda one: one.transfer)
        spent[longest.link] = spent.get(longest.link, 0) + cost.times * longest.transfer
    return max(spent, key=lambda link: spent[link], default="")


def opening(found: StepEstimate) -> list[Cell | str]:
    """Return what is estimated, and where."""
    if found.here is None:
        return [
            Cell(f"{found.name} ({found.pattern}) waits; inside one domain of each level a step would take:", STRONG)
        ]
    where = fold(list(found.nodes))
    return [Cell(f"{found.name} ({found.pattern}) on {where}: {time_text(found.here.total())} a step", STRONG)]


def closing(found: StepEstimate) -> list[str]:
    """Return what the figures rest on."""
    step = found.here or next((step for _, step in found.levels if step is not None), None)
    if step is None:
        return []
    lines = [f"Assumed, since the scenario does not say: {joined(step.assumed)}."] if step.assumed else []
    known = "Compute is added as given." if step.compute else "Communication alone; the scenario names no `compute`."
    return [*lines, f"{known} Levels: as few nodes as hold it, spread over the largest domain of the level when empty."]


def copied_lines(nodes: int, cards: int, nic_bits: int, size: int) -> list[Cell | str]:
    """Return what the copied formula says to the same question, and why that is wrong."""
    said = copied_formula(cards, nodes, NVLINK_GIGABITS, max(1, nic_bits // GIGA), Fraction(size, MEGA))
    own = copied_formula(*OWN_EXAMPLE)
    made = hardware(OWN_EXAMPLE.network * GIGA)
    inside, between = (
        all_reduce(made, count, OWN_EXAMPLE.gpus, OWN_EXAMPLE.megabytes * MEGA).total()
        for count in (1, OWN_EXAMPLE.nodes)
    )
    intra, inter, ranks = _plain(said.intra), _plain(said.inter), max(cards, nodes)
    factor = f" ({_plain(Fraction(ranks, 2))} × for {ranks})" if ranks > FEW else ""
    pair, slower = f"({_plain(own.intra)}, {_plain(own.inter)})", _plain(own.intra / own.inter)
    times = f"{time_text(inside)} on one node of {OWN_EXAMPLE.gpus}, {time_text(between)} on {OWN_EXAMPLE.nodes}"
    return [
        Cell(
            "The formula msg·(n-1)/(bw/8)/1e3, which is often copied, says "
            f"{intra} “ms” inside a node and {inter} “ms” between nodes. It is wrong:",
            STRONG,
        ),
        "- Megabytes over gigabytes a second are milliseconds already: after /1e3 the figures are seconds.",
        (
            "- It grows with n-1. A ring carries 2(n-1)/n of the message over each link, so it says n/2 times too much"
            f"{factor}, and it knows no latency, which rules short messages."
        ),
        (
            f"- It is used with {NVLINK_GIGABITS} Gbit/s for NVLink. NVLink 4 carries 450 gigabytes a second each way, "
            "3,600 Gbit/s, and every card has a NIC of its own."
        ),
        (
            f"- Its own example {tuple(OWN_EXAMPLE)} gives {pair}: rounded to a tenth that is (0.0, 0.0), and "
            f"unrounded NVLink looks {slower} times slower than the network. Here: {times}."
        ),
    ]


def _plain(value: Fraction) -> str:
    """Return three significant digits without an exponent, whole numbers bare."""
    text = f"{float(value):.3g}"
    return f"{float(value):.0f}" if "e" in text and value >= 1 else text
