"""What breaking a whole free node destroys outside its own rack.

A node stands in a domain of every topology, and with ``largestGang`` the wider levels count too. In a cluster with one
topology and no such policy there is nothing here, and nobody asks.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree_state import TreeState
from railwise.engine.indexed.fields import wide_worth

Domain = tuple[int, int]
"""(tree, domain of its narrowest level)."""


class Elsewhere:
    """The losses outside the racks of one tree (``own``)."""

    def __init__(self, state: ClusterState, own: int) -> None:
        """Find the other trees that have levels at all."""
        self.state: Final = state
        self.own: Final = own
        self.others: Final = [index for index, trees in enumerate(state.trees) if index != own and trees.tree.depth]
        self.largest: Final = state.policy.largest_gang
        self.active: Final = bool(self.others) or (self.largest > 0 and state.trees[own].tree.depth > 1)
        self.exact: Final = len(self.others) <= 1 and not (self.others and self.largest)

    def first(self, node: int, kind: int) -> int:
        """Return what breaking one whole free node of a class destroys outside its rack, now."""
        total = 0
        for index in self.others:
            trees = self.state.trees[index]
            domain = trees.tree.domain_of[-1][node]
            total += self.state.whole_loss[kind][trees.whole[kind][domain]]
            total += sum(loss[1] for loss in self._wide(trees, domain, kind, 1))
        own = self.state.trees[self.own]
        if own.tree.depth:
            total += sum(loss[1] for loss in self._wide(own, own.tree.domain_of[-1][node], kind, 1))
        return total

    def place(self, node: int) -> tuple[Domain, ...]:
        """Return where a node stands in the other trees."""
        return tuple((index, self.state.trees[index].tree.domain_of[-1][node]) for index in self.others)

    def group_loss(self, place: tuple[Domain, ...], kind: int, most: int) -> list[int]:
        """Return what breaking 0, 1, … ``most`` whole nodes of one place destroys in the other trees."""
        result = [0] * (most + 1)
        for index, domain in place:
            trees = self.state.trees[index]
            for loss in (self._narrow(trees, domain, kind, most), *self._wide(trees, domain, kind, most)):
                for broken, amount in enumerate(loss):
                    result[broken] += amount
        return result

    def rack_loss(self, rack: int, kind: int, most: int) -> list[int]:
        """Return what breaking 0, 1, … ``most`` whole nodes of a rack destroys there and in the domains around it."""
        trees = self.state.trees[self.own]
        result = self._narrow(trees, rack, kind, most)
        for loss in self._wide(trees, rack, kind, most):
            for broken, amount in enumerate(loss):
                result[broken] += amount
        return result

    def _narrow(self, trees: TreeState, domain: int, kind: int, most: int) -> list[int]:
        cards, free = self.state.classes[kind], trees.whole[kind][domain]
        worth = self.state.potential.whole_worth
        return [worth(cards, free) - worth(cards, free - min(broken, free)) for broken in range(most + 1)]

    def _wide(self, trees: TreeState, domain: int, kind: int, most: int) -> list[list[int]]:
        """Return the losses of the wider domains around one, a table each."""
        if not self.largest:
            return []
        cards, potential = self.state.classes[kind], self.state.potential
        result: list[list[int]] = []
        for level in range(trees.tree.depth - 2, -1, -1):
            domain = trees.tree.tiers[level + 1].parent[domain]
            free, above = trees.whole_in(level, domain, kind), trees.widest_below(level)
            before = wide_worth(potential, cards, free, above, self.largest)
            result.append(
                [
                    before - wide_worth(potential, cards, free - min(broken, free), above, self.largest)
                    for broken in range(most + 1)
                ]
            )
        return result

    def touched_too(self, nodes: set[int]) -> set[int]:
        """Return the nodes together with all whose losses may have changed with theirs."""
        if not self.active:
            return nodes
        result = set(nodes)
        for index, trees in enumerate(self.state.trees):
            tree = trees.tree
            level = 0 if self.largest else tree.depth - 1
            if not tree.depth or (index == self.own and not self.largest):
                continue
            for domain in {tree.domain_of[level][node] for node in nodes}:
                tier = tree.tiers[level]
                result.update(tree.order[tier.start[domain] : tier.end[domain]])
        return result
