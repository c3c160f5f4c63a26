"""The seam for predicted seconds per step: criterion 3, filled by whoever knows links and traffic.

The engine does not know what communication costs. A ``StepTime`` that does may be handed to the search; placements that
are equal in all that counts before are then compared by it, and differences below one per cent count as equal.
"""

from __future__ import annotations

from typing import Protocol

from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.spot import Spot

SLACK_PERCENT = 1
"""Predictions that differ by less than this count as equal."""


class StepTime(Protocol):
    """Predicts what one step of a workload takes on given places."""

    def known(self, demand: Demand) -> bool:
        """Return whether the workload's traffic and the links under it are known."""
        ...

    def nanoseconds(self, demand: Demand, spots: list[Spot]) -> int:
        """Return the predicted time of one step with the pods on these spots, beside those who run, in ns."""
        ...

    def crowded(self, demand: Demand, spots: list[Spot]) -> list[int]:
        """Return the nodes below the link that those who run make slow for these spots; empty where none does."""
        ...


def quickest(times: list[int]) -> list[int]:
    """Return the indices of the times that are equal to the best one, up to the slack."""
    best = min(times)
    return [index for index, time in enumerate(times) if (time - best) * 100 < SLACK_PERCENT * best or time == best]
