"""KAI's Topology, Queue and PodGroup, and its labels and annotations."""

from __future__ import annotations

from typing import Any

import pytest

from railwise.model.queue import Queue
from railwise.model.topology import Level, Topology
from railwise.model.workload import Group, Segment, TopologyRule, Workload
from tests.formats.kubernetes.objects import Object, job, node, pod, read, reading, template, workload

NODES = [node(f"n-{index}", {"example.com/rack": "r", "example.com/row": "w"}, gpu=8) for index in range(2)]
HALL = {
    "apiVersion": "kai.scheduler/v1alpha1",
    "kind": "Topology",
    "metadata": {"name": "hall"},
    "spec": {"levels": [{"nodeLabel": "example.com/row"}, {"nodeLabel": "example.com/rack", "alias": "shelf"}]},
}
FREE = {"quota": -1, "limit": -1}


def queue(name: str, **spec: Any) -> Object:
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def has(**resources: Object) -> Object:
    return {"gpu": FREE, "cpu": FREE, "memory": FREE, **resources}


def group(**spec: Any) -> Object:
    meta = {"name": "g", "namespace": "default"}
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": meta, "spec": spec}


def member(name: str, part: str = "", gpu: int = 1, **spec: Any) -> Object:
    labels = {"kai.scheduler/subgroup-name": part} if part else {}
    return pod(name, gpu, meta={"annotations": {"pod-group-name": "g"}, "labels": labels}, **spec)


def test_a_queue_in_its_own_units() -> None:
    resources = {
        "gpu": {"quota": 2.5, "limit": 8, "overQuotaWeight": 3},
        "cpu": {"quota": 4000, "limit": -1},
        "memory": {"quota": 1048.576, "limit": 2097.152},
    }
    found = read(
        queue("org", resources=has()),
        queue(
            "team", parentQueue="org", priority=7, preemptMinRuntime="1m", reclaimMinRuntime="1h", resources=resources
        ),
    )
    assert found.warnings == ()
    assert found.queues[0] == Queue("org", weight=0, priority=100)
    assert found.queues[1] == Queue(
        "team",
        "org",
        quota={"gpu": 2500, "cpu": 4000, "memory": 1000},
        limit={"gpu": 8000, "memory": 2000},
        weight=3000,
        priority=7,
        preempt_min_runtime=60_000_000,
        reclaim_min_runtime=3_600_000_000,
    )


def test_a_limit_that_is_not_said_is_none_at_all_and_that_is_told() -> None:
    found = read(queue("team", resources={"gpu": {"quota": 2, "limit": -1}, "cpu": {"quota": 1}}))
    assert found.queues[0].limit == {"cpu": 0, "memory": 0}
    assert [warning.partition(":")[0] for warning in found.warnings] == [
        "in.yaml[0].spec.resources.cpu",
        "in.yaml[0].spec.resources.memory",
    ]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"resources": has(gpu={"quota": -2, "limit": -1})}, ".spec.resources.gpu.quota"),
        ({"resources": has(cpu={"quota": 1e300, "limit": -1})}, ".spec.resources.cpu.quota"),
        ({"resources": has(gpu={"quota": "many"})}, ".spec.resources.gpu.quota"),
        ({"resources": has(), "reclaimMinRuntime": "soon"}, ".spec.reclaimMinRuntime"),
        ({"resources": has(), "preemptMinRuntime": "-5m"}, ".spec.preemptMinRuntime"),
        ({"priority": "first"}, ".spec.priority"),
    ],
)
def test_a_queue_that_cannot_be_read_is_named(spec: Object, path: str) -> None:
    found = reading(queue("odd", **spec), queue("sound", resources=has()))
    assert [fault.path for fault in found.faults] == [f"in.yaml[0]{path}"]
    assert [one.name for one in found.scenario.queues] == ["sound"]


def test_a_topology_has_names_for_its_levels() -> None:
    found = read(*NODES, HALL)
    assert found.topologies == (
        Topology("hall", (Level("row", "example.com/row"), Level("shelf", "example.com/rack"))),
    )
    assert found.nodes[0].places == {"hall": {"row": "w", "shelf": "r"}}


def marked(**spec: Any) -> Workload:
    labels, annotations = spec.pop("labels", {}), spec.pop("annotations", {})
    inner = template(1, annotations)
    inner["metadata"]["labels"] = labels
    inner["spec"] |= spec
    return workload(read(*NODES, HALL, queue("team", resources=has()), job("j", 4, inner)), "j")


def test_a_label_names_the_queue_and_a_class_beside_it_the_priority() -> None:
    found = marked(labels={"kai.scheduler/queue": "team", "priorityClassName": "system-node-critical"})
    assert (found.queue, found.priority, found.preemptible) == ("team", 2_000_001_000, False)
    assert marked(labels={"priorityClassName": "system-node-critical"}).priority == 0
    assert marked(labels={"kai.scheduler/queue": "gone"}).queue == "kai.unknown.gone"


@pytest.mark.parametrize(
    ("labels", "priority", "preemptible"),
    [
        ({}, 100, True),
        ({"kai.scheduler/queue": "team"}, 99, True),
        ({"kai.scheduler/queue": "team"}, 100, False),
        ({"kai.scheduler/queue": "team", "kai.scheduler/preemptibility": "preemptible"}, 100, True),
        ({"kai.scheduler/preemptibility": "non-preemptible"}, 1, False),
    ],
)
def test_work_of_a_high_priority_is_not_evicted(labels: Object, priority: int, preemptible: bool) -> None:
    assert marked(labels=labels, priority=priority).preemptible is preemptible


def test_levels_segments_pools_and_the_least_number_of_pods() -> None:
    prefix = "kai.scheduler/"
    found = marked(
        labels={f"{prefix}node-pool": "h100"},
        annotations={
            f"{prefix}topology": "hall",
            f"{prefix}topology-required-placement": "example.com/row",
            f"{prefix}topology-preferred-placement": "shelf",
            f"{prefix}segment-size": "2",
            f"{prefix}segment-topology-required-placement": "shelf",
            f"{prefix}segment-topology-preferred-placement": "kubernetes.io/hostname",
            f"{prefix}batch-min-member": "2",
        },
    ).root
    assert found.topology == TopologyRule("hall", "row", "shelf")
    assert found.segment == Segment(2, "shelf", "node")
    assert found.selection.labels == (("kai.scheduler/node-pool", "h100"),)
    assert found.min_pods == 2
    lost = marked(annotations={f"{prefix}topology": "gone", f"{prefix}topology-required-placement": "shelf"})
    assert lost.root.topology == TopologyRule("kai.unknown.gone", "shelf"), "it waits for a topology that is not there"


@pytest.mark.parametrize("key", ["gpu-fraction", "gpu-memory", "gpu-fraction-num-devices", "mps"])
def test_parts_of_cards_are_refused(key: str) -> None:
    assert marked(annotations={key: "1"}).unsupported.startswith(f"{key} is not supported")


def test_a_pod_group_rules_its_pods() -> None:
    rule = group(
        queue="team",
        minMember=2,
        preemptibility="non-preemptible",
        topologyConstraint={"topology": "hall", "requiredTopologyLevel": "row", "preferredTopologyLevel": "shelf"},
    )
    found = read(*NODES, HALL, queue("team", resources=has()), rule, *(member(f"p-{index}") for index in range(3)))
    (one,) = found.workloads
    assert (one.name, one.queue, one.preemptible) == ("g", "team", False)
    assert (one.root.pods, one.root.min_pods, one.root.topology) == (3, 2, TopologyRule("hall", "row", "shelf"))


def test_without_a_least_number_each_pod_is_of_use_alone() -> None:
    assert read(*NODES, group(minMember=0), member("a"), member("b")).workloads[0].root.min_pods == 1


def shape(one: Group) -> Any:
    rule = one.topology.required
    if one.groups:
        return (one.name, rule, one.min_groups, [shape(inner) for inner in one.groups])
    return (one.name, rule, one.pods, one.min_pods)


def test_subgroups_lie_in_subgroups() -> None:
    level = {"topologyConstraint": {"topology": "hall", "requiredTopologyLevel": "shelf"}}
    rule = group(
        minSubGroup=2,
        topologyConstraint={"topology": "hall", "requiredTopologyLevel": "row"},
        subGroups=[
            {"name": "decode", "minSubGroup": 1, **level},
            {"name": "d-0", "parent": "decode", "minMember": 1, **level},
            {"name": "d-1", "parent": "decode", "minMember": 2},
            {"name": "router", "minMember": 1},
        ],
    )
    pods = [member("a", "d-0"), member("b", "d-0"), member("c", "d-1"), member("d", "d-1"), member("e", "router", 2)]
    found = reading(*NODES, HALL, rule, *pods)
    inner = ("decode", "shelf", 1, [("d-0", "shelf", 2, 1), ("d-1", "", 2, 2)])
    assert shape(found.scenario.workloads[0].root) == ("", "row", 2, [("router", "", 1, 1), inner])
    assert found.pods["g", "decode/d-1", 1].name == "d"
    assert found.scenario.workloads[0].invalid == ""


def test_unequal_pods_of_one_subgroup_are_all_needed() -> None:
    rule = group(minSubGroup=1, subGroups=[{"name": "x", "minMember": 1}])
    found = read(*NODES, rule, member("a", "x", 1), member("b", "x", 2)).workloads[0]
    assert shape(found.root) == ("", "", 1, [("x", "", 2, [("x-x", "", 1, 1), ("x-2", "", 1, 1)])])
    assert found.invalid == ""


def test_a_pod_group_that_cannot_be_read_is_named_and_its_pods_are_one_gang() -> None:
    found = reading(*NODES, group(minMember="two"), member("a"), member("b"))
    assert [fault.path for fault in found.faults] == ["in.yaml[2].spec.minMember"]
    assert found.scenario.workloads[0].root.pods == 2


def test_what_is_ignored_is_told() -> None:
    found = read(*NODES, group(minMember=1, preemptionDelay="5m", markUnschedulable=True), member("a"))
    assert [warning.partition(":")[0] for warning in found.warnings] == ["in.yaml[2].spec.preemptionDelay"]
