"""The tree of domains with what is used and free in each, as one nested value for text trees and drawings.

The engine keeps its tree as dense arrays for speed; a face wants to walk it. This module turns the one into the other
and adds up what a reader looks for: nodes, card-slots, free ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from railwise.engine.cluster.tree import Tree
from railwise.model.topology import Topology
from railwise.report.occupancy import NodeUse, Occupancy


@dataclass(frozen=True)
class Domain:
    """One domain. ``level`` is empty for the root; ``name`` is empty where its nodes name no domain at this level.

    ``nodes`` are all nodes inside in tree order, ``children`` the domains of the next narrower level (none: the last).
    ``cards`` counts the cards of its nodes, ``used`` those that somebody is on, ``free`` the free card-slots, ``whole``
    the nodes that are free as a whole.
    """

    level: str
    name: str
    path: str
    children: tuple[Domain, ...]
    nodes: tuple[NodeUse, ...]
    cards: int
    used: int
    free: int
    whole: int


def domain_tree(moment: Occupancy, topology: Topology | None = None) -> Domain:
    """Return the root over all nodes of a topology (default: the scenario's first one; none: a flat cluster).

    Args:
        moment: the cluster with its nodes in use.
        topology: which of the cluster's topologies to walk.
    """
    scenario = moment.scenario
    chosen = topology or (scenario.topologies[0] if scenario.topologies else Topology("", ()))
    tree = Tree(chosen, scenario.nodes)
    ordered = [moment.uses[index] for index in tree.order]
    if not tree.depth:
        return _domain("", chosen.name, "", (), tuple(ordered))
    below: list[Domain] = []
    for level in reversed(range(tree.depth)):
        tier = tree.tiers[level]
        last = level == tree.depth - 1
        below = [
            _domain(
                tree.levels[level],
                tier.names[index],
                "/".join(name or "-" for name in tree.path(level, index)),
                () if last else _together(below[tier.first_child[index] : tier.last_child[index]]),
                tuple(ordered[tier.start[index] : tier.end[index]]),
            )
            for index in range(len(tier.names))
        ]
    return _domain("", chosen.name, "", _together(below), tuple(ordered))


def _together(siblings: Sequence[Domain]) -> tuple[Domain, ...]:
    """Return siblings with neighbours without a name as one: the engine keeps them apart, a reader need not."""
    found: list[Domain] = []
    for one in siblings:
        if found and not one.name and not found[-1].name:
            before = found[-1]
            children = _together((*before.children, *one.children))
            found[-1] = _domain(one.level, "", one.path, children, before.nodes + one.nodes)
        else:
            found.append(one)
    return tuple(found)


def _domain(level: str, name: str, path: str, children: tuple[Domain, ...], nodes: tuple[NodeUse, ...]) -> Domain:
    return Domain(
        level,
        name,
        path,
        children,
        nodes,
        cards=sum(len(use.cards) for use in nodes),
        used=sum(1 for use in nodes for card in use.cards if card.tenants),
        free=sum(use.free for use in nodes),
        whole=sum(1 for use in nodes if use.cards and use.free == len(use.cards)),
    )


def domain_items(moment: Occupancy) -> list[dict[str, object]]:
    """Return every domain of every topology as plain data, in tree order, a parent before its children."""
    found: list[dict[str, object]] = []

    def walk(topology: str, domain: Domain) -> None:
        if domain.level:
            found.append(
                {
                    "topology": topology,
                    "level": domain.level,
                    "name": domain.name,
                    "path": domain.path,
                    "nodes": len(domain.nodes),
                    "gpus": domain.cards,
                    "freeSlots": domain.free,
                    "wholeNodes": domain.whole,
                    "workloads": sorted({name for use in domain.nodes for name, _ in use.pods}),
                }
            )
        for child in domain.children:
            walk(topology, child)

    for topology in moment.scenario.topologies:
        walk(topology.name, domain_tree(moment, topology))
    return found
