"""Nodes without machines: what a scenario says of its nodes, as the Node objects that such nodes would report.

The levels of a topology become labels, those the levels name or else ``TOPOLOGY.railwise.dev/LEVEL``, so that
reading the nodes back from the cluster finds the same topology. What a scenario leaves unlimited has to be a number
here, and is a large one. Cards that are cut or shared are offered the way NVIDIA's device plugin would offer them where
that can be said with labels; a node whose cards cannot is an error, never a different node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from railwise.model.errors import Fault, InputError
from railwise.model.node import MIG_NONE, Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology

FAKE = {"kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0"}
"""Annotations by which kwok knows its nodes."""

UNLIMITED = {"cpu": "1000", "memory": "16Ti", "pods": "1000", "ephemeral-storage": "100Ti"}
CARDS = "nvidia.com/gpu"
UNITS = {"cpu": "m", "memory": "Mi", "ephemeral-storage": "Mi"}
"""The suffix of an amount in base units."""

DEFAULT_LEVELS = (Level("superpod"), Level("rack"))
RACK = 8
SUPERPOD = 8
"""Nodes of a rack and racks of a superpod, where only a number of nodes is given."""


def default_scenario(count: int) -> Scenario:
    """Return so many nodes of 8 H100 cards, in racks of 8 nodes and superpods of 8 racks."""
    width = len(str(count))
    nodes = []
    for index in range(count):
        rack, superpod = index // RACK + 1, index // (RACK * SUPERPOD) + 1
        nodes.append(
            Node(
                name=f"gpu-{index + 1:0{width}}",
                places={"fabric": {"superpod": f"p{superpod}", "rack": f"r{rack}"}},
                cards=(Cards(8, "H100-80GB"),),
                resources={"cpu": 192_000, "memory": 2 << 20, "pods": 110},
            )
        )
    return Scenario(name=f"{count} nodes", topologies=(Topology("fabric", DEFAULT_LEVELS),), nodes=tuple(nodes))


def node_objects(scenario: Scenario) -> list[dict[str, Any]]:
    """Return the Node objects of a scenario's nodes.

    Raises:
        InputError: cards that no label can describe; the faults name each node.
    """
    faults: list[Fault] = []
    objects = [_object(node, scenario.topologies, faults) for node in scenario.nodes]
    if faults:
        raise InputError(faults)
    return objects


def _object(node: Node, topologies: tuple[Topology, ...], faults: list[Fault]) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": node.name, "kubernetes.io/os": "linux", "type": "kwok"}
    labels |= dict(_levels(node, topologies))
    capacity = dict(UNLIMITED)
    for resource, amount in node.resources.items():
        capacity[resource] = f"{amount}{UNITS.get(resource, '')}"
    allocatable = dict(capacity)
    if node.cards:
        labels |= _cards(node, capacity, allocatable, faults)
    taints = [{"key": one.key, "value": one.value, "effect": one.effect} for one in node.taints]
    ready = "True" if node.ready else "False"
    spec: dict[str, Any] = {"providerID": f"kwok://{node.name}"}
    if taints:
        spec["taints"] = taints
    if node.unschedulable:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, "labels": labels | node.labels, "annotations": FAKE},
        "spec": spec,
        "status": {
            "capacity": capacity,
            "allocatable": allocatable,
            "conditions": [{"type": "Ready", "status": ready, "reason": "FakeNode"}],
            "nodeInfo": _INFO,
        },
    }


_INFO = {
    "architecture": "amd64",
    "bootID": "",
    "containerRuntimeVersion": "fake",
    "kernelVersion": "fake",
    "kubeProxyVersion": "fake",
    "kubeletVersion": "fake",
    "machineID": "",
    "operatingSystem": "linux",
    "osImage": "fake",
    "systemUUID": "",
}


def _levels(node: Node, topologies: tuple[Topology, ...]) -> Iterator[tuple[str, str]]:
    for topology in topologies:
        places = node.places.get(topology.name, {})
        for level in topology.levels:
            if level.name in places:
                yield level.label or f"{topology.name}.railwise.dev/{level.name}", places[level.name]


def _cards(node: Node, capacity: dict[str, str], allocatable: dict[str, str], faults: list[Fault]) -> dict[str, str]:
    """Fill in how many cards there are and how many of them are well, and return the labels that describe them."""
    first = node.cards[0]
    if any(run.mig != MIG_NONE for run in node.cards) or len(set(node.cards)) > 1:
        hint = "a fake node has cards of one kind, whole or in time slices"
        faults.append(Fault(f"node {node.name}", "has cards that are cut or of several kinds", hint))
    pieces = first.time_slices or 1
    count = node.card_count()
    capacity[CARDS] = str(count * pieces)
    allocatable[CARDS] = str((count - len(node.unhealthy)) * pieces)
    labels = {"nvidia.com/gpu.count": str(count), "nvidia.com/gpu.present": "true"}
    if first.model:
        labels["nvidia.com/gpu.product"] = first.model.replace(" ", "-") + ("-SHARED" if first.time_slices else "")
    if first.memory:
        labels["nvidia.com/gpu.memory"] = str(first.memory)
    if first.time_slices:
        labels |= {"nvidia.com/gpu.replicas": str(pieces), "nvidia.com/gpu.sharing-strategy": "time-slicing"}
    return labels
