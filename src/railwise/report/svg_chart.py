"""Lines over an axis, one for each policy: how long workloads waited, and how the cluster was over time.

All lines of a chart share its axes; each has its own colour and its own dashes, and its name in the legend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10

from railwise.report.svg_canvas import Canvas, clean
from railwise.report.wording import SECOND, span

WIDTH = 560
HEIGHT = 250
LEFT = 58
RIGHT = 14
TOP = 12
BOTTOM = 34
LINES = 7
"""So many lines have their own look; then they begin again."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    """One line: its name and its points, from left to right."""

    name: str
    points: Points


@dataclass(frozen=True)
class Axis:
    """An axis from ``low`` to ``high`` with labelled ticks (value, text)."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str = ""

    def at(self, value: float, start: float, length: float) -> float:
        """Return where a value lies on a stretch of so many pixels; beyond the ends is on the end."""
        width = self.high - self.low
        share = (value - self.low) / width if width else 0.0
        return start + min(max(share, 0.0), 1.0) * length


def chart(title: str, lines: Sequence[Line], x: Axis, y: Axis) -> str:
    """Return a chart as an SVG element for a page, with its facts as a description.

    Steps are drawn as they are given: a point that repeats the last height makes a corner.
    """
    canvas = Canvas()
    plot_w, plot_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    for value, text in y.ticks:
        at = round(TOP + plot_h - y.at(value, 0, plot_h))
        canvas.line(LEFT, at, WIDTH - RIGHT, at, "grid")
        canvas.text(LEFT - 8, at + 4, text, "tick", "end")
    for value, text in x.ticks:
        at = round(x.at(value, LEFT, plot_w))
        canvas.line(at, TOP + plot_h, at, TOP + plot_h + 4, "axis")
        canvas.text(at, TOP + plot_h + 17, text, "tick", "middle")
    canvas.line(LEFT, TOP + plot_h, WIDTH - RIGHT, TOP + plot_h, "axis")
    if x.title:
        canvas.text(WIDTH - RIGHT, HEIGHT - 2, x.title, "tick", "end")
    for index in reversed(range(len(lines))):
        path = _path([(x.at(a, LEFT, plot_w), TOP + plot_h - y.at(b, 0, plot_h)) for a, b in lines[index].points])
        if path:
            canvas.raw(f'<path d="{path}" class="line l{index % LINES}"/>')
    body = "\n".join(canvas.parts)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="chart" role="img" aria-label="{clean(title)}">{body}</svg>'


def legend(names: Sequence[str]) -> str:
    """Return what each line looks like, as a list for a page."""
    items = "".join(
        f'<li><svg viewBox="0 0 26 10" class="key" aria-hidden="true"><path d="M1 5H25" class="line l{index % LINES}"/>'
        f"</svg>{clean(name)}</li>"
        for index, name in enumerate(names)
    )
    return f'<ul class="legend">{items}</ul>'


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return a path through points, without those that the eye cannot tell from their neighbours."""
    parts: list[str] = []
    last = (-1, -1)
    for x, y in points:
        here = (round(10 * x), round(10 * y))
        if here != last:
            parts.append(f"{'L' if parts else 'M'}{_short(here[0])} {_short(here[1])}")
            last = here
    return "".join(parts) if len(parts) > 1 else ""


def _short(tenths: int) -> str:
    return f"{tenths / 10:.1f}".removesuffix(".0")


def steps(values: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of a line that keeps each height until the next one."""
    found: list[tuple[float, float]] = []
    for x, y in values:
        if found and found[-1][1] != y:
            found.append((x, found[-1][1]))
        if not found or found[-1][1] != y:
            found.append((x, y))
    if values and found[-1][0] != values[-1][0]:
        found.append((values[-1][0], found[-1][1]))
    return found


def cumulative(values: Sequence[int], whole: int) -> list[tuple[float, float]]:
    """Return the share of ``whole`` things that were at most so large, as corners; ``values`` may be fewer."""
    if not whole:
        return []
    found: list[tuple[float, float]] = [(0.0, 0.0)]
    ordered = sorted(values)
    most = 400
    stride = max(len(ordered) // most, 1)
    for index, value in enumerate(ordered):
        if index % stride == 0 or index == len(ordered) - 1:
            found += [(float(value), found[-1][1]), (float(value), (index + 1) / whole)]
    return found


def share_axis(title: str = "") -> Axis:
    """Return an axis from 0 to 100 %."""
    return Axis(0.0, 1.0, tuple((index / 4, f"{25 * index} %") for index in range(5)), title)


def number_axis(highest: float, title: str = "") -> Axis:
    """Return an axis from 0 to a round number that is not below the highest value."""
    step = _round_step(max(highest, 1.0) / 4)
    count = max(-(-int(max(highest, 1.0) * 1000) // int(step * 1000)), 1)
    ticks = tuple((index * step, f"{index * step:g}") for index in range(count + 1))
    return Axis(0.0, count * step, ticks, title)


def time_axis(longest: int, title: str = "", show: Callable[[int], str] = span) -> Axis:
    """Return an axis from 0 to the longest time (µs), with ticks at round times."""
    step = next((one for one in _TIMES if longest <= 6 * one * SECOND), 0)
    if not step:
        step = int(_round_step(longest / SECOND / 5 / 86400)) * 86400
    count = min(max(longest // (step * SECOND), 1), 12)
    ticks = tuple((float(index * step * SECOND), show(index * step * SECOND)) for index in range(count + 1))
    return Axis(0.0, float(max(longest, step * SECOND)), ticks, title)


_TIMES = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 432000, 604800)


def _round_step(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not below the value; at least 1."""
    power = 10 ** int(log10(value)) if value >= 1 else 1
    return float(next(one * power for one in (1, 2, 5, 10) if one * power >= value or one == 10))  # noqa: PLR2004
