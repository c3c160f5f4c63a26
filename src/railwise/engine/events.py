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
    """Facts about a node changed, in model form.

    The keys are ready, unschedulable, labels, taints, resources, ``gpu.unhealthy`` and ``rails.down``.
    """

    name: str
    values: dict[str, object]


class UplinkChange(NamedTuple):
    """The way up from one domain carries ``megabits`` Mbit/s from now on; ``node`` is any node in the domain."""

    topology: str
    level: str
    node: str
    megabits: int


Event = Submit | Finish | NodeChange | UplinkChange
