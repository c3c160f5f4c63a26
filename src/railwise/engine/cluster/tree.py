"""The tree of domains of one topology, over the nodes there are.

Domains are numbered densely per level, in order of first appearance under their parent, so that a domain's children and
nodes are one contiguous range and "earlier in the tree" is "smaller number". A domain is known by its path: equal names
under different parents are different domains. A node that names no domain at a level stands there in a nameless domain
of its own, which no rule about that level accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from railwise.model.node import Node
from railwise.model.topology import Topology


class Tier:
    """All domains of one level: names, parents, and the half-open range of tree positions each one covers."""

    def __init__(self) -> None:
        """Start without domains."""
        self.names: list[str] = []
        self.parent: list[int] = []
        self.start: list[int] = []
        self.end: list[int] = []
        self.named: list[bool] = []
        self.first_child: list[int] = []
        self.last_child: list[int] = []

    def ranges(self) -> list[tuple[int, int]]:
        """Return the half-open range of tree positions of every domain."""
        return list(zip(self.start, self.end, strict=True))


class Tree:
    """The domains of a topology. Level index 0 is the widest; index ``depth`` is the node.

    ``order[position]`` is the node at a tree position, ``position[node]`` its inverse; ``domain_of[level][node]`` the
    domain of a node.
    """

    def __init__(self, topology: Topology, nodes: Sequence[Node]) -> None:
        """Build the tree in one pass over the nodes."""
        self.name: Final = topology.name
        self.levels: Final[tuple[str, ...]] = topology.level_names()
        self.depth: Final = len(self.levels)
        paths = [_path(topology.name, self.levels, node, index) for index, node in enumerate(nodes)]
        rank: list[dict[tuple[object, ...], int]] = [{} for _ in range(self.depth)]
        for path in paths:
            for level in range(self.depth):
                seen = rank[level]
                prefix = path[: level + 1]
                if prefix not in seen:
                    seen[prefix] = len(seen)
        keys = [tuple(rank[level][path[: level + 1]] for level in range(self.depth)) for path in paths]
        self.order: Final[list[int]] = sorted(range(len(nodes)), key=lambda index: (keys[index], index))
        self.position: Final[list[int]] = [0] * len(nodes)
        for place, node_index in enumerate(self.order):
            self.position[node_index] = place
        self.tiers: Final[list[Tier]] = [Tier() for _ in range(self.depth)]
        self.domain_of: Final[list[list[int]]] = [[0] * len(nodes) for _ in range(self.depth)]
        self._named: Final[dict[tuple[int, int], list[int]]] = {}
        self._fill(keys, paths)

    def _fill(self, keys: list[tuple[int, ...]], paths: list[tuple[str | tuple[object, ...], ...]]) -> None:
        previous: tuple[int, ...] = ()
        for place, node_index in enumerate(self.order):
            key = keys[node_index]
            opened = False
            for level in range(self.depth):
                tier = self.tiers[level]
                if opened or not previous or previous[level] != key[level]:
                    opened = True
                    name = paths[node_index][level]
                    tier.names.append(name if isinstance(name, str) else "")
                    tier.named.append(isinstance(name, str))
                    tier.parent.append(len(self.tiers[level - 1].names) - 1 if level else 0)
                    tier.start.append(place)
                    tier.end.append(place)
                    below = self.tiers[level + 1] if level + 1 < self.depth else None
                    first = len(below.names) if below is not None else place
                    tier.first_child.append(first)
                    tier.last_child.append(first)
                domain = len(tier.names) - 1
                tier.end[domain] = place + 1
                self.domain_of[level][node_index] = domain
            for level in range(self.depth):
                tier = self.tiers[level]
                below = self.tiers[level + 1] if level + 1 < self.depth else None
                tier.last_child[-1] = len(below.names) if below is not None else place + 1
            previous = key

    def level_index(self, name: str) -> int:
        """Return the index of a level by its name (``depth`` for the node), or -1 where there is none of that name."""
        if name == "node":
            return self.depth
        for index, level in enumerate(self.levels):
            if level == name:
                return index
        return -1

    def path(self, level: int, domain: int) -> tuple[str, ...]:
        """Return the names from the widest level down to this domain."""
        names: list[str] = []
        while level >= 0:
            tier = self.tiers[level]
            names.append(tier.names[domain])
            domain = tier.parent[domain]
            level -= 1
        return tuple(reversed(names))

    def named_at(self, level: int, domain: int, wider: int) -> bool:
        """Return whether the domain around this one at a wider (or its own) level has a name; -1: nothing is asked."""
        if wider < 0 or wider > level:
            return True
        while level > wider:
            domain = (
                self.domain_of[level - 1][self.order[domain]]
                if level == self.depth
                else self.tiers[level].parent[domain]
            )
            level -= 1
        return level == self.depth or self.tiers[level].named[domain]

    def racks_in(self, level: int, domain: int) -> tuple[int, int]:
        """Return the half-open range of narrowest domains inside a domain (level -1: all)."""
        if level < 0:
            return 0, len(self.tiers[-1].names)
        first, last = domain, domain + 1
        for tier in self.tiers[level : self.depth - 1]:
            first, last = tier.first_child[first], tier.last_child[last - 1]
        return first, last

    def domains_named(self, level: int, wider: int) -> list[int]:
        """Return the domains of a level for which ``named_at`` holds."""
        known = self._named.get((level, wider))
        if known is None:
            found = range(len(self.tiers[level].names))
            known = [domain for domain in found if self.named_at(level, domain, wider)]
            self._named[level, wider] = known
        return known

    def node_named(self, level: int, node_index: int) -> bool:
        """Return whether a node names a domain at a level (always so for the node itself)."""
        return level >= self.depth or self.tiers[level].named[self.domain_of[level][node_index]]


def _path(topology: str, levels: tuple[str, ...], node: Node, index: int) -> tuple[str | tuple[object, ...], ...]:
    """Return the node's domain names; a gap gets a key that only the nodes below the same named domain share."""
    places = node.places.get(topology)
    if places is None:
        places = {}
    names: list[str | tuple[object, ...]] = []
    for level, name in enumerate(levels):
        place = places.get(name)
        if place is not None:
            names.append(place)
            continue
        below = [places[other] for other in levels[level + 1 :] if other in places]
        names.append(("gap", *below) if below else ("node", index))
    return tuple(names)
