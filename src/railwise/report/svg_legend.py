"""The legend of a topology drawing: which mark is which workload, and what hollow, crossed and dashed mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.report.marks import Mark
from railwise.report.occupancy import NodeUse
from railwise.report.svg_canvas import Canvas, shortened, text_width
from railwise.report.svg_style import fill_class, ink_class

MOST = 24
"""So many workloads are named; the tooltips name the rest."""

STATES = {
    "free": "free card",
    "kept": "ran before",
    "+": "shared card",
    "keep": "kept for a waiting workload",
    "!": "unhealthy card",
    "cordoned": "cordoned node",
    "notReady": "node not ready",
}
"""What the cells other than the workloads' colours mean."""

_ROW = 22
_SWATCH = 26


class Entry(NamedTuple):
    """One workload of the legend; ``waits`` holds its reason code where it does not run in any panel."""

    name: str
    mark: Mark
    waits: str


def entries(scenario: Scenario, plans: Sequence[Plan | None], shown: Mapping[str, Mark]) -> list[Entry]:
    """Return the workloads to name: fresh ones first, then those that ran before, in document order."""
    states: dict[str, list[WorkloadPlan]] = {}
    for plan in plans:
        for entry in plan.workloads if plan else ():
            states.setdefault(entry.name, []).append(entry)
    found = [
        Entry(workload.name, shown[workload.name], _waits(states.get(workload.name, [])))
        for workload in scenario.workloads
        if workload.name in shown
    ]
    return sorted(found, key=lambda entry: not entry.mark.fresh)


def _waits(states: Sequence[WorkloadPlan]) -> str:
    if not states or any(entry.state is not State.PENDING or entry.pods for entry in states):
        return ""
    reason = states[-1].reason
    return reason.code.value if reason else "pending"


def states_in(uses: Sequence[NodeUse], shown: Mapping[str, Mark]) -> list[str]:
    """Return which states of cards and nodes the drawing shows, as keys of ``STATES``."""
    found = {"free"}
    for use in uses:
        found.add(use.state)
        if use.kept_for:
            found.add("keep")
        for label, _, _ in use.runs():
            if label in ("!", "+"):
                found.add(label)
            elif label and label in shown and not shown[label].fresh:
                found.add("kept")
    return [state for state in STATES if state in found]


def draw_legend(
    canvas: Canvas, named: Sequence[Entry], states: Sequence[str], place: tuple[int, int], width: int
) -> int:
    """Draw the legend at ``place`` and return the y where it ends.

    Args:
        canvas: drawn on.
        named: the workloads, most important first.
        states: keys of ``STATES``.
        place: left and top.
        width: pixels to fill before a new row begins.
    """
    left, y = place
    x = left
    shown = list(named[:MOST])
    for entry in shown:
        text = shortened(f"{entry.name} waits: {entry.waits}" if entry.waits else entry.name, min(330, width - 60), 12)
        step = _SWATCH + 6 + text_width(text, 12) + 14
        if x + step > left + width and x > left:
            x, y = left, y + _ROW
        _swatch(canvas, entry.mark, x, y, hollow=bool(entry.waits))
        canvas.text(x + _SWATCH + 6, y + 12, text, "ink t12")
        x += step
    if len(named) > MOST:
        if x + 90 > left + width:
            x, y = left, y + _ROW
        canvas.text(x, y + 12, f"and {len(named) - MOST} more", "muted t12")
    return _draw_states(canvas, states, (left, y + (_ROW if named else 0)), width) + 16


def _swatch(canvas: Canvas, mark: Mark, x: int, y: int, *, hollow: bool) -> None:
    canvas.rect(x, y, _SWATCH, 16, "free" if hollow else fill_class(mark), 3)
    if mark.fresh and mark.pattern and not hollow:
        canvas.rect(x, y, _SWATCH, 16, "", 3, f'fill="url(#rw-p{mark.pattern})"')
    css = "muted" if hollow else ink_class(mark)
    canvas.text(x + _SWATCH // 2, y + 12, mark.letters, f"{css} b t11", "middle")


def _draw_states(canvas: Canvas, states: Sequence[str], place: tuple[int, int], width: int) -> int:
    left, y = place
    x = left
    for state in states:
        step = 19 + text_width(STATES[state], 11) + 12
        if x + step - 12 > left + width and x > left:
            x, y = left, y + _ROW
        canvas.rect(x, y + 2, 13, 12, "kept" if state in ("kept", "+") else "free", 2)
        if state == "!":
            canvas.line(x + 2, y + 4, x + 11, y + 12, "cross")
            canvas.line(x + 2, y + 12, x + 11, y + 4, "cross")
        if state == "+":
            canvas.text(x + 6, y + 12, "+", "keptink b t10", "middle")
        if state == "keep":
            canvas.rect(x, y + 2, 13, 12, "", 2, 'fill="url(#rw-keep)"')
        if state in ("cordoned", "notReady"):
            canvas.rect(x - 1, y + 1, 15, 14, "off", 2)
        if state == "notReady":
            canvas.line(x, y + 14, x + 13, y + 2, "cross")
        canvas.text(x + 19, y + 12, STATES[state], "muted t11")
        x += step
    return y
