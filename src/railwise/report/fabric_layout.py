"""Where everything of a fabric's drawing goes: spine groups around leaf groups, leaves above servers, in whole pixels.

A leaf group is a box with a strip of leaves and below it its servers, each a bar of as many segments as it has rails,
so that a column of segments under a leaf is a rail. Groups flow from left to right and start a new row where the page
ends. Large fabrics get small bars without names; what a bar is stands in its tooltip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from railwise.fabric.fabric_map import LEAF_GROUP, UPPER, Map, MapDomain
from railwise.model.natural import natural_key
from railwise.report.svg_canvas import text_width

PAGE = 1200
MARGIN = 20
PAD = 10
HEADER = 22
STRIP = 18
SMALL = 160
"""More servers than this are drawn without names."""

LARGE = 2000
"""More servers than this are drawn as the smallest bars."""


@dataclass(frozen=True, slots=True)
class Bars:
    """How a server is drawn: width of its name (0: none), of one segment, height, and the gap to the next."""

    name: int
    segment: int
    height: int
    gap: int


@dataclass(slots=True)
class Spot:
    """A server: its name, where its bar begins, and how many segments it has."""

    server: str
    x: int
    y: int
    segments: int


@dataclass(slots=True)
class GroupBox:
    """A leaf group: its domain, its box, its leaves as (name, x), its servers, and boxes around scale-up domains."""

    domain: MapDomain
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    leaves: list[tuple[str, int]] = field(default_factory=list)
    servers: list[Spot] = field(default_factory=list)
    inner: list[tuple[str, int, int, int, int]] = field(default_factory=list)


@dataclass(slots=True)
class SpineBox:
    """A domain of the level above (None: no such level): its box, and the groups in it."""

    domain: MapDomain | None
    groups: list[GroupBox]
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


def bars_for(found: Map) -> Bars:
    """Return how servers are drawn, by how many there are and how long their names are."""
    servers = sum(len(domain.servers) for domain in found.domains if domain.level == LEAF_GROUP)
    longest = max((len(name) for name in found.places), default=0)
    if servers <= SMALL:
        return Bars(min(text_width("x" * longest, 9) + 6, 110), 10, 11, 3)
    return Bars(0, 5, 7, 2) if servers <= LARGE else Bars(0, 2, 3, 1)


def arrange(found: Map, bars: Bars, top: int) -> list[SpineBox]:
    """Return the boxes below ``top``, each with its place on the page."""
    by_parent: dict[str, list[GroupBox]] = {}
    inner = found.scale_up_of()
    for domain in found.domains:
        if domain.level == LEAF_GROUP:
            by_parent.setdefault(domain.parent, []).append(_group(domain, found, bars, inner))
    uppers = {domain.name: domain for domain in found.domains if domain.level == UPPER[0]}
    boxes = [SpineBox(uppers.get(parent), groups) for parent, groups in by_parent.items()]
    y = top
    for box in boxes:
        y = _flow(box, y) + PAD
    return boxes


def _group(domain: MapDomain, found: Map, bars: Bars, inner: dict[str, str]) -> GroupBox:
    """Return a group with everything placed relative to its own corner."""
    box = GroupBox(domain)
    rails = found.rails.get(domain.name, ())
    segments = sum(rail.links for rail in rails) or 1
    bar = bars.name + segments * bars.segment
    place = 0
    runs = _runs(domain.servers, inner)
    first = PAD + bars.name + (PAD // 2 if runs and runs[0][0] else 0)
    for rail in rails:
        box.leaves.append((rail.leaf, first + place * bars.segment))
        place += rail.links
    x, bottom = PAD, 0
    for name, servers in runs:
        rows = _rows(len(servers), bars)
        start = x
        inset = PAD // 2 if name else 0
        for index, server in enumerate(servers):
            column, row = divmod(index, rows)
            left = start + inset + column * (bar + PAD)
            y = HEADER + STRIP + (14 if name else 0) + row * (bars.height + bars.gap)
            box.servers.append(Spot(server, left, y, segments))
            bottom = max(bottom, y + bars.height)
        columns = -(-len(servers) // rows)
        width = columns * (bar + PAD) - PAD + 2 * inset
        if name:
            height = 14 + rows * (bars.height + bars.gap) + 4
            box.inner.append((name, start, HEADER + STRIP - 2, width, height))
            bottom = max(bottom, HEADER + STRIP - 2 + height)
        x = start + width + PAD
    label = text_width(domain.name, 12) + text_width(str(len(domain.servers)), 10) + 4 * PAD
    box.width = max(x, label, 90)
    box.height = bottom + PAD
    return box


def _runs(servers: Sequence[str], inner: dict[str, str]) -> list[tuple[str, list[str]]]:
    """Return the servers by scale-up domain, those without one first."""
    runs: dict[str, list[str]] = {}
    for server in servers:
        runs.setdefault(inner.get(server, ""), []).append(server)
    return sorted(runs.items(), key=lambda run: natural_key(run[0]) if run[0] else ())


def _rows(servers: int, bars: Bars) -> int:
    """Return how many servers stand in one column."""
    most = 18 if bars.name else 24 if bars.height > 4 else 48  # noqa: PLR2004 -- the smallest bars
    return min(servers, most)


def _flow(box: SpineBox, y: int) -> int:
    """Place the groups of a box in rows; return where the box ends."""
    box.x, box.y = MARGIN, y
    left = MARGIN + (PAD if box.domain else 0)
    x, row_y, row_height = left, y + (HEADER + 4 if box.domain else 0), 0
    widest = 0
    for group in box.groups:
        if x > left and x + group.width > PAGE - MARGIN - PAD:
            x, row_y, row_height = left, row_y + row_height + PAD, 0
        group.x, group.y = x, row_y
        x += group.width + PAD
        widest = max(widest, x - MARGIN)
        row_height = max(row_height, group.height)
    box.width = max(widest, 260)
    box.height = row_y + row_height + (PAD if box.domain else 0) - y
    return y + box.height
