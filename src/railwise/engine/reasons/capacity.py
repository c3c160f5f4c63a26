"""How many pods an empty cluster could hold: the bound behind "never" and "excluded".

For equal pods with one rule the bound is exact, node by node; for everything else an empty copy of the cluster is
searched. ``ignoring`` leaves out what may change without new hardware: selectors, taints, health.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from railwise.engine.cluster.room import NodeSpec, Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.model.node import Node


class EmptyCluster:
    """The same cluster with nothing running on it, as it is or without selectors, taints and faults."""

    def __init__(self, state: ClusterState) -> None:
        """Compute nothing yet."""
        self.state: Final = state
        self._per_spec: Final[dict[tuple[int, int], tuple[int, int]]] = {}
        self._per_domain: Final[dict[tuple[int, int, int], tuple[int, int]]] = {}
        self._pristine: ClusterState | None = None
        self._bare: ClusterState | None = None

    def pods_on(self, shape: Shape, node: int, most: int) -> int:
        """Return how many pods of a shape an empty healthy node holds, selectors and taints apart, at most ``most``."""
        spec = self.state.healthy_spec(node)
        key = (shape.index, spec.index)
        asked, known = self._per_spec.get(key, (0, 0))
        if known == asked < most:
            known = _most_on(self.state, shape, spec, most)
            self._per_spec[key] = (most, known)
        return min(known, most)

    def best_domain(self, shape: Shape, tree: int, level: int, pods: int) -> tuple[int, int]:
        """Return (domain, pods) of the domain of a level that could hold most pods, (-1, 0) where none is named."""
        shape_tree = self.state.trees[tree].tree
        order = shape_tree.order
        if level < 0:
            return 0, sum(self.pods_on(shape, node, pods) for node in order)
        if level >= shape_tree.depth:
            ranges = [(place, place + 1) for place in range(len(order))]
            named = [True] * len(order)
        else:
            ranges, named = shape_tree.tiers[level].ranges(), shape_tree.tiers[level].named
        best, most = -1, 0
        for domain, (start, end) in enumerate(ranges):
            if named[domain]:
                total = sum(self.pods_on(shape, order[place], pods) for place in range(start, end))
                if total > most:
                    best, most = domain, total
        return best, most

    def room_in_best(self, shape: Shape, tree: int, level: int, pods: int) -> int:
        """Return the most pods that one domain of a level could hold, exact where that is less than ``pods``.

        What is remembered are pairs (pods asked for, room found): room below what was asked for is exact.
        """
        key = (shape.index, tree, level)
        asked, room = self._per_domain.get(key, (0, 0))
        if room >= asked and asked < pods:
            room = self.best_domain(shape, tree, level, pods)[1]
            self._per_domain[key] = (pods, room)
        return room

    def pristine(self) -> ClusterState:
        """Return an empty state in which every node is ready, healthy, untainted."""
        if self._pristine is None:
            nodes = [
                replace(node, ready=True, unschedulable=False, taints=(), unhealthy=frozenset())
                for node in self.state.nodes
            ]
            self._pristine = self._state(nodes)
        return self._pristine

    def bare(self) -> ClusterState:
        """Return an empty state of the nodes as they are."""
        if self._bare is None:
            self._bare = self._state(self.state.nodes)
        return self._bare

    def forget(self) -> None:
        """Drop what depends on facts about nodes that changed."""
        self._pristine = None
        self._bare = None
        self._per_spec.clear()
        self._per_domain.clear()

    def _state(self, nodes: list[Node]) -> ClusterState:
        return ClusterState(nodes, self.state.topologies, self.state.policy)


def _most_on(state: ClusterState, shape: Shape, spec: NodeSpec, most: int) -> int:
    room: Room | None = state.empty_room(spec)
    count = 0
    while room is not None and count < most:
        room = state.rooms.fits(shape, room)
        if room is not None:
            count += 1
    return count
