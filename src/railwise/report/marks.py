"""A letter, a colour and a pattern for each workload: the same in the text tree, in the drawing and in its legend.

Colour alone must never carry the meaning, and a workload must keep its mark between two pictures of one scenario. So
marks follow the order of the document: capital letters for what a plan newly places, small letters for what ran before.
"""

from __future__ import annotations

from typing import NamedTuple

from railwise.model.plan import Plan, State
from railwise.model.scenario import Scenario

COLOURS = 7
PATTERNS = 5
NEWS = (State.PLACED, State.MOVED, State.PENDING)


class Mark(NamedTuple):
    """How a workload is shown: its letters, and if it is ``fresh`` one of the colours and patterns, else plain grey."""

    letters: str
    fresh: bool
    colour: int
    pattern: int


def letters(index: int) -> str:
    """Return the letters of a number: A to Z for 0 to 25, then AA, AB and so on."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(65 + rest) + text
    return text


def marks(scenario: Scenario, plan: Plan | None = None) -> dict[str, Mark]:
    """Return the mark of every workload by name.

    Where a plan places or moves something, that is fresh and what merely keeps running is not; without such news all
    workloads are fresh.
    """
    names = [workload.name for workload in scenario.workloads]
    news = {entry.name for entry in plan.workloads if entry.state in NEWS} if plan else set()
    fresh = [name for name in names if name in news] if news else names
    found = {
        name: Mark(letters(index), fresh=True, colour=index % COLOURS, pattern=index // COLOURS % PATTERNS)
        for index, name in enumerate(fresh)
    }
    kept = [name for name in names if name not in found]
    found.update(
        (name, Mark(letters(index).lower(), fresh=False, colour=-1, pattern=0)) for index, name in enumerate(kept)
    )
    return found
