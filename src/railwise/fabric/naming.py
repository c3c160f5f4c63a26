"""The groups get their names, and every server its place: what labels are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from railwise.fabric.fabric_map import LEAF_GROUP, RACK, Device, Map, MapDomain, level_of_tier
from railwise.fabric.grouping import Structure
from railwise.fabric.identity import MOST_RETIRED, Named, Nameless, names_for, wishes_for
from railwise.fabric.labels import free_label
from railwise.fabric.observations import SERVER
from railwise.fabric.survey import Survey

Places = dict[str, dict[str, str]]


def name_domains(found: Structure, devices: Mapping[str, Device], last: Map) -> tuple[list[MapDomain], Places]:
    """Return the domains, widest level first, and the place of each server.

    The leaf groups come in the order of the structure.
    """
    by_level: list[list[str]] = []
    for tier, groups in enumerate(found.levels):
        level = level_of_tier(tier)
        old = [_named(domain) for domain in last.domains if domain.level == level]
        new = []
        for group in groups:
            wishes = _wishes(group.servers, group.switches, devices, tier)
            new.append(Nameless(frozenset(group.servers), frozenset(group.switches), wishes))
        gone = [name for name in last.retired if name.startswith(f"{level}/")]
        by_level.append(names_for(new, old, [name.partition("/")[2] for name in gone]))
    domains: list[MapDomain] = []
    for tier in range(len(found.levels) - 1, -1, -1):
        for place, group in enumerate(found.levels[tier]):
            parent = by_level[tier + 1][group.parent] if group.parent >= 0 else ""
            domains.append(MapDomain(level_of_tier(tier), by_level[tier][place], parent, group.servers, group.switches))
    places = _places(domains)
    domains += _racks(places, devices)
    return domains, {server: places[server] for server in devices if server in places}


def _named(domain: MapDomain) -> Named:
    return Named(domain.name, frozenset(domain.servers), frozenset(domain.switches))


def _wishes(
    servers: Iterable[str], switches: tuple[str, ...], devices: Mapping[str, Device], tier: int
) -> tuple[str, ...]:
    """Return what a group would like to be called; only a leaf group is called like a rack."""
    if tier:
        above = [devices[name].unit for name in switches if name in devices]
        return wishes_for(above, (), switches) or (level_of_tier(tier),)
    members = [devices[name] for name in (*servers, *switches) if name in devices]
    units = [device.unit for device in members]
    racks = [device.rack for device in members if device.kind == SERVER]
    return wishes_for(units, racks, switches)


def _places(domains: Iterable[MapDomain]) -> Places:
    """Return the domain by level of every server, widest level first."""
    places: Places = {}
    for domain in domains:
        for server in domain.servers:
            places.setdefault(server, {})[domain.level] = domain.name
    return places


def with_remembered(
    places: Places, domains: Iterable[MapDomain], survey: Survey, last: Map, devices: Mapping[str, Device]
) -> tuple[Places, list[str]]:
    """Let servers that have lost all their links keep the place they had, as far as its domains still exist.

    Returns all places, and the servers that keep one.
    """
    remembered: Places = {}
    there: set[tuple[str, str]] = set()
    for server, place in last.places.items():
        if server in places or survey.up.get(server) or server not in devices:
            continue
        there = there or {(one.level, one.name) for one in domains}
        kept = {level: name for level, name in place.items() if (level, name) in there}
        if LEAF_GROUP in kept:
            remembered[server] = kept
    if not remembered:
        return places, []
    both = places | remembered
    return {server: both[server] for server in devices if server in both}, [one for one in devices if one in remembered]


def _racks(places: Places, devices: Mapping[str, Device]) -> list[MapDomain]:
    """Add the racks as the narrowest level, where they divide leaf groups; return their domains."""
    members: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for server, device in devices.items():
        if device.rack and server in places:
            members[places[server][LEAF_GROUP], device.rack].append(server)
    groups = {group for group, _ in members}
    racks = {rack for _, rack in members}
    if len(members) <= len(groups) or len(members) > len(racks) + len(groups) // 2:
        return []
    taken: dict[str, str] = {}
    domains = []
    for (group, rack), servers in members.items():
        name = taken.get(rack) or free_label(rack, set(taken.values()))
        taken[rack] = name
        domains.append(MapDomain(RACK, name, group, tuple(servers)))
        for server in servers:
            places[server][RACK] = name
    return domains


def levels(domains: Iterable[MapDomain]) -> tuple[str, ...]:
    """Return the levels there are, widest first."""
    return tuple(dict.fromkeys(domain.level for domain in domains))


def retired(domains: Iterable[MapDomain], last: Map) -> tuple[str, ...]:
    """Return ``level/name`` of the domains that are no more, the longest gone first."""
    now = {f"{domain.level}/{domain.name}" for domain in domains}
    before = dict.fromkeys([*last.retired, *(f"{domain.level}/{domain.name}" for domain in last.domains)])
    return tuple(name for name in before if name not in now)[-MOST_RETIRED:]


def with_tiers(devices: Mapping[str, Device], tier_of: Mapping[str, int]) -> dict[str, Device]:
    """Return the devices with the tiers of the switches."""
    found = dict(devices)
    for name, tier in tier_of.items():
        if name in found and found[name].tier != tier:
            found[name] = replace(found[name], tier=tier)
    return found
