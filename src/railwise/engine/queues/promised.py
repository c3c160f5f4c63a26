"""What a document promises its queues: domains per level, the cards they stand for, and what cannot be kept of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree import Tree
from railwise.engine.gangs.charges import GPU
from railwise.engine.queues.keeping import Wanted
from railwise.engine.queues.promises import Ground
from railwise.model.node import Node
from railwise.model.queue import Queue

ONE_CARD: Final = 1000
"""A card in thousandths."""

Promised = dict[str, dict[int, int]]
"""Domains promised per queue and level (index in the tree)."""


def own_promises(queues: Sequence[Queue], tree: Tree) -> Promised:
    """Return the domains promised to each queue beyond what is promised below it, by level index of the tree.

    Levels that the tree does not have are left out, and so are queues to which nothing is left.
    """
    below: dict[str, dict[str, int]] = {}
    for queue in queues:
        counts = below.setdefault(queue.parent, {})
        for name, count in queue.guarantee.items():
            counts[name] = counts.get(name, 0) + count
    found: Promised = {}
    for queue in queues:
        for name, count in queue.guarantee.items():
            level = tree.level_index(name)
            left = count - below.get(queue.name, {}).get(name, 0)
            if level >= 0 and left > 0:
                found.setdefault(queue.name, {})[level] = left
    return found


class Cards:
    """How many cards promised domains stand for: those of the largest domains, sick and dead cards included."""

    def __init__(self, tree: Tree, nodes: Sequence[Node]) -> None:
        """Count the cards of all nodes."""
        self.tree: Final = tree
        self.nodes: Final = [node.card_count() for node in nodes]
        self._sorted: Final[dict[int, list[int]]] = {}

    def of(self, promised: Mapping[int, int]) -> int:
        """Return the cards (thousandths) of so many of the largest domains of each level (index in the tree)."""
        return ONE_CARD * sum([sum(self._largest(level)[:count]) for level, count in promised.items()])

    def _largest(self, level: int) -> list[int]:
        known = self._sorted.get(level)
        if known is None:
            known = list(self.nodes)
            if level < self.tree.depth:
                tier, order = self.tree.tiers[level], self.tree.order
                ranges = zip(tier.named, tier.start, tier.end, strict=True)
                known = [sum([self.nodes[node] for node in order[start:end]]) for named, start, end in ranges if named]
            known.sort(reverse=True)
            self._sorted[level] = known
        return known


def with_quotas(queues: Sequence[Queue], state: ClusterState) -> Sequence[Queue]:
    """Return the queues with a GPU quota of no less than the cards they are promised."""
    if not any(queue.guarantee for queue in queues):
        return queues
    tree = state.trees[0].tree
    cards = Cards(tree, state.nodes)
    result: list[Queue] = []
    for queue in queues:
        levels = {tree.level_index(name): count for name, count in queue.guarantee.items()}
        implied = cards.of({level: count for level, count in levels.items() if level >= 0})
        raised = implied > queue.quota.get(GPU, 0)
        result.append(replace(queue, quota={**queue.quota, GPU: implied}) if raised else queue)
    return result


def unkept(holders: Sequence[str], names: Sequence[str], asked: Wanted, promised: Wanted, ground: Ground) -> list[str]:
    """Return a warning per promise that cannot be kept beside wider ones, though there are domains enough."""
    found: list[str] = []
    for level, name in enumerate(names):
        domains = sum(ground.named[level])
        together = 0
        for holder, queue in enumerate(holders):
            count, kept = asked[holder][level], promised[holder][level]
            together += count
            if kept < count and together <= domains:
                found.append(
                    f"queue '{queue}': its guarantee of {count} {name} cannot be kept, the wider domains that are "
                    f"promised leave {kept}"
                )
    return found
