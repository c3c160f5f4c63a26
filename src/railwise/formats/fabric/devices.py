"""Switches, servers, domains and planes of a fabric document.

One entry may stand for many devices: its name is a hostlist, and units, racks and rails are then given to equal
consecutive runs, as places are given to the nodes of a scenario.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from railwise.fabric.addresses import derived_mac, derived_uuid
from railwise.fabric.elements import AIR_LABELS, NO_RAIL, Dialect, Domain, Nic, Plane, Role, Server, Switch
from railwise.fabric.ports import port_names
from railwise.formats.fabric.terms import MOST_RAILS
from railwise.formats.faults import Faults, at_index, guess, shown

T = TypeVar("T")

MOST_GUESSES = 20_000
"""Among more names no similar one is looked for."""


class Names:
    """Which names are taken, and by which entry."""

    def __init__(self) -> None:
        """Start empty."""
        self.taken: dict[str, str] = {}

    def take(self, name: str, path: str, faults: Faults) -> None:
        """Note a name; a second device of that name is a fault."""
        if name in self.taken:
            faults.add(f"{path}.name", f"{shown(name)} is already named by {self.taken[name]}")
        self.taken.setdefault(name, path)

    def check(self, name: str, path: str, faults: Faults) -> bool:
        """Return whether there is such a device; a fault if not."""
        if name in self.taken:
            return True
        likely = guess(name, self.taken) if len(self.taken) <= MOST_GUESSES and not faults.full() else ""
        faults.add(path, f"there is no switch or server {shown(name)}{likely}")
        return False


def build_switches(records: list[dict[str, Any]], path: str, names: Names, faults: Faults) -> tuple[Switch, ...]:
    """Return the switches in document order."""
    switches: list[Switch] = []
    for index, record in enumerate(records):
        where = at_index(path, index)
        mine = record.get("name", [])
        count = len(mine)
        chassis = record.get("chassis", "")
        if chassis and count > 1:
            faults.add(f"{where}.chassis", f"one address for {count} switches")
        units = _run(record.get("scalable_unit", [""]), count, f"{where}.scalable_unit", faults)
        rails = _run(_rails(record), count, f"{where}.rail_index", faults)
        planes = _run(record.get("plane_id", [""]), count, f"{where}.plane_id", faults)
        racks = _run(record.get("rack_name", [""]), count, f"{where}.rack_name", faults)
        dialect = Dialect(record.get("dialect", Dialect.SONIC))
        given = record.get("ports", ())
        ports = port_names(dialect, given) if isinstance(given, int) else tuple(given)
        if len(set(ports)) < len(ports):
            faults.add(f"{where}.ports", "a port is named twice")
        labels = {key: record[key] for key in AIR_LABELS if key in record}
        for place, name in enumerate(mine):
            names.take(name, where, faults)
            switches.append(
                Switch(
                    name,
                    Role(record.get("role", Role.LEAF)),
                    dialect,
                    ports,
                    record.get("speed", 0),
                    chassis or derived_mac(name),
                    units[place],
                    rails[place],
                    planes[place],
                    racks[place],
                    labels,
                )
            )
    return tuple(switches)


def build_servers(records: list[dict[str, Any]], path: str, names: Names, faults: Faults) -> tuple[Server, ...]:
    """Return the servers in document order."""
    servers: list[Server] = []
    for index, record in enumerate(records):
        where = at_index(path, index)
        mine = record.get("name", [])
        count = len(mine)
        gpus = record.get("gpus", 0)
        nics = _nics(record.get("nics", []), f"{where}.nics", gpus, count, faults)
        units = _run(record.get("scalable_unit", [""]), count, f"{where}.scalable_unit", faults)
        racks = _run(record.get("rack_name", [""]), count, f"{where}.rack_name", faults)
        labels = {key: record[key] for key in AIR_LABELS if key in record}
        for place, name in enumerate(mine):
            names.take(name, where, faults)
            own = tuple(_addressed(nic, name) for nic in nics)
            servers.append(Server(name, own, gpus, record.get("gpu_model", ""), units[place], racks[place], labels))
    return tuple(servers)


def _addressed(nic: Nic, server: str) -> Nic:
    mac = nic.mac or derived_mac(f"{server}/{nic.name}")
    return Nic(nic.name, nic.rail, nic.gpus, mac, nic.speed, nic.plane, nic.pci)


def _nics(records: list[dict[str, Any]], path: str, gpus: int, servers: int, faults: Faults) -> list[Nic]:
    """Return the NICs of each server of an entry; those without an address still lack it."""
    nics: list[Nic] = []
    seen: set[str] = set()
    for index, record in enumerate(records):
        where = at_index(path, index)
        mine = record.get("name", [])
        if record.get("mac") and len(mine) * servers > 1:
            faults.add(f"{where}.mac", f"one address for {len(mine) * servers} NICs")
        rails = _run(_rails(record), len(mine), f"{where}.rail_index", faults)
        cards = record.get("gpus", [])
        if any(card >= gpus for card in cards):
            faults.add(f"{where}.gpus", f"names a card that is not there: the server has {gpus}")
        if mine and cards and len(cards) % len(mine):
            faults.add(f"{where}.gpus", f"{len(cards)} cards on {len(mine)} NICs make no equal runs")
        near = len(cards) // max(len(mine), 1)
        for place, name in enumerate(mine):
            if name in seen:
                faults.add(f"{where}.name", f"{shown(name)} is the name of another NIC of the server")
            seen.add(name)
            own = tuple(cards[place * near : (place + 1) * near])
            address = (record.get("mac", ""), record.get("speed", 0), record.get("plane_id", ""), record.get("pci", ""))
            nics.append(Nic(name, rails[place], own, *address))
    if len(nics) > MOST_RAILS:
        faults.add(path, f"expected at most {MOST_RAILS} NICs, not {len(nics)}")
    return nics


def _rails(record: dict[str, Any]) -> list[int]:
    rail = record.get("rail_index", NO_RAIL)
    return [rail] if isinstance(rail, int) else rail


def _run(values: list[T], count: int, path: str, faults: Faults) -> list[T]:
    """Return a value for each of ``count`` devices: equal consecutive runs."""
    if count and (not values or count % len(values)):
        faults.add(path, f"{len(values)} values on {count} names make no equal runs")
        return [values[0]] * count if values else []
    return [values[place * len(values) // count] for place in range(count)]


def build_domains(
    records: list[dict[str, Any]], path: str, servers: Sequence[Server], faults: Faults
) -> tuple[Domain, ...]:
    """Return the domains in document order; a server is in one at most."""
    known = {server.name for server in servers}
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    identity: dict[tuple[str, int], str] = {}
    domains: list[Domain] = []
    for index, record in enumerate(records):
        where = at_index(path, index)
        name = record.get("name", "")
        if name in names:
            faults.add(f"{where}.name", f"{shown(name)} is already the name of {names[name]}")
        names.setdefault(name, where)
        for server in record.get("servers", ()):
            if server not in known:
                likely = guess(server, known) if len(known) <= MOST_GUESSES and not faults.full() else ""
                faults.add(f"{where}.servers", f"there is no server {shown(server)}{likely}")
            elif server in taken:
                faults.add(f"{where}.servers", f"{shown(server)} is in {taken[server]} already")
            taken.setdefault(server, where)
        given = record.get("cluster_uuid", "").lower() or derived_uuid(name)
        clique = record.get("clique", 0)
        if (given, clique) in identity:
            faults.add(where, f"its cluster_uuid and clique are those of {identity[given, clique]}")
        identity.setdefault((given, clique), where)
        members = tuple(record.get("servers", ()))
        domains.append(Domain(name, members, record.get("kind", "nvlink"), given, clique, record.get("chassis", "")))
    return tuple(domains)


def build_planes(
    records: list[dict[str, Any]], path: str, used: Sequence[tuple[str, str]], faults: Faults
) -> tuple[Plane, ...]:
    """Return the planes; ``used`` are (plane, path) of the switches and NICs that name one."""
    planes = [Plane(record.get("name", ""), record.get("role", "compute")) for record in records]
    names = [plane.name for plane in planes]
    for index, name in enumerate(names):
        if name in names[:index]:
            faults.add(f"{at_index(path, index)}.name", f"{shown(name)} is given twice")
    if not planes:
        return tuple(Plane(name) for name in dict.fromkeys(name for name, _ in used))
    for name, where in used:
        if name not in names:
            faults.add(where, f"there is no plane {shown(name)}{guess(name, names)}")
    return tuple(planes)
