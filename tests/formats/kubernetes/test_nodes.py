from __future__ import annotations

from typing import cast

import pytest

from railwise.model.errors import InputError
from railwise.model.node import Taint
from tests.formats.kubernetes.objects import Object, container, node, node_of, owner, pod, read, workload


def changed(value: Object, **parts: Object) -> Object:
    return {**value, **{name: {**cast("Object", value.get(name, {})), **part} for name, part in parts.items()}}


def agent(name: str, on: str, kind: str = "DaemonSet", gpu: int = 0, **requests: object) -> Object:
    meta: Object = {"ownerReferences": owner(kind, name)}
    spec: Object = {"schedulerName": "default-scheduler", "containers": [container(gpu, **requests)], "nodeName": on}
    return pod(f"{name}-{on}", namespace="kube-system", meta=meta, **spec)


def test_nodes_stand_in_natural_order_with_their_capacities_rounded_down() -> None:
    scenario = read(node("gpu-10", cpu="7910m", memory="65837892Ki", pods=110), node("gpu-9", gpu=8))
    assert [one.name for one in scenario.nodes] == ["gpu-9", "gpu-10"]
    assert node_of(scenario, "gpu-10").resources == {"cpu": 7910, "memory": 64294, "pods": 110}
    assert node_of(scenario, "gpu-9").resources == {}


def test_capacity_stands_in_for_what_is_allocatable() -> None:
    bare: Object = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1"}, "status": {"capacity": {"cpu": 4}}}
    assert node_of(read(bare), "n1").resources == {"cpu": 4000}
    assert node_of(read(bare), "n1").ready


@pytest.mark.parametrize(("status", "ready"), [("True", True), ("False", False), ("Unknown", False)])
def test_a_node_is_ready_as_its_condition_says(status: str, ready: bool) -> None:
    value = changed(node("n1"), status={"conditions": [{"type": "Ready", "status": status}]})
    assert node_of(read(value), "n1").ready is ready


def test_taints_that_repeat_a_field_become_that_field() -> None:
    taints: list[Object] = [
        {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"},
        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
    ]
    found = node_of(read(changed(node("n1"), spec={"unschedulable": True, "taints": taints})), "n1")
    assert not found.ready
    assert found.unschedulable
    assert found.taints == (Taint("nvidia.com/gpu", "present", "NoSchedule"),)


def test_capacity_is_what_daemon_and_static_pods_leave() -> None:
    scenario = read(
        node("n1", gpu=8, cpu=16, memory="32Gi", pods=110),
        agent("dcgm", "n1", cpu="500m", memory="100M"),
        agent("kube-proxy", "n1", "Node", cpu=1, memory="100M"),
    )
    left = 32 * 2**30 - 200_000_000
    assert node_of(scenario, "n1").resources == {"cpu": 14500, "memory": left // 2**20, "pods": 108}
    assert scenario.workloads == ()


def test_a_daemon_pod_that_still_waits_takes_its_room_as_well() -> None:
    fields: list[Object] = [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]
    terms: Object = {"nodeSelectorTerms": [{"matchFields": fields}]}
    affinity: Object = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    waiting = pod(
        "fluent-xyz",
        meta={"ownerReferences": owner("DaemonSet", "fluent")},
        containers=[container(0, cpu=2)],
        affinity=affinity,
    )
    scenario = read(node("n1", cpu=16), waiting)
    assert node_of(scenario, "n1").resources == {"cpu": 14000}
    assert scenario.workloads == ()


def test_an_agent_that_holds_a_card_keeps_it() -> None:
    scenario = read(node("n1", gpu=8, cpu=16), agent("burn-in", "n1", gpu=1, cpu=1))
    assert node_of(scenario, "n1").resources == {"cpu": 16000}
    found = workload(scenario, "burn-in-n1")
    assert found.root.request.cards.count == 1
    assert not found.preemptible


def test_agents_never_push_a_capacity_below_nothing() -> None:
    scenario = read(node("n1", cpu=1), agent("greedy", "n1", cpu=4))
    assert node_of(scenario, "n1").resources == {"cpu": 0}


def test_nodes_get_their_places_and_labels() -> None:
    labels = {"topology.kubernetes.io/zone": "a", "nvidia.com/gpu.clique": "c.1"}
    found = node_of(read(node("n1", labels), node("n2")), "n1")
    assert found.places == {"fabric": {"zone": "a"}, "nvlink": {"clique": "c.1"}}
    assert found.labels == {"kubernetes.io/hostname": "n1", **labels}


def test_what_is_no_node_is_refused_with_every_fault() -> None:
    taint: list[Object] = [{"key": "a", "effect": "Never"}]
    broken = changed(node("n1", cpu="many"), spec={"taints": taint})
    with pytest.raises(InputError) as caught:
        read(broken, node("n1"), node(""), changed(node("n2"), metadata={"labels": {"a": True}}))
    assert [fault.path for fault in caught.value.faults] == [
        "in.yaml[0].spec.taints[0].effect",
        "in.yaml[0].status.allocatable.cpu",
        "in.yaml[0].status.capacity.cpu",
        "in.yaml[1].metadata.name",
        "in.yaml[2].metadata.name",
        "in.yaml[3].metadata.labels[...]",
    ]
