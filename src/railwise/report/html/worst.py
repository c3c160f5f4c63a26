"""The worst-placed workloads of each policy, as cards with a picture and the same in words."""

from __future__ import annotations

from railwise.report.cuts import Cut, Cuts, excess
from railwise.report.html.markup import esc
from railwise.report.html.payload import cut as shortened
from railwise.report.run_data import Comparison, RunData
from railwise.report.spreads import first_topology
from railwise.report.svg_cuts import cut_svg, level_class
from railwise.report.wording import counted, joined, span, thousandths

MOST = 4
MOST_IN_ALL = 12

_SLOWER = 1005
"""A step is told from this part of the best one on, in thousandths."""


def worst_placed(comparison: Comparison) -> str:
    """Return the cards of every policy, each policy's in a block that the page's switch shows or hides."""
    cuts = Cuts(comparison.scenario)
    levels = [level.name for level in first_topology(comparison.scenario).levels]
    blocks: list[str] = []
    most = min(MOST, max(MOST_IN_ALL // len(comparison.policies()), 1))
    for index, policy in enumerate(comparison.policies()):
        run = comparison.first(policy)
        ranked = cuts.ranked(run)
        found = [cuts.describe(stint) for stint in ranked[:most]]
        cards = "".join(_card(comparison, run, cut, levels) for cut in found)
        inner = f'<div class="cards">{cards}</div>' if cards else "<p>Nothing lay wider than it had to.</p>"
        had = "it" if len(ranked) == 1 else "they"
        head = f"<h3>{esc(policy)}: {counted(len(ranked), 'workload')} lay wider than {had} had to</h3>"
        blocks.append(f'<div class="of-policy" data-run="{index}">{head}{inner}</div>')
    return _legend(levels) + "".join(blocks)


def _legend(levels: list[str]) -> str:
    items = "".join(
        f'<li><svg viewBox="0 0 26 10" class="key" aria-hidden="true"><path d="M1 8C6 0 20 0 25 8" '
        f'class="arc {level_class(index, len(levels))}" stroke-width="2"/></svg>leaves a {esc(name)}</li>'
        for index, name in reversed(list(enumerate(levels)))
    )
    return f'<ul class="legend">{items}</ul>'


def _card(comparison: Comparison, run: RunData, cut: Cut, levels: list[str]) -> str:
    workload = comparison.scenario.workloads[cut.job]
    name = shortened(workload.name)
    nodes = len({node for node, _ in cut.stint.places})
    gpus = sum(gpus for _, gpus in cut.stint.places)
    facts = (
        f"{thousandths(gpus)} GPUs on {counted(nodes, 'node')}, from {span(cut.stint.start)} to {span(cut.stint.end)}."
    )
    over = joined(excess(cut, levels))
    kind = "neighbours in the ring of ranks" if cut.ring else "pairs that speak to each other"
    left = joined([f"{number} leave a {level}" for level, number in zip(levels, cut.cut, strict=True) if number])
    slow = 1000 * cut.stint.step // cut.stint.best if cut.stint.best else 0
    step = f" A step there takes {slow / 1000:.2f} × the best one, as predicted." if slow > _SLOWER else ""
    words = f"It lay in {over}. Of {cut.connections} {kind}, {left}.{step}"
    title = f"{name} under {run.policy}: {over}"
    return (
        f'<article class="card"><h4>{esc(name)}</h4><p class="hint">{esc(facts)}</p>'
        f"{cut_svg(cut, levels, title)}<p>{esc(words)}</p></article>"
    )
