"""One line of a log of decisions: what came in from outside, and what was decided about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

SUBMITTED: Final = "submitted"
RUNNING: Final = "running"
FINISHED: Final = "finished"
CHANGED: Final = "changed"
LOST: Final = "lost"
RELEASED: Final = "released"
EVICTED: Final = "evicted"
MOVED: Final = "moved"
PLACED: Final = "placed"
JOINED: Final = "joined"

INPUTS: Final = (SUBMITTED, RUNNING, CHANGED)
"""What comes from outside: it is the same for everybody who decides. Ends follow from starts."""

EVENTS: Final = (*INPUTS, FINISHED, LOST, RELEASED, EVICTED, MOVED, PLACED, JOINED)
"""All that can stand in a log."""


@dataclass(frozen=True)
class Decision:
    """What happened to ``workload`` at ``at`` µs (empty: to the nodes, whose ``facts`` changed, in document form).

    ``running`` is found so when a log begins, ``placed`` starts with its minimum, ``joined`` are pods more of one that
    runs: surplus, or a repair. ``released`` are survivors that give up their places, because the rest did not come back
    in time. ``nodes`` are those of ``pods``, one for one; pods that ``placed`` does not name are those of ranks 0, 1, …
    of a workload without groups.
    ``beneficiary`` is for whom pods were evicted or moved.
    """

    at: int
    event: str
    workload: str = ""
    nodes: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    beneficiary: str = ""
    facts: dict[str, object] = field(default_factory=dict)
