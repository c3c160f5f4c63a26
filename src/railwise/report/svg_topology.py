"""The topology as a drawing: nested boxes for domains, a cell for each node, its cards coloured by who runs there.

The picture answers "who sits where, and what is left" at a glance: hollow is free, a colour with letters is a workload
of this plan, grey is what ran before. Every cell carries its facts as a tooltip, the whole picture as a description.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from railwise.formats.hostlist import fold
from railwise.model.plan import State
from railwise.report.domains import domain_tree
from railwise.report.marks import Mark, marks
from railwise.report.occupancy import NodeUse, Occupancy
from railwise.report.svg_canvas import Canvas, document, shortened, text_width
from railwise.report.svg_layout import Box, Scale, arrange, free_label, scale_for
from railwise.report.svg_legend import draw_legend, entries, states_in
from railwise.report.svg_style import fill_class, ink_class, stylesheet
from railwise.report.wording import counted

MARGIN = 20
GUTTER = 32
WIDTH = 1200
NARROWEST = 560


@dataclass(frozen=True)
class Panel:
    """One cluster at one moment, under a title and a caption."""

    title: str
    moment: Occupancy
    caption: str = ""


def topology_svg(panel: Panel) -> str:
    """Return one cluster as an SVG document."""
    return panels_svg(panel.title, [panel])


def panels_svg(title: str, panels: Sequence[Panel]) -> str:
    """Return several moments or policies of one cluster side by side under one title, with one legend.

    Args:
        title: of the whole picture.
        panels: at least one; all of the same scenario, so that a workload has the same mark in each.
    """
    told = next((panel.moment for panel in panels if panel.moment.plan), panels[0].moment)
    shown = marks(told.scenario, told.plan)
    columns = 3 if len(panels) % 3 == 0 else min(len(panels), 2)
    inner = (WIDTH - 2 * MARGIN - (columns - 1) * GUTTER) // columns
    drawn = [_draw_panel(panel, inner, shown, heading=len(panels) > 1) for panel in panels]
    step = max(width for _, width, _ in drawn) + GUTTER
    width = max(columns * step - GUTTER + 2 * MARGIN, NARROWEST)
    page = Canvas()
    y = MARGIN + 16
    page.text(MARGIN, y, shortened(title, width - 2 * MARGIN, 20), "ink t20")
    if len(panels) == 1 and panels[0].caption:
        y += 20
        page.text(MARGIN, y, shortened(panels[0].caption, width - 2 * MARGIN, 12), "muted t12")
    y += MARGIN - 4
    for start in range(0, len(drawn), columns):
        row = drawn[start : start + columns]
        for index, (part, _, _) in enumerate(row):
            page.raw(f'<g transform="translate({MARGIN + index * step} {y})">')
            page.parts.extend(part.parts)
            page.close_group()
        y += max(height for _, _, height in row) + MARGIN
    named = entries(panels[0].moment.scenario, [panel.moment.plan for panel in panels], shown)
    uses = [use for panel in panels for use in panel.moment.uses]
    y = draw_legend(page, named, states_in(uses, shown), (MARGIN, y), width - 2 * MARGIN) + MARGIN
    paper = Canvas()
    paper.rect(0, 0, width, y, "paper", 6)
    page.parts[:0] = paper.parts
    return document(page, width, y, title, " ".join(describe(panel) for panel in panels), stylesheet())


def describe(panel: Panel) -> str:
    """Return the facts of a panel as a few sentences, for who does not see the drawing."""
    root = domain_tree(panel.moment)
    words = [f"{panel.title}: {len(root.nodes)} nodes with {root.cards} cards, {root.free} card-slots free."]
    nodes: dict[str, list[str]] = {}
    for use in root.nodes:
        for name, _ in use.pods:
            nodes.setdefault(name, []).append(use.node.name)
    words += [f"{name} runs on {counted(len(names), 'node')}: {fold(names)}." for name, names in nodes.items()]
    if panel.moment.plan:
        words += [
            f"{entry.name} waits: {entry.reason.code.value}."
            for entry in panel.moment.plan.workloads
            if entry.state is State.PENDING and entry.reason
        ]
    return " ".join(words)


def _draw_panel(panel: Panel, width: int, shown: Mapping[str, Mark], *, heading: bool) -> tuple[Canvas, int, int]:
    canvas = Canvas()
    y = 0
    if heading:
        canvas.text(0, 14, shortened(panel.title, width, 14), "ink t14 b")
        canvas.text(0, 32, shortened(panel.caption, width, 12), "muted t12")
        y = 42
    root = domain_tree(panel.moment)
    scale = scale_for(root)
    box = arrange(root, width, scale)
    for child in box.children:
        _draw_box(canvas, child, (0, y), scale, shown, depth=1)
    if not box.children:
        _draw_nodes(canvas, box, (0, y), (0, 0), scale, shown)
    return canvas, box.width, y + box.height


def _draw_box(
    canvas: Canvas, box: Box, origin: tuple[int, int], scale: Scale, shown: Mapping[str, Mark], *, depth: int
) -> None:
    x, y = origin[0] + box.x, origin[1] + box.y
    canvas.open_group(_domain_title(box))
    canvas.rect(x, y, box.width, box.height, "inner" if depth % 2 == 0 else "box", 4)
    left, right = x + scale.pad, x + box.width - scale.pad
    free = free_label(box.domain)
    spare = right - left - (text_width(free, scale.font) + 6 if free else 0)
    baseline = y + scale.header * 7 // 10
    canvas.text(left, baseline, shortened(box.label, max(spare, scale.title), scale.title), f"ink b t{scale.title}")
    if free and spare >= scale.title:
        canvas.text(right, baseline, free, f"{'accent' if free == 'free' else 'muted'} t{scale.font}", "end")
    for child in box.children:
        _draw_box(canvas, child, (x, y), scale, shown, depth=depth + 1)
    if not box.children:
        _draw_nodes(canvas, box, (x, y), (scale.pad, scale.header), scale, shown)
    canvas.close_group()


def _domain_title(box: Box) -> str:
    domain = box.domain
    return f"{domain.level} {domain.path}: {len(domain.nodes)} nodes, {domain.free} of {domain.cards} card-slots free"


def _draw_nodes(
    canvas: Canvas,
    box: Box,
    origin: tuple[int, int],
    inset: tuple[int, int],
    scale: Scale,
    shown: Mapping[str, Mark],
) -> None:
    cell = scale.name + scale.bar + scale.gap
    rows = -(-len(box.domain.nodes) // box.columns) if box.columns else 0
    for index, use in enumerate(box.domain.nodes):
        column, row = (index // rows, index % rows) if scale.name else (index % box.columns, index // box.columns)
        x = origin[0] + inset[0] + column * cell
        y = origin[1] + inset[1] + row * (scale.height + scale.gap)
        canvas.open_group(_node_title(use))
        if scale.name:
            name = shortened(use.node.name, scale.name - 4, scale.font)
            canvas.text(x, y + scale.height - 3, name, f"muted mono t{scale.font}")
        _draw_bar(canvas, use, (x + scale.name, y), scale, shown)
        canvas.close_group()


def _node_title(use: NodeUse) -> str:
    state = {"ready": "", "notReady": ", not ready", "cordoned": ", cordoned"}[use.state]
    runs = [f"{name}: {pods} pod{'s' if pods > 1 else ''}" for name, pods in use.pods]
    sick = [str(card) for card, state_of in enumerate(use.cards) if not state_of.healthy]
    facts = [f"{use.node.name}{state}", f"{use.free} of {len(use.cards)} card-slots free", *runs]
    facts += [f"unhealthy cards: {', '.join(sick)}"] if sick else []
    facts += [f"kept for {use.kept_for}"] if use.kept_for else []
    return "; ".join(facts)


def _draw_bar(canvas: Canvas, use: NodeUse, place: tuple[int, int], scale: Scale, shown: Mapping[str, Mark]) -> None:
    x, y = place
    cards = len(use.cards)
    edges = [card * scale.bar // cards for card in range(cards + 1)] if cards else [0, scale.bar]
    for label, first, count in use.runs():
        mark = shown.get(label)
        cells = list(range(first, first + count + 1)) if scale.name else [first, first + count]
        for left, right in pairwise(cells):
            width = edges[right] - edges[left] - (1 if scale.name and cards else 0)
            _draw_cell(canvas, label, (x + edges[left], y), (max(width, 1), scale.height), mark)
            if use.kept_for and not label:
                canvas.rect(x + edges[left], y, max(width, 1), scale.height, "", 2, 'fill="url(#rw-keep)"')
        text = mark.letters if mark else "+" if label == "+" else ""
        last = first + 1 if scale.name and len(text) == 1 else first + count
        if text and text_width(text, scale.font) <= edges[last] - edges[first]:
            middle = x + (edges[first] + edges[last] - (1 if scale.name else 0)) // 2
            css = ink_class(mark) if mark else "keptink"
            canvas.text(middle, y + scale.height - 3, text, f"{css} b t{scale.font}", "middle")
    if use.state != "ready":
        canvas.rect(x - 1, y - 1, scale.bar + 2, scale.height + 2, "off", 2)
    if use.state == "notReady":
        canvas.line(x, y + scale.height, x + scale.bar, y, "cross")


def _draw_cell(canvas: Canvas, label: str, place: tuple[int, int], size: tuple[int, int], mark: Mark | None) -> None:
    (x, y), (width, height) = place, size
    radius = 2 if 2 * width > height else 1
    canvas.rect(x, y, width, height, fill_class(mark) if mark else "kept" if label == "+" else "free", radius)
    if mark and mark.fresh and mark.pattern:
        canvas.rect(x, y, width, height, "", radius, f'fill="url(#rw-p{mark.pattern})"')
    if label == "!":
        canvas.line(x + 1, y + 2, x + width - 1, y + height - 2, "cross")
        canvas.line(x + 1, y + height - 2, x + width - 1, y + 2, "cross")
