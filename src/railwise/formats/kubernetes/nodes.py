"""Nodes as they report themselves: health, taints, what they have, and what is left of it for pods that can be placed.

Agents that run on every node (DaemonSet and static pods) are no work to be placed: they belong to the node. Their
demand is taken off its capacity, so that "an empty node" means what a gang can really have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from railwise.formats.kubernetes.amounts import NEVER_DEVICES, amounts, base_units
from railwise.formats.kubernetes.cards import CARD_RESOURCES, NVIDIA_SHARED, Offer, Offers, read_offer
from railwise.formats.kubernetes.dialects.trees import Trees
from railwise.formats.kubernetes.names import check_names
from railwise.formats.kubernetes.schema import NodeObject
from railwise.model.errors import Fault
from railwise.model.host_ports import PREFIX, WHOLE
from railwise.model.natural import natural_key
from railwise.model.node import MAINTENANCE_LABEL, Node, Taint

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")

MOST_CARDS = 1 << 16
"""Cards of a node at most, and parts of cards that share their time."""

UNWELL = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Taints that repeat the Ready condition."""

MIRRORED = (*UNWELL, "node.kubernetes.io/unschedulable")
"""Taints that repeat a field of the node: they come and go with it, so the field alone is kept."""


def closed_to_new(node: NodeObject) -> bool:
    """Return whether a node takes no new pods: it is cordoned, or a switch above it is worked on."""
    return node.spec.unschedulable or MAINTENANCE_LABEL in node.metadata.labels


class NodeReading:
    """The nodes of a cluster while they are read: first all objects, then what the agents on them take."""

    def __init__(self, faults: list[Fault], *, strict: bool = False) -> None:
        """Start empty; what cannot be read goes to ``faults``.

        ``strict``: a node that does not say how much cpu, memory or how many pods it has takes none that asks for any,
        as on a live cluster.
        """
        self.faults = faults
        self.strict = strict
        self.offers = Offers()
        self._objects: dict[str, NodeObject] = {}
        self._resources: dict[str, dict[str, int]] = {}
        self._offer: dict[str, Offer] = {}
        self._taken: dict[str, dict[str, int]] = {}
        self._lost: dict[str, int] = {}
        self._limits: dict[str, Mapping[str, int]] = {}
        self._taints: dict[str, tuple[Taint, ...]] = {}

    def add(self, where: str, node: NodeObject) -> None:
        """Take a node in; a second one of the same name is a fault."""
        name = node.metadata.name
        if not check_names(node.metadata, "node", where, self.faults):
            return
        if name in self._objects:
            self.faults.append(Fault(f"{where}.metadata.name", f"a second node named '{name}'"))
            return
        capacity = amounts(node.status.capacity, f"{where}.status.capacity", self.faults)
        allocatable = amounts(node.status.allocatable, f"{where}.status.allocatable", self.faults)
        self._bound(where, capacity, allocatable)
        resources = allocatable or capacity
        offer = read_offer(node.metadata.labels, resources, capacity)
        self.offers.add(name, offer, resources)
        self._objects[name] = node
        self._resources[name] = resources
        self._offer[name] = offer
        self._taints[name] = _taints(node, where, self.faults)

    def _bound(self, where: str, capacity: dict[str, int], allocatable: dict[str, int]) -> None:
        """Leave out cards of which a node says that it has more than any machine: every one of them would be kept."""
        for resource in (*CARD_RESOURCES, NVIDIA_SHARED):
            count = max(capacity.get(resource, 0), allocatable.get(resource, 0))
            if count > MOST_CARDS:
                message = f"expected no more than {MOST_CARDS} of a node, not {count}"
                self.faults.append(Fault(f"{where}.status.allocatable.{resource}", message))
                capacity.pop(resource, None)
                allocatable.pop(resource, None)

    def known(self, name: str) -> bool:
        """Return whether there is a node of that name."""
        return name in self._objects

    def empty(self) -> bool:
        """Return whether there are no nodes at all."""
        return not self._objects

    def labels(self) -> list[Mapping[str, str]]:
        """Return the labels of all nodes."""
        return [node.metadata.labels for node in self._objects.values()]

    def take(self, name: str, demand: Mapping[str, int]) -> None:
        """Take the demand of an agent (as ``amounts`` gives it, one pod) off a node's capacity."""
        taken = self._taken.setdefault(name, {"pods": 0})
        for resource, amount in demand.items():
            taken[resource] = taken.get(resource, 0) + amount
        taken["pods"] += 1

    def limit(self, name: str, limits: Mapping[str, int]) -> None:
        """Note how many volumes the drivers of a node can attach, as amounts of resources."""
        self._limits[name] = limits

    def ready(self, name: str) -> bool:
        """Return whether the node is there and ready."""
        return name in self._objects and _ready(self._objects[name], self._taints[name])

    def occupy(self, name: str, demand: Mapping[str, int]) -> None:
        """Take a pod off a node that is not ready: its room must not look free when the node comes back."""
        self.take(name, demand)
        cards = sum(demand.get(resource, 0) for resource in CARD_RESOURCES)
        self._lost[name] = self._lost.get(name, 0) + cards

    def nodes(self, trees: Trees) -> tuple[Node, ...]:
        """Return the nodes in natural order of names."""
        return tuple(self._node(name, trees) for name in sorted(self._objects, key=natural_key))

    def _node(self, name: str, trees: Trees) -> Node:
        node, offer = self._objects[name], self._offer[name]
        left = self._left(name)
        left.update({resource: amount for resource, amount in offer.named.items() if amount})
        return Node(
            name=name,
            places=trees.places(name, node.metadata.labels),
            cards=offer.cards,
            unhealthy=offer.unhealthy
            | frozenset(range(min(self._lost.get(name, 0), sum(run.count for run in offer.cards)))),
            resources=left,
            labels=dict(node.metadata.labels),
            taints=tuple(taint for taint in self._taints[name] if taint.key not in MIRRORED),
            ready=_ready(node, self._taints[name]),
            unschedulable=closed_to_new(node),
        )

    def _left(self, name: str) -> dict[str, int]:
        """Return capacities in base units, sorted by name: cpu, memory, pods and devices that are there."""
        taken = self._taken.get(name, {})
        found = {}
        for resource, amount in sorted(self._resources[name].items()):
            if resource in CARD_RESOURCES and not self.offers.by_name(resource):
                continue
            if resource == NVIDIA_SHARED:
                continue
            left = max(amount - taken.get(resource, 0), 0)
            if amount or resource in NEVER_DEVICES:
                found[resource] = base_units(resource, left, up=False)
        for resource in NEVER_DEVICES if self.strict else ():
            found.setdefault(resource, 0)
        for resource, amount in self._limits.get(name, {}).items():
            found[resource] = max(amount - taken.get(resource, 0), 0)
        for resource, amount in taken.items():
            if resource.startswith(PREFIX):
                found[resource] = max(WHOLE - amount, 0)
        return dict(sorted(found.items()))


def _taints(node: NodeObject, where: str, faults: list[Fault]) -> tuple[Taint, ...]:
    taints = []
    for index, taint in enumerate(node.spec.taints):
        if taint.effect not in EFFECTS:
            path = f"{where}.spec.taints[{index}].effect"
            faults.append(Fault(path, f"expected one of {', '.join(EFFECTS)}, not '{taint.effect}'"))
        taints.append(Taint(taint.key, taint.value, taint.effect))
    return tuple(taints)


def _ready(node: NodeObject, taints: Sequence[Taint]) -> bool:
    """Return whether the Ready condition is true; a node written by hand has none and counts as ready."""
    if any(taint.key in UNWELL for taint in taints):
        return False
    state = [condition.status for condition in node.status.conditions if condition.type == "Ready"]
    return not state or state[-1] == "True"
