"""What faults and work on a fabric mean for its servers: rails they lack, uplinks that carry less, room that is closed.

The wiring as it is meant says which rail of a server hangs on which leaf and what joins a domain to the next wider one.
With the state of the wires at a moment follows what is left of it. Grouping is not asked anew for that: one cable or
switch less does not make other domains.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from railwise.fabric.closing import closed
from railwise.fabric.elements import COMPUTE_ROLES, Fabric, Port, Role
from railwise.fabric.fabric_map import Map
from railwise.fabric.topologies import link_speeds
from railwise.fabric.wires import Wires


class DomainLink(NamedTuple):
    """The way from a domain of a level up: Mbit/s, and a server below it (None: there is none)."""

    level: str
    domain: str
    megabits: int
    server: str | None


class Consequences:
    """The meant wiring of a fabric, ready to be held against its state. ``meant`` is the map of the whole fabric."""

    def __init__(self, fabric: Fabric, meant: Map) -> None:
        """Find out what hangs on what."""
        self.fabric: Final = fabric
        self.rails: Final = _rails(fabric, meant)
        self.upward: Final = _upward(fabric, meant)
        self.above: Final = _above(fabric)
        self.leaves_of: Final[dict[str, dict[str, None]]] = {
            server: dict.fromkeys(leaf for ports in rails.values() for _, leaf in ports)
            for server, rails in self.rails.items()
        }
        self._below: Final = {
            (domain.level, domain.name): domain.servers[0] if domain.servers else None for domain in meant.domains
        }

    def dead_rails(self, server: str, wires: Wires) -> frozenset[int]:
        """Return the rails of a server of which a link is down; of its only rail, if none of its links is up."""
        rails = self.rails.get(server, {})
        down = {rail: sum(not wires.up(port) for port, _ in ports) for rail, ports in rails.items()}
        if len(rails) == 1:
            return frozenset(rail for rail, count in down.items() if count == len(rails[rail]))
        return frozenset(rail for rail, count in down.items() if count)

    def uplinks(self, wires: Wires) -> list[DomainLink]:
        """Return what every domain's links to the next wider tier carry now."""
        return [
            DomainLink(level, domain, sum(speed for port, speed in links if wires.up(port)), self._below[level, domain])
            for (level, domain), links in self.upward.items()
        ]

    def closed(self, wires: Wires) -> set[str]:
        """Return the servers below a switch in maintenance.

        Those that hang on a leaf in maintenance, and those whose every way up leads through switches in maintenance:
        one spine of several closes nobody.
        """
        shut = [switch.name for switch in self.fabric.switches if wires.maintained(switch.name)]
        return set(closed(shut, self.leaves_of, self.above))


def _rails(fabric: Fabric, meant: Map) -> dict[str, dict[int, list[tuple[Port, str]]]]:
    """Return, by server and rail, its NICs with the leaves they hang on."""
    number = {rail.leaf: rail.rail for rails in meant.rails.values() for rail in rails}
    found: dict[str, dict[int, list[tuple[Port, str]]]] = {}
    for server, port, leaf in _to_leaves(fabric):
        if leaf in number:
            found.setdefault(server, {}).setdefault(number[leaf], []).append((port, leaf))
    return found


def _to_leaves(fabric: Fabric) -> Iterable[tuple[str, Port, str]]:
    """Yield each cable from a server to a switch as (server, NIC, switch)."""
    servers = {server.name for server in fabric.servers}
    roles = {switch.name: switch.role for switch in fabric.switches}
    for cable in fabric.cables:
        for here, there in ((cable.a, cable.b), (cable.b, cable.a)):
            if here.device in servers and roles.get(there.device) in COMPUTE_ROLES:
                yield here.device, here, there.device


def _upward(fabric: Fabric, meant: Map) -> dict[tuple[str, str], list[tuple[Port, int]]]:
    """Return, by level and domain, the ports that lead to the next wider tier with their speeds in Mbit/s."""
    tier = {device.name: device.tier for device in meant.devices.values()}
    up: dict[str, list[tuple[Port, int]]] = {}
    for port, speed in link_speeds(meant, fabric).items():
        other = meant.edges[port].other(port)
        if tier.get(port.device, -1) >= 0 and tier.get(other.device, -1) == tier[port.device] + 1:
            up.setdefault(port.device, []).append((port, speed))
    found: dict[tuple[str, str], list[tuple[Port, int]]] = {}
    for domain in meant.domains:
        links = [link for switch in domain.switches for link in up.get(switch, ())]
        if links:
            found[domain.level, domain.name] = links
    return found


def _above(fabric: Fabric) -> dict[str, set[str]]:
    """Return the switches of the compute network that each one's cables lead up to, by their roles."""
    order = {role: place for place, role in enumerate(COMPUTE_ROLES)}
    roles: dict[str, Role] = {switch.name: switch.role for switch in fabric.switches if switch.role in order}
    found: dict[str, set[str]] = {name: set() for name in roles}
    for cable in fabric.cables:
        for here, there in ((cable.a.device, cable.b.device), (cable.b.device, cable.a.device)):
            if here in roles and there in roles and order[roles[here]] < order[roles[there]]:
                found[here].add(there)
    return found
