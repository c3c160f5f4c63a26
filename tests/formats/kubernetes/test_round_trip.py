"""What was read of Kubernetes can be written as a scenario and read again: a snapshot always opens."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from railwise.formats.document import load
from railwise.formats.kubernetes.objects import read_cluster
from railwise.formats.scenario.reader import read_scenario
from railwise.formats.scenario.writer import scenario_text
from railwise.model.scenario import Scenario
from tests.formats.kubernetes.objects import job, node, owner, pod, read, template

SNAPSHOT = Path(__file__).parents[3] / "examples" / "kubectl-nodes-pods.json"


def again(scenario: Scenario) -> Scenario:
    (document,) = load(scenario_text(scenario).encode(), "again.yaml")
    return read_scenario(document.value, "again.yaml")


def check(scenario: Scenario) -> None:
    found = again(scenario)
    assert replace(found, warnings=()) == replace(scenario, warnings=())


def test_the_snapshot_comes_back_as_it_was() -> None:
    check(read_cluster([("cluster.json", json.loads(SNAPSHOT.read_bytes()))]).scenario)


def test_odd_clusters_come_back_as_they_were() -> None:
    gate: list[Any] = [{"name": "railwise.dev/gate"}]
    sliced = {"nvidia.com/gpu.product": "Tesla-T4-SHARED", "nvidia.com/gpu.replicas": "4"}
    labels = {
        "nvidia.com/gpu.clique": "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.0",
        "topology.kubernetes.io/zone": "Zone_A.1",
    }
    resources: dict[str, object] = {"hugepages-2Mi": "1Gi", "nvidia.com/mig-1g.5gb": 7, "rdma/hca_shared_devices_a": 63}
    notes = {
        "railwise.dev/required": "example.com/rack",
        "railwise.dev/segment-size": "2",
        "railwise.dev/traffic": "none",
        "railwise.dev/min-pods": "9",
        "railwise.dev/duration": "1500ms",
    }
    mig: dict[str, Any] = {"resources": {"limits": {"nvidia.com/mig-1g.5gb": 2, "hugepages-2Mi": "4Mi"}}}
    role: dict[str, Any] = {
        "ownerReferences": owner("PyTorchJob", "ddp"),
        "labels": {"training.kubeflow.org/replica-type": "Master"},
    }
    affinity: dict[str, Any] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}
    check(
        read(
            node("n1", labels, cpu="3920m", memory="100Mi", **resources),
            node("n2", sliced, gpu=16),
            node("n3", {"nvidia.com/gpu.product": "NVIDIA-X9000"}, **{"nvidia.com/gpu": 8}),
            job("a", 4, template(2, notes), suspend=True),
            pod("b", containers=[mig], nodeName="n1", schedulingGates=gate),
            pod("c", 1, nodeName="n2", schedulerName="default-scheduler", namespace="other"),
            pod("c", 1, affinity=affinity),
            pod("ddp-master-0", 1, meta=role),
            pod("ddp-worker-0", 8, meta={"ownerReferences": owner("PyTorchJob", "ddp")}),
        )
    )
