"""What rounds decided, as lines of a log: the same for a run in virtual time and for one on a live cluster.

Whoever drives an engine tells this record what came in and what the plan was; it keeps the difference to what ran
before. Nothing else goes in, so the same events at the same times give the same lines wherever they happen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from railwise.engine.cycle import Engine, Event, Finish, NodeChange, Submit, UplinkChange
from railwise.engine.gangs.record import PodKey, Record
from railwise.formats.beginning import Found, found
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
from railwise.model.plan import Plan, State
from railwise.model.quantity import format_bandwidth
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload


class DecisionRecord:
    """The lines so far, and what is needed to tell what is new. Times are µs; ``ended`` holds ends."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.decisions: Final[list[Decision]] = []
        self.ended: Final[dict[str, int]] = {}
        self._pods: Final[dict[str, frozenset[PodKey]]] = {}

    def begun(self, scenario: Scenario, now: int) -> None:
        """Note that an engine begins with a scenario."""
        grace = scenario.policy.node_grace > 0
        self.begin(scenario.workloads, {node.name for node in scenario.nodes if node.ready or grace}, now)

    def taken(self) -> list[Decision]:
        """Return the lines that were not taken yet, and forget what only they needed: for logs without an end."""
        lines = list(self.decisions)
        self.decisions.clear()
        self.ended.clear()
        return lines

    def begin(self, workloads: Iterable[Workload], alive: Collection[str], now: int = 0) -> None:
        """Note who is there when an engine begins, and where it runs; ``alive`` are the nodes that do not lose pods.

        Where another engine went before, only what it did not know is noted, and who has gone meanwhile.
        """
        known = dict(self._pods)
        self._pods.clear()
        for workload in workloads:
            pods = found(workload.root)
            before = known.pop(workload.name, None)
            self._pods[workload.name] = frozenset((pod.leaf, pod.rank) for pod in pods if pod.node in alive)
            if before is None or not before <= self._pods[workload.name]:
                self._came(workload.name, pods, now)
                self._lost(workload.name, [pod for pod in pods if pod.node not in alive], now)
        for name in known:
            self.decisions.append(Decision(now, FINISHED, name))

    def _came(self, name: str, pods: list[Found], now: int) -> None:
        event = RUNNING if pods else SUBMITTED
        names = tuple(pod.name(name) for pod in pods)
        self.decisions.append(Decision(now, event, name, tuple(pod.node for pod in pods), names))

    def _lost(self, name: str, pods: list[Found], now: int) -> None:
        if pods:
            names = tuple(pod.name(name) for pod in pods)
            self.decisions.append(Decision(now, LOST, name, tuple(pod.node for pod in pods), names))

    def came_in(self, events: Iterable[Event], now: int) -> None:
        """Note what the engine is told at a moment."""
        for event in events:
            if isinstance(event, Finish):
                self.ended[event.name] = now
                self._pods.pop(event.name, None)
                self.decisions.append(Decision(now, FINISHED, event.name))
            elif isinstance(event, Submit):
                name, pods = event.workload.name, found(event.workload.root)
                self._came(name, pods, now)
                if pods:
                    self._pods[name] = frozenset((pod.leaf, pod.rank) for pod in pods)
            elif isinstance(event, NodeChange):
                self.decisions.append(Decision(now, CHANGED, nodes=(event.name,), facts=values_document(event.values)))
            elif isinstance(event, UplinkChange):
                facts: dict[str, object] = {"uplink": {event.level: format_bandwidth(event.megabits)}}
                self.decisions.append(Decision(now, CHANGED, nodes=(event.node,), facts=facts))

    def record(self, plan: Plan, now: int, engine: Engine, altered: Collection[str]) -> None:
        """Note what a round decided; ``altered`` are those whose pods may have changed."""
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


def altered(engine: Engine, *, first: bool) -> list[str]:
    """Return whose pods may have changed in the last round; after its first one that may be anybody."""
    return sorted(engine.records) if first else sorted(engine.workloads.altered)
