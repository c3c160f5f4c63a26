"""Whether pods that are about to be placed keep every rule of their workload: asked once more, of the finished answer.

A search that is clever can be wrong, and a hard rule that is broken is worse than a workload that waits. So what leaves
the bounded search is read again here, pod by pod, by nothing but the rules themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part
from railwise.engine.gangs.spot import Spot

Nodes = dict[int, dict[int, int]]
"""The node of every rank that is placed, per leaf (by part index)."""


def obeys(demand: Demand, spots: Sequence[Spot], ranks: dict[int, list[int]], state: ClusterState) -> bool:
    """Return whether spots are exactly the ranks asked for per leaf (by part index) and break no rule about domains.

    Running pods count. A rule that only they break (because a node has moved) is not the fault of the new ones. Whether
    there is room is not asked: ``ClusterState.put`` does.
    """
    nodes: Nodes = {leaf.index: {} for leaf in demand.leaves}
    for spot in spots:
        leaf = demand.leaves[spot.leaf]
        if spot.rank in nodes[leaf.index] or spot.rank in leaf.fixed:
            return False
        nodes[leaf.index][spot.rank] = spot.node
    if any(sorted(nodes[leaf.index]) != sorted(ranks.get(leaf.index, ())) for leaf in demand.leaves):
        return False
    return _keeps(demand.root, nodes, state)


def _keeps(part: Part, nodes: Nodes, state: ClusterState) -> bool:
    """Return whether the new pods of a part keep its own rules and those of its groups."""
    new = _placed(part, nodes)
    if not new:
        return True
    if part.required != NOT_GIVEN and not _together(part, part.required, [*new, *_fixed(part)], state):
        return False
    if part.distinct != NOT_GIVEN and not _apart(part, nodes, state):
        return False
    if part.segment_size and part.segment_required != NOT_GIVEN and not _runs_whole(part, nodes, state):
        return False
    return all(_keeps(child, nodes, state) for child in part.children)


def _placed(part: Part, nodes: Nodes) -> list[int]:
    return [node for leaf in part.leaves() for node in nodes[leaf.index].values()]


def _fixed(part: Part) -> list[int]:
    return [node for leaf in part.leaves() for node in leaf.fixed.values()]


def _domain(part: Part, level: int, node: int, state: ClusterState) -> int:
    """Return the domain of a node at a level of a part's topology, -1 where it names none."""
    tree = state.trees[part.tree].tree
    if level >= tree.depth:
        return node
    domain = tree.domain_of[level][node]
    return domain if tree.tiers[level].named[domain] else -1


def _together(part: Part, level: int, nodes: Iterable[int], state: ClusterState) -> bool:
    domains = {_domain(part, level, node, state) for node in nodes}
    return len(domains) == 1 and -1 not in domains


def _apart(part: Part, nodes: Nodes, state: ClusterState) -> bool:
    """Return whether no domain with a new pod holds a second pod (of groups: a pod of a second group)."""
    if part.shape is not None:
        new = [_domain(part, part.distinct, node, state) for node in nodes[part.index].values()]
        old = {_domain(part, part.distinct, node, state) for node in part.fixed.values()}
        return -1 not in new and len(set(new)) == len(new) and old.isdisjoint(new)
    owner: dict[int, int] = {}
    used: set[int] = set()
    for child in part.children:
        mine = {_domain(part, part.distinct, node, state) for node in _placed(child, nodes)}
        held = {_domain(part, part.distinct, node, state) for node in _fixed(child)}
        used |= mine
        for domain in mine | held:
            owner[domain] = owner.get(domain, 0) + 1
    return -1 not in used and all(owner[domain] == 1 for domain in used)


def _runs_whole(leaf: Part, nodes: Nodes, state: ClusterState) -> bool:
    """Return whether every run of ranks with a new pod lies in one domain."""
    runs: dict[int, list[int]] = {}
    for rank, node in nodes[leaf.index].items():
        runs.setdefault(rank // leaf.segment_size, []).append(node)
    for rank, node in leaf.fixed.items():
        if rank // leaf.segment_size in runs:
            runs[rank // leaf.segment_size].append(node)
    return all(_together(leaf, leaf.segment_required, run, state) for run in runs.values())
