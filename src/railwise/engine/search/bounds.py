"""Proofs that a workload cannot be placed, without searching: each kind of pod by itself needs more than there is.

Used where the searches gave up. A bound never says "impossible" of what is possible: it counts every domain as if the
other groups were not there.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part
from railwise.engine.indexed.indexes import Indexes


class Bounds:
    """The bounds of one demand on one state; ``ranks`` are the ranks to place per leaf (by part index)."""

    def __init__(self, demand: Demand, ranks: dict[int, list[int]], state: ClusterState, indexes: Indexes) -> None:
        """Compute nothing yet."""
        self.demand: Final = demand
        self.ranks: Final = ranks
        self.state: Final = state
        self.indexes: Final = indexes
        self._capacity: dict[tuple[int, int, int], list[int]] = {}

    def impossible(self) -> bool:
        """Return whether some rule of some part cannot be kept, whatever is done with the rest."""
        return self._broken(self.demand.root)

    def _broken(self, part: Part) -> bool:
        counts = self._counts(part)
        if not counts:
            return False
        level = part.required if part.required != NOT_GIVEN else -1
        if any(max(self._per_domain(part, shape, level), default=0) < pods for shape, pods in counts.items()):
            return True
        if self._cards_lack(part, level, counts) or self._too_few_apart(part) or self._runs_lack(part):
            return True
        return any(self._broken(child) for child in part.children)

    def _counts(self, part: Part) -> dict[Shape, int]:
        counts: dict[Shape, int] = {}
        for leaf in part.leaves():
            pods = len(self.ranks.get(leaf.index, []))
            if pods and leaf.shape is not None:
                counts[leaf.shape] = counts.get(leaf.shape, 0) + pods
        return counts

    def _per_domain(self, part: Part, shape: Shape, level: int) -> list[int]:
        """Return how many pods of a shape each named domain of a level holds (level -1: the cluster)."""
        key = (part.tree, shape.index, level)
        known = self._capacity.get(key)
        if known is None:
            tree = self.state.trees[part.tree].tree
            fits = self._pods_per_node(part.tree, shape)
            if level < 0:
                known = [sum(fits)]
            elif level >= tree.depth:
                known = fits
            else:
                tier = tree.tiers[level]
                known = [
                    sum(fits[start:end]) for (start, end), named in zip(tier.ranges(), tier.named, strict=True) if named
                ]
            self._capacity[key] = known
        return known

    def _pods_per_node(self, tree: int, shape: Shape) -> list[int]:
        """Return how many pods of a shape each node holds now, by tree position."""
        pods = max(len(ranks) for ranks in self.ranks.values())
        curves = self.indexes.curves(shape, by_cpu=not self.demand.uses_cards)
        mask = self.state.allowed(shape)
        result: list[int] = []
        for node in self.state.trees[tree].tree.order:
            if mask is not None and not mask[node]:
                result.append(0)
                continue
            curve = curves.curve(self.state.room_of[node].index, pods)
            result.append(sum(1 for cost in curve if cost >= 0))
        return result

    def _cards_lack(self, part: Part, level: int, counts: dict[Shape, int]) -> bool:
        """Return whether no domain has as many free whole cards as all pods together take."""
        needed = sum(shape.cards * pods for shape, pods in counts.items() if shape.kind == KIND_WHOLE)
        tree = self.state.trees[part.tree].tree
        free = [0 if room.closed else room.free for room in self.state.room_of]
        if level < 0:
            return sum(free) < needed
        if level >= tree.depth:
            return max(free, default=0) < needed
        tier = tree.tiers[level]
        sums = [
            sum(free[node] for node in tree.order[start:end])
            for (start, end), named in zip(tier.ranges(), tier.named, strict=True)
            if named
        ]
        return max(sums, default=0) < needed

    def _too_few_apart(self, part: Part) -> bool:
        """Return whether there are fewer usable domains than things that must lie apart."""
        if part.distinct == NOT_GIVEN:
            return False
        if part.shape is not None:
            usable = sum(1 for pods in self._per_domain(part, part.shape, part.distinct) if pods)
            return usable < len(self.ranks.get(part.index, []))
        tree = self.state.trees[part.tree].tree
        domains = len(tree.order) if part.distinct >= tree.depth else sum(tree.tiers[part.distinct].named)
        return domains < sum(1 for child in part.children if self._counts(child))

    def _runs_lack(self, part: Part) -> bool:
        """Return whether fewer whole runs fit the domains than are asked for, or the last short one fits none."""
        if part.shape is None or part.segment_required == NOT_GIVEN or part.fixed:
            return False
        runs, short = divmod(len(self.ranks.get(part.index, [])), part.segment_size)
        room = self._per_domain(part, part.shape, part.segment_required)
        return sum(pods // part.segment_size for pods in room) < runs or max(room, default=0) < short
