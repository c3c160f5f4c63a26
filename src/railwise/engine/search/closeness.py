"""How close the pods of a placement lie, by the rules ("Better", 1 and 2), read from the places themselves.

The searches carry these criteria in their costs. Whoever compares answers of different searches, or what becomes
possible by different evictions, measures them here.
"""

from __future__ import annotations

from collections.abc import Iterable

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree import Tree
from railwise.engine.gangs.demand import NO_LOCALITY, NOT_GIVEN, Demand, Part
from railwise.engine.gangs.spot import Spot

Closeness = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""Of the whole, then of each group with a preference of its own; smaller is closer."""


def closeness(demand: Demand, spots: list[Spot], state: ClusterState) -> Closeness:
    """Return criteria 1 and 2 of a placement that is not on the state yet, without evenness and cut segments."""
    nodes = sorted({spot.node for spot in spots} | {node for leaf in demand.leaves for node in leaf.fixed.values()})
    tree = state.trees[demand.root.tree].tree
    groups = [_group_locality(number, leaf, spots, state) for number, leaf in _groups(demand)]
    return locality(demand.preferred, nodes, tree), tuple(groups)


def cut_segments(demand: Demand, spots: list[Spot], state: ClusterState) -> int:
    """Return how many segments do not lie in one domain of the level that they would like."""
    cut = 0
    for number, leaf in enumerate(demand.leaves):
        if not leaf.segment_size or leaf.segment_preferred == NOT_GIVEN:
            continue
        tree = state.trees[leaf.tree].tree
        runs: dict[int, set[int]] = {}
        places = {**leaf.fixed, **{spot.rank: spot.node for spot in spots if spot.leaf == number}}
        for rank, node in places.items():
            level = leaf.segment_preferred
            domain = node if level >= tree.depth else tree.domain_of[level][node]
            runs.setdefault(rank // leaf.segment_size, set()).add(domain)
        cut += sum(len(domains) > 1 for domains in runs.values())
    return cut


def locality(preferred: int, nodes: list[int], tree: Tree) -> tuple[int, ...]:
    """Return criteria 1 and 2 of some nodes: how wide the one domain is, then the domains below it, widest first."""
    if preferred < 0 or not nodes:
        return ()
    counts = [_domains(nodes, level, tree) for level in range(min(preferred, tree.depth) + 1)]
    level = preferred
    while level >= 0 and counts[level] > 1:
        level -= 1
    return (-level, *counts[level + 1 :])


def _groups(demand: Demand) -> list[tuple[int, Part]]:
    return [
        (number, leaf)
        for number, leaf in enumerate(demand.leaves)
        if leaf is not demand.root and leaf.preferred not in {NOT_GIVEN, NO_LOCALITY}
    ]


def _group_locality(number: int, leaf: Part, spots: list[Spot], state: ClusterState) -> tuple[int, ...]:
    nodes = sorted({spot.node for spot in spots if spot.leaf == number} | set(leaf.fixed.values()))
    return locality(leaf.preferred, nodes, state.trees[leaf.tree].tree)


def _domains(nodes: Iterable[int], level: int, tree: Tree) -> int:
    return len(set(nodes)) if level >= tree.depth else len({tree.domain_of[level][node] for node in nodes})
