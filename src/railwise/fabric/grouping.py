"""Leaf groups, and the wider domains above them: the tree that every scheduler can use.

The lowest level are the leaf groups: servers whose links end on the same leaves. Each level above joins groups that
hang on the same switches of the next tier, found in the very same way (``clusters``), so that a wrong cable between a
leaf and a spine changes as little as one at a server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from railwise.fabric.clusters import Clusters, Kinds, KnownClusters, cluster, cluster_kinds
from railwise.fabric.names import NOBODY
from railwise.fabric.tiers import Hints, Ignored, Known, Tiers, find_tiers

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


Joined = list[tuple[list[int], tuple[str, ...]]]
"""The groups of a tier: the places of the narrower ones that each joins, and its switches."""


@dataclass(slots=True)
class Memory:
    """What whoever follows a fabric keeps from one structure to the next, so that one cable costs little.

    ``links`` are the links of servers in a form that can be compared, ``clusters`` what followed from them;
    ``switches``, ``tiers`` and ``joined`` (by the switches of the narrower groups) what followed from the links between
    switches.
    """

    links: dict[str, frozenset[tuple[str, int]]] = field(default_factory=dict)
    clusters: KnownClusters = field(default_factory=dict)
    switches: Known = field(default_factory=Known)
    tiers: Mapping[str, int] = field(default_factory=dict)
    joined: dict[tuple[tuple[str, ...], ...], Joined] = field(default_factory=dict)

    def forget(self, devices: Iterable[str], *, across: bool) -> None:
        """Drop what depends on the links of some devices, and, with ``across``, on any between switches."""
        for device in devices:
            self.links.pop(device, None)
        if across:
            self.switches.clear()
            self.joined.clear()


def structure(
    up: Counts, down: Counts, across: Counts, hints: Hints, rank: Mapping[str, int], memory: Memory | None = None
) -> Structure:
    """Return the groups of all servers.

    ``up`` holds the links of each server by switch, ``down`` the same by switch, ``across`` those between switches;
    ``rank`` the places of all names in natural order. Servers that only an address tells apart are in no group. What is
    in ``memory`` must hold still.
    """
    memory = memory or Memory()
    tiers = find_tiers(down, across, hints, rank, memory.switches)
    if memory.tiers != tiers.of:
        memory.joined.clear()
        memory.tiers = tiers.of
    found = cluster_kinds(_kinds(up, tiers, memory), rank, memory.clusters)
    result = Structure(tiers, torn=found.torn, beside=list(tiers.ignored))
    _note_wide(found, down, result)
    groups, numbers = _ordered(found, rank)
    result.levels.append(groups)
    result.group_of = {server: numbers[group] for server, group in found.elements.items()}
    _stack(result, across, rank, memory)
    return result


def _kinds(up: Counts, tiers: Tiers, memory: Memory) -> Kinds:
    """Return the servers by their links to leaves; those without any by what else they hang on."""
    leaves = {switch for switch, tier in tiers.of.items() if tier == 0}
    kinds: Kinds = {}
    known = memory.links
    for server, links in up.items():
        if NOBODY in server:
            continue
        if leaves.issuperset(links):
            mine = known.get(server)
            if mine is None:
                mine = known[server] = frozenset(links.items())
        else:
            mine = frozenset(link for link in links.items() if link[0] in leaves)
            mine = mine or frozenset(link for link in links.items() if link[0] in tiers.of)
        if mine:
            kinds.setdefault(mine, []).append(server)
    return kinds


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


def _stack(result: Structure, across: Counts, rank: Mapping[str, int], memory: Memory) -> None:
    """Add the wider levels, as long as there are switches of the next tier."""
    while True:
        lower = result.levels[-1]
        key = tuple(group.switches for group in lower)
        if key not in memory.joined:
            memory.joined[key] = _joined(lower, len(result.levels), result.tiers, across, rank)
        joined = memory.joined[key]
        if not joined:
            return
        upper: list[Group] = []
        for below, switches in joined:
            servers = tuple(server for place in below for server in lower[place].servers)
            upper.append(Group(len(result.levels), servers, switches))
            for place in below:
                lower[place].parent = len(upper) - 1
        order = sorted(range(len(upper)), key=lambda place: rank[upper[place].servers[0]])
        newly = {old: new for new, old in enumerate(order)}
        for group in lower:
            group.parent = newly.get(group.parent, -1)
        result.levels.append([upper[place] for place in order])


def _joined(lower: list[Group], tier: int, tiers: Tiers, across: Counts, rank: Mapping[str, int]) -> Joined:
    """Return which groups hang on the same switches of a tier; nothing where there are no such switches."""
    members = {switch for switch, its_tier in tiers.of.items() if its_tier == tier}
    weights: dict[str, dict[str, int]] = {}
    for place, group in enumerate(lower):
        links: dict[str, int] = {}
        for switch in group.switches:
            for other, number in across.get(switch, {}).items():
                if other in members:
                    links[other] = links.get(other, 0) + number
        weights[str(place)] = links
    if not any(weights.values()):
        return []
    found = cluster(weights)
    return [
        (sorted(int(element) for element in elements), tuple(sorted(attachments, key=rank.__getitem__)))
        for elements, attachments in found.members().values()
    ]
