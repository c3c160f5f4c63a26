"""The pods that controllers make of Jobs and the like, so that no controller has to run in a test."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]

WORKLOAD = "example.com/workload"
"""The annotation by which a test knows what a pod was made of."""


def pods_of(maker: Object) -> Iterator[Object]:
    """Yield the pods of an object, as its controller would make them; none for other kinds."""
    if maker["kind"] == "Pod":
        return
    if maker["apiVersion"] == "batch/v1":
        yield from of_job(maker)
    elif maker["kind"] == "Job":
        yield from of_volcano_job(maker)


def of_job(job: Object) -> Iterator[Object]:
    name = job["metadata"]["name"]
    for index in range(job["spec"]["parallelism"]):
        labels = {"batch.kubernetes.io/job-name": name, "batch.kubernetes.io/job-completion-index": str(index)}
        yield _pod(job, job["spec"]["template"], f"{name}-{index}", labels)


def of_volcano_job(job: Object) -> Iterator[Object]:
    name = job["metadata"]["name"]
    for task in job["spec"]["tasks"]:
        for index in range(task["replicas"]):
            labels = {"volcano.sh/job-name": name, "volcano.sh/task-spec": task["name"]}
            labels["volcano.sh/task-index"] = str(index)
            pod = _pod(job, task["template"], f"{name}-{task['name']}-{index}", labels)
            pod["spec"]["schedulerName"] = job["spec"]["schedulerName"]
            pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = f"{name}-made-of-the-job"
            yield pod


def _pod(maker: Object, template: Object, name: str, labels: dict[str, str]) -> Object:
    meta = copy.deepcopy(template.get("metadata", {}))
    of = maker["metadata"]["name"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": maker["metadata"].get("namespace", "default"),
            "labels": {**meta.get("labels", {}), **labels},
            "annotations": {**meta.get("annotations", {}), WORKLOAD: of},
            "ownerReferences": [
                {"apiVersion": maker["apiVersion"], "kind": maker["kind"], "name": of, "uid": "u", "controller": True}
            ],
        },
        "spec": copy.deepcopy(template["spec"]),
    }
