"""Which kind of object is meant, and under which path an API server keeps it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, urlencode

_PLAIN = re.compile(r"[\w./-]+", re.ASCII)
"""Nothing that has to be quoted; almost every name is like this, and quoting takes longer than looking."""


class Resource(NamedTuple):
    """A kind as the API names it: group (empty: the core), version, plural; some kinds have no namespace."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    def api_version(self) -> str:
        """Return ``group/version`` as objects carry it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", sub: str = "") -> str:
        """Return the path of a collection, an object or a sub-resource; names are quoted, never trusted."""
        parts = ["apis", self.group, self.version] if self.group else ["api", self.version]
        if self.namespaced and namespace:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        if name:
            parts.append(name)
        if sub:
            parts.append(sub)
        path = "/".join(parts)
        if _PLAIN.fullmatch(path) and path.count("/") == len(parts) - 1:
            return f"/{path}"
        return "/" + "/".join(quote(part, safe="") for part in parts)

    def label(self) -> str:
        """Return ``plural.group`` as people and metrics name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)
PODS = Resource("", "v1", "pods", "Pod")
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
SERVICE_ACCOUNTS = Resource("", "v1", "serviceaccounts", "ServiceAccount")
CLAIMS = Resource("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
VOLUMES = Resource("", "v1", "persistentvolumes", "PersistentVolume", namespaced=False)
CSI_NODES = Resource("storage.k8s.io", "v1", "csinodes", "CSINode", namespaced=False)
JOBS = Resource("batch", "v1", "jobs", "Job")
EVENTS = Resource("events.k8s.io", "v1", "events", "Event")
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease")
PRIORITY_CLASSES = Resource("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False)
DISRUPTION_BUDGETS = Resource("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget")
DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False
)


def with_query(path: str, query: Mapping[str, str]) -> str:
    """Return path and query as one; empty values are left out, but ``resourceVersion`` means something even empty."""
    kept = {key: value for key, value in query.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path
