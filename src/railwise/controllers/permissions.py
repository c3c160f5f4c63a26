"""What the live controllers may do, verb by verb: whoever adds a call to the API server adds its line here.

``deploy/*/rbac.yaml`` is written from these tables (``python -m tests.deploy.generate``), and a test runs the
controller on a real API server with exactly these rights: a line that is missing fails it, and so does one that is
never used without a reason in ``seldom``.
"""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.dialects.sources import CATALOGUED, GANG_KINDS, KAI, KUEUE, OPERATORS, OWN, VOLCANO
from railwise.formats.kubernetes.rbac import Permission, followed

_BY_ADD_ON: Final = "this kind belongs to an add-on that a cluster may not have"

_DECLARES: Final = {
    OWN: "our own queues and topologies",
    KUEUE: "queues, priorities and topologies of Kueue",
    KAI: "queues, topologies and PodGroups of KAI",
    VOLCANO: "queues, HyperNodes, PodGroups and Jobs of Volcano",
    OPERATORS: "how many pods of a gang will come",
}


def lease(name: str) -> tuple[Permission, ...]:
    """Return what it takes to be elected by the Lease of that name."""
    kind = ("coordination.k8s.io", "leases")
    return (
        Permission(*kind, ("get", "update"), "one of several replicas leads: its Lease", own=True, names=(name,)),
        Permission(*kind, ("create",), "the Lease is made by whoever comes first", own=True),
    )


SPEAKS: Final = Permission(
    "events.k8s.io", "events", ("create", "patch"), "what happened to a pod is told as an Event, repeats as a series"
)

DECLARED: Final = (
    *(followed(one.group, one.plural, _DECLARES[one.dialect], seldom=_BY_ADD_ON) for one in (*CATALOGUED, *GANG_KINDS)),
    *(
        Permission(one.group, f"{one.plural}/status", ("patch",), "whether it could be read", seldom=_BY_ADD_ON)
        for one in CATALOGUED
        if one.dialect == OWN
    ),
)
"""What is read of queues and topologies that objects declare."""

PLACES: Final[tuple[Permission, ...]] = (
    followed("", "nodes", "where pods can go: room, labels, taints"),
    followed("", "pods", "pods to place, and pods that hold room"),
    Permission("", "pods/eviction", ("create",), "making room, with respect for PodDisruptionBudgets"),
    Permission("", "pods", ("delete",), "giving up pods whose node is lost", seldom="nodes are seldom lost"),
    Permission("", "pods/status", ("patch",), "the condition PodScheduled says why a pod waits"),
    SPEAKS,
    followed("", "persistentvolumeclaims", "which volumes pods have"),
    followed("", "persistentvolumes", "from which nodes volumes can be reached"),
    followed("storage.k8s.io", "csinodes", "how many volumes the drivers of a node can attach"),
    followed("batch", "jobs", "how many pods of a gang will come"),
    followed("jobset.x-k8s.io", "jobsets", "how many pods of a gang will come", seldom=_BY_ADD_ON),
    followed("leaderworkerset.x-k8s.io", "leaderworkersets", "how many pods of a gang will come", seldom=_BY_ADD_ON),
    followed("scheduling.k8s.io", "podgroups", "the rules of a gang", seldom="served from 1.37 on, if enabled"),
    followed("scheduling.k8s.io", "priorityclasses", "priorities that labels and other objects give by name"),
    *DECLARED,
)
"""What it takes to decide, to make room and to say why not, in either mode."""

SCHEDULER: Final[tuple[Permission, ...]] = (
    *PLACES,
    Permission(
        "", "pods", ("get",), "how a pod stands after a bind or an eviction without an answer", seldom="answers arrive"
    ),
    Permission("", "pods/binding", ("create",), "placing a pod"),
    *lease("railwise-scheduler"),
)
"""``railwise run scheduler``."""

GATE: Final[tuple[Permission, ...]] = (
    *PLACES,
    Permission("", "pods", ("patch",), "telling a pod its node and lifting its gate"),
    Permission("", "pods", ("get",), "how a pod stands after a release without an answer", seldom="answers arrive"),
    Permission("batch", "jobs", ("patch",), "beginning and suspending Jobs that are held as a whole"),
    Permission("batch", "jobs", ("get",), "whether a Job that somebody else has written is as before", seldom="a race"),
    Permission(
        "batch",
        "jobs/status",
        ("patch",),
        "a Job that was suspended again has not begun, or its template could not be changed",
        seldom="only where a held Job was evicted",
    ),
    *lease("railwise-gate"),
)
"""``railwise run gate --admission none``, where manifests have put the policy into force."""

_ADMISSION: Final = "admissionregistration.k8s.io"
_NAMED: Final = ("gate.railwise.dev",)
_APPLIED: Final = "asked for by an apply of what is not there yet, which counts as a patch"

GATE_POLICY: Final[tuple[Permission, ...]] = (
    *(
        one
        for kind in ("mutatingadmissionpolicies", "mutatingadmissionpolicybindings")
        for one in (
            Permission(
                _ADMISSION,
                kind,
                ("create",),
                "new pods get their gate: put into force by the gate itself",
                seldom=_APPLIED,
            ),
            Permission(_ADMISSION, kind, ("patch",), "kept as this version wants it", names=_NAMED),
        )
    ),
    Permission(
        _ADMISSION, "mutatingwebhookconfigurations", ("delete",), "a webhook of an earlier time goes", names=_NAMED
    ),
)
"""What ``--admission policy`` needs besides."""

GATE_WEBHOOK: Final[tuple[Permission, ...]] = (
    Permission(
        _ADMISSION,
        "mutatingwebhookconfigurations",
        ("create",),
        "new pods get their gate from the webhook",
        seldom=_APPLIED,
    ),
    Permission(_ADMISSION, "mutatingwebhookconfigurations", ("patch",), "whose certificate is believed", names=_NAMED),
    *(
        Permission(_ADMISSION, kind, ("delete",), "a policy of an earlier time goes", names=_NAMED, seldom="none yet")
        for kind in ("mutatingadmissionpolicies", "mutatingadmissionpolicybindings")
    ),
    Permission(
        "",
        "secrets",
        ("get", "update"),
        "the webhook's certificate, shared by all replicas",
        own=True,
        names=("railwise-gate-webhook",),
        seldom="replaced after two months",
        spare=("update",),
    ),
    Permission("", "secrets", ("create",), "the certificate is made by whoever comes first", own=True),
)
"""What ``--admission webhook`` needs besides."""
