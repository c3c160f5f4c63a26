"""How good a placement is by the rules ("Better"), as one key that is compared between different victims.

Two ways to make room may cost the same; then the placement that becomes possible decides. It is put on the state,
measured, and taken away again.
"""

from __future__ import annotations

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.closeness import closeness

Key = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int, int, int, int, tuple[int, ...], tuple[int, ...]]
"""A smaller key is a better placement."""


def quality(demand: Demand, spots: list[Spot], state: ClusterState) -> Key:
    """Return the key of a placement that is not on the state yet."""
    nodes = sorted({spot.node for spot in spots} | {node for leaf in demand.leaves for node in leaf.fixed.values()})
    tree = state.trees[demand.root.tree].tree
    near, groups = closeness(demand, spots, state)
    before = worth(state, nodes)
    bare = sum(1 for spot in spots if _wasted(demand, spot, state))
    dead = sum(1 for node in nodes if state.dead_rails[node]) if len(nodes) > 1 else 0
    grants = []
    for spot in spots:
        shape = demand.leaves[spot.leaf].shape
        grant = state.put(shape, spot.node, spot.chosen) if shape is not None else None
        if shape is not None and grant is not None:
            grants.append((shape, spot.node, grant))
    loss = before - worth(state, nodes)
    left = [sum(state.room_of[node].slots for node in nodes)]
    for level in range(tree.depth - 1, -1, -1):
        free = state.trees[demand.root.tree].free[level]
        left.append(sum(free[domain] for domain in {tree.domain_of[level][node] for node in nodes}))
    for shape, node, grant in reversed(grants):
        state.take_away(shape, node, grant)
    positions = tuple(sorted(tree.position[spot.node] for spot in spots))
    return near, groups, bare, dead, loss, len(nodes), tuple(left), positions


def _wasted(demand: Demand, spot: Spot, state: ClusterState) -> bool:
    shape = demand.leaves[spot.leaf].shape
    return shape is not None and not shape.wants_cards() and state.specs[spot.node].cards > 0


def worth(state: ClusterState, nodes: list[int]) -> int:
    """Return the potential of some nodes (each once) and of the domains around them."""
    total = sum(state.potential.node[state.room_of[node].slots] for node in nodes)
    largest = state.policy.largest_gang
    for trees in state.trees:
        tree = trees.tree
        narrowest = tree.depth - 1
        for level in range(narrowest, -1 if largest else max(narrowest - 1, -1), -1):
            above = trees.widest_below(level) if level < narrowest else 1
            bound = largest if level < narrowest else 0
            for domain in sorted({tree.domain_of[level][node] for node in nodes}):
                for kind, cards in enumerate(state.classes):
                    free = trees.whole_in(level, domain, kind)
                    total += state.potential.whole_worth(cards, free, above, bound)
    return total
