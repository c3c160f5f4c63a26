"""A fabric as a drawing: which servers are one leaf group, which rail each NIC is on, and what is wrong.

Colour and number tell the rail, a hollow crossed segment a rail that a server lacks, a red line a cable in the wrong
port, from where it is plugged to where it should be. The picture is for looking; every fact in it is also text, as
tooltips, as its description and as the tables of ``railwise fabric show``.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.fabric.fabric_map import LEAF_GROUP, Map
from railwise.fabric.findings import Finding, Kind
from railwise.formats.hostlist import fold
from railwise.report.fabric_findings import finding_text
from railwise.report.fabric_layout import HEADER, MARGIN, PAD, STRIP, Bars, GroupBox, SpineBox, arrange, bars_for
from railwise.report.fabric_tables import headline
from railwise.report.marks import COLOURS, PATTERNS
from railwise.report.svg_canvas import Canvas, document, shortened, text_width
from railwise.report.svg_style import stylesheet

Point = tuple[int, int]

NARROWEST = 560
MOST_LINES = 60
"""So many wrong cables are drawn; of more only the segments are marked."""

MOST_TOLD = 20
"""So many findings are part of the description."""

_WRONG = (Kind.MISWIRED, Kind.RAIL_SWAPPED)
_LINE = 'style="fill:none;stroke-width:1.6;stroke-dasharray:4 3"'


def fabric_svg(found: Map, title: str) -> str:
    """Return the drawing of a map as an SVG document."""
    page = Canvas()
    bars = bars_for(found)
    boxes = arrange(found, bars, MARGIN + 50)
    width = max([NARROWEST, *(box.x + box.width + MARGIN for box in boxes)])
    page.text(MARGIN, MARGIN + 16, shortened(title or "The fabric", width - 2 * MARGIN, 20), "ink t20")
    page.text(MARGIN, MARGIN + 36, shortened(headline(found), width - 2 * MARGIN, 12), "muted t12")
    wrong = _wrong_ends(found)
    spots: dict[str, Point] = {}
    for box in boxes:
        _draw_spine(page, box, found, bars, wrong, spots)
    _draw_lines(page, found, spots)
    bottom = max((box.y + box.height for box in boxes), default=MARGIN + 50) + PAD
    bottom = _draw_legend(page, found, bottom + 6, width)
    paper = Canvas()
    paper.rect(0, 0, width, bottom, "paper", 6)
    page.parts[:0] = paper.parts
    return document(page, width, bottom, title or "The fabric", describe(found), stylesheet())


def describe(found: Map) -> str:
    """Return the facts of the drawing as sentences."""
    words = [f"{headline(found)}."]
    groups = [domain for domain in found.domains if domain.level == LEAF_GROUP]
    words += [f"{one.name}: {fold(one.servers)} on {fold(one.switches)}." for one in groups]
    words += [f"{one.kind.value}: {finding_text(one)}." for one in found.findings[:MOST_TOLD]]
    if len(found.findings) > MOST_TOLD:
        words.append(f"And {len(found.findings) - MOST_TOLD} more findings.")
    return " ".join(words)


def _wrong_ends(found: Map) -> dict[str, list[Finding]]:
    """Return the wrong cables by the server they begin at."""
    ends: dict[str, list[Finding]] = {}
    for one in found.of_kind(*_WRONG):
        for port in one.ports:
            device = port.partition("/")[0]
            if device in found.places:
                ends.setdefault(device, []).append(one)
    return ends


def _draw_spine(
    page: Canvas,
    box: SpineBox,
    found: Map,
    bars: Bars,
    wrong: Mapping[str, list[Finding]],
    spots: dict[str, Point],
) -> None:
    if box.domain is not None:
        page.open_group(f"{box.domain.level} {box.domain.name}: {fold(box.domain.switches)}")
        page.rect(box.x, box.y, box.width, box.height, "box", 5)
        above = f" below {box.domain.parent}" if box.domain.parent else ""
        label = f"{box.domain.name}{above}"
        page.text(box.x + PAD, box.y + 16, shortened(label, box.width - 120, 12), "ink b t12")
        switches = shortened(fold(box.domain.switches), box.width - text_width(label, 12) - 3 * PAD, 10)
        page.text(box.x + box.width - PAD, box.y + 16, switches, "muted t10", "end")
        page.close_group()
    for group in box.groups:
        _draw_group(page, group, found, bars, wrong, spots)


def _draw_group(
    page: Canvas,
    box: GroupBox,
    found: Map,
    bars: Bars,
    wrong: Mapping[str, list[Finding]],
    spots: dict[str, Point],
) -> None:
    page.open_group(f"leaf group {box.domain.name}: {fold(box.domain.servers)} on {fold(box.domain.switches)}")
    page.rect(box.x, box.y, box.width, box.height, "inner", 4)
    count = str(len(box.domain.servers))
    room = box.width - 3 * PAD - text_width(count, 10)
    page.text(box.x + PAD, box.y + 15, shortened(box.domain.name, room, 12), "ink b t12")
    page.text(box.x + box.width - PAD, box.y + 15, count, "muted t10", "end")
    page.close_group()
    rails = {rail.leaf: rail for rail in found.rails.get(box.domain.name, ())}
    for leaf, left in box.leaves:
        rail = rails[leaf]
        width = rail.links * bars.segment - 1
        x, y = box.x + left, box.y + HEADER
        page.open_group(f"{leaf}: rail {rail.rail}")
        _segment(page, rail.rail, (x, y), (width, STRIP - 6))
        if width >= text_width(str(rail.rail), 9):
            page.text(x + width // 2, y + STRIP - 9, str(rail.rail), f"i{rail.rail % COLOURS} b t9", "middle")
        page.close_group()
        spots[leaf] = (x + width // 2, y)
    for name, left, top, width, height in box.inner:
        page.open_group(f"NVLink domain {name}")
        page.rect(box.x + left, box.y + top, width, height, "off", 3)
        page.text(box.x + left + 5, box.y + top + 11, shortened(name, width - 8, 9), "muted t9")
        page.close_group()
    for spot in box.servers:
        _draw_server(page, box, spot.server, (box.x + spot.x, box.y + spot.y), found, bars, wrong, spots)


def _draw_server(
    page: Canvas,
    box: GroupBox,
    server: str,
    place: Point,
    found: Map,
    bars: Bars,
    wrong: Mapping[str, list[Finding]],
    spots: dict[str, Point],
) -> None:
    x, y = place
    told = [finding_text(one) for one in wrong.get(server, ())]
    dead = found.dead_rails.get(server, frozenset())
    if dead:
        told.append(f"lacks rail {', '.join(map(str, sorted(dead)))}")
    page.open_group("; ".join([server, *told]))
    if bars.name:
        page.text(x, y + bars.height - 2, shortened(server, bars.name - 4, 9), "muted mono t9")
    at = x + bars.name
    for rail in found.rails.get(box.domain.name, ()):
        width = rail.links * bars.segment - 1
        if rail.rail in dead:
            page.rect(at, y, width, bars.height, "free", 1)
            page.line(at, y + bars.height, at + width, y, "cross")
        else:
            _segment(page, rail.rail, (at, y), (width, bars.height))
        spots.setdefault(f"{server}#{rail.leaf}", (at + width // 2, y + bars.height // 2))
        at += rail.links * bars.segment
    if server in wrong:
        page.rect(x + bars.name - 2, y - 2, at - x - bars.name + 3, bars.height + 4, "cross", 2, 'style="fill:none"')
    spots[server] = (x + bars.name, y + bars.height // 2)
    page.close_group()


def _segment(page: Canvas, rail: int, place: Point, size: Point) -> None:
    """Draw one rail's piece: its colour, with a pattern from the eighth rail on."""
    page.rect(*place, *size, f"c{rail % COLOURS}", 1)
    pattern = rail // COLOURS % PATTERNS
    if pattern:
        page.rect(*place, *size, "", 1, f'fill="url(#rw-p{pattern})"')


def _draw_lines(page: Canvas, found: Map, spots: Mapping[str, Point]) -> None:
    """Draw wrong cables, each from its server to the leaf it is plugged into."""
    for one in found.of_kind(*_WRONG)[:MOST_LINES]:
        devices = [port.partition("/")[0] for port in one.ports]
        server = next((name for name in devices if name in found.places), "")
        leaf = next((name for name in devices if name != server), "")
        wanted = next((port.partition("/")[0] for port in one.expected if port), "")
        start = spots.get(f"{server}#{wanted}") or spots.get(server)
        end = spots.get(leaf)
        if start and end:
            (x1, y1), (x2, y2) = start, end
            bend = min(y1, y2) - 14
            page.open_group(finding_text(one))
            page.raw(f'<path d="M{x1} {y1}C{x1} {bend} {x2} {bend} {x2} {y2}" class="cross" {_LINE}/>')
            page.close_group()


def _draw_legend(page: Canvas, found: Map, y: int, width: int) -> int:
    """Draw what the colours and marks mean; return where it ends."""
    rails = sorted({rail.rail for rails in found.rails.values() for rail in rails})
    x = MARGIN
    for rail in rails[:16]:
        label = f"rail {rail}"
        if x + 80 > width - MARGIN:
            x, y = MARGIN, y + 20
        _segment(page, rail, (x, y), (14, 11))
        page.text(x + 19, y + 10, label, "muted t11")
        x += 19 + text_width(label, 11) + 10
    marks = []
    if any(found.dead_rails.values()):
        marks.append(("dead", "a rail that a server lacks"))
    if found.of_kind(*_WRONG):
        marks.append(("wrong", "a cable in the wrong port"))
    for kind, label in marks:
        step = 19 + text_width(label, 11) + 12
        if x + step > width - MARGIN:
            x, y = MARGIN, y + 20
        if kind == "dead":
            page.rect(x, y, 14, 11, "free", 1)
            page.line(x, y + 11, x + 14, y, "cross")
        else:
            page.raw(f'<path d="M{x} {y + 6}h14" class="cross" {_LINE}/>')
        page.text(x + 19, y + 10, label, "muted t11")
        x += step
    return y + 30
