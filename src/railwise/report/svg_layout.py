"""Where every box of a topology drawing goes: nested boxes with a cell for each node, at three sizes of cluster.

Cells keep one size whatever a domain holds, so that a place in the picture is a place in the cluster and two pictures
of one cluster can be laid over each other. What changes with the number of nodes is the size of the cell: with names
and single cards for a few racks, a bar of cards for hundreds of nodes, a small square for thousands.
"""

from __future__ import annotations

from typing import NamedTuple

from railwise.report.domains import Domain
from railwise.report.svg_canvas import text_width


class Scale(NamedTuple):
    """Sizes in pixels: the bar of a node's cards, the name before it (0: none), gaps, padding, header, font sizes."""

    bar: int
    name: int
    height: int
    gap: int
    pad: int
    header: int
    title: int
    font: int


class Box(NamedTuple):
    """A domain placed relative to its parent: its own size, its children, or the number of node columns in it."""

    domain: Domain
    x: int
    y: int
    width: int
    height: int
    label: str
    children: tuple[Box, ...] = ()
    columns: int = 0


FEW_NODES = 96
SOME_NODES = 640
_TALLEST_COLUMN = 18
_PER_ROW = ((1,), (1, 2, 3, 4, 6, 8), (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24))
"""How many children a row may hold, by how many nested levels are still tried out; more than two would explode."""

_MANY = (4000, 400)
"""Up to so many domains one nested level is tried out, and two."""


def scale_for(root: Domain) -> Scale:
    """Return the sizes that suit a cluster of this many nodes and cards."""
    cards = max((len(use.cards) for use in root.nodes), default=0)
    if len(root.nodes) <= FEW_NODES:
        longest = max((len(use.node.name) for use in root.nodes), default=0)
        return Scale(max(cards, 4) * 13, min(text_width("m" * longest, 10), 130) + 6, 13, 4, 8, 20, 12, 10)
    if len(root.nodes) <= SOME_NODES:
        return Scale(56, 0, 13, 3, 7, 17, 11, 9)
    return Scale(11, 0, 11, 2, 5, 13, 9, 7)


def free_label(domain: Domain) -> str:
    """Return what the header of a box says on its right side."""
    if not domain.cards:
        return ""
    if domain.free == domain.cards:
        return "free"
    return "full" if domain.used == domain.cards else f"{domain.free} free"


def arrange(root: Domain, width: int, scale: Scale) -> Box:
    """Return the root with everything inside placed, at most ``width`` pixels wide where the cells allow it."""
    if not root.children:
        return _grid(root, root.name, scale, max(width // _cell_width(scale), 1), frame=(0, 0))
    domains = _count(root)
    tries = sum(1 for most in _MANY if domains <= most)
    return _family(root, root.name, width, scale, frame=(0, 0), tries=tries)


def _count(domain: Domain) -> int:
    return 1 + sum(_count(child) for child in domain.children)


def _placed(domain: Domain, width: int, scale: Scale, tries: int) -> Box:
    """Return a domain's box at its own origin; a chain of only children shares one box and one label."""
    label = domain.name or "–"
    while len(domain.children) == 1:
        domain = domain.children[0]
        label = f"{label} / {domain.name or '–'}"
    frame = (scale.pad, scale.header)
    if domain.children:
        return _family(domain, label, width, scale, frame, tries=tries)
    nodes = max(len(domain.nodes), 1)
    if scale.name:
        columns = -(-nodes // _TALLEST_COLUMN)
    else:
        columns = _squarest(nodes, _cell_width(scale), scale.height + scale.gap)
    most = max((width - 2 * scale.pad + scale.gap) // _cell_width(scale), 1)
    return _grid(domain, label, scale, min(columns, most), frame)


def _cell_width(scale: Scale) -> int:
    return scale.name + scale.bar + scale.gap


def _squarest(nodes: int, width: int, height: int) -> int:
    """Return how many columns make a block of cells about as wide as high, with few gaps in the last row."""
    columns = 1
    while columns < nodes and columns * width < -(-nodes // columns) * height:
        columns += 1
    near = [count for count in (columns, columns + 1, columns - 1) if 1 <= count <= nodes]
    return min(near, key=lambda count: -nodes % count)


def _grid(domain: Domain, label: str, scale: Scale, columns: int, frame: tuple[int, int]) -> Box:
    pad, header = frame
    rows = -(-max(len(domain.nodes), 1) // columns)
    width = columns * _cell_width(scale) - scale.gap
    if header:
        width = max(width, _header_width(domain, label, scale))
    height = rows * (scale.height + scale.gap) - scale.gap
    return Box(domain, 0, 0, width + 2 * pad, height + header + pad, label, (), columns)


def _header_width(domain: Domain, label: str, scale: Scale) -> int:
    if not domain.cards:
        return text_width(label, scale.title)
    sample = max("999 free", free_label(domain), key=len)
    return text_width(max("r000", label, key=len), scale.title) + 8 + text_width(sample, scale.font)


def _family(domain: Domain, label: str, width: int, scale: Scale, frame: tuple[int, int], *, tries: int) -> Box:
    """Place the children in rows; where they have children themselves, the number a row holds is tried out."""
    pad, header = frame
    room = max(width - 2 * pad, 1)
    nested = any(child.children for child in domain.children)
    counts = [count for count in _PER_ROW[tries if nested else 0] if count <= len(domain.children)]
    ways = [_rows(domain, room, scale, count, max(tries - 1, 0)) for count in counts]
    children, inner_width, inner_height = min(ways, key=lambda found: (max(found[1] - room, 0), found[2]))
    if header:
        inner_width = max(inner_width, _header_width(domain, label, scale))
    inside = tuple(_moved(box, pad, header) for box in children)
    return Box(domain, 0, 0, inner_width + 2 * pad, inner_height + header + pad, label, inside)


def _rows(domain: Domain, room: int, scale: Scale, count: int, tries: int) -> tuple[tuple[Box, ...], int, int]:
    share = max((room - (count - 1) * scale.pad) // count, 1)
    boxes = [_placed(child, share, scale, tries) for child in domain.children]
    widest = max(box.width for box in boxes)
    even = [box._replace(width=widest) if 4 * box.width >= 3 * widest else box for box in boxes]
    return _flow(even, room, scale.pad)


def _flow(boxes: list[Box], room: int, gap: int) -> tuple[tuple[Box, ...], int, int]:
    """Place boxes in rows from left to right; equal boxes are spread evenly over the rows they need."""
    widest = max(box.width for box in boxes)
    per_row = max((room + gap) // (widest + gap), 1)
    rows = -(-len(boxes) // per_row)
    limit = -(-len(boxes) // rows) if all(box.width == widest for box in boxes) else len(boxes)
    placed: list[Box] = []
    x = y = height = width = in_row = 0
    for box in boxes:
        if in_row and (in_row == limit or x + box.width > room):
            x, y, height, in_row = 0, y + height + gap, 0, 0
        placed.append(_moved(box, x, y))
        x += box.width + gap
        width = max(width, x - gap)
        height = max(height, box.height)
        in_row += 1
    return tuple(placed), width, y + height


def _moved(box: Box, dx: int, dy: int) -> Box:
    return box._replace(x=box.x + dx, y=box.y + dy)
