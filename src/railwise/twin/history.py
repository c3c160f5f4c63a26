"""What happened in a run: when each workload started and ended, who was stopped or moved for whom."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from railwise.engine.cycle import Engine
from railwise.formats.decision_record import DecisionRecord
from railwise.model.plan import Eviction, Move, Plan, Reservation
from railwise.model.reason import Reason
from railwise.model.scenario import Scenario


class History(DecisionRecord):
    """The record of one run. Times are µs; ``starts`` holds first starts.

    ``spread`` holds (nodes, domains of the narrowest level) of each first start; ``card_time`` is the sum over time of
    the cards in use, in cards times µs.
    """

    def __init__(self, scenario: Scenario) -> None:
        """Start with nothing."""
        super().__init__()
        self.submitted: Final = {workload.name: workload.submit for workload in scenario.workloads}
        self.starts: Final[dict[str, int]] = {}
        self.evictions: Final[list[Eviction]] = []
        self.moves: Final[list[Move]] = []
        self.reservations: tuple[Reservation, ...] = ()
        self.reasons: dict[str, Reason] = {}
        self.spread: Final[dict[str, tuple[int, int]]] = {}
        self.card_time = 0
        self.rounds = 0

    def started(self, name: str, now: int) -> None:
        """Note a start; only the first one counts."""
        self.starts.setdefault(name, now)

    def record(self, plan: Plan, now: int, engine: Engine, altered: Collection[str]) -> None:
        """Note what a round decided; ``altered`` are those whose pods may have changed."""
        self.rounds += 1
        super().record(plan, now, engine, altered)
        self.evictions.extend(plan.evictions)
        self.moves.extend(plan.moves)
        self.reservations = plan.reservations
        for entry in plan.workloads:
            if entry.reason is None:
                self.reasons.pop(entry.name, None)
            else:
                self.reasons[entry.name] = entry.reason

    def wait_of(self, name: str) -> int | None:
        """Return how long a workload waited for its first start, µs; None where it never started."""
        start = self.starts.get(name)
        return None if start is None else max(start - self.submitted[name], 0)
