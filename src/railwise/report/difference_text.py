"""The first difference of two runs in sentences and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from railwise.formats.decision_log import line_of
from railwise.formats.hostlist import fold
from railwise.model.decision import CHANGED, EVICTED, FINISHED, JOINED, LOST, MOVED, PLACED, RELEASED, RUNNING, Decision
from railwise.model.quantity import format_duration
from railwise.report.first_difference import Difference, Standing
from railwise.report.wording import counted

MOST: Final = 12
"""So many things are listed; of more only the number."""


def difference_lines(found: Difference, left: str, right: str) -> list[str]:
    """Return the explanation, a line each; ``left`` and ``right`` are the names of the logs."""
    before = counted(found.line - 1, "equal line")
    what = "were told different things" if found.of_input() else "decided differently"
    lines = [f"{left} and {right} {what} at {format_duration(found.at)}: line {found.line}, after {before}", ""]
    what_came = [_sentence(one) for one in found.came_in]
    if found.came_in and found.came_in[-1].at < found.at:
        what_came = [f"{text} ({format_duration(found.at - found.came_in[-1].at)} earlier)" for text in what_came]
    width = max(len(name) for name in (left, right, "came in before"))
    blocks: list[tuple[str, Sequence[str]]] = [
        (left, [_sentence(one) for one in found.left] or [_nothing(found.more[0], found.at)]),
        (right, [_sentence(one) for one in found.right] or [_nothing(found.more[1], found.at)]),
        ("came in before", what_came or ["nothing"]),
        ("ran by then", [_ran(one) for one in found.running] or ["nothing"]),
        ("waited by then", [_waited(one, found.at) for one in found.waiting] or ["nothing"]),
    ]
    for label, texts in blocks:
        lines += [f"{label if not number else '':<{width}}  {text}" for number, text in enumerate(_few(texts, MOST))]
    lines += ["", *(_next(one, left, right) for one in found.later)] if found.later else []
    more = f"{counted(found.more[0], 'further line')} in {left}, {found.more[1]} in {right}"
    return [*lines, "", f"{more}; they may all follow from this"]


def same_line(left: str, right: str, log: Sequence[Decision]) -> str:
    """Return what is said of equal logs."""
    return f"{left} and {right} are the same: {counted(len(log), 'line')} until {format_duration(log[-1].at)}"


def difference_data(found: Difference | None, left: str, right: str) -> dict[str, Any]:
    """Return the difference for machines; times in µs."""
    data: dict[str, Any] = {"apiVersion": "railwise.dev/v1alpha1", "kind": "RunDifference", "logs": [left, right]}
    if found is None:
        return data | {"same": True}
    return data | {
        "same": False,
        "line": found.line,
        "at": found.at,
        "ofInput": found.of_input(),
        "decided": [[line_of(one) for one in side] for side in (found.left, found.right)],
        "cameIn": [line_of(one) for one in found.came_in],
        "running": [{"name": one.name, "since": one.since, "nodes": list(one.nodes)} for one in found.running],
        "waiting": [{"name": one.name, "since": one.since} for one in found.waiting],
        "later": [
            {"workload": name, "in": right if is_left else left, "next": None if one is None else line_of(one)}
            for name, is_left, one in found.later
        ],
        "linesAfter": list(found.more),
    }


def _sentence(one: Decision) -> str:
    nodes, number = fold(dict.fromkeys(one.nodes)), counted(len(one.pods), "pod")
    if one.event == CHANGED:
        facts = ", ".join(f"{key} is {_fact(value)}" for key, value in one.facts.items())
        return f"node {nodes}: {facts}"
    texts = {
        RUNNING: f"runs on {nodes} from the beginning",
        PLACED: f"starts on {nodes}",
        JOINED: f"gets {number} more on {nodes}",
        MOVED: f"moves {number} to {nodes} for {one.beneficiary}",
        EVICTED: f"is evicted ({number}) for {one.beneficiary}",
        LOST: f"loses {number} on {nodes}",
        RELEASED: f"gives up the places of {number} and waits anew",
        FINISHED: "has ended",
    }
    return f"{one.workload} {texts.get(one.event, 'is ' + one.event)}"


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _nothing(more: int, at: int) -> str:
    return f"decides nothing more at {format_duration(at)}" if more else "has ended: there is no further line"


def _ran(one: Standing) -> str:
    return f"{one.name} on {fold(dict.fromkeys(one.nodes))} since {format_duration(one.since)}"


def _waited(one: Standing, at: int) -> str:
    return f"{one.name} since {format_duration(one.since)}" + (
        f" ({format_duration(at - one.since)})" * (at > one.since)
    )


def _next(one: tuple[str, bool, Decision | None], left: str, right: str) -> str:
    name, is_left, then = one
    other = right if is_left else left
    if then is None:
        return f"in {other} nothing more happens to {name}"
    return f"in {other} {_sentence(then)} at {format_duration(then.at)}"


def _few(texts: Sequence[str], most: int) -> Iterable[str]:
    if len(texts) <= most:
        return texts
    return [*texts[:most], f"and {len(texts) - most} more"]
