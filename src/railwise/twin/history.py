"""What happened in a run: when each workload started and ended, who was stopped or moved for whom."""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.model.plan import Eviction, Move, Plan, Reservation, State
from railwise.model.reason import Reason
from railwise.model.scenario import Scenario


class Decision(NamedTuple):
    """One line of the log: at what time (µs) which workload started, ended, lost pods or moved, where, for whom."""

    at: int
    workload: str
    event: str
    nodes: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    beneficiary: str = ""


class History:
    """The record of one run. Times are µs; ``starts`` holds first starts, ``ended`` ends.

    ``spread`` holds (nodes, domains of the narrowest level) of each first start; ``card_time`` is the sum over time of
    the cards in use, in cards times µs.
    """

    def __init__(self, scenario: Scenario) -> None:
        """Start with nothing."""
        self.submitted: Final = {workload.name: workload.submit for workload in scenario.workloads}
        self.starts: Final[dict[str, int]] = {}
        self.ended: Final[dict[str, int]] = {}
        self.evictions: Final[list[Eviction]] = []
        self.moves: Final[list[Move]] = []
        self.reservations: tuple[Reservation, ...] = ()
        self.reasons: dict[str, Reason] = {}
        self.spread: Final[dict[str, tuple[int, int]]] = {}
        self.decisions: Final[list[Decision]] = []
        self.card_time = 0
        self.rounds = 0

    def started(self, name: str, now: int) -> None:
        """Note a start; only the first one counts."""
        self.starts.setdefault(name, now)

    def finished(self, name: str, now: int) -> None:
        """Note an end."""
        self.ended[name] = now
        self.decisions.append(Decision(now, name, State.FINISHED.value))

    def record(self, plan: Plan, now: int) -> None:
        """Note what a round decided."""
        self.rounds += 1
        for eviction in plan.evictions:
            self.decisions.append(Decision(now, eviction.workload, "evicted", (), eviction.pods, eviction.beneficiary))
        for move in plan.moves:
            nodes = tuple(pod.target for pod in move.pods)
            pods = tuple(pod.name for pod in move.pods)
            self.decisions.append(Decision(now, move.workload, "moved", nodes, pods, move.beneficiary))
        for entry in plan.workloads:
            if entry.state is State.PLACED:
                self.decisions.append(Decision(now, entry.name, "placed", tuple(pod.node for pod in entry.pods)))
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
