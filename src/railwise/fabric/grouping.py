"""Leaf groups, and the wider domains above them: the tree that every scheduler can use.

The lowest level are the leaf groups: servers whose links end on the same leaves. Each level above joins groups that
hang on the same switches of the next tier, found in the very same way (``clusters``), so that a wrong cable between a
leaf and a spine changes as little as one at a server.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from railwise.fabric.clusters import Clusters, cluster
from railwise.fabric.names import NOBODY
from railwise.fabric.tiers import Hints, Ignored, Tiers, find_tiers

Counts = Mapping[str, Mapping[str, int]]


@dataclass(slots=True)
class Group:
    """A domain without a name: its tier, servers and switches, and its place in the list of the next wider tier."""

    tier: int
    servers: tuple[str, ...]
    switches: tuple[str, ...]
    parent: int = -1


@dataclass(slots=True)
class Structure:
    """The groups by tier (0: leaf groups), in natural order of their first server; and what is odd."""

    tiers: Tiers
    levels: list[list[Group]] = field(default_factory=list)
    group_of: dict[str, int] = field(default_factory=dict)
    torn: list[str] = field(default_factory=list)
    beside: list[Ignored] = field(default_factory=list)


def structure(up: Counts, down: Counts, across: Counts, hints: Hints, rank: Mapping[str, int]) -> Structure:
    """Return the groups of all servers.

    ``up`` holds the links of each server by switch, ``down`` the same by switch, ``across`` those between switches;
    ``rank`` the places of all names in natural order. Servers that only an address tells apart are in no group.
    """
    tiers = find_tiers(down, across, hints, rank)
    leaves = {switch for switch, tier in tiers.of.items() if tier == 0}
    weights: dict[str, Mapping[str, int]] = {}
    for server, links in up.items():
        if NOBODY in server:
            continue
        if leaves.issuperset(links):
            weights[server] = links
            continue
        mine = {switch: number for switch, number in links.items() if switch in leaves}
        if not mine:
            mine = {switch: number for switch, number in links.items() if switch in tiers.of}
        weights[server] = mine
    found = cluster(weights, rank)
    result = Structure(tiers, torn=found.torn, beside=list(tiers.ignored))
    _note_wide(found, down, result)
    groups, numbers = _ordered(found, rank)
    result.levels.append(groups)
    result.group_of = {server: numbers[group] for server, group in found.elements.items()}
    _stack(result, across, rank)
    return result


def _note_wide(found: Clusters, down: Counts, result: Structure) -> None:
    for leaf in found.wide:
        servers = len(down.get(leaf, ()))
        result.beside.append(Ignored((leaf,), servers, "lies across several leaf groups"))


def _ordered(found: Clusters, rank: Mapping[str, int]) -> tuple[list[Group], dict[int, int]]:
    """Return the groups in natural order of their first elements, and their place by number of the cluster."""
    made = []
    for number, (elements, attachments) in found.members().items():
        elements.sort(key=rank.__getitem__)
        switches = tuple(sorted(attachments, key=rank.__getitem__))
        made.append((rank[elements[0]], number, Group(0, tuple(elements), switches)))
    made.sort(key=lambda one: one[0])
    return [group for _, _, group in made], {number: place for place, (_, number, _) in enumerate(made)}


def _stack(result: Structure, across: Counts, rank: Mapping[str, int]) -> None:
    """Add the wider levels, as long as there are switches of the next tier."""
    while True:
        lower = result.levels[-1]
        tier = len(result.levels)
        weights: dict[str, Counter[str]] = {}
        for place, group in enumerate(lower):
            links: Counter[str] = Counter()
            for switch in group.switches:
                for other, number in across.get(switch, {}).items():
                    if result.tiers.of.get(other) == tier:
                        links[other] += number
            weights[str(place)] = links
        if not any(weights.values()):
            return
        found = cluster(weights)
        upper: list[Group] = []
        for elements, attachments in found.members().values():
            below = sorted(int(element) for element in elements)
            servers = tuple(server for place in below for server in lower[place].servers)
            upper.append(Group(tier, servers, tuple(sorted(attachments, key=rank.__getitem__))))
            for place in below:
                lower[place].parent = len(upper) - 1
        order = sorted(range(len(upper)), key=lambda place: rank[upper[place].servers[0]])
        newly = {old: new for new, old in enumerate(order)}
        for group in lower:
            group.parent = newly.get(group.parent, -1)
        result.levels.append([upper[place] for place in order])
