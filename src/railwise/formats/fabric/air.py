"""NVIDIA Air: simulations of switches and servers, described as JSON (the manifest that its import takes).

``content.nodes`` holds the devices by name, ``content.links`` pairs of ends; an end may be ``"unconnected"``, which is
how a port without a cable is written. The network for management that Air adds by itself is not part of the fabric.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec.json

from railwise.fabric.addresses import plain_mac
from railwise.fabric.elements import Cable, Dialect, Fabric, Port
from railwise.formats.document_writer import document_text
from railwise.formats.fabric.air_labels import air_labels, take_labels
from railwise.formats.fabric.roles import Found, build_devices
from railwise.formats.fabric.terms import DEVICE, PORT
from railwise.formats.faults import Faults, at_index, at_key, described, shown
from railwise.model.errors import Fault, InputError

UNCONNECTED: Final = "unconnected"
IMAGES: Final = {
    Dialect.CUMULUS: "cumulus-vx-5.16.1",
    Dialect.SONIC: "sonic-vs-202305",
    Dialect.OPENCONFIG: "cumulus-vx-5.16.1",
    Dialect.INFINIBAND: "cumulus-vx-5.16.1",
}
SERVER_IMAGE: Final = "generic/ubuntu2404"
_ENDS: Final = 2
_HINT: Final = "expected an NVIDIA Air manifest: {format: JSON, title: …, content: {nodes: {…}, links: […]}}"


def read_air(data: bytes, source: str = "") -> Fabric:
    """Return the fabric of a manifest. Raises InputError with all faults."""
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Fault("", f"no JSON: {error}", _HINT)], source) from None
    content = document.get("content", document) if isinstance(document, dict) else None
    if not isinstance(content, dict) or not isinstance(content.get("nodes"), dict):
        raise InputError([Fault("content.nodes", "no such member", _HINT)], source)
    faults = Faults()
    found = {name: _node(name, node, faults) for name, node in content["nodes"].items()}
    cables = _links(content.get("links") or [], found, faults)
    faults.raise_any(source)
    switches, servers = build_devices(list(found.values()), cables)
    title = document.get("title") or document.get("name") or ""
    return Fabric(_name(title), switches, servers, cables)


def _name(title: object) -> str:
    """Return a title as the name of a document, empty if it cannot be one."""
    text = title.lower().replace(" ", "-").replace("_", "-") if isinstance(title, str) else ""
    return text if text and not DEVICE.problem(text) else ""


def _node(name: str, node: object, faults: Faults) -> Found:
    path = at_key("content.nodes", name)
    if DEVICE.problem(name):
        faults.add(path, DEVICE.problem(name))
    if not isinstance(node, dict):
        faults.add(path, f"expected a mapping, not {described(node)}")
        return Found(name)
    image = node.get("os")
    found = Found(name, image=image if isinstance(image, str) else "")
    labels = node.get("labels")
    take_labels(
        found, {**{key: node[key] for key in node if key != "model"}, **(labels if isinstance(labels, dict) else {})}
    )
    return found


def _links(links: object, found: dict[str, Found], faults: Faults) -> tuple[Cable, ...]:
    cables = []
    taken: dict[Port, str] = {}
    for index, link in enumerate(links if isinstance(links, list) else []):
        path = at_index("content.links", index)
        if not isinstance(link, list) or len(link) != _ENDS:
            faults.add(path, f"expected the two ends of a link, not {described(link)}")
            continue
        ends = [_end(end, at_index(path, side), found, faults) for side, end in enumerate(link)]
        for port in ends:
            if port is not None and taken.setdefault(port, path) != path:
                faults.add(path, f"the port {shown(port.text())} is taken by {taken[port]}")
        a, b = ends
        if a is not None and b is not None:
            if a.device == b.device:
                faults.add(path, f"both ends are on {shown(a.device)}")
            cables.append(Cable(a, b))
    return tuple(cables)


def _end(end: object, path: str, found: dict[str, Found], faults: Faults) -> Port | None:
    if end == UNCONNECTED:
        return None
    if not isinstance(end, dict) or not isinstance(end.get("node"), str) or not isinstance(end.get("interface"), str):
        faults.add(path, f"expected {{node: …, interface: …}} or 'unconnected', not {described(end)}")
        return None
    name, interface = end["node"], end["interface"]
    if name not in found:
        faults.add(path, f"there is no node {shown(name)}")
        return None
    if PORT.problem(interface):
        faults.add(path, PORT.problem(interface))
        return None
    device = found[name]
    if interface not in device.ports:
        device.ports.append(interface)
    mac = end.get("mac")
    if isinstance(mac, str) and plain_mac(mac):
        device.macs[interface] = plain_mac(mac)
    return Port(name, interface)


def air_document(fabric: Fabric) -> dict[str, Any]:
    """Return the manifest of a fabric as plain values: its intended wiring."""
    macs = {(server.name, nic.name): nic.mac for server in fabric.servers for nic in server.nics}
    nodes: dict[str, Any] = {}
    for switch in fabric.switches:
        nodes[switch.name] = _machine(IMAGES[switch.dialect], 2, 4096, 20) | {"labels": air_labels(switch)}
    for server in fabric.servers:
        nodes[server.name] = _machine(SERVER_IMAGE, 2, 2048, 10) | {"labels": air_labels(server)}

    def end(port: Port) -> dict[str, Any]:
        mac = macs.get((port.device, port.name))
        return {"node": port.device, "interface": port.name} | ({"mac": mac} if mac else {})

    cabled = {port for cable in fabric.cables for port in (cable.a, cable.b)}
    links: list[list[Any]] = [[end(cable.a), end(cable.b)] for cable in fabric.cables]
    every = [Port(switch.name, port) for switch in fabric.switches for port in switch.ports]
    every += [Port(server.name, nic.name) for server in fabric.servers for nic in server.nics]
    links += [[end(port), UNCONNECTED] for port in every if port not in cabled]
    content = {"nodes": nodes, "links": links, "oob": {"enable_dhcp": True}}
    return {"format": "JSON", "title": fabric.name or "fabric", "ztp": None, "content": content}


def _machine(image: str, cpu: int, memory: int, storage: int) -> dict[str, Any]:
    return {"os": image, "cpu": cpu, "memory": memory, "storage": storage}


def air_text(fabric: Fabric) -> str:
    """Return the manifest of a fabric."""
    return document_text(air_document(fabric), "json")
