"""One badly placed workload as a picture: a box for each domain it lies in, arcs for the connections that leave it.

Boxes stand in tree order under the name of what is around them, so that an arc that leaves more is also a longer one;
its colour and its dashes say which level it crosses, its width and its number how many connections it stands for.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from railwise.report.cuts import Cut, Edge, together
from railwise.report.svg_canvas import Canvas, clean, shortened

WIDTH = 540
TOP = 20
ARC = 74
BOX = 58
_GAP = 10
_LEVELS = 4
"""So many levels have a look of their own; wider ones share the last."""


def cut_svg(cut: Cut, levels: Sequence[str], title: str) -> str:
    """Return the picture of a workload's places and cut connections, for a page."""
    shown = together(cut)
    canvas = Canvas()
    count = len(shown.places)
    box = min(max((WIDTH - (count - 1) * _GAP) // max(count, 1), 14), 120)
    left = (WIDTH - count * box - (count - 1) * _GAP) // 2
    base = TOP + ARC
    middles = [left + index * (box + _GAP) + box // 2 for index in range(count)]
    outer = [edge for edge in shown.edges if edge.level >= 0]
    most = max((edge.number for edge in outer), default=1)
    for edge in sorted(outer, key=lambda one: (-one.level, one.number)):
        _arc(canvas, edge, middles, base, most, len(levels))
    for index, place in enumerate(shown.places):
        x = left + index * (box + _GAP)
        inside = sum(edge.number for edge in shown.edges if edge.first == edge.second == index)
        canvas.open_group(f"{'/'.join(place.path)}: {place.nodes} nodes, {inside} connections inside")
        canvas.rect(x, base, box, BOX, "box", 4)
        _nodes(canvas, place.nodes, (x, base), box)
        canvas.text(x + box // 2, base + BOX - 6, shortened(place.path[-1] or "–", box - 4, 10), "ink t10", "middle")
        canvas.close_group()
    _parents(canvas, shown, (left, base + BOX), box)
    height = base + BOX + 24
    body = "\n".join(canvas.parts)
    return f'<svg viewBox="0 0 {WIDTH} {height}" class="cut" role="img" aria-label="{clean(title)}">{body}</svg>'


def level_class(level: int, depth: int) -> str:
    """Return the class of an arc that crosses a level (0 widest) of so many: ``x0`` the narrowest."""
    return f"x{min(depth - 1 - level, _LEVELS - 1)}"


def _arc(canvas: Canvas, edge: Edge, middles: Sequence[int], base: int, most: int, depth: int) -> None:
    one, other = middles[edge.first], middles[edge.second]
    width = 1.2 + 4.0 * sqrt(edge.number / most)
    reach = (other - one) / max(middles[-1] - middles[0], 1)
    top = base - 12 - round((ARC - 8) * sqrt(reach))
    css = level_class(edge.level, depth)
    curve = f"M{one} {base}C{one} {top} {other} {top} {other} {base}"
    canvas.raw(f'<path d="{curve}" class="arc {css}" stroke-width="{width:.1f}"/>')
    if edge.number > 1 and (other - one) > 26:  # noqa: PLR2004 -- room for a number
        canvas.text(
            (one + other) // 2, base - 3 * (base - top) // 4 - 3, str(edge.number), f"t10 b halo {css}t", "middle"
        )


def _nodes(canvas: Canvas, nodes: int, place: tuple[int, int], box: int) -> None:
    """Draw a small square a node, or their number where there is no room for them."""
    per_row = max((box - 6) // 9, 1)
    if nodes <= 3 * per_row:
        for index in range(nodes):
            row, column = divmod(index, per_row)
            inset = (box - min(nodes, per_row) * 9 + 2) // 2
            canvas.rect(place[0] + inset + column * 9, place[1] + 8 + row * 9, 7, 7, "cell", 1)
    else:
        canvas.text(place[0] + box // 2, place[1] + 24, str(nodes), "ink b t12", "middle")


def _parents(canvas: Canvas, cut: Cut, origin: tuple[int, int], box: int) -> None:
    """Write below the boxes what is around them, once for neighbours in one domain."""
    x, y = origin
    start = 0
    for index in range(1, len(cut.places) + 1):
        if index < len(cut.places) and cut.places[index].path[:-1] == cut.places[start].path[:-1]:
            continue
        parent = "/".join(name or "–" for name in cut.places[start].path[:-1])
        first, last = x + start * (box + _GAP), x + (index - 1) * (box + _GAP) + box
        if parent:
            canvas.line(first, y + 6, last, y + 6, "brace")
            canvas.text((first + last) // 2, y + 19, shortened(parent, last - first + _GAP, 10), "muted t10", "middle")
        start = index
