"""Which switches are leaves, which are above them, and which belong to another network altogether.

Counting steps from the servers is how tiers are usually found, and a login node plugged into a spine then makes that
spine a leaf. So a switch with servers is a leaf unless it links to more switches that have more servers than it has
servers itself; above the leaves, a switch stands one tier over most of what it links to below. What is written down
(a role) outranks all counting.

Networks that run side by side (planes) are the parts the switches fall into once the servers are taken out. A part that
carries few of the links of the servers it reaches, measured against the part that carries most of them, is no compute
network; neither is one whose switches say so by role, plane or name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from railwise.fabric.elements import COMPUTE_ROLES, Role

Links = Mapping[str, Mapping[str, int]]
"""By switch the number of its links by neighbour."""

BESIDE: Final = re.compile(r"(^|[^a-z])(stor(age)?|nas|ceph|nfs|mgmt|management|oob|ipmi|bmc)([^a-z]|$)", re.IGNORECASE)
"""Names that switches of storage and management networks go by."""

MINOR: Final = 2
"""A part of the network is minor where it carries at most one in so many of the links that the largest one carries."""

_TIER_OF_ROLE: Final = {Role.LEAF: 0, Role.SPINE: 1, Role.SUPER_SPINE: 2, Role.CORE: 2}
MOST_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part of the network that is left out: its switches, the servers it reaches, and why."""

    switches: tuple[str, ...]
    servers: int
    reason: str


@dataclass(slots=True)
class Tiers:
    """Tier by switch (0: leaf), for the switches of the compute network, and what is beside it."""

    of: dict[str, int] = field(default_factory=dict)
    ignored: list[Ignored] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known about switches beforehand: their role, and the planes that are not for compute with their role."""

    roles: Mapping[str, str] = field(default_factory=dict)
    planes: Mapping[str, str] = field(default_factory=dict)
    plane_roles: Mapping[str, str] = field(default_factory=dict)

    def beside(self, switch: str) -> str:
        """Return why a switch is not part of the compute network; empty: nothing says so."""
        role = self.roles.get(switch, "")
        if role and role not in COMPUTE_ROLES:
            return f"role {role}"
        plane = self.planes.get(switch, "")
        if self.plane_roles.get(plane, "compute") != "compute":
            return f"plane {plane} is for {self.plane_roles[plane]}"
        if not role and BESIDE.search(switch):
            return "by its name"
        return ""


@dataclass(slots=True)
class Known:
    """What followed from the links between switches, as long as these and the hints are the same.

    ``parts`` by the switches that were asked about, ``risen`` by the tiers that were given.
    """

    parts: dict[tuple[str, ...], list[list[str]]] = field(default_factory=dict)
    risen: dict[frozenset[tuple[str, int]], dict[str, int]] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget everything."""
        self.parts.clear()
        self.risen.clear()


def find_tiers(down: Links, across: Links, hints: Hints, rank: Mapping[str, int], known: Known | None = None) -> Tiers:
    """Return the tiers of the switches.

    ``down`` holds the links of each switch to servers, ``across`` those to other switches, from both ends;
    ``rank`` the places of all names in natural order. What is ``known`` must hold still.
    """
    known = known or Known()
    tiers = Tiers()
    compute = _without_others(down, across, hints, rank, (tiers, known))
    servers = {switch: sum(down.get(switch, {}).values()) for switch in compute}
    for switch in compute:
        role = hints.roles.get(switch, "")
        if role in _TIER_OF_ROLE:
            tiers.of[switch] = _TIER_OF_ROLE[Role(role)]
        elif servers[switch] and not _above(switch, servers, across):
            tiers.of[switch] = 0
    given = frozenset(tiers.of.items())
    if given not in known.risen:
        _rise(compute, across, tiers.of, frozenset(switch for switch in compute if hints.roles.get(switch, "")))
        known.risen = {given: tiers.of}
    tiers.of = known.risen[given]
    return tiers


def _above(switch: str, servers: Mapping[str, int], across: Links) -> bool:
    """Return whether a switch links to more switches with more servers than it has servers."""
    own = servers[switch]
    return sum(servers.get(other, 0) > own for other in across.get(switch, {})) > own


def _rise(compute: list[str], across: Links, tier_of: dict[str, int], fixed: frozenset[str]) -> None:
    """Give tiers to the switches above the leaves: first by steps, then by what most of their links go to."""
    frontier = list(tier_of)
    members = set(compute)
    while frontier:
        found: dict[str, int] = {}
        for switch in frontier:
            for other in across.get(switch, {}):
                if other in members and other not in tier_of:
                    found[other] = min(found.get(other, tier_of[switch] + 1), tier_of[switch] + 1)
        tier_of.update(found)
        frontier = list(found)
    leaves = {switch for switch, tier in tier_of.items() if tier == 0}
    for _ in range(MOST_ROUNDS):
        risen = {}
        for switch, tier in tier_of.items():
            if switch in leaves or switch in fixed:
                continue
            by_tier: Counter[int] = Counter()
            for other, number in across.get(switch, {}).items():
                by_tier[tier_of.get(other, tier + 1)] += number
            if 2 * by_tier[tier] > sum(by_tier.values()):
                risen[switch] = tier + 1
        if not risen:
            return
        tier_of.update(risen)


def _without_others(
    down: Links, across: Links, hints: Hints, rank: Mapping[str, int], notes: tuple[Tiers, Known]
) -> list[str]:
    """Return the switches of the compute network in natural order; note what is beside it."""
    tiers, known = notes
    switches = sorted({*down, *across}, key=rank.__getitem__)
    beside = {switch: reason for switch in switches if (reason := hints.beside(switch))}
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for switch, reason in beside.items():
        by_reason[reason].append(switch)
    for reason, names in by_reason.items():
        tiers.ignored.append(_ignored(names, down, reason))
    rest = [switch for switch in switches if switch not in beside]
    asked = tuple(rest)
    if asked not in known.parts:
        known.parts = {asked: _parts(rest, across)}
    parts = known.parts[asked]
    if len(parts) < 2:  # noqa: PLR2004 -- one network lies beside no other
        return rest
    reach: list[Counter[str]] = []
    for part in parts:
        links: Counter[str] = Counter()
        for switch in part:
            links.update(down.get(switch, {}))
        reach.append(links)
    largest: Counter[str] = Counter()
    for links in reach:
        largest |= links
    kept = []
    for part, links in zip(parts, reach, strict=True):
        own, most = sum(links.values()), sum(largest[server] for server in links)
        if own and len(part) > 1 and own * MINOR <= most:
            reason = f"carries {own} links of servers that have {most} elsewhere"
            tiers.ignored.append(_ignored(sorted(part, key=rank.__getitem__), down, reason))
        else:
            kept += part
    return sorted(kept, key=rank.__getitem__)


def _ignored(switches: list[str], down: Links, reason: str) -> Ignored:
    servers = {server for switch in switches for server in down.get(switch, {})}
    return Ignored(tuple(switches), len(servers), reason)


def _parts(switches: list[str], across: Links) -> list[list[str]]:
    """Return the switches by connected part, parts in the order of their first ones."""
    left = dict.fromkeys(switches)
    parts = []
    for first in switches:
        if first not in left:
            continue
        del left[first]
        part = [first]
        for switch in part:
            for other in across.get(switch, {}):
                if other in left:
                    del left[other]
                    part.append(other)
        parts.append(part)
    return parts
