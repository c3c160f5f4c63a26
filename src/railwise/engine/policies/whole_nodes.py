"""Slurm's choice of nodes: a job gets whole nodes, packed by switch where there is a tree, else in runs of neighbours.

With a topology (topology/tree) the lowest switch that has enough idle nodes below it is taken, of several the one with
the fewest; below it leaf switches by best fit: the smallest that holds the rest, while none does the largest. Without
one the nodes are a line, and runs of idle neighbours are taken by the same best fit. The cluster is the switch above
all.

Nobody else's pod comes onto a node of a job, however much of it is unused. Pods of one group of a workload share nodes;
groups are components of one job with nodes of their own.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.room import NodeSpec, Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.spot import Spot
from railwise.engine.policies.flat import FirstFit
from railwise.engine.policies.podwise import preference_met
from railwise.engine.search.placement import Found, Refused

Sizes = dict[int, int]
"""How many pods of the job each usable node holds, by node."""


class WholeNodes:
    """A search that gives whole idle nodes, none of those ``closed``, and in thought those ``opened`` too."""

    keeps_rules = False

    def __init__(self, state: ClusterState) -> None:
        """Remember nothing but what an idle node of each kind holds."""
        self.state: Final = state
        self._capacity: Final[dict[tuple[int, int, int], int]] = {}
        self._blank: Final[dict[int, Room]] = {}
        self._generation = state.generation
        self.closed: set[int] = set()
        self.opened: set[int] = set()

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find nodes for the given ranks per leaf (by part index) of the chosen parts, changing nothing."""
        found = self.look(demand, ranks, chosen)
        if isinstance(found, Found):
            return found
        easier = FirstFit(self.state).place(demand, ranks, chosen)
        return Refused(isinstance(easier, Refused) and easier.proven)

    def look(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find nodes as ``place`` does, without asking whether anybody could where there are none."""
        found = self.select(demand, ranks, chosen)
        if isinstance(found, Refused):
            return found
        done: list[tuple[Shape, int, Grant]] = []
        try:
            for spot in found.pods:
                shape = demand.leaves[spot.leaf].shape
                grant = self.state.put(shape, spot.node) if shape is not None else None
                if shape is None or grant is None:
                    return Refused(proven=False)
                done.append((shape, spot.node, grant))
        finally:
            for shape, node, grant in reversed(done):
                self.state.take_away(shape, node, grant)
        return found

    def select(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Choose nodes by how many pods they hold; those of ``opened`` count as idle whoever is there."""
        if self._generation != self.state.generation:
            self._generation = self.state.generation
            self._capacity.clear()
            self._blank.clear()
        own = {node for leaf in demand.leaves for node in leaf.fixed.values()}
        taken: set[int] = set()
        spots: list[Spot] = []
        for number, leaf in enumerate(demand.leaves):
            wanted = list(ranks.get(leaf.index, ())) if leaf.index in chosen else []
            if leaf.shape is None or not wanted:
                continue
            sizes = self._sizes(leaf.shape, own, taken, len(wanted))
            for node in self._nodes(demand.root.tree, sizes, len(wanted), own):
                spots.extend(Spot(number, rank, node) for rank in wanted[: sizes[node]])
                wanted = wanted[sizes[node] :]
                taken.add(node)
            if wanted:
                return Refused(proven=False)
        return Found(spots, met=preference_met(demand, spots, self.state), exact=False)

    def idle(self, node: int) -> bool:
        """Return whether a node is open, healthy enough to be a node, and empty."""
        return self.state.room_of[node] is self._empty(self.state.specs[node])

    def _empty(self, spec: NodeSpec) -> Room:
        known = self._blank.get(spec.index)
        if known is None:
            known = self.state.empty_room(spec)
            self._blank[spec.index] = known
        return known

    def _sizes(self, shape: Shape, own: set[int], taken: set[int], pods: int) -> Sizes:
        """Return how many of the pods the usable nodes hold: idle ones, and those that the job has already."""
        allowed = self.state.allowed(shape)
        sizes: Sizes = {}
        for node, room in enumerate(self.state.room_of):
            if node in taken or node in self.closed or (allowed is not None and not allowed[node]):
                continue
            usable = room
            if node in self.opened:
                usable = self._empty(self.state.specs[node])
            elif node not in own and not self.idle(node):
                continue
            holds = self._holds(shape, usable, pods)
            if holds:
                sizes[node] = holds
        return sizes

    def _holds(self, shape: Shape, room: Room, most: int) -> int:
        """Return how many pods of a shape a room holds, at most so many."""
        key = (shape.index, room.index, most)
        known = self._capacity.get(key)
        if known is None:
            known = 0
            after = self.state.rooms.fits(shape, room)
            while after is not None and known < most:
                known += 1
                after = self.state.rooms.fits(shape, after)
            self._capacity[key] = known
        return known

    def _nodes(self, tree_number: int, sizes: Sizes, pods: int, own: set[int]) -> list[int]:
        """Return the nodes to fill in order, those the job has already first; too few where it cannot be done."""
        kept = [node for node in sizes if node in own]
        left = pods - sum(sizes[node] for node in kept)
        free = {node: size for node, size in sizes.items() if node not in own}
        if left <= 0:
            return kept
        tree = self.state.trees[tree_number].tree
        if not tree.depth:
            return [*kept, *take(_runs(free, len(self.state.nodes)), free, left)]
        for level in range(tree.depth - 1, -1, -1):
            groups = self._below(tree_number, level, free)
            enough = [group for group in groups if sum(free[node] for node in group) >= left]
            if enough:
                best = min(enough, key=_length)
                leaves = self._below(tree_number, tree.depth - 1, {node: free[node] for node in best})
                return [*kept, *take(leaves, free, left)]
        return [*kept, *take(self._below(tree_number, tree.depth - 1, free), free, left)]

    def _below(self, tree_number: int, level: int, free: Sizes) -> list[list[int]]:
        """Return the idle nodes below each switch of a level, in tree order."""
        domain_of = self.state.trees[tree_number].tree.domain_of[level]
        groups: dict[int, list[int]] = {}
        for node in free:
            groups.setdefault(domain_of[node], []).append(node)
        return [groups[domain] for domain in sorted(groups)]


def _runs(free: Sizes, nodes: int) -> list[list[int]]:
    """Return runs of neighbours, the nodes being a line in document order."""
    runs: list[list[int]] = []
    for node in range(nodes):
        if node in free:
            if runs and runs[-1][-1] == node - 1:
                runs[-1].append(node)
            else:
                runs.append([node])
    return runs


def _length(group: list[int]) -> int:
    return len(group)


def take(groups: list[list[int]], sizes: Sizes, pods: int) -> list[int]:
    """Take nodes from groups by best fit: the smallest group that holds the rest, while none does the largest."""
    left = list(groups)
    taken: list[int] = []
    while pods > 0 and left:
        enough = [group for group in left if sum(sizes[node] for node in group) >= pods]
        group = min(enough, key=_length) if enough else max(left, key=lambda one: sum(sizes[node] for node in one))
        left.remove(group)
        for node in group:
            if pods <= 0:
                break
            taken.append(node)
            pods -= sizes[node]
    return taken
