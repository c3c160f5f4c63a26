"""The key ``fabric``: topologies and places of a scenario come from the wiring that a fabric file describes.

Nodes and servers are the same by name. A document without nodes gets one for each server; a node that is listed gets
its place, its dead rails, and its cards where it names none. What the document says itself (a topology of that name,
a place in it) stands, so that a scenario written with all its places reads back the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from railwise.fabric.consequences import Consequences
from railwise.fabric.elements import Fabric, Server
from railwise.fabric.mapper import build
from railwise.fabric.telling import tell
from railwise.fabric.topologies import NodePlace, node_places, topologies
from railwise.fabric.wires import Wires
from railwise.formats.fabric.reader import read_fabric_text
from railwise.formats.faults import Faults, shown
from railwise.formats.hostlist import fold
from railwise.formats.scenario.manifests import ReadFile
from railwise.formats.scenario.wired_events import meant_map
from railwise.formats.terms import NAME
from railwise.model.card_models import find_model
from railwise.model.errors import InputError
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology

MOST_SHOWN = 200
"""Characters of a list of names in a warning."""


def read_wiring(name: str, path: str, read_file: ReadFile, faults: Faults) -> Fabric | None:
    """Return the fabric of the file that a document names at ``path``; what is wrong with it is noted."""
    try:
        files = read_file(name)
    except OSError as error:
        faults.add(path, f"cannot read {shown(name)}: {error.strerror or 'not found'}")
        return None
    if len(files) != 1:
        faults.add(path, f"{shown(name)} is a folder, expected one file of kind Fabric")
        return None
    try:
        return read_fabric_text(files[0][1], files[0][0])
    except InputError as error:
        for fault in error.faults:
            faults.add(f"{path}: {fault.path}" if fault.path else path, fault.message, fault.hint)
        return None


def with_wiring(scenario: Scenario, fabric: Fabric, path: str, faults: Faults) -> Scenario:
    """Return the scenario with the topologies and places that follow from the wiring as it is at the start."""
    wires = Wires(fabric)
    found = build(tell(wires), None, fabric)
    places = node_places(found)
    meant = Consequences(fabric, meant_map(fabric) if fabric.actual else found)
    closed = meant.closed(wires)
    declared = {topology.name for topology in scenario.topologies}
    new = [topology for topology in topologies(found, fabric) if topology.name not in declared]
    servers = {server.name: server for server in fabric.servers}
    nodes = scenario.nodes or tuple(Node(server.name) for server in fabric.servers if _is_node(server, path, faults))
    missing = [node.name for node in nodes if node.name not in servers]
    if missing:
        faults.warn(path, f"no server of the fabric is called {_listed(missing)}")
    return replace(
        scenario,
        topologies=(*new, *scenario.topologies),
        nodes=tuple(_with_state(_placed(node, servers, places, new), meant, wires, closed) for node in nodes),
        warnings=(*scenario.warnings, *(f"{path}: {warning}" for warning in fabric.warnings)),
    )


def _is_node(server: Server, path: str, faults: Faults) -> bool:
    problem = NAME.problem(server.name)
    if problem:
        faults.add(path, f"the server {shown(server.name)} cannot be a node: {problem}")
    return not problem


def _placed(node: Node, servers: Mapping[str, Server], places: Mapping[str, NodePlace], new: list[Topology]) -> Node:
    server, place = servers.get(node.name), places.get(node.name)
    if server is None:
        return node
    names = {topology.name for topology in new}
    own = {name: levels for name, levels in (place.places if place else {}).items() if name in names}
    model = find_model(server.gpu_model) if server.gpu_model else None
    memory = model.memory if model else 0
    cards = node.cards or ((Cards(server.gpus, server.gpu_model, memory),) if server.gpus else ())
    dead = node.dead_rails | (place.dead_rails if place else frozenset())
    return replace(node, places={**own, **node.places}, cards=cards, dead_rails=dead)


def _with_state(node: Node, meant: Consequences, wires: Wires, closed: set[str]) -> Node:
    """Return a node with the number of its rails, those of them that are down, and closed below maintenance."""
    rails = meant.rails.get(node.name)
    if rails is None:
        return node
    return replace(
        node,
        dead_rails=node.dead_rails | meant.dead_rails(node.name, wires),
        rails=node.rails or (len(rails) if len(rails) > 1 else 0),
        unschedulable=node.unschedulable or node.name in closed,
    )


def _listed(names: list[str]) -> str:
    text = fold(names)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(names)} names)"
