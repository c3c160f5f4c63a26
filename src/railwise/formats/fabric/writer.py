"""Fabrics as documents that read back as the same fabric, equal neighbours on one line.

A cluster of a thousand cables must stay a file that people read and review. So devices that differ only in number,
unit and rail share an entry, and cables that end in one device share a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from railwise.fabric.addresses import derived_mac, derived_uuid
from railwise.fabric.elements import NO_RAIL, Cable, Dialect, Domain, Fabric, Nic, Plane, Port, Server, Switch
from railwise.fabric.ports import port_names
from railwise.formats.document_writer import document_text
from railwise.formats.fabric.events_writer import events_documents
from railwise.formats.hostlist import fold
from railwise.formats.scenario.reader import API_VERSION
from railwise.model.quantity import format_bandwidth

Document = dict[str, Any]


def fabric_text(fabric: Fabric, form: str = "yaml") -> str:
    """Return the document of a fabric as YAML or JSON."""
    return document_text(fabric_document(fabric), form)


def fabric_document(fabric: Fabric) -> Document:
    """Return the document of a fabric as plain values; what has its default is left out."""
    spec: Document = {
        "switches": _switches(fabric.switches),
        "servers": _servers(fabric.servers),
        "cables": _cables(fabric.cables),
        "domains": [_domain(domain) for domain in fabric.domains],
        "planes": _planes(fabric),
        "actual": events_documents(fabric, fabric.actual, timed=False),
        "timeline": events_documents(fabric, fabric.timeline, timed=True),
    }
    metadata = {"metadata": {"name": fabric.name}} if fabric.name else {}
    filled = {key: value for key, value in spec.items() if value}
    return {"apiVersion": API_VERSION, "kind": "Fabric", **metadata, "spec": filled}


def _switches(switches: Sequence[Switch]) -> list[Document]:
    def shape(switch: Switch) -> tuple[object, ...]:
        own = "" if switch.chassis == derived_mac(switch.name) else switch.name
        place = (switch.unit, switch.plane, switch.rack, switch.rail == NO_RAIL, sorted(switch.labels.items()))
        return (own, switch.role, switch.dialect, switch.ports, switch.speed, *place)

    documents = []
    for _, run in groupby(switches, key=shape):
        group = list(run)
        first = group[0]
        document: Document = {"name": fold([switch.name for switch in group]), "role": str(first.role)}
        if first.dialect != Dialect.SONIC:
            document["dialect"] = str(first.dialect)
        if first.ports:
            usual = first.ports == port_names(first.dialect, len(first.ports))
            document["ports"] = len(first.ports) if usual else fold(first.ports)
        _put(document, "speed", first.speed and format_bandwidth(first.speed))
        if first.chassis != derived_mac(first.name):
            document["chassis"] = first.chassis
        _put(document, "scalable_unit", first.unit)
        _put_rails(document, [switch.rail for switch in group])
        _put(document, "plane_id", first.plane)
        _put(document, "rack_name", first.rack)
        documents.append(document | first.labels)
    return documents


def _servers(servers: Sequence[Server]) -> list[Document]:
    def shape(server: Server) -> tuple[object, ...]:
        own = "" if all(nic.mac == _derived(server, nic) for nic in server.nics) else server.name
        nics = tuple((nic.name, nic.rail, nic.gpus, nic.speed, nic.plane, nic.pci) for nic in server.nics)
        labels = sorted(server.labels.items())
        return (own, nics, server.gpus, server.gpu_model, server.unit, server.rack, labels)

    documents = []
    for _, run in groupby(servers, key=shape):
        group = list(run)
        first = group[0]
        document: Document = {"name": fold([server.name for server in group])}
        _put(document, "gpus", first.gpus)
        _put(document, "gpu_model", first.gpu_model)
        _put(document, "scalable_unit", first.unit)
        _put(document, "rack_name", first.rack)
        document |= first.labels
        _put(document, "nics", _nics(first))
        documents.append(document)
    return documents


def _derived(server: Server, nic: Nic) -> str:
    return derived_mac(f"{server.name}/{nic.name}")


def _nics(server: Server) -> list[Document]:
    def shape(nic: Nic) -> tuple[object, ...]:
        own = "" if nic.mac == _derived(server, nic) else nic.name
        return (own, nic.rail == NO_RAIL, len(nic.gpus), nic.speed, nic.plane, nic.pci)

    documents = []
    for _, run in groupby(server.nics, key=shape):
        group = list(run)
        first = group[0]
        document: Document = {"name": fold([nic.name for nic in group])}
        _put_rails(document, [nic.rail for nic in group])
        _put(document, "gpus", [card for nic in group for card in nic.gpus])
        if first.mac != _derived(server, first):
            document["mac"] = first.mac
        _put(document, "speed", first.speed and format_bandwidth(first.speed))
        _put(document, "plane_id", first.plane)
        _put(document, "pci", first.pci)
        documents.append(document)
    return documents


def _put(document: Document, key: str, value: object) -> None:
    if value:
        document[key] = value


def _put_rails(document: Document, rails: list[int]) -> None:
    if rails[0] != NO_RAIL:
        document["rail_index"] = rails[0] if len(set(rails)) == 1 else rails


def _cables(cables: Sequence[Cable]) -> list[Any]:
    """Return lines of cables: each the longest run of equal cables that end in one device at one side."""
    documents: list[Any] = []
    start = 0
    while start < len(cables):
        end = max(_reach(cables, start, side) for side in (0, 1))
        run = cables[start:end]
        ends = [fold_ports([cable.a for cable in run]), fold_ports([cable.b for cable in run])]
        speed, length = run[0].speed, run[0].length
        if speed or length:
            document: Document = {"ends": ends}
            _put(document, "speed", speed and format_bandwidth(speed))
            _put(document, "cable_length", length and _length(length))
            documents.append(document)
        else:
            documents.append(ends)
        start = end
    return documents


def _length(centimetres: int) -> str:
    return f"{centimetres}cm" if centimetres % 100 else f"{centimetres // 100}m"


def _reach(cables: Sequence[Cable], start: int, side: int) -> int:
    """Return where the run of like cables ends that have the device of the first at one side in common."""
    first = cables[start]
    device = (first.a, first.b)[side].device
    end = start
    while end < len(cables):
        cable = cables[end]
        if (cable.a, cable.b)[side].device != device or (cable.speed, cable.length) != (first.speed, first.length):
            break
        end += 1
    return end


def fold_ports(ports: Sequence[Port]) -> str:
    """Return a hostlist of ports in their order: ``leaf-01/Ethernet[0,4]``, ``gpu-[001-032]/eth0``."""
    if len({port.device for port in ports}) == 1:
        return ",".join(f"{ports[0].device}/{piece}" for piece in _pieces(fold([port.name for port in ports])))
    parts = []
    for name, run in groupby(ports, key=lambda port: port.name):
        parts += [f"{piece}/{name}" for piece in _pieces(fold([port.device for port in run]))]
    return ",".join(parts)


def _pieces(hostlist: str) -> list[str]:
    """Return the parts of a hostlist that commas outside of brackets separate."""
    pieces, depth, start = [], 0, 0
    for place, letter in enumerate(hostlist):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            pieces.append(hostlist[start:place])
            start = place + 1
    return [*pieces, hostlist[start:]]


def _domain(domain: Domain) -> Document:
    document: Document = {"name": domain.name}
    if domain.kind != "nvlink":
        document["kind"] = domain.kind
    if domain.cluster_uuid != derived_uuid(domain.name):
        document["cluster_uuid"] = domain.cluster_uuid
    _put(document, "clique", domain.clique)
    _put(document, "chassis", domain.chassis)
    return {**document, "servers": fold(domain.servers)}


def _planes(fabric: Fabric) -> list[Document]:
    """Return the planes, unless they are what the reader would make of the planes that are named."""
    used = [switch.plane for switch in fabric.switches if switch.plane]
    used += [nic.plane for server in fabric.servers for nic in server.nics if nic.plane]
    if fabric.planes == tuple(Plane(name) for name in dict.fromkeys(used)):
        return []
    return [{"name": plane.name} | ({} if plane.role == "compute" else {"role": plane.role}) for plane in fabric.planes]
