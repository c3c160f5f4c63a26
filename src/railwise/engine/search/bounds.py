"""Proofs that a workload cannot be placed, without searching: something in it by itself needs more than there is.

Used where the searches gave up. A bound never says "impossible" of what is possible: it counts every domain as if the
other groups were not there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.shapes import KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.apart import ALONE
from railwise.engine.search.blocks import Block, Pods, read_blocks
from railwise.engine.search.holds import Holds


class Bounds:
    """The bounds of one demand on one state; ``ranks`` are the ranks to place per leaf (by part index)."""

    def __init__(self, demand: Demand, ranks: dict[int, list[int]], state: ClusterState, indexes: Indexes) -> None:
        """Read the demand as blocks; nothing is counted yet."""
        self.demand: Final = demand
        self.ranks: Final = ranks
        self.state: Final = state
        self.root: Final = read_blocks(demand, ranks, _parts(demand.root), state)
        self.holds: Final = Holds(state, indexes, self.root.shapes, by_cpu=not demand.uses_cards)

    def impossible(self) -> bool:
        """Return whether some rule of some part cannot be kept, whatever is done with the rest."""
        if not self.root.shapes:
            return False
        required = self.demand.root.required
        whole = self.root if required == NOT_GIVEN else self.root.at(required)
        return self._lacks([whole]) or self._too_few_apart(self.demand.root)

    def _lacks(self, batch: list[Block]) -> bool:
        """Return whether all domains together hold fewer copies than alike blocks there are, at any depth."""
        block = batch[0]
        if block.levels[-1] == NOT_GIVEN:
            if len(batch) == 1 and self._cluster_lacks(block.shapes):
                return True
        elif sum(self._rooms(block)) < len(batch):
            return True
        if any(self._too_few_alone(pods) for pods in block.pods):
            return True
        return any(self._lacks(inner) for inner in block.batches)

    def _rooms(self, block: Block) -> list[int]:
        """Return how many copies of a block each domain of its required level holds, nothing where it has no name."""
        level = block.levels[-1]
        tree = self.state.trees[block.tree].tree
        domains = len(tree.order) if level >= tree.depth else len(tree.tiers[level].names)
        barred: set[int] = set()
        for apart, holder in block.guards:
            barred.update(apart.barred(holder))
        rooms = self.holds.copies(block, level, 0, domains, barred)
        return [room if tree.named_at(level, domain, level) else 0 for domain, room in enumerate(rooms)]

    def _cluster_lacks(self, shapes: dict[Shape, int]) -> bool:
        """Return whether the nodes hold too few pods of a shape, or have fewer free cards than all pods take."""
        if any(sum(self.holds.of(shape).of_node) < pods for shape, pods in shapes.items()):
            return True
        cards = sum(shape.cards * pods for shape, pods in shapes.items() if shape.kind == KIND_WHOLE)
        return sum(self.holds.cards().of_node) < cards

    def _too_few_alone(self, pods: Pods) -> bool:
        """Return whether fewer domains hold a pod than there are pods that must lie apart."""
        for apart, holder in pods.guards:
            if holder == ALONE:
                barred = set(apart.barred(holder))
                held = self.holds.of(pods.shape).of_node
                usable = {apart.domain(node) for node, room in enumerate(held) if room and node not in barred}
                return len(usable) < len(pods.tokens)
        return False

    def _too_few_apart(self, part: Part) -> bool:
        """Return whether there are fewer domains with a name than groups that must lie apart, at any depth."""
        if part.distinct != NOT_GIVEN and part.shape is None:
            tree = self.state.trees[part.tree].tree
            domains = len(tree.order) if part.distinct >= tree.depth else sum(tree.tiers[part.distinct].named)
            if domains < sum(1 for child in part.children if self._asked(child)):
                return True
        return any(self._too_few_apart(child) for child in part.children)

    def _asked(self, part: Part) -> bool:
        return any(self.ranks.get(leaf.index) for leaf in part.leaves())


def _parts(part: Part) -> set[int]:
    return {part.index}.union(*(_parts(child) for child in part.children))


def most_pods(shape: Shape, state: ClusterState, apart: Iterable[int] = ()) -> int:
    """Return a bound on the pods of a shape of whole cards that all nodes can take by their free cards alone.

    Nodes ``apart`` are left out.
    """
    rooms, cards, total = state.rooms.all, shape.cards, 0
    for index, count in state.room_count.items():
        room = rooms[index]
        if not room.closed:
            total += count * (room.free // cards)
    for node in apart:
        room = state.room_of[node]
        if not room.closed:
            total -= room.free // cards
    return total
