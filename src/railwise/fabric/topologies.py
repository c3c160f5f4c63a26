"""A map as topologies over nodes: what the scheduler reads, and what links carry as far as a fabric tells speeds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from railwise.fabric.closing import closed_servers
from railwise.fabric.elements import Fabric, Port
from railwise.fabric.fabric_map import Map, level_of_tier
from railwise.fabric.labels import label
from railwise.model.node import MAINTENANCE_LABEL
from railwise.model.topology import Level, Topology

FABRIC = "fabric"
NVLINK = "nvlink"
DOMAIN = "domain"
FABRIC_LABEL = "fabric.railwise.dev/"
NVLINK_LABEL = "nvlink.railwise.dev/"


@dataclass(frozen=True, slots=True)
class NodePlace:
    """Where a server stands: its domains by topology and level, and the rails it lacks."""

    places: dict[str, dict[str, str]]
    dead_rails: frozenset[int]


def topologies(found: Map, fabric: Fabric | None = None) -> tuple[Topology, ...]:
    """Return the topologies of a map: ``fabric`` and, where there are scale-up domains, ``nvlink``.

    ``fabric`` tells the speeds of ports and cables; without it no bandwidth is known.
    """
    speeds = link_speeds(found, fabric) if fabric else {}
    made = []
    if found.levels:
        levels = tuple(
            Level(name, FABRIC_LABEL + name, uplink)
            for name, uplink in zip(found.levels, _uplinks(found, speeds), strict=True)
        )
        made.append(Topology(FABRIC, levels, _node_uplink(found, speeds)))
    if found.scale_up:
        made.append(Topology(NVLINK, (Level(DOMAIN, NVLINK_LABEL + DOMAIN),)))
    return tuple(made)


def node_places(found: Map) -> dict[str, NodePlace]:
    """Return the place of every server that has one, strangers included, in the order of the map."""
    scale_up = found.scale_up_of()
    made = {}
    for name in dict.fromkeys([*found.places, *scale_up]):
        places: dict[str, dict[str, str]] = {}
        if name in found.places:
            places[FABRIC] = {level: found.places[name][level] for level in found.levels if level in found.places[name]}
        if name in scale_up:
            places[NVLINK] = {DOMAIN: scale_up[name]}
        made[name] = NodePlace(places, found.dead_rails.get(name, frozenset()))
    return made


def labels(found: Map) -> dict[str, dict[str, str]]:
    """Return the node labels of every server that may be labelled; empty ones too, so that old labels can go."""
    places = node_places(found)
    shut = closed_servers(found)
    made = {}
    for device in found.servers():
        mine: dict[str, str] = {}
        place = places.get(device.name)
        if place is not None:
            for topology, prefix in ((FABRIC, FABRIC_LABEL), (NVLINK, NVLINK_LABEL)):
                mine |= {prefix + level: name for level, name in place.places.get(topology, {}).items()}
        if device.name in shut:
            mine[MAINTENANCE_LABEL] = label(shut[device.name])
        made[device.name] = mine
    return made


def link_speeds(found: Map, fabric: Fabric) -> dict[Port, int]:
    """Return the speed in Mbit/s of every edge by both of its ports; unknown ones are left out."""
    ports = {switch.name: switch.speed for switch in fabric.switches}
    nics = {Port(server.name, nic.name): nic.speed for server in fabric.servers for nic in server.nics}
    cables = {port: cable.speed for cable in fabric.cables for port in (cable.a, cable.b)}
    speeds = {}
    for port, edge in found.edges.items():
        told = [cables.get(port, 0), *(nics.get(end, ports.get(end.device, 0)) for end in (edge.a, edge.b))]
        known = [speed for speed in told if speed]
        if known:
            speeds[port] = min(known)
    return speeds


def _uplinks(found: Map, speeds: Mapping[Port, int]) -> list[int]:
    """Return the commonest bandwidth of a domain's links to the next wider tier, by level, 0 where there are none."""
    tier_of = {device.name: device.tier for device in found.devices.values()}
    up: defaultdict[str, int] = defaultdict(int)
    for port, speed in speeds.items():
        other = found.edges[port].other(port)
        if tier_of.get(port.device, -1) >= 0 and tier_of.get(other.device, -1) == tier_of[port.device] + 1:
            up[port.device] += speed
    uplinks = []
    for level in found.levels:
        sums = (sum(up[switch] for switch in domain.switches) for domain in found.domains if domain.level == level)
        uplinks.append(_commonest(sums))
    return uplinks


def _node_uplink(found: Map, speeds: Mapping[Port, int]) -> int:
    """Return the commonest bandwidth of a server's links to its leaves."""
    leaves = {switch for domain in found.domains if domain.level == level_of_tier(0) for switch in domain.switches}
    sums: Counter[str] = Counter()
    for port, speed in speeds.items():
        if port.device in found.places and found.edges[port].other(port).device in leaves:
            sums[port.device] += speed
    return _commonest(sums.values())


def _commonest(values: Iterable[int]) -> int:
    counts = Counter(value for value in values if value)
    return min(counts, key=lambda value: (-counts[value], value), default=0)
