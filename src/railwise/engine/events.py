"""What may happen to a cluster between two decisions."""

from __future__ import annotations

from typing import NamedTuple

from railwise.model.workload import Workload


class Submit(NamedTuple):
    """A workload asks for its pods (or the document says that they already run)."""

    workload: Workload


class Finish(NamedTuple):
    """A workload has ended, or is withdrawn; unknown names are ignored."""

    name: str


class NodeChange(NamedTuple):
    """Facts about a node changed: ready, unschedulable, labels, taints, resources, ``gpu.unhealthy`` in model form."""

    name: str
    values: dict[str, object]


Event = Submit | Finish | NodeChange
