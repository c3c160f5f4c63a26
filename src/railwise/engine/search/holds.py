"""How much each node and each domain holds by itself: the pods of a shape, or the free cards; follows the state.

Upper bounds only: every domain is counted as if nothing else were to be placed there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.apart import ALONE
from railwise.engine.search.blocks import Block

NO_BOUND: Final = 1 << 30


class Count:
    """A number per node that depends on its room alone, and its sums per domain of every tree that is asked for."""

    def __init__(self, state: ClusterState, of_room: Callable[[Room], int], mask: list[bool] | None) -> None:
        """Count every node once."""
        self.state: Final = state
        self.of_room: Final = of_room
        self.mask: Final = mask
        self._known: Final[dict[int, int]] = {}
        self.of_node: Final[list[int]] = [self._now(node) for node in range(len(state.nodes))]
        self._sums: Final[dict[int, list[list[int]]]] = {}
        self._read = len(state.journal)

    def _now(self, node: int) -> int:
        if self.mask is not None and not self.mask[node]:
            return 0
        room = self.state.room_of[node]
        known = self._known.get(room.index)
        if known is None:
            known = self._known[room.index] = self.of_room(room)
        return known

    def refresh(self) -> Count:
        """Count the touched nodes again."""
        journal = self.state.journal
        if self._read != len(journal):
            touched = set(journal[self._read :])
            self._read = len(journal)
            for node in touched:
                more = self._now(node) - self.of_node[node]
                if more:
                    self.of_node[node] += more
                    for index, sums in self._sums.items():
                        self._shift(index, sums, node, more)
        return self

    def _shift(self, index: int, sums: list[list[int]], node: int, more: int) -> None:
        tree = self.state.trees[index].tree
        for level in range(tree.depth):
            sums[level][tree.domain_of[level][node]] += more
        sums[tree.depth][tree.position[node]] += more

    def sums(self, index: int) -> list[list[int]]:
        """Return the sums per level and domain of a tree, the nodes by position last."""
        sums = self._sums.get(index)
        if sums is None:
            tree = self.state.trees[index].tree
            places = [self.of_node[node] for node in tree.order]
            sums = [[sum(places[start:end]) for start, end in tier.ranges()] for tier in tree.tiers]
            sums.append(places)
            self._sums[index] = sums
        return sums


class Holds:
    """The counts of one search, a count per shape, and how many copies of a block each domain holds at most."""

    def __init__(self, state: ClusterState, indexes: Indexes, pods: dict[Shape, int], *, by_cpu: bool) -> None:
        """Keep what is asked for; nothing is counted yet. ``pods`` are those of the whole demand per shape."""
        self.state: Final = state
        self.indexes: Final = indexes
        self.pods: Final = pods
        self.by_cpu: Final = by_cpu
        self._counts: Final[dict[int, Count]] = {}
        self._cards: Count | None = None

    def of(self, shape: Shape) -> Count:
        """Return the up-to-date count of pods of a shape."""
        count = self._counts.get(shape.index)
        if count is None:
            most = self.pods[shape]
            curves = self.indexes.curves(shape, by_cpu=self.by_cpu)

            def of_room(room: Room) -> int:
                curve = curves.curve(room.index, most)
                return min(len(curve) - (curve[-1] < 0), most)

            count = Count(self.state, of_room, self.state.allowed(shape))
            self._counts[shape.index] = count
        return count.refresh()

    def cards(self) -> Count:
        """Return the up-to-date count of free whole cards."""
        if self._cards is None:
            self._cards = Count(self.state, lambda room: 0 if room.closed else room.free, None)
        return self._cards.refresh()

    def room(
        self, shapes: dict[Shape, int], index: int, level: int, first: int, last: int, barred: set[int]
    ) -> list[int]:
        """Return how often each domain ``first`` … ``last - 1`` of a level may hold so many pods per shape."""
        found = [NO_BOUND] * (last - first)
        cards = 0
        for shape, pods in shapes.items():
            held = self._held(self.of(shape), index, level, first, last, barred)
            found = [min(known, here // pods) for known, here in zip(found, held, strict=True)]
            cards += shape.cards * pods if shape.kind == KIND_WHOLE else 0
        if cards and len(shapes) > 1:
            held = self._held(self.cards(), index, level, first, last, barred)
            found = [min(known, here // cards) for known, here in zip(found, held, strict=True)]
        return found

    def _held(self, count: Count, index: int, level: int, first: int, last: int, barred: set[int]) -> list[int]:
        """Return the sums per domain without the nodes that are barred."""
        held = count.sums(index)[level][first:last]
        tree = self.state.trees[index].tree
        domain_of = tree.position if level >= tree.depth else tree.domain_of[level]
        for node in barred:
            domain = domain_of[node]
            if first <= domain < last:
                held[domain - first] -= count.of_node[node]
        return held

    def copies(self, block: Block, level: int, first: int, last: int, barred: set[int]) -> list[int]:
        """Return how many copies of a block each domain ``first`` … ``last - 1`` of a level of its tree may hold."""
        found = self.room(block.shapes, block.tree, level, first, last, barred)
        for number, places in self._inner(block, level, first, last):
            found = [min(known, here // number) for known, here in zip(found, places, strict=True)]
        return found

    def _inner(self, block: Block, level: int, first: int, last: int) -> list[tuple[int, list[int]]]:
        """Return (copies asked for, copies that each domain has places for) for what lies together inside a block."""
        result: list[tuple[int, list[int]]] = []
        depth = self.state.trees[block.tree].tree.depth
        for pods in block.pods:
            for guard in pods.guards[-1:]:
                if guard.holder != ALONE or guard.apart.tree != block.tree:
                    continue
                if guard.apart.level <= level:
                    result.append((len(pods.tokens), [1] * (last - first)))
                else:
                    low, high = self.range_below(block.tree, level, first, last, guard.apart.level)
                    held = self.of(pods.shape).sums(block.tree)[guard.apart.level][low:high]
                    single = [min(here, 1) for here in held]
                    result.append((len(pods.tokens), self._gather(block.tree, guard.apart.level, low, single, level)))
        for batch in block.batches:
            inner = batch[0]
            required = inner.levels[-1]
            if inner.tree == block.tree and level < required <= depth:
                low, high = self.range_below(block.tree, level, first, last, required)
                held = self.copies(inner, required, low, high, set())
                result.append((len(batch), self._gather(block.tree, required, low, held, level)))
        return result

    def range_below(self, index: int, level: int, first: int, last: int, inner: int) -> tuple[int, int]:
        """Return the half-open range of domains of a narrower level inside some domains of a level."""
        tree = self.state.trees[index].tree
        for step in range(level, inner):
            first, last = tree.tiers[step].first_child[first], tree.tiers[step].last_child[last - 1]
        return first, last

    def _gather(self, index: int, inner: int, low: int, held: list[int], level: int) -> list[int]:
        """Return the sums of numbers per domain of an inner level (from ``low`` on) by the domains of a wider level."""
        tree = self.state.trees[index].tree
        for step in range(inner, level, -1):
            if step == tree.depth:
                above = tree.domain_of[step - 1]
                parents = [above[node] for node in tree.order[low : low + len(held)]]
            else:
                parents = tree.tiers[step].parent[low : low + len(held)]
            base = parents[0]
            sums = [0] * (parents[-1] - base + 1)
            for parent, here in zip(parents, held, strict=True):
                sums[parent - base] += here
            held, low = sums, base
        return held
