"""Where two runs part: the first decision in which two logs differ, and what the runs stood at just before.

Everything after the first difference may follow from it, so only the first one is worth an explanation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from railwise.model.decision import (
    EVICTED,
    FINISHED,
    INPUTS,
    JOINED,
    LOST,
    MOVED,
    PLACED,
    RELEASED,
    RUNNING,
    SUBMITTED,
    Decision,
)

FROM_OUTSIDE: Final = (*INPUTS, FINISHED, LOST)
"""What a round of decisions is about."""

GONE: Final = (EVICTED, LOST, RELEASED)
"""What takes pods away."""


class Standing(NamedTuple):
    """A workload at a moment: since when (µs) it runs on the nodes of its pods, or waits (no nodes)."""

    name: str
    since: int
    nodes: tuple[str, ...] = ()


class Difference(NamedTuple):
    """The first difference of two logs. ``line`` counts from 1 and is the first that differs, ``at`` its time in µs.

    ``came_in`` is what preceded it last, in both runs alike; ``left`` and ``right`` are what each run did from the
    difference on at that time (nothing: it did nothing at that time, or its log had ended). ``running`` and ``waiting``
    is the state that both had come to. ``later`` holds, per workload that only one run dealt with, whether that was the
    left one, and what the other did with it next (None: nothing any more). ``more`` counts the lines that follow.
    """

    line: int
    at: int
    came_in: tuple[Decision, ...]
    left: tuple[Decision, ...]
    right: tuple[Decision, ...]
    running: tuple[Standing, ...]
    waiting: tuple[Standing, ...]
    later: tuple[tuple[str, bool, Decision | None], ...]
    more: tuple[int, int]

    def of_input(self) -> bool:
        """Return whether the runs were told different things, so that no decision is to blame."""
        first = [side[0] for side in (self.left, self.right) if side]
        return any(one.event in INPUTS for one in first)


def first_difference(left: Sequence[Decision], right: Sequence[Decision]) -> Difference | None:
    """Return where two logs part, None where they are the same."""
    line = 0
    while line < min(len(left), len(right)) and left[line] == right[line]:
        line += 1
    if line == len(left) == len(right):
        return None
    at = min(log[line].at for log in (left, right) if line < len(log))
    here = [_moment(log, line, at) for log in (left, right)]
    running, waiting = standings(left[:line])
    return Difference(
        line=line + 1,
        at=at,
        came_in=_came_in(left[:line], at),
        left=here[0],
        right=here[1],
        running=running,
        waiting=waiting,
        later=(*_later(here[0], right[line:], is_left=True), *_later(here[1], left[line:], is_left=False)),
        more=(len(left) - line - len(here[0]), len(right) - line - len(here[1])),
    )


def _moment(log: Sequence[Decision], line: int, at: int) -> tuple[Decision, ...]:
    """Return the lines from one on that are of the same time."""
    end = line
    while end < len(log) and log[end].at == at:
        end += 1
    return tuple(log[line:end])


def _came_in(common: Sequence[Decision], at: int) -> tuple[Decision, ...]:
    """Return what came from outside at this time, else the last that did before."""
    outside = [one for one in common if one.event in FROM_OUTSIDE]
    return tuple(one for one in outside if one.at == at) or tuple(outside[-1:])


def _later(
    here: Sequence[Decision], other: Sequence[Decision], *, is_left: bool
) -> list[tuple[str, bool, Decision | None]]:
    """Return what the other run did next with the workloads that it did not deal with at this time."""
    at = here[0].at if here else -1
    dealt = {one.workload for one in other if one.at == at}
    names = dict.fromkeys(one.workload for one in here if one.workload and one.workload not in dealt)
    return [(name, is_left, next((one for one in other if one.workload == name), None)) for name in names]


def standings(log: Sequence[Decision]) -> tuple[tuple[Standing, ...], tuple[Standing, ...]]:
    """Return who runs and who waits after a log: those who run by name, those who wait in the order of their waits."""
    submitted: dict[str, int] = {}
    since: dict[str, int] = {}
    pods: dict[str, dict[str, str]] = {}
    for one in log:
        name = one.workload
        if one.event == SUBMITTED:
            submitted[name] = one.at
        elif one.event == FINISHED:
            submitted.pop(name, None)
            pods.pop(name, None)
        elif one.event in {RUNNING, PLACED, JOINED, MOVED}:
            _put(pods.setdefault(name, {}), one)
            if one.event != JOINED:
                since.setdefault(name, one.at)
            submitted.pop(name, None)
        elif one.event in GONE:
            for pod in one.pods:
                pods.get(name, {}).pop(pod, None)
        if name and not pods.get(name) and name not in submitted and one.event in GONE:
            submitted[name] = one.at
        if not pods.get(name):
            since.pop(name, None)
    running = [Standing(name, since.get(name, 0), tuple(where.values())) for name, where in pods.items() if where]
    waiting = [Standing(name, start) for name, start in submitted.items()]
    return tuple(sorted(running)), tuple(sorted(waiting, key=lambda one: (one.since, one.name)))


def _put(pods: dict[str, str], one: Decision) -> None:
    """Note where pods run; pods that are not named are those of ranks 0, 1, …."""
    if one.event == PLACED:
        pods.clear()
    names = one.pods or tuple(f"{one.workload}-{rank}" for rank in range(len(one.nodes)))
    pods.update(zip(names, one.nodes, strict=False))
