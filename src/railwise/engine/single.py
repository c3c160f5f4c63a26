"""Where one more pod of a shape costs least: an index over blocks of nodes, followed lazily.

A block is a short run of nodes of one domain of the narrowest level (all of a rack, as a rule). Per block the index keeps
the least cost of one pod, and the blocks of every cost as a bit set. A decision looks at the cheapest cost, picks the
tightest domain among the blocks that offer it, and there the first node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from railwise.engine.cost import LOSS, Curves, taken_of, without_taken
from railwise.engine.domains import Buckets, FreeIndex, bits_of
from railwise.engine.state import ClusterState, TreeState

BLOCK: Final = 32
"""The most nodes of a block."""

NOWHERE: Final = -1


class SingleIndex:
    """The blocks of one tree, by what one pod of a shape costs there."""

    def __init__(self, state: ClusterState, tree_state: TreeState, curves: Curves, free: FreeIndex) -> None:
        """Cut the tree into blocks; costs are filled by the first ``refresh``."""
        self.state: Final = state
        self.tree_state: Final = tree_state
        self.curves: Final = curves
        self.free: Final = free
        tree = tree_state.tree
        self.depth: Final = tree.depth
        self.starts: Final[list[int]] = []
        self.ends: Final[list[int]] = []
        self.domain: Final[list[int]] = []
        self.first_block: Final[list[int]] = []
        ranges = tree.tiers[-1].ranges() if tree.depth else [(0, len(tree.order))]
        for domain, (start, end) in enumerate(ranges):
            self.first_block.append(len(self.starts))
            for first in range(start, end, BLOCK):
                self.starts.append(first)
                self.ends.append(min(first + BLOCK, end))
                self.domain.append(domain)
        self.first_block.append(len(self.starts))
        self.one_to_one: Final = len(self.starts) == len(ranges)
        self.cost: Final[list[int]] = [NOWHERE] * len(self.starts)
        self.buckets: Final = Buckets()
        allowed = state.allowed(curves.shape)
        self.allowed: Final[list[bool] | None] = None if allowed is None else [allowed[node] for node in tree.order]
        self.read = len(state.journal)
        for block in range(len(self.starts)):
            self._update(block)

    def refresh(self) -> None:
        """Judge the touched blocks again."""
        journal = self.state.journal
        end = len(journal)
        if self.read == end:
            return
        tree = self.tree_state.tree
        if self.depth:
            last = tree.domain_of[self.depth - 1]
            domains = {last[node] for node in journal[self.read : end]}
            for domain in domains:
                for block in range(self.first_block[domain], self.first_block[domain + 1]):
                    self._update(block)
        else:
            position = tree.position
            for block in {position[node] // BLOCK for node in journal[self.read : end]}:
                self._update(block)
        self.read = end

    def _update(self, block: int) -> None:
        best = self._best(block)
        before = self.cost[block]
        if best == before:
            return
        bit = 1 << block
        if before != NOWHERE:
            self.buckets.remove(before, bit)
        if best != NOWHERE:
            self.buckets.add(best, bit)
        self.cost[block] = best

    def _best(self, block: int) -> int:
        best = NOWHERE
        for cost in self.costs(block):
            if cost != NOWHERE and (best == NOWHERE or cost < best):
                best = cost
        return best

    def costs(self, block: int) -> list[int]:
        """Return what one pod costs on each node of a block (NOWHERE: does not fit), domain's potential included."""
        start, end = self.starts[block], self.ends[block]
        ids = self.tree_state.room_ids[start:end]
        single = self.curves.single
        try:
            costs = [single[room_id] for room_id in ids]
        except KeyError:
            first = self.curves.first
            costs = [first(room_id) for room_id in ids]
        if self.allowed is not None:
            costs = [cost if ok else NOWHERE for cost, ok in zip(costs, self.allowed[start:end], strict=True)]
        if self.depth:
            self._add_loss(block, ids, costs)
        return costs

    def _add_loss(self, block: int, ids: Sequence[int], costs: list[int]) -> None:
        rooms = self.curves.rooms.all
        domain = self.domain[block]
        for kind, cards in enumerate(self.state.classes):
            free = self.tree_state.whole[kind][domain]
            if free:
                loss = LOSS * self.state.whole_loss[kind][free]
                for place, cost in enumerate(costs):
                    if cost != NOWHERE:
                        room = rooms[ids[place]]
                        if room.wholly and room.spec.cards == cards:
                            costs[place] = cost + loss

    def cheapest(self, within: int) -> tuple[int, int] | None:
        """Return (tree position, cost) of the best node in the blocks of the bit set ``within`` (-1: anywhere)."""
        best_set = 0
        best_cost = NOWHERE
        target = NOWHERE
        choices: list[tuple[int, int]] = []
        for cost in self.buckets.keys:
            bare = without_taken(cost)
            if choices and bare != target:
                break
            blocks = self.buckets.sets[cost]
            if within != -1:
                blocks &= within
            if blocks:
                target = bare
                choices.append((cost, blocks))
        if not choices:
            return None
        if len(choices) == 1:
            best_cost, best_set = choices[0]
            block = self._tightest(best_set)
        else:
            best_cost, block = self._tightest_of_several(choices)
        place = self.costs(block).index(best_cost)
        return self.starts[block] + place, best_cost

    def _tightest(self, blocks: int) -> int:
        if not self.depth or self.curves.by_cpu or blocks & (blocks - 1) == 0:
            return (blocks & -blocks).bit_length() - 1
        if self.one_to_one:
            return self.free.tightest(blocks, self.depth - 1)
        domains: dict[int, int] = {}
        for block in bits_of(blocks):
            domains.setdefault(self.domain[block], block)
        chosen = self.free.tightest(sum(1 << domain for domain in domains), self.depth - 1)
        return domains[chosen]

    def _tightest_of_several(self, choices: list[tuple[int, int]]) -> tuple[int, int]:
        best: tuple[tuple[int, ...], int, int] | None = None
        for cost, blocks in choices:
            block = self._tightest(blocks)
            taken = taken_of(cost)
            key = (
                tuple(free - taken for free in self.free.frees(self.depth - 1, self.domain[block]))
                if self.depth
                else ()
            )
            if best is None or (key, block) < best[:2]:
                best = (key, block, cost)
        if best is None:
            return NOWHERE, 0
        return best[2], best[1]
