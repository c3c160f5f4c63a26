"""What happened in a run: when each workload started and ended, who was stopped or moved for whom."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from railwise.engine.cycle import Engine, Event, Finish, NodeChange, Submit, UplinkChange
from railwise.engine.gangs.record import PodKey, Record
from railwise.formats.scenario.nodes_writer import values_document
from railwise.model.decision import (
    CHANGED,
    EVICTED,
    FINISHED,
    JOINED,
    LOST,
    MOVED,
    PLACED,
    RELEASED,
    RUNNING,
    SUBMITTED,
    Decision,
)
from railwise.model.plan import Eviction, Move, Plan, Reservation, State
from railwise.model.quantity import format_bandwidth
from railwise.model.reason import Reason
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from railwise.twin.beginning import found


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
        self._pods: Final[dict[str, frozenset[PodKey]]] = {}

    def started(self, name: str, now: int) -> None:
        """Note a start; only the first one counts."""
        self.starts.setdefault(name, now)

    def begin(self, workloads: Iterable[Workload], alive: Collection[str]) -> None:
        """Note who is there when the run begins, and where it runs; ``alive`` are the nodes that do not lose pods."""
        for workload in workloads:
            pods = found(workload.root)
            dead = [pod for pod in pods if pod.node not in alive]
            for event, some in ((RUNNING if pods else SUBMITTED, pods), (LOST, dead)):
                if some or event == SUBMITTED:
                    names = tuple(pod.name(workload.name) for pod in some)
                    self.decisions.append(Decision(0, event, workload.name, tuple(pod.node for pod in some), names))
            self._pods[workload.name] = frozenset((pod.leaf, pod.rank) for pod in pods if pod.node in alive)

    def came_in(self, events: Iterable[Event], now: int) -> None:
        """Note what the engine is told at a moment."""
        for event in events:
            if isinstance(event, Finish):
                self.ended[event.name] = now
                self._pods.pop(event.name, None)
                self.decisions.append(Decision(now, FINISHED, event.name))
            elif isinstance(event, Submit):
                self.decisions.append(Decision(now, SUBMITTED, event.workload.name))
            elif isinstance(event, NodeChange):
                self.decisions.append(Decision(now, CHANGED, nodes=(event.name,), facts=values_document(event.values)))
            elif isinstance(event, UplinkChange):
                facts: dict[str, object] = {"uplink": {event.level: format_bandwidth(event.megabits)}}
                self.decisions.append(Decision(now, CHANGED, nodes=(event.node,), facts=facts))

    def record(self, plan: Plan, now: int, engine: Engine, altered: Collection[str]) -> None:
        """Note what a round decided; ``altered`` are those whose pods may have changed."""
        self.rounds += 1
        for record, keys, node in engine.workloads.fallen:
            if record.workload.name in self.ended:
                continue
            pods = tuple(record.pod_name(key) for key in keys)
            where = (engine.state.nodes[node].name,) * len(pods)
            self.decisions.append(Decision(now, LOST, record.workload.name, where, pods))
            self._pods[record.workload.name] = self._pods.get(record.workload.name, frozenset()) - set(keys)
        for eviction in plan.evictions:
            self.decisions.append(Decision(now, EVICTED, eviction.workload, (), eviction.pods, eviction.beneficiary))
        for move in plan.moves:
            nodes = tuple(pod.target for pod in move.pods)
            names = tuple(pod.name for pod in move.pods)
            self.decisions.append(Decision(now, MOVED, move.workload, nodes, names, move.beneficiary))
        moved = {move.workload: {pod.name for pod in move.pods} for move in plan.moves}
        gone = moved | {eviction.workload: set(eviction.pods) for eviction in plan.evictions}
        for name in altered:
            if name in engine.records:
                self._released(engine.records[name], now, gone.get(name, set()))
        for entry in plan.workloads:
            if entry.state is State.PLACED:
                nodes = tuple(pod.node for pod in entry.pods)
                plain = all(pod.rank == rank and not pod.group for rank, pod in enumerate(entry.pods))
                names = () if plain else tuple(pod.name for pod in entry.pods)
                self.decisions.append(Decision(now, PLACED, entry.name, nodes, names))
            elif entry.name in altered and entry.pods:
                self._joined(engine.records[entry.name], engine, now, moved.get(entry.name, set()))
        for name in altered:
            record_now = engine.records.get(name)
            if record_now is not None:
                self._pods[name] = frozenset(record_now.pods)
        self.evictions.extend(plan.evictions)
        self.moves.extend(plan.moves)
        self.reservations = plan.reservations
        for entry in plan.workloads:
            if entry.reason is None:
                self.reasons.pop(entry.name, None)
            else:
                self.reasons[entry.name] = entry.reason

    def _released(self, record: Record, now: int, gone: set[str]) -> None:
        """Note pods that run no longer although nobody took their places."""
        left = sorted(self._pods.get(record.workload.name, frozenset()) - record.pods.keys())
        pods = tuple(name for name in map(record.pod_name, left) if name not in gone)
        if pods:
            self.decisions.append(Decision(now, RELEASED, record.workload.name, (), pods))

    def _joined(self, record: Record, engine: Engine, now: int, moved: set[str]) -> None:
        """Note pods that came to those of a workload that runs."""
        before = self._pods.get(record.workload.name, frozenset())
        new = [key for key in sorted(record.pods) if key not in before and record.pod_name(key) not in moved]
        if new:
            where = tuple(engine.state.nodes[record.pods[key][0]].name for key in new)
            pods = tuple(record.pod_name(key) for key in new)
            self.decisions.append(Decision(now, JOINED, record.workload.name, where, pods))

    def wait_of(self, name: str) -> int | None:
        """Return how long a workload waited for its first start, µs; None where it never started."""
        start = self.starts.get(name)
        return None if start is None else max(start - self.submitted[name], 0)
