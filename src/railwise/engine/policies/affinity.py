"""``affinity``: lists of nodes made by hand, one for each workload, and the default kube-scheduler inside them.

The way out of today: somebody who knows the racks writes a node selector when a workload is first deployed. The list is
the narrowest domain whose nodes, were they empty, hold the whole workload; among several such domains lists go round in
tree order. Nobody looks at what is free, the list never changes, and while it is full the workload waits although there
may be room elsewhere. What lists are made from are the nodes that work on the day of the deployment: a rack that comes
later is on none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies.kube import KubeScheduler, visiting_order
from railwise.engine.policies.podwise import Pod, PodByPod

Need = tuple[tuple[Shape, int], ...]
"""How many pods of each shape a workload has with all its surplus, in document order."""


class StaticAffinity(PodByPod):
    """A fixed list of nodes a workload, and the default scores inside it."""

    def __init__(self, state: ClusterState, seed: int) -> None:
        """``seed`` decides between nodes of equal score."""
        super().__init__(state)
        self.scheduler: Final = KubeScheduler(state, seed)
        self.lists: Final[dict[tuple[str, int], list[int]]] = {}
        self._there: Final = [node.ready for node in state.nodes]
        self._given: Final[dict[tuple[int, int], int]] = {}
        self._domains: Final[dict[tuple[int, Need], tuple[int, list[int]]]] = {}
        self._list: list[int] = []

    def forget(self) -> None:
        """Forget the scores of rooms."""
        super().forget()
        self.scheduler.forget()

    def begin(self, demand: Demand) -> None:
        """Take the workload's list; write it where it is asked for the first time."""
        key = (demand.workload.name, demand.alternative)
        nodes = self.lists.get(key)
        if nodes is None:
            nodes = visiting_order(self._write(demand), self.scheduler.zones)
            self.lists[key] = nodes
        self._list = nodes
        self.scheduler.begin(demand)

    def choose(self, shape: Shape) -> int:
        """Return the node of the list with the best score."""
        return self.scheduler.choose(shape, self._list)

    def note(self, shape: Shape, node: int) -> None:
        """Count the pod for the next one's score."""
        self.scheduler.note(shape, node)

    def proves(self, pods: list[Pod], put: int) -> bool:
        """Return False: a full list says nothing about the nodes outside it."""
        del pods, put
        return False

    def _write(self, demand: Demand) -> list[int]:
        """Return the nodes of the next domain in turn; the one where the workload runs, if it does."""
        tree = self.state.trees[demand.root.tree].tree
        level, domains = self._holding(demand)
        if level < 0:
            return self._of(range(len(self.state.nodes)))
        fixed = {tree.domain_of[level][node] for leaf in demand.leaves for node in leaf.fixed.values()}
        at_home = [domain for domain in domains if fixed == {domain}]
        if at_home:
            domain = at_home[0]
        else:
            turn = self._given.get((demand.root.tree, level), 0)
            self._given[demand.root.tree, level] = turn + 1
            domain = domains[turn % len(domains)]
        tier = tree.tiers[level]
        return self._of(tree.order[tier.start[domain] : tier.end[domain]])

    def _of(self, nodes: Sequence[int]) -> list[int]:
        """Return those of the nodes that were there when lists were made."""
        return [node for node in nodes if self._there[node]]

    def _holding(self, demand: Demand) -> tuple[int, list[int]]:
        """Return the narrowest level (-1: none) with named domains that, when empty, hold the workload; and these."""
        need = tuple((leaf.shape, leaf.group.pods) for leaf in demand.leaves if leaf.shape is not None)
        key = (demand.root.tree, need)
        known = self._domains.get(key)
        if known is None:
            tree = self.state.trees[demand.root.tree].tree
            known = (-1, [])
            for level in range(tree.depth - 1, -1, -1):
                tier = tree.tiers[level]
                domains = [
                    domain
                    for domain, (start, end) in enumerate(tier.ranges())
                    if tier.named[domain] and self._holds(need, self._of(tree.order[start:end]))
                ]
                if domains:
                    known = (level, domains)
                    break
            self._domains[key] = known
        return known

    def _holds(self, need: Need, nodes: list[int]) -> bool:
        """Return whether the nodes, empty and healthy, hold all pods: largest pods first, each on the first node."""
        rooms: list[Room] = [self.state.empty_room(self.state.healthy_spec(node)) for node in nodes]
        for shape, pods in sorted(need, key=lambda pair: (-pair[0].gpu_thousandths(), -pair[0].cpu)):
            allowed = self.state.allowed(shape)
            left = pods
            for place, node in enumerate(nodes):
                after = self.state.rooms.fits(shape, rooms[place]) if allowed is None or allowed[node] else None
                while left and after is not None:
                    rooms[place] = after
                    left -= 1
                    after = self.state.rooms.fits(shape, after)
            if left:
                return False
        return True
