"""Where one more pod of a shape costs least: an index over blocks of nodes, followed lazily.

A block is a short run of nodes of one domain of the narrowest level (all of a rack, as a rule). Per block the index
keeps the least cost of one pod, and the blocks of every cost as a bit set. A decision looks at the cheapest cost,
picks the tightest domain among the blocks that offer it, and there the first node.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree import Tree
from railwise.engine.indexed.cost import LOSS, Curves, taken_of, without_taken
from railwise.engine.indexed.domains import Buckets, FreeIndex, bits_of
from railwise.engine.indexed.elsewhere import Elsewhere

BLOCK: Final = 32
"""The most nodes of a block."""

NOWHERE: Final = 1 << 260
"""The cost of a node that a pod does not fit: above every real one, so that a minimum passes it by."""

NOT_FOUND: Final = -1

UNKNOWN: Final = -1

NOT_HERE: Final = 0
"""The number of the judgement that a pod does not fit."""


class Blocks:
    """A tree's positions cut into blocks: half-open ranges, the domain of each, and the blocks of a domain."""

    def __init__(self, tree: Tree) -> None:
        """Cut every domain of the narrowest level (all nodes, where none is declared)."""
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
        self.block_of: Final = [
            block for block, start in enumerate(self.starts) for _ in range(start, self.ends[block])
        ]


class SingleIndex:
    """The blocks of one tree, by what one pod of a shape costs there."""

    def __init__(self, state: ClusterState, tree: int, curves: Curves, free: FreeIndex) -> None:
        """Cut the tree into blocks; costs are filled by the first ``refresh``."""
        self.state: Final = state
        self.tree_state: Final = state.trees[tree]
        self.curves: Final = curves
        self.free: Final = free
        self.elsewhere: Final = Elsewhere(state, tree)
        blocks = Blocks(self.tree_state.tree)
        self.depth: Final = self.tree_state.tree.depth
        self.starts: Final = blocks.starts
        self.ends: Final = blocks.ends
        self.domain: Final = blocks.domain
        self.first_block: Final = blocks.first_block
        self.block_of: Final = blocks.block_of
        self.one_to_one: Final = blocks.one_to_one
        order = self.tree_state.tree.order
        self.room_ids: Final = self.tree_state.room_ids
        self.cost: Final[list[int]] = [NOWHERE] * len(self.starts)
        self.buckets: Final = Buckets()
        allowed = state.allowed(curves.shape)
        self.allowed: Final[list[bool] | None] = None if allowed is None else [allowed[node] for node in order]
        self._code_of: Final[dict[int, int]] = {}
        self._codes: Final[dict[int, int]] = {}
        self._cost: Final = [NOWHERE]
        self._layer: Final = [0]
        self.seen: Final = [NOT_HERE] * len(order)
        layers = range(len(state.classes) + 1)
        self.layers: Final[list[list[int]]] = [[NOWHERE] * len(order) for _ in layers]
        self.least: Final[list[list[int]]] = [[NOWHERE] * len(self.starts) for _ in layers]
        self.read = len(state.journal)
        self._whole_seen: Final[list[list[int]]] = [list(counts) for counts in self.tree_state.whole]
        self._whole_cost: Final = [[LOSS * loss for loss in losses] for losses in state.whole_loss]
        self._judge(list(range(len(order))))
        for block in range(len(self.starts)):
            self._update(block)

    def refresh(self) -> None:
        """Judge the touched nodes again, and the blocks of their domains."""
        journal = self.state.journal
        end = len(journal)
        if self.read == end:
            return
        tree = self.tree_state.tree
        touched = self.elsewhere.touched_too(set(journal[self.read : end]))
        self.read = end
        places = list(map(tree.position.__getitem__, touched))
        changed = self._judge(places)
        if not self.depth:
            for block in changed:
                self._update(block)
            return
        for domain in set(map(tree.domain_of[-1].__getitem__, touched)):
            moved = False
            for kind, counts in enumerate(self.tree_state.whole):
                if self._whole_seen[kind][domain] != counts[domain]:
                    self._whole_seen[kind][domain] = counts[domain]
                    moved = True
            for block in range(self.first_block[domain], self.first_block[domain + 1]):
                if moved or block in changed:
                    self._update(block)

    def _judge(self, places: list[int]) -> set[int]:
        """Keep what one pod costs at these positions, and the least of every block; return the blocks that changed.

        Layer 0 are broken nodes; whole free ones, which break a domain, have a layer for each class. A block is looked
        through only where the node that was its cheapest became dearer.
        """
        room_ids, codes, seen, layers, least = self.room_ids, self._code_of, self.seen, self.layers, self.least
        allowed, loses = self.allowed, self.elsewhere.active
        stale: set[int] = set()
        changed: set[int] = set()
        for place in places:
            code = codes.get(room_ids[place], UNKNOWN)
            if code == UNKNOWN:
                code = self._judge_room(room_ids[place])
            if allowed is not None and not allowed[place]:
                code = NOT_HERE
            elif loses:
                code = self._judge_node(place, code)
            before = seen[place]
            if code == before:
                continue
            seen[place] = code
            cost, layer = self._cost[code], self._layer[code]
            old_cost, old_layer = self._cost[before], self._layer[before]
            block = self.block_of[place]
            changed.add(block)
            if layer != old_layer:
                layers[old_layer][place] = NOWHERE
            layers[layer][place] = cost
            if cost < least[layer][block]:
                least[layer][block] = cost
            if old_cost == least[old_layer][block] and before != NOT_HERE:
                stale.add(block * len(layers) + old_layer)
        for entry in stale:
            block, layer = entry // len(layers), entry % len(layers)
            least[layer][block] = min(layers[layer][self.starts[block] : self.ends[block]])
        return changed

    def _code(self, cost: int, layer: int) -> int:
        """Return the number of a judgement: what one pod costs, and the layer that the node belongs to."""
        key = cost * len(self.layers) + layer
        code = self._codes.get(key, UNKNOWN)
        if code == UNKNOWN:
            code = len(self._cost)
            self._codes[key] = code
            self._cost.append(cost)
            self._layer.append(layer)
        return code

    def _judge_room(self, room_id: int) -> int:
        """Return the judgement of a room."""
        cost = self.curves.first(room_id)
        room = self.curves.rooms.all[room_id]
        layer = 0
        if cost >= 0 and room.wholly and (self.depth or self.elsewhere.active):
            layer = self.state.class_of[room.spec.cards] + 1
        code = self._code(cost, layer) if cost >= 0 else NOT_HERE
        self._code_of[room_id] = code
        return code

    def _judge_node(self, place: int, code: int) -> int:
        """Return the judgement where not only the room counts, but what other topologies lose."""
        layer = self._layer[code]
        if not layer:
            return code
        cost = self._cost[code] + LOSS * self.elsewhere.first(self.tree_state.tree.order[place], layer - 1)
        return self._code(cost, layer if self.depth else 0)

    def _update(self, block: int) -> None:
        best = self.least[0][block]
        if self.depth:
            domain = self.domain[block]
            for kind, counts in enumerate(self.tree_state.whole):
                free = counts[domain]
                if free:
                    cost = self.least[kind + 1][block]
                    if cost != NOWHERE:
                        cost += self._whole_cost[kind][free]
                        if cost < best:
                            best = cost
        before = self.cost[block]
        if best == before:
            return
        bit = 1 << block
        if before != NOWHERE:
            self.buckets.remove(before, bit)
        if best != NOWHERE:
            self.buckets.add(best, bit)
        self.cost[block] = best

    def _first_with(self, block: int, cost: int) -> int:
        """Return the first tree position of a block where one pod costs just this."""
        start, end = self.starts[block], self.ends[block]
        found = [self._place_of(0, start, end, cost)]
        if self.depth:
            for kind, counts in enumerate(self.tree_state.whole):
                free = counts[self.domain[block]]
                if free:
                    found.append(self._place_of(kind + 1, start, end, cost - LOSS * self.state.whole_loss[kind][free]))
        return min([place for place in found if place != NOT_FOUND], default=NOT_FOUND)

    def _place_of(self, layer: int, start: int, end: int, cost: int) -> int:
        try:
            return self.layers[layer].index(cost, start, end)
        except ValueError:
            return NOT_FOUND

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
        return self._first_with(block, best_cost), best_cost

    def _tightest(self, blocks: int) -> int:
        if not self.depth or self.curves.by_cpu or blocks & (blocks - 1) == 0:
            return (blocks & -blocks).bit_length() - 1
        if self.one_to_one:
            return self.free.tightest(blocks)
        domains: dict[int, int] = {}
        for block in bits_of(blocks):
            domains.setdefault(self.domain[block], block)
        chosen = self.free.tightest(sum(1 << domain for domain in domains))
        return domains[chosen]

    def _tightest_of_several(self, choices: list[tuple[int, int]]) -> tuple[int, int]:
        best: tuple[tuple[int, ...], int, int] | None = None
        for cost, blocks in choices:
            block = self._tightest(blocks)
            taken = taken_of(cost)
            key = tuple(free - taken for free in self.free.frees(self.domain[block])) if self.depth else ()
            if best is None or (key, block) < best[:2]:
                best = (key, block, cost)
        if best is None:
            return NOWHERE, 0
        return best[2], best[1]
