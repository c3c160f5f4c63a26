"""Facts about a node that change while it is in use: readiness, cordons, labels, taints, capacities, cards, rails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.model.node import Node, Taint


def altered(node: Node, values: dict[str, object]) -> Node:
    """Return the node with the given facts; unknown keys are left alone."""
    if "ready" in values:
        node = replace(node, ready=bool(values["ready"]))
    if "unschedulable" in values:
        node = replace(node, unschedulable=bool(values["unschedulable"]))
    if "labels" in values:
        node = replace(node, labels=cast("dict[str, str]", values["labels"]))
    if "taints" in values:
        node = replace(node, taints=cast("tuple[Taint, ...]", values["taints"]))
    if "resources" in values:
        node = replace(node, resources=cast("dict[str, int]", values["resources"]))
    if "gpu.unhealthy" in values:
        node = replace(node, unhealthy=cast("frozenset[int]", values["gpu.unhealthy"]))
    if "rails.down" in values:
        node = replace(node, dead_rails=cast("frozenset[int]", values["rails.down"]))
    return node


def alter_node(state: ClusterState, index: int, values: dict[str, object], running: Sequence[Shape]) -> None:
    """Change facts about a node; what runs there (the shapes of its pods) stays booked."""
    state.replace_node(index, altered(state.nodes[index], values), running)
