"""Kubernetes objects as ``kubectl get -o json`` prints them, reduced to what a test wants to speak of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from railwise.formats.kubernetes.objects import Reading, read_cluster, read_objects
from railwise.model.node import Node
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload

PREFIX = "railwise.dev/"

Object = dict[str, Any]


def node(name: str, labels: Mapping[str, str] | None = None, **resources: object) -> Object:
    """Return a ready node with resources by name; ``gpu`` is short for nvidia.com/gpu."""
    found = {"nvidia.com/gpu" if key == "gpu" else key: str(value) for key, value in resources.items()}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "status": {
            "allocatable": found,
            "capacity": found,
            "conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": "True"}],
        },
    }


def container(gpu: int = 0, **requests: object) -> Object:
    """Return a container; GPUs are given as limits, everything else as requests, as is custom."""
    resources: Object = {"requests": {key: str(value) for key, value in requests.items()}}
    if gpu:
        resources["limits"] = {"nvidia.com/gpu": str(gpu)}
    return {"name": "main", "image": "registry.example/app:1", "resources": resources}


def pod(name: str, gpu: int = 0, *, namespace: str = "default", meta: Object | None = None, **spec: object) -> Object:
    """Return a pod of our scheduler; ``spec`` replaces or adds fields of its spec, ``meta`` those of its metadata."""
    status: Object = {"phase": "Running" if spec.get("nodeName") else "Pending"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **(meta or {})},
        "spec": {"schedulerName": "railwise", "containers": [container(gpu)], **spec},
        "status": status,
    }


def owner(kind: str, name: str) -> list[Object]:
    """Return the owner references of a pod that a controller made."""
    return [{"apiVersion": "example/v1", "kind": kind, "name": name, "uid": f"{kind}-{name}", "controller": True}]


def template(gpu: int = 0, annotations: Mapping[str, str] | None = None, **spec: object) -> Object:
    """Return a pod template of our scheduler."""
    return {
        "metadata": {"annotations": dict(annotations or {})},
        "spec": {"schedulerName": "railwise", "containers": [container(gpu)], **spec},
    }


def job(name: str, pods: int, of: Object, *, meta: Object | None = None, **spec: object) -> Object:
    """Return a Job with so many pods at once."""
    fields = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "template": of, **spec}
    metadata = {"name": name, "namespace": "default", **(meta or {})}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": fields}


def job_pod(of: str, index: int, gpu: int, node_name: str | None = None, **spec: Any) -> Object:
    """Return a pod as the Job controller makes it."""
    labels = {"batch.kubernetes.io/job-name": of, "batch.kubernetes.io/job-completion-index": str(index)}
    meta: Object = {"labels": labels, "ownerReferences": owner("Job", of)}
    return pod(f"{of}-{index}-x7k2p", gpu, meta=meta, nodeName=node_name, **spec)


def read(*objects: Object, levels: str = "") -> Scenario:
    """Return what the objects say."""
    return read_objects([(f"in.yaml[{index}]", value) for index, value in enumerate(objects)], levels)


def reading(*objects: Object, levels: str = "") -> Reading:
    """Return what the objects say, with faults beside it."""
    return read_cluster([(f"in.yaml[{index}]", value) for index, value in enumerate(objects)], levels)


def workload(scenario: Scenario, name: str) -> Workload:
    """Return the one workload of that name."""
    (found,) = [one for one in scenario.workloads if one.name == name]
    return found


def node_of(scenario: Scenario, name: str) -> Node:
    """Return the one node of that name."""
    (found,) = [one for one in scenario.nodes if one.name == name]
    return found


def own(**values: str) -> dict[str, str]:
    """Return annotations of ours by their key, with ``_`` for ``-``."""
    return {PREFIX + key.replace("_", "-"): value for key, value in values.items()}
