"""Our own custom resources, as the API server is told of them: Queue and Topology, ``railwise.dev/v1alpha1``.

Only what no other system has gets a kind of ours: a queue with promised domains and lent amounts, and a topology whose
levels have names and links. Both have the fields of a scenario. What can be wrong in one object is refused by the
schema (CEL) when it is applied, so that people learn of it from ``kubectl apply``; what only shows among several
objects (a missing parent, a circle) becomes a condition.
"""

from __future__ import annotations

from typing import Any, Final

from railwise.formats.kubernetes.dialects.sources import OWN_QUEUE, OWN_TOPOLOGY, Kind

Schema = dict[str, Any]

NAME: Final[Schema] = {"type": "string", "maxLength": 253, "pattern": "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"}
DURATION: Final[Schema] = {"type": "string", "maxLength": 32, "pattern": "^([0-9]+(\\.[0-9]+)?(d|h|m|s|ms|us))+$"}
LEVEL: Final[Schema] = {"type": "string", "maxLength": 63, "pattern": "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"}
LABEL: Final[Schema] = {
    "type": "string",
    "maxLength": 317,
    "pattern": "^([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$",
}
HOSTNAME: Final = "kubernetes.io/hostname"
MOST_RESOURCES: Final = 32
MOST_LEVELS: Final = 16


def _amounts(about: str) -> Schema:
    """Return a mapping of resources to quantities, none of them negative."""
    return {
        "type": "object",
        "description": about,
        "maxProperties": MOST_RESOURCES,
        "additionalProperties": {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "maxLength": 32,
        },
        "x-kubernetes-validations": [
            {
                "rule": "self.all(r, isQuantity(string(self[r]))"
                " && !quantity(string(self[r])).isLessThan(quantity('0')))",
                "message": "expected quantities such as 64, 500m or 64Gi, none of them below 0",
            },
            {
                "rule": "self.all(r, r in ['gpu', 'cpu', 'memory', 'ephemeral-storage', 'pods']"
                " || r.contains('/') || r.startsWith('hugepages-'))",
                "message": "unknown resource: gpu, cpu, memory, ephemeral-storage, pods; others have a slash",
            },
        ],
    }


def _no_more(less: str, more: str) -> str:
    """Return the rule that no amount of one field is above the other's of that resource, where both are given."""
    compared = f"quantity(string(self.{less}[r])).compareTo(quantity(string(self.{more}[r]))) <= 0"
    return f"!has(self.{less}) || !has(self.{more}) || self.{less}.all(r, !(r in self.{more}) || {compared})"


QUEUE_SPEC: Final[Schema] = {
    "type": "object",
    "properties": {
        "parent": {**NAME, "description": "the Queue above; none: a top queue"},
        "quota": _amounts("what is guaranteed, and what others may borrow while it is not used"),
        "limit": _amounts("the ceiling"),
        "lend": _amounts("how much of the quota others may borrow; default: all of it"),
        "weight": {
            "type": "number",
            "minimum": 0,
            "description": "part of what is above quota, compared to its siblings; default 1",
        },
        "priority": {
            "type": "integer",
            "minimum": -2147483648,
            "maximum": 2147483647,
            "description": "who comes first above quota; default 0",
        },
        "stopped": {"type": "boolean", "description": "admits nothing new"},
        "preemptMinRuntime": {**DURATION, "description": "protects young workloads from their own queue, as in 10m"},
        "reclaimMinRuntime": {**DURATION, "description": "protects young workloads from other queues, as in 10m"},
        "guarantee": {
            "type": "object",
            "description": "whole domains of the first topology that are promised, by level",
            "maxProperties": MOST_LEVELS,
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 1_000_000},
        },
        "bandwidth": {
            "type": "object",
            "description": "the part of every uplink of a level that is promised, as in 100Gbps or 25%",
            "maxProperties": MOST_LEVELS,
            "additionalProperties": {"type": "string", "maxLength": 32},
        },
    },
    "x-kubernetes-validations": [
        {
            "rule": "!has(self.lend) || self.lend.all(r, has(self.quota) && r in self.quota)",
            "message": "only what is in quota can be lent",
            "fieldPath": ".lend",
        },
        {
            "rule": _no_more("lend", "quota"),
            "message": "no more than the quota can be lent",
            "fieldPath": ".lend",
        },
        {
            "rule": _no_more("quota", "limit"),
            "message": "a limit below the quota takes away what is guaranteed",
            "fieldPath": ".limit",
        },
    ],
}

TOPOLOGY_SPEC: Final[Schema] = {
    "type": "object",
    "required": ["levels"],
    "properties": {
        "default": {
            "type": "boolean",
            "description": "the topology that is meant where a workload names none",
        },
        "levels": {
            "type": "array",
            "description": "from widest to narrowest; the node itself is implied",
            "minItems": 1,
            "maxItems": MOST_LEVELS,
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {**LEVEL, "description": "the name of the level; node, last, tells of the node's own link"},
                    "label": {**LABEL, "description": "the node label whose value names the domain"},
                    "uplink": {
                        "type": "string",
                        "maxLength": 32,
                        "pattern": "^[0-9]+(\\.[0-9]+)?[kMGT]?bps$",
                        "description": "bandwidth of one domain towards the next wider level, as in 400Gbps",
                    },
                },
                "x-kubernetes-validations": [
                    {
                        "rule": "self.name != 'none'",
                        "message": "'none' cannot be a level, it stands for no locality",
                        "fieldPath": ".name",
                    },
                    {
                        "rule": "(self.name == 'node') != has(self.label)",
                        "message": "every level but the node needs the node label that names its domains",
                    },
                    {
                        "rule": f"!has(self.label) || self.label != '{HOSTNAME}'",
                        "message": "the node is implied as the last level; leave the hostname out",
                    },
                ],
            },
            "x-kubernetes-validations": [
                {
                    "rule": "self.all(one, self.exists_one(other, other.name == one.name))",
                    "message": "two levels have the same name",
                },
                {
                    "rule": "self.all(one, !has(one.label)"
                    " || self.exists_one(other, has(other.label) && other.label == one.label))",
                    "message": "two levels have the same label",
                },
                {
                    "rule": "self.all(one, one.name != 'node' || self[size(self) - 1].name == 'node')",
                    "message": "'node' is always the last level",
                },
            ],
        },
    },
}

STATUS: Final[Schema] = {
    "type": "object",
    "properties": {
        "conditions": {
            "type": "array",
            "maxItems": 8,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "items": {
                "type": "object",
                "required": ["type", "status"],
                "properties": {
                    "type": {"type": "string", "maxLength": 316},
                    "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
                    "reason": {"type": "string", "maxLength": 1024},
                    "message": {"type": "string", "maxLength": 32768},
                    "lastTransitionTime": {"type": "string", "format": "date-time"},
                    "observedGeneration": {"type": "integer", "format": "int64"},
                },
            },
        }
    },
}

ACCEPTED: Final = "Accepted"
"""The condition that says whether an object could be read."""

_ACCEPTED_COLUMN: Final[Schema] = {
    "name": "Accepted",
    "type": "string",
    "jsonPath": f'.status.conditions[?(@.type=="{ACCEPTED}")].status',
}
_AGE: Final[Schema] = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}

_NOT_ITSELF = {
    "rule": "!has(self.spec) || !has(self.spec.parent) || self.spec.parent != self.metadata.name",
    "message": "a queue cannot be its own parent",
    "fieldPath": ".spec.parent",
}


def crds() -> list[dict[str, Any]]:
    """Return our CustomResourceDefinitions, as ``kubectl apply`` takes them."""
    queue: list[Schema] = [
        {"name": "Parent", "type": "string", "jsonPath": ".spec.parent"},
        {"name": "Quota", "type": "string", "jsonPath": ".spec.quota.gpu", "description": "GPUs"},
        {"name": "Limit", "type": "string", "jsonPath": ".spec.limit.gpu", "description": "GPUs"},
        {"name": "Weight", "type": "string", "jsonPath": ".spec.weight"},
        {"name": "Priority", "type": "integer", "jsonPath": ".spec.priority", "priority": 1},
        {"name": "Stopped", "type": "boolean", "jsonPath": ".spec.stopped", "priority": 1},
        _ACCEPTED_COLUMN,
        _AGE,
    ]
    topology: list[Schema] = [
        {"name": "Widest", "type": "string", "jsonPath": ".spec.levels[0].name"},
        {"name": "Label", "type": "string", "jsonPath": ".spec.levels[0].label", "priority": 1},
        {"name": "Default", "type": "boolean", "jsonPath": ".spec.default"},
        _ACCEPTED_COLUMN,
        _AGE,
    ]
    return [
        _definition(OWN_QUEUE, QUEUE_SPEC, "rwq", queue, [_NOT_ITSELF]),
        _definition(OWN_TOPOLOGY, TOPOLOGY_SPEC, "rwt", topology, []),
    ]


def _definition(
    kind: Kind, spec: Schema, short: str, columns: list[Schema], rules: list[dict[str, str]]
) -> dict[str, Any]:
    schema: Schema = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
            "status": STATUS,
        },
    }
    if rules:
        schema["x-kubernetes-validations"] = rules
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{kind.group}", "labels": {"app.kubernetes.io/name": "railwise"}},
        "spec": {
            "group": kind.group,
            "names": {
                "kind": kind.kind,
                "listKind": f"{kind.kind}List",
                "plural": kind.plural,
                "singular": kind.kind.lower(),
                "shortNames": [short],
                "categories": ["railwise"],
            },
            "scope": "Cluster",
            "versions": [
                {
                    "name": kind.versions[0],
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": columns,
                }
            ],
        },
    }
