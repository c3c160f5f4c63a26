"""containerlab: laboratories of network containers (``*.clab.yml``).

Its interfaces are those of the container: ``eth1`` is the first front port of a virtual SONiC or Cumulus switch, and
``eth0`` belongs to its management network. Ports are therefore numbered on the way out; the port's own name travels in
the node's labels, so that a fabric comes back as it was.
"""

from __future__ import annotations

from typing import Any, Final

from railwise.fabric.elements import Cable, Dialect, Fabric, Port, Server, Switch
from railwise.formats.document import load
from railwise.formats.document_writer import document_text
from railwise.formats.fabric.air_labels import air_labels, take_labels
from railwise.formats.fabric.roles import SERVER, SWITCH, Found, build_devices
from railwise.formats.fabric.terms import DEVICE, PORT
from railwise.formats.faults import Faults, at_index, at_key, described, shown
from railwise.model.errors import Fault, InputError

KINDS: Final = {
    Dialect.SONIC: ("sonic-vs", "docker-sonic-vs:latest"),
    Dialect.CUMULUS: ("nvidia_cumulusvx", "vrnetlab/nvidia_cumulusvx:5.15.0"),
    Dialect.OPENCONFIG: ("ceos", "ceos:latest"),
    Dialect.INFINIBAND: ("linux", "alpine:latest"),
}
_SWITCH_KINDS: Final = ("sonic", "cumulus", "ceos", "srl", "nokia", "arista", "juniper", "crpd", "cisco", "xrd", "dell")
_PORT_LABEL: Final = "railwise.dev/port."
_ENDS: Final = 2
_HINT: Final = "expected a containerlab file: {name: …, topology: {nodes: {…}, links: […]}}"


def read_containerlab(data: bytes, source: str = "") -> Fabric:
    """Return the fabric of a laboratory. Raises InputError with all faults."""
    document = load(data, source)[0].value
    topology = document.get("topology") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(topology, dict) or not isinstance(topology.get("nodes"), dict):
        raise InputError([Fault("topology.nodes", "no such member", _HINT)], source)
    faults = Faults()
    defaults: dict[str, Any] = mapping(topology.get("defaults"))
    found: dict[str, Found] = {}
    aliases: dict[Port, str] = {}
    for name, node in topology["nodes"].items():
        path = at_key("topology.nodes", name)
        if DEVICE.problem(name):
            faults.add(path, DEVICE.problem(name))
            continue
        if not isinstance(node, dict | None):
            faults.add(path, f"expected a mapping, not {described(node)}")
        found[name] = _node(name, {**defaults, **mapping(node)}, aliases)
    cables = _links(topology.get("links"), found, aliases, faults)
    faults.raise_any(source)
    switches, servers = build_devices(list(found.values()), cables)
    name = document.get("name")
    return Fabric(name if isinstance(name, str) and not DEVICE.problem(name) else "", switches, servers, cables)


def mapping(value: object) -> dict[str, Any]:
    """Return a mapping as it is, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _node(name: str, node: dict[str, Any], aliases: dict[Port, str]) -> Found:
    kind = node.get("kind")
    image = kind if isinstance(kind, str) else ""
    found = Found(name, image=image)
    labels = mapping(node.get("labels"))
    take_labels(found, {key: value for key, value in labels.items() if not key.startswith("railwise.dev/")})
    for key, value in labels.items():
        if key.startswith(_PORT_LABEL) and isinstance(value, str) and not PORT.problem(value):
            aliases[Port(name, key.removeprefix(_PORT_LABEL))] = value
            found.ports.append(value)
    if not found.role:
        found.kind = SWITCH if any(word in image for word in _SWITCH_KINDS) else SERVER if image else ""
    return found


def _links(links: object, found: dict[str, Found], aliases: dict[Port, str], faults: Faults) -> tuple[Cable, ...]:
    cables = []
    taken: dict[Port, str] = {}
    for index, link in enumerate(links if isinstance(links, list) else []):
        path = at_index("topology.links", index)
        ends = link.get("endpoints") if isinstance(link, dict) else None
        if not isinstance(ends, list) or len(ends) != _ENDS:
            faults.add(path, "expected 'endpoints' with two ends")
            continue
        ports = [
            _end(end, at_index(f"{path}.endpoints", side), found, aliases, faults) for side, end in enumerate(ends)
        ]
        for port in ports:
            if port is not None and taken.setdefault(port, path) != path:
                faults.add(path, f"the port {shown(port.text())} is taken by {taken[port]}")
        if ports[0] is not None and ports[1] is not None:
            cables.append(Cable(ports[0], ports[1]))
    return tuple(cables)


def _end(end: object, path: str, found: dict[str, Found], aliases: dict[Port, str], faults: Faults) -> Port | None:
    if isinstance(end, dict):
        end = f"{end.get('node')}:{end.get('interface')}"
    node, colon, interface = end.partition(":") if isinstance(end, str) else ("", "", "")
    if not colon or PORT.problem(interface):
        faults.add(path, f"expected node:interface, not {described(end)}")
        return None
    if node not in found:
        faults.add(path, f"there is no node {shown(node)}")
        return None
    return Port(node, aliases.get(Port(node, interface), interface))


def containerlab_document(fabric: Fabric) -> dict[str, Any]:
    """Return a laboratory of a fabric's intended wiring as plain values."""
    interfaces: dict[Port, str] = {}
    nodes: dict[str, Any] = {}
    devices: list[Switch | Server] = [*fabric.switches, *fabric.servers]
    for device in devices:
        ports = device.ports if isinstance(device, Switch) else tuple(nic.name for nic in device.nics)
        labels = {key: str(value) for key, value in air_labels(device).items()}
        for number, name in enumerate(ports, 1):
            interfaces[Port(device.name, name)] = f"eth{number}"
            labels[f"{_PORT_LABEL}eth{number}"] = name
        nodes[device.name] = _machine(device) | {"labels": labels}
    links = [
        {"endpoints": [f"{port.device}:{interfaces[port]}" for port in (cable.a, cable.b)]} for cable in fabric.cables
    ]
    topology = {"nodes": nodes, "links": links} if links else {"nodes": nodes}  # its schema wants one link at least
    return {"name": fabric.name or "fabric", "topology": topology}


def _machine(device: Switch | Server) -> dict[str, Any]:
    kind, image = KINDS[device.dialect] if isinstance(device, Switch) else KINDS[Dialect.INFINIBAND]
    return {"kind": kind, "image": image}


def containerlab_text(fabric: Fabric) -> str:
    """Return a laboratory of a fabric."""
    return document_text(containerlab_document(fabric), "yaml")
