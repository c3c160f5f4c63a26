"""Volcano's Queue, PodGroup, Job and HyperNode, and its labels and annotations."""

from __future__ import annotations

from typing import Any

import pytest

from railwise.formats.kubernetes.dialects.kueue import NEVER
from railwise.model.queue import Queue
from railwise.model.requirement import Requirement
from railwise.model.topology import Level, Topology
from railwise.model.workload import Segment, TopologyRule, Workload
from tests.formats.kubernetes.objects import Object, job, node, pod, read, reading, template, workload

GPU = "nvidia.com/gpu"
NODES = [node(f"n-{index}", {"pool": "x" if index < 2 else "y"}, gpu=8) for index in range(4)]


def volcano(group: str, kind: str, name: str, *, space: str = "", status: Object | None = None, **spec: Any) -> Object:
    meta = {"name": name} | ({"namespace": space} if space else {})
    found = {"apiVersion": group, "kind": kind, "metadata": meta, "spec": spec}
    return found | ({"status": status} if status else {})


def queue(name: str, status: Object | None = None, **spec: Any) -> Object:
    return volcano("scheduling.volcano.sh/v1beta1", "Queue", name, status=status, **spec)


def group(**spec: Any) -> Object:
    return volcano("scheduling.volcano.sh/v1beta1", "PodGroup", "g", space="default", **spec)


def hypernode(name: str, tier: int, *members: Object, **spec: Any) -> Object:
    return volcano("topology.volcano.sh/v1alpha1", "HyperNode", name, tier=tier, members=list(members), **spec)


def named(name: str, kind: str = "Node") -> Object:
    return {"type": kind, "selector": {"exactMatch": {"name": name}}}


def chosen(how: str, **by: object) -> Object:
    return {"type": "Node", "selector": {how: by}}


def test_a_queue() -> None:
    found = read(
        queue("root", capability={GPU: 1}),
        queue("org", parent="root"),
        queue(
            "team",
            parent="org",
            weight=2,
            priority=5,
            reclaimable=False,
            capability={GPU: 8, "cpu": "64"},
            deserved={GPU: "4", "memory": "1Gi"},
            guarantee={"resource": {GPU: 1}},
        ),
        queue("shut", status={"state": "Closed"}, guarantee={"resource": {GPU: 2}}),
    )
    assert found.warnings == ()
    assert found.queues == (
        Queue("org"),
        Queue("shut", quota={"gpu": 2000}, lend={"gpu": 0}, stopped=True),
        Queue(
            "team",
            "org",
            {"gpu": 4000, "memory": 1024},
            {"gpu": 8000, "cpu": 64_000},
            {"gpu": 3000, "memory": 1024},
            2000,
            5,
            reclaim_min_runtime=NEVER,
        ),
    )


def test_a_queues_node_groups_are_those_of_its_work() -> None:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {"nodeGroupAffinity": {required: ["a", "b"]}, "nodeGroupAntiAffinity": {required: ["c"]}}
    marks = {"annotations": {"scheduling.volcano.sh/queue-name": "team"}}
    found = read(*NODES, queue("team", affinity=affinity), pod("p", 1, meta=marks))
    label = "volcano.sh/nodegroup-name"
    assert workload(found, "p").root.selection.terms == (
        (Requirement(label, "In", ("a", "b")), Requirement(label, "NotIn", ("c",))),
    )


TREE = [
    hypernode("r-1", 1, named("n-0"), named("n-1"), tierName="rack"),
    hypernode("r-2", 1, chosen("regexMatch", pattern="^n-[2-3]$"), tierName="rack"),
    hypernode("w", 5, named("r-1", "HyperNode"), named("r-2", "HyperNode")),
]


def test_hypernodes_are_a_topology() -> None:
    found = read(*NODES, *TREE)
    assert found.topologies == (Topology("hypernodes", (Level("tier-5"), Level("rack"))),)
    places = [one.places["hypernodes"] for one in found.nodes]
    assert places == [{"rack": f"r-{index // 2 + 1}", "tier-5": "w"} for index in range(4)]


def test_members_by_labels() -> None:
    one = {"key": "pool", "operator": "NotIn", "values": ["x"]}
    by_label = hypernode("a", 1, chosen("labelMatch", matchLabels={"pool": "x"}))
    by_expression = hypernode("b", 1, chosen("labelMatch", matchExpressions=[one]))
    found = read(*NODES, by_label, by_expression)
    assert [node.places["hypernodes"]["tier-1"] for node in found.nodes] == ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (hypernode("z", 7, named("r-1", "HyperNode")), "lies in w already"),
        (hypernode("z", 1, named("w", "HyperNode")), "has no smaller tier"),
        (hypernode("z", 7, named("gone", "HyperNode")), "there is no HyperNode 'gone'"),
        (hypernode("z", 7, {"type": "HyperNode", "selector": {"regexMatch": {"pattern": "r"}}}), "exact name only"),
        (hypernode("z", 7, {"type": "Node", "selector": {}}), "chosen in one of three ways"),
        (hypernode("z", 7, chosen("regexMatch", pattern="(a+)+$")), "too much of a pattern"),
        (hypernode("z", 7, chosen("regexMatch", pattern="[")), "no regular expression"),
        (volcano("topology.volcano.sh/v1alpha1", "HyperNode", "z"), "missing required field `tier`"),
    ],
)
def test_a_hypernode_that_is_wrong_costs_what_is_wrong(odd: Object, words: str) -> None:
    found = reading(*NODES, *TREE, odd)
    assert [words in fault.message for fault in found.faults] == [True]
    places = [one.places["hypernodes"] for one in found.scenario.nodes]
    assert places == [{"rack": f"r-{index // 2 + 1}", "tier-5": "w"} for index in range(4)]


def test_a_node_lies_in_the_first_of_two() -> None:
    found = read(*NODES, *TREE, hypernode("z", 1, named("n-0"), tierName="rack"))
    assert found.nodes[0].places["hypernodes"]["rack"] == "r-1"
    assert [warning for warning in found.warnings if "stays there" in warning] == [
        "in.yaml[7].spec.members[0].selector: the node n-0 is in r-1 already and stays there"
    ]


def ruled(**spec: Any) -> Workload:
    pods = [pod(f"p-{index}", 1, meta={"annotations": {"scheduling.k8s.io/group-name": "g"}}) for index in range(4)]
    return workload(read(*NODES, *TREE, queue("team"), group(**spec), *pods), "g")


@pytest.mark.parametrize(
    ("network", "rule"),
    [
        ({"mode": "hard", "highestTierAllowed": 1}, TopologyRule("hypernodes", "rack")),
        ({"highestTierAllowed": 4}, TopologyRule("hypernodes", "rack")),
        ({"highestTierAllowed": 5}, TopologyRule("hypernodes", "tier-5")),
        ({"highestTierAllowed": 6}, TopologyRule()),
        ({"highestTierAllowed": 0}, TopologyRule("hypernodes", "tier-0")),
        ({"highestTierName": "rack"}, TopologyRule("hypernodes", "rack")),
        ({"highestTierName": "hall"}, TopologyRule("hypernodes", "tier-hall")),
        ({"mode": "soft", "highestTierAllowed": 1}, TopologyRule("hypernodes", "", "rack")),
        ({"mode": "soft"}, TopologyRule()),
    ],
)
def test_tiers_are_levels(network: Object, rule: TopologyRule) -> None:
    found = ruled(minMember=4, networkTopology=network)
    assert (found.root.topology, found.unsupported) == (rule, "")


def test_hard_without_a_tier_is_refused_not_dropped() -> None:
    assert "without a tier" in ruled(minMember=4, networkTopology={"mode": "hard"}).unsupported


def test_a_pod_group_names_queue_class_and_the_least_number() -> None:
    found = ruled(minMember=3, queue="team", priorityClassName="system-cluster-critical")
    assert (found.queue, found.priority, found.root.min_pods, found.root.pods) == ("team", 2_000_000_000, 3, 4)
    assert ruled(queue="gone").queue == "volcano.unknown.gone"
    assert ruled().root.min_pods == 1


def partition(**more: Any) -> Object:
    return {"name": "x", "matchLabelKeys": ["volcano.sh/partition-id"], "subGroupSize": 2, **more}


def test_partitions_are_segments() -> None:
    found = ruled(subGroupPolicy=[partition(minSubGroups=2, networkTopology={"highestTierAllowed": 1})])
    assert (found.root.segment, found.root.min_pods, found.unsupported) == (Segment(2, "rack"), 4, "")
    assert "subGroupPolicy" in ruled(subGroupPolicy=[partition(), partition()]).unsupported
    assert "subGroupPolicy" in ruled(subGroupPolicy=[partition(matchLabelKeys=["team"])]).unsupported


def test_tasks_of_a_pod_group_have_a_least_number_each() -> None:
    def member(name: str, task: str, gpu: int) -> Object:
        return pod(
            name,
            gpu,
            meta={"annotations": {"scheduling.k8s.io/group-name": "g"}, "labels": {"volcano.sh/task-spec": task}},
        )

    pods = [member("a", "ps", 1), member("b", "w", 2), member("c", "w", 2)]
    found = read(*NODES, group(minMember=2, minTaskMember={"ps": 1, "w": 1}), *pods).workloads[0]
    assert [(one.name, one.pods, one.min_pods) for one in found.root.groups] == [("ps", 1, 1), ("w", 2, 1)]
    assert (found.invalid, found.unsupported) == ("", "")
    found = read(*NODES, group(minMember=3, minTaskMember={"ps": 1, "w": 1}), *pods).workloads[0]
    assert "minTaskMember" in found.unsupported


def volcano_job(*tasks: Object, status: Object | None = None, **spec: Any) -> Object:
    whole = {"schedulerName": "railwise", "tasks": list(tasks), **spec}
    return volcano("batch.volcano.sh/v1alpha1", "Job", "j", space="default", status=status, **whole)


def task(name: str, replicas: int, gpu: int = 1, **more: Any) -> Object:
    inner = template(gpu)
    del inner["spec"]["schedulerName"]
    return {"name": name, "replicas": replicas, "template": inner, **more}


def test_a_job_of_one_task() -> None:
    policy = {
        "totalPartitions": 2,
        "partitionSize": 2,
        "minPartitions": 1,
        "networkTopology": {"highestTierAllowed": 1},
    }
    made = volcano_job(
        task("w", 4, partitionPolicy=policy),
        minAvailable=2,
        queue="team",
        runningEstimate="2h",
        networkTopology={"highestTierAllowed": 5},
    )
    found = workload(read(*NODES, *TREE, queue("team"), made), "j")
    assert (found.queue, found.duration, found.root.pods, found.root.min_pods) == ("team", 7_200_000_000, 4, 2)
    assert (found.root.topology.required, found.root.segment) == ("tier-5", Segment(2, "rack"))


def test_a_job_of_several_tasks() -> None:
    found = workload(read(*NODES, volcano_job(task("ps", 1, 2), task("w", 4, minAvailable=2), minAvailable=3)), "j")
    assert [(one.name, one.pods, one.min_pods) for one in found.root.groups] == [("ps", 1, 1), ("w", 4, 2)]
    assert (found.invalid, found.unsupported) == ("", "")
    found = workload(read(*NODES, volcano_job(task("ps", 1, 2), task("w", 4, minAvailable=2), minAvailable=5)), "j")
    assert "minAvailable" in found.unsupported


def test_the_pods_of_a_job_take_their_seats() -> None:
    labels = {"volcano.sh/job-name": "j", "volcano.sh/task-spec": "w", "volcano.sh/task-index": "1"}
    marks = {"labels": labels, "annotations": {"scheduling.k8s.io/group-name": "j-123"}}
    found = reading(*NODES, volcano_job(task("w", 2)), pod("j-w-1", 1, meta=marks, nodeName="n-3"))
    assert found.pods["j", "", 1].name == "j-w-1"


def test_jobs_of_others_and_those_that_are_over_are_left_out() -> None:
    ended = volcano_job(task("w", 2), status={"state": {"phase": "Completed"}})
    assert read(*NODES, ended, volcano_job(task("w", 2), schedulerName="volcano") | {}).workloads == ()
    assert read(*NODES, volcano_job(task("w", 2), schedulerName="")).workloads == ()


def test_tasks_that_wait_for_others_are_refused() -> None:
    made = volcano_job(task("a", 1), task("b", 1, dependsOn={"name": ["a"]}))
    found = read(*NODES, made)
    assert "dependsOn" in workload(found, "j").unsupported
    assert any("dependsOn" in warning for warning in found.warnings)


def test_marks_on_pods() -> None:
    annotations = {
        "scheduling.volcano.sh/queue-name": "team",
        "scheduling.volcano.sh/group-min-member": "2",
        "volcano.sh/preemptable": "false",
        "volcano.sh/network-topology-mode": "soft",
        "volcano.sh/network-topology-highest-tier": "1",
        "volcano.sh/sla-waiting-time": "1h",
    }
    found = read(*NODES, *TREE, queue("team"), job("k", 4, template(1, annotations)))
    one = workload(found, "k")
    assert (one.queue, one.preemptible, one.root.min_pods) == ("team", False, 2)
    assert one.root.topology == TopologyRule("hypernodes", "", "rack")
    assert any("sla-waiting-time: ignored" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        (queue("x", capability={GPU: "many"}), ".spec.capability.nvidia.com/gpu"),
        (queue("x", weight="heavy"), ".spec.weight"),
        (group(minMember=-1), ".spec.minMember"),
        (volcano_job(task("w", 2, minAvailable="all")), ".spec.tasks[0].minAvailable"),
        (volcano_job(task("w", 999_999), task("v", 999_999)), ".spec.tasks"),
    ],
)
def test_a_broken_object_is_named_and_the_others_count(broken: Object, path: str) -> None:
    found = reading(*NODES, queue("sound"), broken)
    assert [fault.path for fault in found.faults] == [f"in.yaml[5]{path}"]
    assert [one.name for one in found.scenario.queues] == ["sound"]
