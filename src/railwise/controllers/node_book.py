"""The nodes of a live cluster, and what of their news matters to the engine.

A node writes its status every few seconds and almost nothing of it matters. What does is told as a change of facts.
What the engine cannot take as a change (a node that is new or gone, another place or level, other cards) makes the
book ``reshaped``: then a new engine is made from everything, which is rare and takes a second.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.engine.cycle import NodeChange
from railwise.formats.kubernetes.cards import Offers
from railwise.formats.kubernetes.dialects.sources import TopologyDraft
from railwise.formats.kubernetes.dialects.trees import Trees, trees_of
from railwise.formats.kubernetes.nodes import NodeReading, closed_to_new
from railwise.formats.kubernetes.schema import NodeObject
from railwise.model.errors import Fault
from railwise.model.node import Node

FACTS = {
    "ready": "ready",
    "unschedulable": "unschedulable",
    "labels": "labels",
    "taints": "taints",
    "resources": "resources",
    "unhealthy": "gpu.unhealthy",
}
"""Fields of a node that may change while it is in use, and the engine's names for them."""

MOST_FAULTS = 3
"""So many things that cannot be read of a node are told."""


class NodeBook:
    """Nodes by name with the agents that run on them."""

    def __init__(self, levels: str = "") -> None:
        """Start empty; ``levels`` names the labels of the default topology (empty: they are found).

        ``declared`` are the topologies that objects declare, as ``read`` shall take them.
        """
        self.levels = levels
        self.reshaped = True
        self.declared: tuple[TopologyDraft, ...] = ()
        self.trees = Trees()
        self.offers = Offers()
        self.faults: list[Fault] = []
        self._trouble: dict[str, str] = {}
        self._new_trouble: dict[str, None] = {}
        self._objects: dict[str, NodeObject] = {}
        self._names: frozenset[str] | None = None
        self._agents: dict[str, dict[str, Mapping[str, int]]] = {}
        self._limits: dict[str, Mapping[str, int]] = {}
        self._news: dict[str, int] = {}
        self._told: dict[str, Node] = {}
        self._changed: dict[str, None] = {}

    def __contains__(self, name: object) -> bool:
        """Return whether there is a node of that name."""
        return name in self._objects

    def names(self) -> frozenset[str]:
        """Return the names of all nodes."""
        if self._names is None:
            self._names = frozenset(self._objects)
        return self._names

    def put(self, node: NodeObject) -> None:
        """Take in a node as it is now."""
        name = node.metadata.name
        before = self._objects.get(name)
        self._objects[name] = node
        if before is None:
            self.reshaped = True
            self._names = None
        elif not _alike(before, node):
            self._changed[name] = None
            self.touch(name)

    def drop(self, name: str) -> None:
        """Forget a node."""
        if self._objects.pop(name, None) is not None:
            self._trouble.pop(name, None)
            self.reshaped = True
            self._names = None
            self.touch(name)

    def touch(self, name: str) -> None:
        """Note that there are news about a node or about what runs there."""
        self._news[name] = self._news.get(name, 0) + 1

    def news_of(self, name: str) -> int:
        """Return how often there were news about a node or about what runs there."""
        return self._news.get(name, 0)

    def agent(self, node: str, uid: str, demand: Mapping[str, int] | None) -> None:
        """Take in what an agent takes of its node (fine units); None: it is gone."""
        agents = self._agents.setdefault(node, {})
        before = agents.pop(uid, None)
        if demand is not None:
            agents[uid] = demand
        if before != demand:
            self._changed[node] = None
            self.touch(node)

    def limit(self, node: str, limits: Mapping[str, int]) -> None:
        """Take in how many volumes the drivers of a node can attach, as amounts of resources."""
        if self._limits.get(node, {}) != limits:
            self._limits[node] = limits
            self._changed[node] = None

    def usable(self, name: str) -> bool:
        """Return whether a pod may be bound to a node now, as far as the node itself says."""
        node = self._objects.get(name)
        return node is not None and not closed_to_new(node) and self._told.get(name, _NOBODY).ready

    def read(self) -> tuple[Node, ...]:
        """Return all nodes in natural order of names, with their topologies found anew."""
        self.faults = []
        reading = NodeReading(self.faults, strict=True)
        for name, node in self._objects.items():
            known = len(self.faults)
            reading.add(f"node {name}", node)
            self._note(name, self.faults[known:])
            reading.limit(name, self._limits.get(name, {}))
            for demand in self._agents.get(name, {}).values():
                reading.take(name, demand)
        self.trees = trees_of(self.declared, reading.labels(), self.levels)
        self.offers = reading.offers
        nodes = reading.nodes(self.trees)
        self._told = {node.name: node for node in nodes}
        self._changed.clear()
        self.reshaped = False
        return nodes

    def changes(self) -> list[NodeChange]:
        """Return what has changed since it was told last; ``reshaped`` says if that is not all."""
        changed, self._changed = list(self._changed), {}
        found = []
        relabelled = False
        for name in changed:
            before, node = self._told.get(name), self._read_one(name)
            if before is None or node is None:
                continue
            relabelled = relabelled or before.labels != node.labels
            if (before.places, before.cards) != (node.places, node.cards):
                self.reshaped = True
            values = {
                fact: getattr(node, field)
                for field, fact in FACTS.items()
                if getattr(node, field) != getattr(before, field)
            }
            if values:
                self._told[name] = node
                found.append(NodeChange(name, values))
        if relabelled and not self.reshaped:
            labels = [node.metadata.labels for node in self._objects.values()]
            self.reshaped = trees_of(self.declared, labels, self.levels).topologies != self.trees.topologies
        return found

    def _note(self, name: str, faults: list[Fault]) -> None:
        """Keep what cannot be read of a node."""
        text = "; ".join(fault.text() for fault in faults[:MOST_FAULTS])
        if text != self._trouble.get(name, ""):
            self._trouble[name] = text
            self._new_trouble[name] = None

    def trouble(self) -> list[tuple[str, str, str]]:
        """Return (name, uid, what cannot be read) of nodes of which something new cannot; each once."""
        found, self._new_trouble = self._new_trouble, {}
        told = ((self._objects[name].metadata, self._trouble[name]) for name in found if name in self._objects)
        return [(meta.name, meta.uid, text) for meta, text in told if text]

    def now(self, name: str) -> Node | None:
        """Return a node as its object is now; None: there is none of that name."""
        return self._read_one(name)

    def _read_one(self, name: str) -> Node | None:
        node = self._objects.get(name)
        if node is None:
            return None
        faults: list[Fault] = []
        reading = NodeReading(faults, strict=True)
        reading.add(f"node {name}", node)
        self._note(name, faults)
        reading.limit(name, self._limits.get(name, {}))
        for demand in self._agents.get(name, {}).values():
            reading.take(name, demand)
        reading.offers = self.offers
        return next(iter(reading.nodes(self.trees)), None)


_NOBODY = Node("", ready=False)


def _alike(one: NodeObject, other: NodeObject) -> bool:
    """Return whether nothing that decides is different: time stamps and versions do not decide."""
    return one.spec == other.spec and one.status == other.status and one.metadata.labels == other.metadata.labels
