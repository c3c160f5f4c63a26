"""Training jobs and Ray clusters: how many pods will come, before and after they do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.kubernetes.objects import Object, node, owner, pod, read, reading, template, workload

NODES = [node(f"n-{index}", gpu=8) for index in range(4)]


def training(kind: str, replicas: Object, version: str = "v1", **policy: Any) -> Object:
    key = {"PyTorchJob": "pytorch", "TFJob": "tf", "MPIJob": "mpi", "XGBoostJob": "xgb"}[kind]
    spec = {f"{key}ReplicaSpecs": replicas, "runPolicy": policy}
    meta = {"name": "t", "namespace": "default"}
    return {"apiVersion": f"kubeflow.org/{version}", "kind": kind, "metadata": meta, "spec": spec}


def of(replicas: int, gpu: int) -> Object:
    return {"replicas": replicas, "template": template(gpu)}


def shape(found: Any) -> list[tuple[str, int, int]]:
    return [(one.name, one.pods, one.min_pods) for one in found.root.groups or (found.root,)]


@pytest.mark.parametrize("kind", ["PyTorchJob", "TFJob", "XGBoostJob"])
def test_a_group_for_each_kind_of_replica(kind: str) -> None:
    found = workload(read(*NODES, training(kind, {"Master": of(1, 0), "Worker": of(3, 8)})), "t")
    assert shape(found) == [("master", 1, 1), ("worker", 3, 3)]
    assert (found.unsupported, found.invalid) == ("", "")


def test_one_kind_of_replica_needs_no_group_and_pods_take_their_ranks() -> None:
    labels = {"training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": "1"}
    made = pod("t-worker-1", 8, meta={"labels": labels, "ownerReferences": owner("PyTorchJob", "t")}, nodeName="n-2")
    found = reading(*NODES, training("PyTorchJob", {"Worker": of(3, 8)}), made)
    (one,) = found.scenario.workloads
    assert shape(one) == [("", 3, 3)]
    assert found.pods["t", "", 1].name == "t-worker-1"


def test_elastic_workers_are_needed_as_far_as_the_policy_says() -> None:
    elastic = training(
        "PyTorchJob", {"Master": of(1, 0), "Worker": of(3, 8)}, schedulingPolicy={"minAvailable": 2}, suspend=True
    )
    found = workload(read(*NODES, elastic), "t")
    assert (shape(found), found.suspend) == ([("master", 1, 1), ("worker", 3, 1)], True)


def test_the_launcher_of_an_mpi_job_belongs_to_it_and_so_does_the_job_that_makes_it() -> None:
    labels = {"training.kubeflow.org/job-name": "t", "training.kubeflow.org/job-role": "launcher"}
    inner = {"labels": labels, "ownerReferences": owner("Job", "t-launcher")}
    maker = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "t-launcher", "namespace": "default", "ownerReferences": owner("MPIJob", "t")},
        "spec": {"parallelism": 1, "template": template(0)},
    }
    job = training("MPIJob", {"Launcher": of(1, 0), "Worker": of(2, 8)}, version="v2beta1")
    found = reading(*NODES, job, maker, pod("t-launcher-x", 0, meta=inner))
    (one,) = found.scenario.workloads
    assert shape(one) == [("launcher", 1, 1), ("worker", 2, 2)]
    assert found.pods["t", "launcher", 0].name == "t-launcher-x"


def test_a_ray_cluster_is_its_head_and_its_workers() -> None:
    workers = [
        {"groupName": "big", "replicas": 2, "numOfHosts": 2, "template": template(8)},
        {"groupName": "idle", "replicas": 0, "template": template(1)},
        {"groupName": "some", "minReplicas": 1, "template": template(4)},
    ]
    meta = {"name": "r", "namespace": "default"}
    spec = {"headGroupSpec": {"template": template(0)}, "workerGroupSpecs": workers}
    made = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": meta, "spec": spec}
    labels = {"ray.io/group": "big", "ray.io/cluster": "r"}
    one = pod("r-big-0", 8, meta={"labels": labels, "ownerReferences": owner("RayCluster", "r")})
    found = reading(*NODES, made, one)
    assert shape(found.scenario.workloads[0]) == [("headgroup", 1, 1), ("big", 4, 4), ("some", 1, 1)]
    assert found.pods["r", "big", 0].name == "r-big-0"


def test_what_is_over_wants_nothing_and_what_cannot_be_read_is_named() -> None:
    over = training("PyTorchJob", {"Worker": of(3, 8)})
    over["status"] = {"conditions": [{"type": "Succeeded", "status": "True"}]}
    assert read(*NODES, over).workloads == ()
    found = reading(*NODES, training("PyTorchJob", {"Worker": {"replicas": "three"}}))
    assert [fault.path for fault in found.faults] == ["in.yaml[4].spec.pytorchReplicaSpecs[...].replicas"]
