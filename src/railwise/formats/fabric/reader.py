"""The strict reader of fabric documents (``kind: Fabric``): everything is read or refused, all faults in one go.

Refused is what no room can contain: two cables in one port, a cable to a device that is not there, one address on two
NICs. What a real fabric may well contain, such as a server without any cable, loads with a warning.
"""

from __future__ import annotations

from typing import Any

from railwise.fabric.elements import Cable, Fabric, Port, Server, Switch
from railwise.fabric.ports import CableFinder
from railwise.formats.document import load
from railwise.formats.fabric.devices import Names, build_domains, build_planes, build_servers, build_switches
from railwise.formats.fabric.events import Ground, build_events
from railwise.formats.fabric.records import FABRIC_RECORD
from railwise.formats.fabric.terms import MOST_CABLES
from railwise.formats.faults import Faults, at_index, shown
from railwise.formats.scenario.reader import read_head
from railwise.model.errors import Fault, InputError

_ENDS = 2


def read_fabric_text(data: bytes, source: str) -> Fabric:
    """Return the fabric of a file that holds one document. Raises InputError with all faults."""
    documents = load(data, source)
    if len(documents) > 1:
        raise InputError([Fault("", f"expected one fabric, not {len(documents)} documents")], source)
    return read_fabric(documents[0].value, source)


def read_fabric(value: object, source: str = "") -> Fabric:
    """Return the fabric of a whole document. Raises InputError with all faults."""
    faults = Faults()
    document, metadata = read_head(value, "Fabric", FABRIC_RECORD.fields, source, faults)
    if document.get("spec") is None:
        faults.add("spec", "the field 'spec' is required")
        faults.raise_any(source)
    fabric = _build(document["spec"], metadata.get("name", ""), faults)
    faults.raise_any(source)
    return fabric


def _build(spec: object, name: str, faults: Faults) -> Fabric:
    record = FABRIC_RECORD.read(spec, "spec", faults) or {}
    names = Names()
    switches = build_switches(record.get("switches", []), "spec.switches", names, faults)
    servers = build_servers(record.get("servers", []), "spec.servers", names, faults)
    _check_addresses(switches, servers, faults)
    listed = {switch.name: set(switch.ports) for switch in switches}
    ports = {Port(server.name, nic.name) for server in servers for nic in server.nics}
    ports |= {Port(switch, port) for switch, own in listed.items() for port in own}
    cables = _cables(record.get("cables", []), names, listed, ports, faults)
    ground = Ground(CableFinder(cables, servers), names, switches, ports)
    used = [(switch.plane, "spec.switches") for switch in switches if switch.plane]
    used += [(nic.plane, "spec.servers") for server in servers for nic in server.nics if nic.plane]
    planes = build_planes(record.get("planes", []), "spec.planes", list(dict.fromkeys(used)), faults)
    _warn(servers, cables, faults)
    return Fabric(
        name=name,
        switches=switches,
        servers=servers,
        cables=cables,
        domains=build_domains(record.get("domains", []), "spec.domains", servers, faults),
        planes=planes,
        actual=build_events(record.get("actual", []), "spec.actual", ground, faults),
        timeline=build_events(record.get("timeline", []), "spec.timeline", ground, faults),
        warnings=tuple(faults.warnings),
    )


def _cables(
    entries: list[list[list[Port]] | dict[str, Any]],
    names: Names,
    listed: dict[str, set[str]],
    ports: set[Port],
    faults: Faults,
) -> tuple[Cable, ...]:
    """Return the cables; ports of switches that list none are added to ``ports`` as cables name them."""
    cables: list[Cable] = []
    taken: dict[Port, str] = {}
    for index, entry in enumerate(entries):
        where = at_index("spec.cables", index)
        record: dict[str, Any] = {"ends": entry} if isinstance(entry, list) else entry
        ends = record.get("ends", [])
        if len(ends) != _ENDS or len(ends[0]) != len(ends[1]):
            counts = " and ".join(str(len(end)) for end in ends)
            problem = f"expected two ends with equally many ports, not {counts}" if len(ends) > 1 else "needs two ends"
            faults.add(where, problem)
            continue
        for a, b in zip(ends[0], ends[1], strict=True):
            if _sound(a, b, where, names, listed, ports, taken, faults):
                cables.append(Cable(a, b, record.get("speed", 0), record.get("cable_length", 0)))
    if len(cables) > MOST_CABLES:
        faults.add("spec.cables", f"a document has at most {MOST_CABLES} cables")
    return tuple(cables)


def _sound(
    a: Port,
    b: Port,
    path: str,
    names: Names,
    listed: dict[str, set[str]],
    ports: set[Port],
    taken: dict[Port, str],
    faults: Faults,
) -> bool:
    """Return whether a cable may run between two ports, and note both as taken."""
    before = faults.count()
    if a.device == b.device:
        faults.add(path, f"both ends are on {shown(a.device)}")
    for port in (a, b):
        if not names.check(port.device, path, faults):
            continue
        if port not in ports and port.device in listed and not listed[port.device]:
            ports.add(port)
        if port not in ports:
            faults.add(path, f"{shown(port.device)} has no port {shown(port.name)}")
        elif port in taken:
            faults.add(path, f"the port {shown(port.text())} is taken by {taken[port]}")
        taken.setdefault(port, path)
    return faults.count() == before


def _check_addresses(switches: tuple[Switch, ...], servers: tuple[Server, ...], faults: Faults) -> None:
    """Note every address that two devices share."""
    holders: dict[str, str] = {}
    for switch in switches:
        _take_address(switch.chassis, switch.name, "spec.switches", holders, faults)
    for server in servers:
        for nic in server.nics:
            _take_address(nic.mac, f"{server.name}/{nic.name}", "spec.servers", holders, faults)


def _take_address(mac: str, holder: str, path: str, holders: dict[str, str], faults: Faults) -> None:
    if holders.setdefault(mac, holder) != holder:
        faults.add(path, f"{shown(holder)} and {shown(holders[mac])} have the same address {mac}")


def _warn(servers: tuple[Server, ...], cables: tuple[Cable, ...], faults: Faults) -> None:
    cabled = {port.device for cable in cables for port in (cable.a, cable.b)}
    alone = [server.name for server in servers if server.name not in cabled]
    if alone:
        more = f" and servers like it: {len(alone)} in all" if len(alone) > 1 else ""
        faults.warn("spec.cables", f"no cable reaches {shown(alone[0])}{more}")
