"""The bounded search for workloads that are too large to be searched exactly.

Blocks that must lie together are shared out over the domains that have room for them, alike ones in one go, and put on
the live state. Where a domain turns out not to take its share the rest is shared out again without it; what finds no
room is tried before the others. Everything is counted in steps. It finds most placements there are and proves nothing.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.ranks import arrange
from railwise.engine.gangs.spot import Spot
from railwise.engine.indexed.gang import ladder
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.apart import ALONE, Guard
from railwise.engine.search.blocks import Block, Item, Pods, items_of, read_blocks
from railwise.engine.search.fill import Filling, Scope
from railwise.engine.search.holds import Holds
from railwise.engine.search.offers import Offers
from railwise.engine.search.rules import obeys
from railwise.engine.search.share_out import Shares, levelled

STEPS: Final = 30_000
"""The budget of one search: about as many pods may be put."""

STEPS_IN_HURRY: Final = 3_000
"""The same for each search of a decision that has used up its patience."""

EXACT_STEPS_A_STEP: Final = 20
"""What a step costs of the patience of a decision, which is counted in steps of the exact search."""

STEPS_A_POD: Final = 4
"""So many more for each pod, at each level of the ladder."""

MOST_FAULTS: Final = 24
"""How many domains may turn out not to take a block before it is given up."""

SNUGGEST_FAULTS: Final = 8
"""After so many the roomiest domain is tried instead of the snuggest."""

MOST_ORDERS: Final = 8
"""How many orders of the contents of a block are tried."""


class BoundedSearch:
    """One search: what it has put on the live state, and what each domain may still hold."""

    def __init__(self, demand: Demand, pods: dict[Shape, int], state: ClusterState, indexes: Indexes) -> None:
        """Start with nothing put; ``pods`` are those to place, per shape."""
        self.demand: Final = demand
        self.state: Final = state
        self.filling: Final = Filling(demand, state, indexes, Holds(state, indexes, pods, by_cpu=not demand.uses_cards))
        self.offers: Final = Offers(self.filling)
        self.repair: Final = self.filling.running > 0
        self.orders = 1
        self.orders_left = False

    def whole(self, root: Block, level: int, steps: int) -> bool:
        """Place everything in one domain of a level, or change nothing."""
        for orders in (1, MOST_ORDERS):
            self.filling.steps = steps
            self.orders, self.orders_left = orders, False
            if self._batch([root.at(level)], ()):
                return True
            self.filling.undo(0)
            if not self.orders_left:
                break
        return False

    def place(self, items: list[Item], scope: Scope) -> bool:
        """Place all that a block holds inside a scope, or change nothing; what finds no room is tried first next."""
        self.filling.steps -= 1
        mark = len(self.filling.log)
        order = list(range(len(items)))
        tried: list[list[int]] = []
        while order not in tried:
            if len(tried) == self.orders:
                self.orders_left = True
                return False
            failed = self._in_order([items[index] for index in order], scope)
            if failed < 0:
                return True
            self.filling.undo(mark)
            if failed == 0 or self.filling.steps < 0:
                return False
            tried.append(list(order))
            order.insert(0, order.pop(failed))
        return False

    def _in_order(self, items: list[Item], scope: Scope) -> int:
        """Place items one after the other; return the number of the first that finds no room, -1 if all do."""
        for index, item in enumerate(items):
            found = self._pods(item, scope) if isinstance(item, Pods) else self._batch(item, scope)
            if not found:
                return index
        return -1

    # --- Alike blocks -------------------------------------------------------------------------------------------------

    def _batch(self, batch: list[Block], scope: Scope) -> bool:
        """Place alike blocks, each at the narrowest level of its ladder where a domain takes it."""
        left = batch
        for level in batch[0].levels:
            if level == NOT_GIVEN:
                left = self._one_by_one(self._one_a_domain(left, scope), scope)
            elif left[0].home:
                left = self._at_home(left[0], level, scope)
            else:
                left = self._at_level(left, level, scope)
            if not left:
                return True
        return False

    def _one_a_domain(self, left: list[Block], scope: Scope) -> list[Block]:
        """Put blocks that must lie apart into one domain each of that level; return those that need several."""
        splits = [guard.apart.level for guard in _splits(left) if guard.apart.tree == left[0].tree]
        return self._at_level(left, max(splits), scope) if splits else left

    def _one_by_one(self, left: list[Block], scope: Scope) -> list[Block]:
        """Put blocks into a scope one after the other; return those that found no room."""
        for index, block in enumerate(left):
            if self.filling.steps < 0 or not self.place(items_of(block), scope):
                return left[index:]
        return []

    def _at_home(self, block: Block, level: int, scope: Scope) -> list[Block]:
        """Place a block where its running pods are; return it if it cannot be."""
        homes = {self.filling.domain_of(block.tree, level, node) for node in block.home}
        home = homes.pop()
        named = self.state.trees[block.tree].tree.named_at(level, home, block.asked)
        if homes or not named or not self.place(items_of(block), (*scope, (block.tree, level, home))):
            return [block]
        return []

    def _at_level(self, left: list[Block], level: int, scope: Scope) -> list[Block]:
        """Put alike blocks into domains of a level; return those that found no room."""
        block = left[0]
        tree = self.state.trees[block.tree].tree
        for other, inner, domain in scope:
            if other == block.tree and inner >= level:
                return self._one_by_one(left, scope) if tree.named_at(inner, domain, block.asked) else left
        around = max([inner for other, inner, _ in scope if other == block.tree], default=NOT_GIVEN)
        splits = [guard.apart.level for guard in _splits(left) if guard.apart.tree == block.tree]
        splits = [split for split in splits if split > around]
        outer = min([split for split in splits if split < level], default=level)
        single = outer in splits
        return self._share_out(left, outer, level, scope, single=single)

    def _share_out(self, left: list[Block], outer: int, level: int, scope: Scope, *, single: bool) -> list[Block]:
        """Share blocks out over domains of a level ``outer``, each then in one domain of ``level`` inside."""
        block = left[0]
        first, rooms = self.offers.of_block(block, outer, scope)
        if single:
            rooms = [min(room, 1) for room in rooms]
        faults = 0
        while left and faults < MOST_FAULTS and self.filling.steps >= 0:
            layout = self.offers.layout(block.tree, outer, first, rooms)
            if layout.total < len(left) and level == block.levels[-1]:
                break
            pick = self.offers.cheapest(block.shapes, outer, scope) if block.tree == self.filling.root else None
            shares = layout.share(len(left), pick, repair=self.repair, roomiest=faults >= SNUGGEST_FAULTS)
            if not shares:
                break
            for domain, copies in sorted(shares):
                there = (*scope, (block.tree, outer, domain))
                inside = left[:copies] if outer == level else [other.at(level) for other in left[:copies]]
                rest = self._one_by_one(inside, there) if outer == level else self._at_level(inside, level, there)
                placed = copies - len(rest)
                left = left[placed:]
                rooms[domain - first] = 0 if rest else rooms[domain - first] - placed
                faults += bool(rest)
        return left

    # --- Loose pods ---------------------------------------------------------------------------------------------------

    def _pods(self, pods: Pods, scope: Scope) -> bool:
        """Put equal pods into a scope: in one rack if one holds them, else in as few as possible."""
        alone = next((guard.apart for guard in pods.guards if guard.holder == ALONE), None)
        index, level = (self.filling.root, self.filling.tree.depth - 1) if alone is None else (alone.tree, alone.level)
        if level < 0 or any(other == index and inner >= level for other, inner, _ in scope):
            wanted = pods.tokens if alone is None else pods.tokens[:1]
            return self.filling.fill(pods, wanted, scope) == len(pods.tokens)
        first, rooms = self.offers.of_pods(pods, index, level, scope)
        if alone is not None:
            rooms = [min(room, 1) for room in rooms]
        left = pods.tokens
        while left and self.filling.steps >= 0:
            layout = self.offers.layout(index, level, first, rooms)
            if layout.total < len(left):
                return False
            pick = None if pods.guards else self.offers.cheapest({pods.shape: 1}, level, scope)
            shares = layout.share(len(left), pick, repair=self.repair, roomiest=False)
            for domain, wanted_here in self._evened(shares, first, rooms, evenly=alone is None):
                there = (*scope, (index, level, domain))
                placed = self.filling.fill(pods, left[:wanted_here], there)
                left = left[placed:]
                rooms[domain - first] = 0 if placed < wanted_here else rooms[domain - first] - placed
        return not left

    def _evened(self, shares: Shares, first: int, rooms: list[int], *, evenly: bool) -> Shares:
        if not self.demand.root.even or not evenly:
            return shares
        return levelled(shares, {domain: rooms[domain - first] for domain, _ in shares})


def _splits(batch: list[Block]) -> list[Guard]:
    """Return the guards that keep the blocks of a batch from one another."""
    return [
        guard
        for number, guard in enumerate(batch[0].guards)
        if guard.holder == ALONE or any(other.guards[number].holder != guard.holder for other in batch[1:])
    ]


def place_bounded(
    demand: Demand, ranks: dict[int, list[int]], chosen: set[int], state: ClusterState, indexes: Indexes
) -> tuple[list[Spot], int] | None:
    """Return (the spots in put order, level of the whole's domain), or None where nothing was found.

    The state is left as it was.
    """
    root = read_blocks(demand, ranks, chosen, state)
    search = BoundedSearch(demand, root.shapes, state, indexes)
    levels = ladder(demand, state.trees[demand.root.tree].tree.depth)
    hurried = demand.patience is not None and demand.patience <= 0
    steps = (STEPS_IN_HURRY if hurried else STEPS) // len(levels) + STEPS_A_POD * sum(root.shapes.values())
    for level in levels:
        found = search.whole(root, level if level >= 0 else NOT_GIVEN, steps)
        if demand.patience is not None:
            demand.patience -= EXACT_STEPS_A_STEP * (steps - search.filling.steps)
        if found:
            put = search.filling.log
            pods = arrange(demand, [Spot(*one.token, one.node) for one in put], state)
            search.filling.undo(0)
            if obeys(demand, pods, ranks, state):
                return pods, level
    return None
