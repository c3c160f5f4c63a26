"""The bounded search for workloads that are too large to be searched exactly.

Blocks that must lie together are placed largest first on the live state, each in the cheapest domain that takes it;
where a later block finds no room the choice is undone by its inverse and the next domain tried, a fixed number of
times. It finds most placements there are and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.ranks import arrange
from railwise.engine.gangs.spot import Spot
from railwise.engine.indexed.domains import bits_of
from railwise.engine.indexed.gang import ladder
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.indexed.racks import RackIndex
from railwise.engine.indexed.spread import fill_racks, level_shares
from railwise.engine.search.blocks import Block, read_blocks
from railwise.engine.search.rules import obeys

MOST_TRIES: Final = 3000
"""How many times a block is put into a domain before the search gives up."""

MOST_DOMAINS: Final = 24
"""How many domains are tried for one block."""

Scope = list[tuple[int, int, int]]
"""Domains that all must hold a node: (tree, level, domain)."""

Log = list[tuple[int, int, int, Shape, Grant]]


class BoundedSearch:
    """One search: tries on the live state, a log of what was put, and a number of tries left."""

    def __init__(self, demand: Demand, state: ClusterState, indexes: Indexes) -> None:
        """Start with nothing put."""
        self.demand: Final = demand
        self.state: Final = state
        self.indexes: Final = indexes
        self.log: Log = []
        self.tries = MOST_TRIES
        self.running: Final = [node for leaf in demand.leaves for node in leaf.fixed.values()]

    def undo(self, length: int) -> None:
        """Take back everything put after the log had this length."""
        while len(self.log) > length:
            _, _, node, shape, grant = self.log.pop()
            self.state.take_away(shape, node, grant)

    def place(self, blocks: list[Block], scope: Scope) -> bool:
        """Place all blocks inside a scope, or change nothing."""
        start = len(self.log)
        open_choices: list[Iterator[Scope]] = []
        marks: list[int] = []
        while len(open_choices) < len(blocks) or not blocks:
            if not blocks:
                return True
            block = blocks[len(open_choices)]
            open_choices.append(iter(self._scopes(block, scope)))
            marks.append(len(self.log))
            while open_choices and not self._next_choice(blocks[len(open_choices) - 1], open_choices[-1], marks[-1]):
                open_choices.pop()
                self.undo(marks.pop())
            if not open_choices:
                self.undo(start)
                return False
        return True

    def _next_choice(self, block: Block, scopes: Iterator[Scope], mark: int) -> bool:
        """Put a block into the next domain that takes it; what it had put before is undone."""
        self.undo(mark)
        for inner in scopes:
            self.tries -= 1
            if self.tries < 0:
                return False
            if self._fill(block, inner):
                return True
            self.undo(mark)
        return False

    def _fill(self, block: Block, scope: Scope) -> bool:
        """Place the contents of one block in its chosen domain: inner blocks first, then loose pods."""
        if not self._place_apart(block, scope):
            return False
        for number, ranks, shape in sorted(block.pods, key=lambda pods: -pods[2].gpu_thousandths()):
            if block.apart != NOT_GIVEN and block.part.shape is not None:
                if not self._pods_apart(block, number, ranks, shape, scope):
                    return False
            elif not self._pods(number, ranks, shape, scope):
                return False
        return True

    def _place_apart(self, block: Block, scope: Scope) -> bool:
        if block.apart == NOT_GIVEN or block.part.shape is not None:
            return self.place(block.inner, scope)
        taken: set[int] = set()
        for inner in block.inner:
            mark = len(self.log)
            for domain in self._domains(block.part.tree, block.apart, scope, inner.shapes()):
                where = (block.part.tree, block.apart, domain)
                if domain not in taken and self.place([inner], [*scope, where]):
                    taken.add(domain)
                    break
                self.undo(mark)
            else:
                return False
        return True

    def _pods_apart(self, block: Block, number: int, ranks: list[int], shape: Shape, scope: Scope) -> bool:
        tree = block.part.tree
        used = {self._domain_of(tree, block.apart, node) for node in block.home}
        domains = [domain for domain in self._domains(tree, block.apart, scope, {shape: 1}) if domain not in used]
        left = list(ranks)
        for domain in domains:
            if not left:
                break
            if self._pods(number, left[:1], shape, [*scope, (tree, block.apart, domain)]):
                left.pop(0)
        return not left

    def _scopes(self, block: Block, scope: Scope) -> list[Scope]:
        if block.level == NOT_GIVEN:
            return [scope]
        homes = {self._domain_of(block.tree, block.level, node) for node in block.home}
        if len(homes) > 1:
            return []
        domains = self._domains(block.tree, block.level, scope, block.shapes())
        if homes:
            domains = [domain for domain in domains if domain in homes]
        return [[*scope, (block.tree, block.level, domain)] for domain in domains[:MOST_DOMAINS]]

    def _domain_of(self, tree: int, level: int, node: int) -> int:
        shape = self.state.trees[tree].tree
        return shape.position[node] if level >= shape.depth else shape.domain_of[level][node]

    def _domains(self, tree: int, level: int, scope: Scope, shapes: dict[Shape, int]) -> list[int]:
        """Return the domains of a level inside a scope that may hold the pods, the tightest first."""
        trees = self.state.trees[tree]
        shape_of = trees.tree
        if len(shapes) == 1 and level == shape_of.depth - 1 and all(where[0] == tree for where in scope):
            ((shape, pods),) = shapes.items()
            ordered = self._racks_by_cost(tree, shape, pods, scope)
            if ordered is not None:
                return ordered
        start, end = self._range(tree, scope)
        found: list[tuple[int, int]] = []
        if level >= shape_of.depth:
            fit = [
                place
                for place in range(start, end)
                if all(self.state.fits(shape, shape_of.order[place]) for shape in shapes)
            ]
            found.extend((self.state.room_of[shape_of.order[place]].slots, place) for place in fit)
        else:
            tier = shape_of.tiers[level]
            for domain in range(len(tier.names)):
                overlaps = tier.start[domain] < end and tier.end[domain] > start
                if tier.named[domain] and overlaps and self._capacity_ok(tree, level, domain, shapes):
                    found.append((trees.free[level][domain], domain))
        found.sort()
        return [domain for _, domain in found]

    def _racks_by_cost(self, tree: int, shape: Shape, pods: int, scope: Scope) -> list[int] | None:
        racks, spread = self.indexes.racks(tree, shape, pods, by_cpu=not self.demand.uses_cards, nodes_first=False)
        first, last = 0, len(racks.ranges)
        for other, level, domain in scope:
            if other != tree or level >= racks.depth:
                return None
            low, high = spread.tree.racks_in(level, domain)
            first, last = max(first, low), min(last, high)
        if first >= last:
            return []
        mask = ((1 << (last - first)) - 1) << first
        named = self.indexes.named(tree, racks.depth - 1, None)
        mask = named if not scope else mask if named == -1 else mask & named
        best = racks.cheapest(pods, mask)
        if best is None:
            return []
        others = [
            rack
            for rack in bits_of(mask if mask != -1 else (1 << len(racks.ranges)) - 1)
            if rack != best[0] and racks.of_rack[rack].capacity >= pods
        ]
        others.sort(key=lambda rack: (racks.of_rack[rack].capacity, rack))
        return [best[0], *others]

    def _capacity_ok(self, tree: int, level: int, domain: int, shapes: dict[Shape, int]) -> bool:
        for shape, pods in shapes.items():
            _, spread = self.indexes.racks(tree, shape, pods, by_cpu=not self.demand.uses_cards, nodes_first=False)
            if spread.capacity(level, domain) < pods:
                return False
        return True

    def _range(self, tree: int, scope: Scope) -> tuple[int, int]:
        shape = self.state.trees[tree].tree
        start, end = 0, len(shape.order)
        for other, level, domain in scope:
            if other != tree:
                continue
            if level >= shape.depth:
                start, end = max(start, domain), min(end, domain + 1)
            elif level >= 0:
                tier = shape.tiers[level]
                start, end = max(start, tier.start[domain]), min(end, tier.end[domain])
        return start, end

    def _inside(self, scope: Scope, node: int) -> bool:
        return all(level < 0 or self._domain_of(tree, level, node) == domain for tree, level, domain in scope)

    def _pods(self, number: int, ranks: list[int], shape: Shape, scope: Scope) -> bool:
        """Put equal pods into a scope: in one rack if one holds them, else in as few as possible."""
        tree = self.demand.root.tree
        nodes = self._nodes_for(tree, len(ranks), shape, scope)
        left = list(ranks)
        for node, here in nodes:
            for _ in range(here):
                if not left:
                    return True
                grant = self.state.put(shape, node)
                if grant is None:
                    break
                self.log.append((number, left.pop(0), node, shape, grant))
        return not left

    def _nodes_for(self, tree: int, pods: int, shape: Shape, scope: Scope) -> list[tuple[int, int]]:
        racks, spread = self.indexes.racks(tree, shape, pods, by_cpu=not self.demand.uses_cards, nodes_first=False)
        order = self.state.trees[tree].tree.order
        if any(where[0] != tree or where[1] >= racks.depth for where in scope):
            start, end = self._range(tree, scope)
            inside = [order[place] for place in range(start, end) if self._inside(scope, order[place])]
            ranked = sorted(
                (racks.curves.first(self.state.room_of[node].index), place)
                for place, node in enumerate(inside)
                if self.state.fits(shape, node)
            )
            return [(inside[place], pods) for _, place in ranked]
        first, last = 0, len(racks.ranges)
        for _, level, domain in scope:
            if level >= 0:
                low, high = spread.tree.racks_in(level, domain)
                first, last = max(first, low), min(last, high)
        shares = self._near_running(racks, range(first, last), pods)
        left = pods - sum(here for _, here in shares)
        taken = {rack for rack, _ in shares}
        mask = ((1 << (last - first)) - 1) << first
        for rack in taken:
            mask &= ~(1 << rack)
        best = racks.cheapest(left, mask) if left else None
        if best is not None:
            shares.append((best[0], left))
        elif left:
            shares += fill_racks(racks, [rack for rack in range(first, last) if rack not in taken], left)
        if self.demand.root.even:
            shares = level_shares(racks, shares)
        return [(order[place], count) for rack, here in shares for place, count in racks.positions(rack, here)]

    def _near_running(self, racks: RackIndex, inside: range, pods: int) -> list[tuple[int, int]]:
        """Return (rack, pods) in racks where pods of the workload run already, those with most of them first."""
        if not self.running or not racks.depth:
            return []
        domain_of = self.state.trees[self.demand.root.tree].tree.domain_of[-1]
        counts: dict[int, int] = {}
        for node in self.running:
            counts[domain_of[node]] = counts.get(domain_of[node], 0) + 1
        shares: list[tuple[int, int]] = []
        for rack in sorted(counts, key=lambda rack: (-counts[rack], rack)):
            here = min(pods, racks.of_rack[rack].capacity)
            if rack in inside and here:
                shares.append((rack, here))
                pods -= here
        return shares


def place_bounded(
    demand: Demand, ranks: dict[int, list[int]], chosen: set[int], state: ClusterState, indexes: Indexes
) -> tuple[list[Spot], int] | None:
    """Return (the spots in put order, level of the whole's domain), or None where nothing was found.

    The state is left as it was.
    """
    root = read_blocks(demand, ranks, chosen)
    tree = state.trees[demand.root.tree].tree
    search = BoundedSearch(demand, state, indexes)
    for level in ladder(demand, tree.depth):
        whole = Block(root.tree, level if level >= 0 else NOT_GIVEN, root.part)
        whole.pods, whole.inner, whole.apart, whole.home = root.pods, root.inner, root.apart, root.home
        search.tries = MOST_TRIES
        if search.place([whole], []):
            pods = arrange(demand, [Spot(number, rank, node) for number, rank, node, _, _ in search.log], state)
            search.undo(0)
            if obeys(demand, pods, ranks, state):
                return pods, level
    return None
