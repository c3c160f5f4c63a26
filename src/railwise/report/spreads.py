"""How wide a workload lies, and how large it is, as a small number with a name in the words of the cluster's levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from railwise.engine.cluster.tree import Tree
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology
from railwise.model.workload import Group, Workload

ONE_NODE = 0
"""The spread of what lies on one node; 1 is one domain of the narrowest level, and so on to several of the widest."""


def first_topology(scenario: Scenario) -> Topology:
    """Return the topology that pictures and spreads go by; a flat cluster has one without levels."""
    return scenario.topologies[0] if scenario.topologies else Topology("", ())


def spread_names(topology: Topology) -> tuple[str, ...]:
    """Return the names of all spreads: ``one node``, ``one rack``, …, ``several superpods``."""
    levels = [level.name for level in topology.levels]
    if not levels:
        return ("one node", "several nodes")
    return ("one node", *(f"one {name}" for name in reversed(levels)), f"several {levels[0]}s")


class Spreads:
    """Tells how wide nodes lie apart in a scenario's first topology."""

    def __init__(self, scenario: Scenario) -> None:
        """Build the tree of domains."""
        self.tree = Tree(first_topology(scenario), scenario.nodes)

    def domains(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Return the number of domains of each level, widest first, that hold some of the nodes."""
        inside = set(nodes)
        return tuple(len({of[node] for node in inside}) for of in self.tree.domain_of)

    def of(self, nodes: Sequence[int]) -> int:
        """Return the spread of nodes, 0 for a single one."""
        inside = set(nodes)
        if len(inside) <= 1:
            return ONE_NODE
        depth = self.tree.depth
        for level in range(depth - 1, -1, -1):
            of = self.tree.domain_of[level]
            if len({of[node] for node in inside}) == 1:
                return depth - level
        return depth + 1


class Sizes(NamedTuple):
    """The classes of size that workloads fall into, by GPUs asked for; ``of`` is the class of each workload."""

    names: tuple[str, ...]
    of: tuple[int, ...]
    gpus: tuple[int, ...]


def sizes(scenario: Scenario) -> Sizes:
    """Return the size class and the GPUs (thousandths) of every workload; only classes that occur.

    Up to one GPU; part of a node; one node; then up to the largest domain of each level, and more than that.
    """
    topology = first_topology(scenario)
    tree = Tree(topology, scenario.nodes)
    cards = [node.card_count() for node in scenario.nodes]
    node = max(cards, default=0)
    bounds = [(0, "no GPU"), (1, "up to 1 GPU")]
    if node > 1:
        bounds += [(node - 1, "part of a node"), (node, "one node")]
    for level in reversed(range(tree.depth)):
        totals: dict[int, int] = {}
        for index, domain in enumerate(tree.domain_of[level]):
            totals[domain] = totals.get(domain, 0) + cards[index]
        largest = max(totals.values(), default=0)
        if largest > bounds[-1][0]:
            bounds.append((largest, f"up to one {topology.levels[level].name}"))
    last = f"more than one {topology.levels[0].name}" if tree.depth and len(bounds) > _PLAIN else "several nodes"
    gpus = tuple(gpus_of(workload) for workload in scenario.workloads)
    classes = [
        next((index for index, (most, _) in enumerate(bounds) if one <= 1000 * most), len(bounds)) for one in gpus
    ]
    names = [*(name for _, name in bounds), last]
    used = sorted(set(classes))
    return Sizes(tuple(names[index] for index in used), tuple(used.index(index) for index in classes), gpus)


_PLAIN = 4
"""The classes that need no topology."""


def gpus_of(workload: Workload) -> int:
    """Return the GPUs that a workload with all its pods asks for, thousandths; a share by memory counts as a card."""
    return _gpus(workload.root)


def _gpus(group: Group) -> int:
    if group.groups:
        return sum(_gpus(child) for child in group.groups)
    cards = group.request.cards
    if cards.kind == "none":
        return 0
    if cards.kind == "whole":
        return 1000 * cards.count * group.pods
    part = max(cards.fraction, 10 * cards.compute, 10 * cards.memory_percent) or 1000
    return part * max(cards.count, sum(number for _, number in cards.slices), 1) * group.pods
