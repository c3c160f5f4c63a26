"""How kube-scheduler picks a node for one pod: enough nodes that fit, the default scores, a coin between the best.

From a hundred nodes on it stops looking once it has found enough nodes that fit, and the next pod's search goes on
where this one stopped. Both are kept, since they decide where pods end up.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.selection import tolerates
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies.podwise import NO_NODE
from railwise.engine.policies.scores import (
    DEFAULT_CPU,
    DEFAULT_MEMORY,
    balance,
    balanced_allocation,
    cpu_use,
    least_allocated,
    memory_use,
    spread_raw,
    spread_scores,
    taint_scores,
)
from railwise.model.node import Node
from railwise.model.splitmix import SplitMix
from railwise.model.topology import Topology

ZONE: Final = "topology.kubernetes.io/zone"

HOST_SKEW: Final = 3
ZONE_SKEW: Final = 5
"""``maxSkew`` of the two default spread constraints."""

SPREAD_WEIGHT: Final = 2
TAINT_WEIGHT: Final = 3
"""Weights of PodTopologySpread and TaintToleration; NodeResourcesFit and BalancedAllocation have 1."""

FEW_NODES: Final = 100
"""Up to so many nodes all are looked at; so many that fit are always looked for."""

LEAST_PERCENT: Final = 5


def enough_nodes(nodes: int) -> int:
    """Return after how many nodes that fit the search stops in a cluster of ``nodes`` nodes."""
    if nodes < FEW_NODES:
        return nodes
    percent = max(50 - nodes // 125, LEAST_PERCENT)
    return max(nodes * percent // 100, FEW_NODES)


def zones_of(nodes: list[Node], topologies: tuple[Topology, ...]) -> list[str]:
    """Return the zone of every node: its label, or its domain at a level that stands for this label; empty: none."""
    levels = [(one.name, level.name) for one in topologies for level in one.levels if level.label == ZONE]
    zones: list[str] = []
    for node in nodes:
        zone = node.labels.get(ZONE, "")
        for topology, level in levels:
            zone = zone or node.places.get(topology, {}).get(level, "")
        zones.append(zone)
    return zones


def visiting_order(nodes: list[int], zones: list[str]) -> list[int]:
    """Return the nodes in the order in which they are looked at: one of each zone in turn."""
    by_zone: dict[str, list[int]] = {}
    for node in nodes:
        by_zone.setdefault(zones[node], []).append(node)
    return [node for turn in zip_longest(*by_zone.values()) for node in turn if node is not None]


class KubeScheduler:
    """Chooses a node for one pod after another of one workload at a time."""

    def __init__(self, state: ClusterState, seed: int) -> None:
        """Read the zones; ``seed`` decides between equal nodes."""
        self.state: Final = state
        self.generator: Final = SplitMix(seed)
        self.zones: Final = zones_of(state.nodes, state.topologies)
        self.any_zone: Final = any(self.zones)
        self.enough: Final = enough_nodes(len(state.nodes))
        self.start = 0
        self._spread = False
        self._pods: dict[int, int] = {}
        self._bare: dict[int, tuple[int, int]] = {}
        self._known: Final[dict[int, dict[int, int]]] = {}

    def begin(self, demand: Demand) -> None:
        """Get ready for a workload.

        Default spread constraints only reach pods that a Service, ReplicaSet or StatefulSet selects. Training operators
        put a headless Service before their pods and inference has a real one; plain Jobs (``batch``) have none.
        """
        self._spread = demand.workload.kind != "batch"
        self._pods = {}
        self._bare = {}
        for leaf in demand.leaves:
            if leaf.shape is not None:
                for node in leaf.fixed.values():
                    self.note(leaf.shape, node)

    def forget(self) -> None:
        """Forget the scores of rooms."""
        self._known.clear()

    def note(self, shape: Shape, node: int) -> None:
        """Learn that a pod of the workload is on a node."""
        self._pods[node] = self._pods.get(node, 0) + 1
        cpu, memory = _unsaid(shape)
        if cpu or memory:
            before = self._bare.get(node, (0, 0))
            self._bare[node] = (before[0] + cpu, before[1] + memory)

    def choose(self, shape: Shape, order: list[int]) -> int:
        """Return the node for a pod among ``order``, NO_NODE where it fits none."""
        nodes, scores = self._fitting(shape, order)
        if len(nodes) <= 1:
            return nodes[0] if nodes else NO_NODE
        if self._spread:
            for place, score in enumerate(spread_scores(self._spread_counts(nodes))):
                scores[place] += SPREAD_WEIGHT * score
        if self.state.any_taint:
            soft = [self._soft_taints(shape, node) for node in nodes]
            for place, score in enumerate(taint_scores(soft)):
                scores[place] += TAINT_WEIGHT * score
        best = max(scores)
        equal = [node for node, score in zip(nodes, scores, strict=True) if score == best]
        return equal[self.generator.below(len(equal))]

    def _fitting(self, shape: Shape, order: list[int]) -> tuple[list[int], list[int]]:
        """Return enough nodes that fit, from where the last search stopped, and their scores about resources."""
        count = len(order)
        if not count:
            return [], []
        start = self.start % count
        found: list[int] = []
        scores: list[int] = []
        allowed = self.state.allowed(shape)
        room_of, bare = self.state.room_of, self._bare
        known = self._known.setdefault(shape.index, {})
        seen = 0
        while seen < count and len(found) < self.enough:
            place = start + seen
            node = order[place if place < count else place - count]
            seen += 1
            if allowed is not None and not allowed[node]:
                continue
            room = room_of[node]
            score = known.get(room.index) if node not in bare else self._resources(shape, room, bare[node])
            if score is None:
                score = self._resources(shape, room, (0, 0))
                known[room.index] = score
            if score != NO_NODE:
                found.append(node)
                scores.append(score)
        self.start = (start + seen) % count
        return found, scores

    def _resources(self, shape: Shape, room: Room, bare: tuple[int, int]) -> int:
        """Return the sum of the two scores about resources, NO_NODE where the pod does not fit."""
        after = self.state.rooms.fits(shape, room)
        return NO_NODE if after is None else _fit(shape, after, bare) + _balance(shape, room, after)

    def _spread_counts(self, nodes: list[int]) -> list[int]:
        hosts = len(nodes)
        pods = self._pods
        if not self.any_zone:
            plain = spread_raw([(0, hosts, HOST_SKEW)])
            if not pods:
                return [plain] * hosts
            return [spread_raw([(pods[node], hosts, HOST_SKEW)]) if node in pods else plain for node in nodes]
        zones = len({self.zones[node] for node in nodes})
        in_zone: dict[str, int] = {}
        for node, count in pods.items():
            in_zone[self.zones[node]] = in_zone.get(self.zones[node], 0) + count
        raw: list[int] = []
        for node in nodes:
            counts = [(pods.get(node, 0), hosts, HOST_SKEW)]
            if self.zones[node]:
                counts.append((in_zone.get(self.zones[node], 0), zones, ZONE_SKEW))
            raw.append(spread_raw(counts))
        return raw

    def _soft_taints(self, shape: Shape, node: int) -> int:
        """Return how many soft taints of a node the pod does not tolerate."""
        return sum(
            1
            for taint in self.state.nodes[node].taints
            if taint.effect == "PreferNoSchedule" and not tolerates(shape.selection.tolerations, taint)
        )


def _unsaid(shape: Shape) -> tuple[int, int]:
    """Return (1 or 0, 1 or 0): whether the pod says nothing about cpu, about memory."""
    said = dict(shape.request.resources)
    return int("cpu" not in said), int("memory" not in said)


def _fit(shape: Shape, after: Room, bare: tuple[int, int]) -> int:
    """Return the LeastAllocated score; pods that say nothing about a resource count for its default."""
    mine = _unsaid(shape)
    cpu, memory = cpu_use(after), memory_use(after)
    return least_allocated(
        [
            (cpu[0] + DEFAULT_CPU * (bare[0] + mine[0]), cpu[1]),
            (memory[0] + DEFAULT_MEMORY * (bare[1] + mine[1]), memory[1]),
        ]
    )


def _balance(shape: Shape, before: Room, after: Room) -> int:
    """Return the BalancedAllocation score; a pod that asks for neither cpu nor memory is not scored by it."""
    if not shape.cpu and not shape.memory:
        return 0
    return balanced_allocation(balance(cpu_use(before), memory_use(before)), balance(cpu_use(after), memory_use(after)))
