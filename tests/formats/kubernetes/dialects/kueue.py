"""Kueue's objects, reduced to what a test wants to speak of."""

from __future__ import annotations

from typing import Any

from tests.formats.kubernetes.objects import Object, node

GPU = "nvidia.com/gpu"
LABELS = {"example.com/row": "w", "example.com/rack": "r"}
NODES = [node(f"n-{index}", LABELS, gpu=8) for index in range(2)]
TREE = [{"nodeLabel": "example.com/row"}, {"nodeLabel": "example.com/rack"}, {"nodeLabel": "kubernetes.io/hostname"}]
PREFIX = "kueue.x-k8s.io/"


def kueue(kind: str, name: str, *, space: str = "", version: str = "v1beta2", **spec: Any) -> Object:
    meta = {"name": name} | ({"namespace": space} if space else {})
    return {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind, "metadata": meta, "spec": spec}


def quota(amount: object, flavor: str = "f", **limits: object) -> Object:
    resource = {"name": GPU, "nominalQuota": amount, **limits}
    return {"coveredResources": [GPU], "flavors": [{"name": flavor, "resources": [resource]}]}


def cluster_queue(name: str, *groups: Object, **spec: Any) -> Object:
    whole = {"namespaceSelector": {}, "resourceGroups": list(groups), **spec}
    return kueue("ClusterQueue", name, **whole)


FLAVOR = kueue("ResourceFlavor", "f")
