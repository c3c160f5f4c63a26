"""Pods for each filter of the stock scheduler, crossed with the nodes on which they make a difference.

A row is a pod that may only go to one node. Nodes and what runs on them are the same for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

Object = dict[str, Any]

HOST = "kubernetes.io/hostname"
ZONE = "example.com/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

ROOM = {
    "cpu": "8",
    "memory": "16Gi",
    "pods": "10",
    "ephemeral-storage": "10Gi",
    "nvidia.com/gpu": "4",
    "example.com/x": "2",
}


class Place(NamedTuple):
    """A node: labels beside its name, spec, what it has."""

    labels: dict[str, str]
    spec: Object
    room: dict[str, str]


NODES = {
    "plain": Place({ZONE: "a", "disk": "ssd", "cores": "16"}, {}, ROOM),
    "kept": Place({ZONE: "a"}, {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}, ROOM),
    "cleared": Place({ZONE: "b"}, {"taints": [{"key": "down", "effect": "NoExecute"}]}, ROOM),
    "shunned": Place({ZONE: "b", "disk": "hdd"}, {"taints": [{"key": "x", "effect": "PreferNoSchedule"}]}, ROOM),
    "small": Place({ZONE: "b", "cores": "4"}, {}, {"cpu": "500m", "memory": "256Mi", "pods": "1"}),
    "busy": Place({ZONE: "c"}, {}, ROOM),
    "full": Place({ZONE: "c"}, {}, ROOM | {"pods": "1"}),
    "bare": Place({}, {}, ROOM),
    "mute": Place({ZONE: "d"}, {}, {"cpu": "8", "memory": "16Gi"}),
}


class Resident(NamedTuple):
    """A pod of somebody else that runs on a node."""

    name: str
    node: str
    labels: dict[str, str]
    spec: Object


def container(
    requests: dict[str, str] | None = None, limits: dict[str, str] | None = None, ports: list[Object] | None = None
) -> Object:
    resources = {"requests": requests or {}, "limits": limits or {}}
    return {"name": "main", "image": "none", "resources": resources, "ports": ports or []}


def port(number: int, protocol: str = "TCP", address: str = "") -> Object:
    found = {"containerPort": number, "hostPort": number, "protocol": protocol}
    return found | ({"hostIP": address} if address else {})


def claim(name: str) -> Object:
    return {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]}


def selector(**labels: str) -> Object:
    return {"labelSelector": {"matchLabels": labels}}


def between(kind: str, key: str, **term: Any) -> Object:
    return {"affinity": {kind: {REQUIRED: [{"topologyKey": key, **term}]}}}


def spread(key: str, app: str, skew: int = 1, **more: Any) -> Object:
    rule = {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule", **selector(app=app), **more}
    return {"topologySpreadConstraints": [rule]}


RESIDENTS = (
    Resident(
        "server",
        "busy",
        {"app": "server", "tier": "1"},
        {
            "containers": [
                container(
                    {"cpu": "7", "memory": "1Gi"},
                    {"nvidia.com/gpu": "3"},
                    [port(8080), port(9090, "UDP", "10.0.0.5")],
                )
            ],
            **between("podAntiAffinity", ZONE, **selector(app="lonely")),
        },
    ),
    Resident("filler", "full", {"app": "filler"}, {"containers": [container()]}),
    Resident(
        "friend",
        "plain",
        {"app": "friend"},
        {"containers": [container()], **between("podAntiAffinity", HOST, **selector(app="host-shy"))},
    ),
)


def expression(key: str, operator: str, *values: str) -> Object:
    return {"key": key, "operator": operator} | ({"values": list(values)} if values else {})


def terms(*found: Object) -> Object:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(found)}}}}


def labelled(*expressions: Object) -> Object:
    return {"matchExpressions": list(expressions)}


NO_LABELS: Mapping[str, str] = MappingProxyType({})


class Wish(NamedTuple):
    """A pod, and the nodes on which it is tried."""

    spec: Object
    nodes: tuple[str, ...]
    labels: Mapping[str, str] = NO_LABELS


class Row(NamedTuple):
    """A pod on one node."""

    name: str
    node: str
    spec: Object
    labels: Mapping[str, str]


EXISTS = {"operator": "Exists"}
INIT = {"name": "init", "image": "none"}

WISHES: dict[str, Wish] = {
    "nothing": Wish({}, ("plain", "kept", "cleared", "shunned", "full", "bare", "mute")),
    "tolerates-all": Wish({"tolerations": [EXISTS]}, ("kept", "cleared", "shunned")),
    "tolerates-key": Wish({"tolerations": [{"key": "gpu", **EXISTS}]}, ("kept", "cleared")),
    "tolerates-value": Wish({"tolerations": [{"key": "gpu", "value": "yes"}]}, ("kept",)),
    "tolerates-other-value": Wish({"tolerations": [{"key": "gpu", "value": "no"}]}, ("kept",)),
    "tolerates-effect": Wish({"tolerations": [{"key": "gpu", **EXISTS, "effect": "NoExecute"}]}, ("kept",)),
    "tolerates-no-execute": Wish(
        {"tolerations": [{"key": "down", **EXISTS, "effect": "NoExecute", "tolerationSeconds": 5}]}, ("cleared",)
    ),
    "selector": Wish({"nodeSelector": {"disk": "ssd"}}, ("plain", "shunned", "bare")),
    "in": Wish(terms(labelled(expression("disk", "In", "ssd", "nvme"))), ("plain", "shunned")),
    "not-in": Wish(terms(labelled(expression("disk", "NotIn", "ssd"))), ("plain", "shunned", "bare")),
    "exists": Wish(terms(labelled(expression("disk", "Exists"))), ("plain", "bare")),
    "does-not-exist": Wish(terms(labelled(expression("disk", "DoesNotExist"))), ("plain", "bare")),
    "gt": Wish(terms(labelled(expression("cores", "Gt", "8"))), ("plain", "small", "bare")),
    "lt": Wish(terms(labelled(expression("cores", "Lt", "8"))), ("plain", "small")),
    "two-terms": Wish(
        terms(labelled(expression("disk", "In", "hdd")), labelled(expression("cores", "In", "16"))), ("plain", "bare")
    ),
    "both-in-a-term": Wish(
        terms(labelled(expression("disk", "Exists"), expression("cores", "Exists"))), ("plain", "shunned")
    ),
    "empty-term": Wish(terms({}), ("plain",)),
    "cpu": Wish({"containers": [container({"cpu": "2"})]}, ("plain", "busy", "small")),
    "cpu-that-fits": Wish({"containers": [container({"cpu": "1"})]}, ("busy",)),
    "memory": Wish({"containers": [container({"memory": "300Mi"})]}, ("small", "plain")),
    "storage": Wish({"containers": [container({"ephemeral-storage": "1Gi"})]}, ("plain", "small")),
    "devices": Wish({"containers": [container(limits={"example.com/x": "2"})]}, ("plain", "small")),
    "too-many-devices": Wish({"containers": [container(limits={"example.com/x": "3"})]}, ("plain",)),
    "gpus": Wish({"containers": [container(limits={"nvidia.com/gpu": "2"})]}, ("plain", "busy")),
    "init": Wish({"initContainers": [{**INIT, "resources": {"requests": {"cpu": "2"}}}]}, ("busy", "plain")),
    "sidecar": Wish(
        {
            "initContainers": [{**INIT, "restartPolicy": "Always", "resources": {"requests": {"cpu": "600m"}}}],
            "containers": [container({"cpu": "600m"})],
        },
        ("busy", "plain"),
    ),
    "init-beside-sidecar": Wish(
        {
            "initContainers": [
                {**INIT, "restartPolicy": "Always", "resources": {"requests": {"cpu": "600m"}}},
                {"name": "second", "image": "none", "resources": {"requests": {"cpu": "500m"}}},
            ]
        },
        ("busy",),
    ),
    "whole-pod": Wish(
        {"resources": {"requests": {"cpu": "2"}}, "containers": [container({"cpu": "1"})]}, ("busy", "plain")
    ),
    "port-taken": Wish({"containers": [container(ports=[port(8080)])]}, ("busy", "plain")),
    "port-other-protocol": Wish({"containers": [container(ports=[port(8080, "UDP")])]}, ("busy",)),
    "port-on-an-address": Wish({"containers": [container(ports=[port(8080, "TCP", "10.0.0.9")])]}, ("busy",)),
    "port-on-the-same-address": Wish({"containers": [container(ports=[port(9090, "UDP", "10.0.0.5")])]}, ("busy",)),
    "port-on-another-address": Wish({"containers": [container(ports=[port(9090, "UDP", "10.0.0.6")])]}, ("busy",)),
    "port-on-all-addresses": Wish({"containers": [container(ports=[port(9090, "UDP")])]}, ("busy",)),
    "port-of-a-sidecar": Wish(
        {"initContainers": [{**INIT, "restartPolicy": "Always", "ports": [port(8080)]}]}, ("busy",)
    ),
    "port-of-an-init": Wish({"initContainers": [{**INIT, "ports": [port(8080)]}]}, ("busy",)),
    "far-on-host": Wish(between("podAntiAffinity", HOST, **selector(app="server")), ("busy", "full", "plain")),
    "far-on-zone": Wish(between("podAntiAffinity", ZONE, **selector(app="server")), ("busy", "full", "bare")),
    "far-by-expression": Wish(
        between("podAntiAffinity", HOST, labelSelector=labelled(expression("tier", "Exists"))), ("busy", "full")
    ),
    "far-elsewhere": Wish(between("podAntiAffinity", HOST, **selector(app="server"), namespaces=["other"]), ("busy",)),
    "far-everywhere": Wish(between("podAntiAffinity", HOST, **selector(app="server"), namespaceSelector={}), ("busy",)),
    "far-by-key": Wish(
        between("podAntiAffinity", HOST, **selector(app="server"), matchLabelKeys=["tier"]), ("busy",), {"tier": "2"}
    ),
    "far-by-the-same-key": Wish(
        between("podAntiAffinity", HOST, **selector(app="server"), matchLabelKeys=["tier"]), ("busy",), {"tier": "1"}
    ),
    "far-but-for-key": Wish(
        between("podAntiAffinity", HOST, **selector(app="server"), mismatchLabelKeys=["tier"]), ("busy",), {"tier": "1"}
    ),
    "shunned-in-zone": Wish({}, ("busy", "full", "bare"), {"app": "lonely"}),
    "shunned-on-host": Wish({}, ("plain", "shunned"), {"app": "host-shy"}),
    "near-on-host": Wish(between("podAffinity", HOST, **selector(app="server")), ("busy", "full")),
    "near-in-zone": Wish(between("podAffinity", ZONE, **selector(app="server")), ("full", "plain", "bare", "busy")),
    "near-nobody": Wish(between("podAffinity", ZONE, **selector(app="nobody")), ("plain",)),
    "near-itself": Wish(between("podAffinity", ZONE, **selector(app="self")), ("plain", "bare"), {"app": "self"}),
    "near-itself-and-others": Wish(
        between("podAffinity", ZONE, **selector(app="friend")), ("plain", "shunned"), {"app": "friend"}
    ),
    "near-without-selector": Wish(between("podAffinity", ZONE), ("plain",)),
    "spread-by-zone": Wish(
        spread(ZONE, "server", nodeAffinityPolicy="Ignore"), ("plain", "busy", "full", "bare"), {"app": "server"}
    ),
    "spread-by-more": Wish(spread(ZONE, "server", 2, nodeAffinityPolicy="Ignore"), ("busy",), {"app": "server"}),
    "spread-by-others": Wish(spread(ZONE, "server", nodeAffinityPolicy="Ignore"), ("busy",), {"app": "other"}),
    "spread-of-its-own": Wish(spread(HOST, "server"), ("busy", "plain"), {"app": "server"}),
    "spread-with-more-domains": Wish(
        spread(ZONE, "server", minDomains=9, nodeAffinityPolicy="Ignore"), ("busy", "plain"), {"app": "server"}
    ),
    "spread-on-tolerated": Wish(
        spread(HOST, "server", nodeAffinityPolicy="Ignore", nodeTaintsPolicy="Honor"),
        ("busy", "shunned"),
        {"app": "server"},
    ),
    "spread-with-anyway": Wish(
        {
            "topologySpreadConstraints": [
                {"topologyKey": ZONE, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", **selector(app="server")}
            ]
        },
        ("busy",),
        {"app": "server"},
    ),
    "claim-in-zone": Wish(claim("in-zone-a"), ("plain", "shunned", "bare")),
    "claim-on-node": Wish(claim("on-shunned"), ("plain", "shunned")),
    "claim-unbound": Wish(claim("unbound"), ("plain",)),
    "claim-missing": Wish(claim("missing"), ("plain",)),
    "claim-in-use": Wish(claim("in-use"), ("plain",)),
    "claims-of-a-driver": Wish(claim("driven"), ("plain", "shunned")),
    "resource-claim": Wish({"resourceClaims": [{"name": "gpu", "resourceClaimName": "missing"}]}, ("plain",)),
    "empty-dir": Wish({"volumes": [{"name": "v", "emptyDir": {}}]}, ("plain",)),
}


def rows(space: str) -> Iterator[Row]:
    """Yield each pod on each of its nodes; nodes of one space have its name in front."""
    for name, wish in WISHES.items():
        for node in wish.nodes:
            spec = {"containers": [container()], **wish.spec}
            spec["nodeSelector"] = {**spec.get("nodeSelector", {}), "target": f"{space}-{node}"}
            yield Row(f"{name}-{node}", f"{space}-{node}", spec, wish.labels)
