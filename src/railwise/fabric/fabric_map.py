"""The map of a fabric: what is known at one moment, as one frozen value that is handed on, stored and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from railwise.fabric.elements import NO_RAIL, Port
from railwise.fabric.findings import Finding, Kind
from railwise.fabric.observations import SERVER, ScaleUp
from railwise.fabric.wiring import Edge, Key

LEAF_GROUP: Final = "leaf-group"
RACK: Final = "rack"
UPPER: Final = ("spine-group", "core-group")
"""The levels above the leaf group, narrowest first; what is wider still is called by its tier."""

NO_TIER: Final = -1


def level_of_tier(tier: int) -> str:
    """Return the name of the level whose domains share switches of a tier (0: leaves)."""
    if tier == 0:
        return LEAF_GROUP
    return UPPER[tier - 1] if tier <= len(UPPER) else f"tier-{tier}-group"


@dataclass(frozen=True, slots=True)
class Device:
    """A switch or server of the map.

    ``known`` is False for strangers: whoever is only heard of and stands in no inventory is never labelled. ``tier`` is
    0 for leaves, ``NO_TIER`` for servers and for switches beside the compute network.
    """

    name: str
    kind: str = SERVER
    known: bool = True
    tier: int = NO_TIER
    role: str = ""
    unit: str = ""
    rack: str = ""
    rail: int = NO_RAIL
    plane: str = ""
    maintenance: bool = False


@dataclass(frozen=True, slots=True)
class MapDomain:
    """A domain of a level: its name (legal as a label), the wider one it lies in, and who belongs to it.

    ``switches`` are those that its servers, or the domains in it, hang on; all names are in natural order.
    """

    level: str
    name: str
    parent: str = ""
    servers: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()


class Rail(NamedTuple):
    """Leaf ``leaf`` carries rail ``rail`` of its leaf group, with so many links of each server."""

    rail: int
    leaf: str
    links: int = 1


@dataclass(frozen=True, slots=True)
class ScaleUpDomain:
    """Servers joined by NVLink or XGMI: the name given to it, how its GPUs identify it, and its servers."""

    name: str
    identity: str
    kind: str = "nvlink"
    chassis: str = ""
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Map:
    """Everything that is known of a fabric at ``time`` µs.

    ``levels`` are named from widest to narrowest, without the node; ``places`` holds the domain by level of each server
    that has one. ``edges`` has every edge under both of its ports. ``rails`` lists the rails of each leaf group,
    ``dead_rails`` the rails a server lacks. ``said`` is what each server's GPUs reported of scale-up domains by source.
    ``heard`` says when each source last confirmed each device. ``retired`` are names of domains that are no more; they
    are not given to others.
    """

    time: int = 0
    devices: Mapping[str, Device] = field(default_factory=dict)
    edges: Mapping[Port, Edge] = field(default_factory=dict)
    levels: tuple[str, ...] = ()
    domains: tuple[MapDomain, ...] = ()
    places: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rails: Mapping[str, tuple[Rail, ...]] = field(default_factory=dict)
    dead_rails: Mapping[str, frozenset[int]] = field(default_factory=dict)
    scale_up: tuple[ScaleUpDomain, ...] = ()
    said: Mapping[Key, tuple[ScaleUp, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    heard: Mapping[Key, int] = field(default_factory=dict)
    retired: tuple[str, ...] = ()

    def servers(self) -> list[Device]:
        """Return the servers that may be labelled, in order of the map."""
        return [device for device in self.devices.values() if device.kind == SERVER and device.known]

    def of_kind(self, *kinds: Kind) -> list[Finding]:
        """Return the findings of some kinds."""
        return [finding for finding in self.findings if finding.kind in kinds]

    def links(self) -> list[Edge]:
        """Return every edge once, in order of its ports."""
        return sorted(edge for port, edge in self.edges.items() if port == edge.a)

    def age(self, edge: Edge) -> int:
        """Return how long ago the freshest of an edge's sources confirmed it, in µs."""
        return self.time - max((self.heard.get((one.source, one.device), 0) for one in edge.evidence), default=0)

    def scale_up_of(self) -> dict[str, str]:
        """Return the name of its scale-up domain by server."""
        return {server: domain.name for domain in self.scale_up for server in domain.servers}
