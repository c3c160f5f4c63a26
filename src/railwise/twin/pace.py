"""How fast work goes on: the seam through which placement and contention slow a run down.

Work is done at the pace 1 where nothing slows it, at p/q otherwise. A model of slowdown is asked once after each round
that changed what runs where, or what the cluster is; it answers only for those whose pace changes by it, neighbours
that did not move included. Between two answers everything is constant, so that an end is known without looking on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from railwise.engine.cycle import Engine

Rate = tuple[int, int]
"""Work done in a unit of time compared with an undisturbed run, as (numerator, denominator); both positive.

Progress is exact, in parts of the least common multiple of all denominators that a workload meets: a model does well to
use few (slowdowns in thousandths, as ``(1000, slowdown)``, are fine).
"""

FULL: Final[Rate] = (1, 1)
"""The pace of a run that nothing slows down."""


class Pace(Protocol):
    """A model of slowdown on the live state of an engine, which it got when it was made."""

    def rates(self, changed: Sequence[str], now: int) -> Mapping[str, Rate]:
        """Return the new pace of every workload whose pace is another one now.

        ``changed`` names, sorted, the workloads whose pods changed since the last call; one that is unknown to the
        engine by now has ended. It is empty where only facts about nodes or links changed. ``now`` is µs. Who is not
        named in the answer keeps its pace, ``FULL`` in the beginning, also over a stop and a start.
        """
        ...


PaceOf = Callable[[Engine], Pace]
"""Makes a model for the engine of a run."""
