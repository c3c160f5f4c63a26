"""What discovery may do, verb by verb: ``deploy/discovery/rbac.yaml`` is written from this table.

Tests hold it against what a real API server saw discovery do, as for the tables of the controllers.
"""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.rbac import Permission, followed

_OTHERS: Final = "only where the map is published to it, and its add-on is there"
_APPLIED: Final = "an apply that creates needs both rights, and is noted as a patch"
_LEASE: Final = ("coordination.k8s.io", "leases")

DISCOVERY: Final[tuple[Permission, ...]] = (
    Permission("", "nodes", ("patch",), "labels below fabric., nvlink. and maintenance.railwise.dev/"),
    Permission("", "nodes", ("list",), "labels that are there already, to write only what differs"),
    Permission(
        "",
        "nodes",
        ("watch",),
        "labels of clouds and of NVIDIA's feature discovery",
        seldom="only where they are a source",
    ),
    followed("railwise.dev", "nodereports", "what agents say of their nodes"),
    Permission("", "configmaps", ("get", "patch"), "the whole map", own=True, names=("railwise-fabric",)),
    Permission("", "configmaps", ("create",), "the map's ConfigMap, the first time", own=True, seldom=_APPLIED),
    Permission(
        "kueue.x-k8s.io", "topologies", ("list", "create", "patch", "delete"), "Kueue's Topology", seldom=_OTHERS
    ),
    Permission("kai.scheduler", "topologies", ("list", "create", "patch", "delete"), "KAI's Topology", seldom=_OTHERS),
    Permission(
        "topology.volcano.sh",
        "hypernodes",
        ("list", "create", "patch", "delete"),
        "Volcano's HyperNodes",
        seldom=_OTHERS,
    ),
    Permission(*_LEASE, ("get", "update"), "one of two replicas leads", own=True, names=("railwise-discovery",)),
    Permission(*_LEASE, ("create",), "the Lease is made by whoever comes first", own=True),
)
"""``railwise run discovery``."""

ASCEND: Final[tuple[Permission, ...]] = (
    Permission(
        "",
        "configmaps",
        ("list", "watch"),
        "super pods, in the ConfigMaps of Ascend's device plugin",
        own=True,
        seldom="a server that streams lists is not asked for them",
        spare=("list",),
    ),
)
"""``railwise run discovery`` with ``cluster: [{kind: ascend}]``: in the namespace of the device plugin only."""

AGENT: Final[tuple[Permission, ...]] = (
    Permission(
        "railwise.dev",
        "nodereports",
        ("create", "patch"),
        "the report of the agent's own node; policy.yaml refuses those of other nodes",
        seldom=_APPLIED,
        spare=("create",),
    ),
)
"""``railwise run agent``."""
