"""An object of each kind that is read, what stands around it, and a value for each field that makes a difference."""

from __future__ import annotations

from typing import Any, NamedTuple

from railwise.formats.kubernetes.dialects import sources
from railwise.formats.kubernetes.dialects.sources import Kind
from tests.formats.kubernetes.objects import Object, container, node, pod

GPU = "nvidia.com/gpu"
BETA = "kueue.x-k8s.io/v1beta2"


def of(kind: Kind, name: str, **spec: Any) -> Object:
    meta = {"name": name} | ({"namespace": "default"} if kind.namespaced else {})
    version = f"{kind.group}/{kind.versions[0]}"
    return {"apiVersion": version, "kind": kind.kind, "metadata": meta, "spec": spec}


def quota(**limits: object) -> Object:
    resource = {"name": GPU, "nominalQuota": 8, **limits}
    return {"coveredResources": [GPU], "flavors": [{"name": "f", "resources": [resource]}]}


HYPER = {"type": "Node", "selector": {"exactMatch": {"name": "n-0"}}}
TASK = {
    "name": "w",
    "replicas": 4,
    "template": {"spec": {"containers": [container(1)]}},
    "partitionPolicy": {"totalPartitions": 2, "partitionSize": 2},
}


class Change(NamedTuple):
    """A value that makes a difference in an object of another spec, or of another name, than the usual one."""

    value: object
    spec: Object
    name: str = ""


BASES: dict[Kind, Object] = {
    sources.KUEUE_TOPOLOGY: of(sources.KUEUE_TOPOLOGY, "hall", levels=[{"nodeLabel": "example.com/rack"}]),
    sources.RESOURCE_FLAVOR: of(sources.RESOURCE_FLAVOR, "f", nodeLabels={"example.com/pool": "f"}),
    sources.CLUSTER_QUEUE: of(
        sources.CLUSTER_QUEUE, "q", resourceGroups=[quota()], namespaceSelector={}, cohortName="c"
    ),
    sources.LOCAL_QUEUE: of(sources.LOCAL_QUEUE, "lq", clusterQueue="q"),
    sources.COHORT: of(sources.COHORT, "c", resourceGroups=[quota()], parentName="org"),
    sources.WORKLOAD_CLASS: of(sources.WORKLOAD_CLASS, "high") | {"value": 1},
    sources.KAI_TOPOLOGY: of(sources.KAI_TOPOLOGY, "hall", levels=[{"nodeLabel": "example.com/rack"}]),
    sources.KAI_QUEUE: of(
        sources.KAI_QUEUE, "team", resources={name: {"quota": 1, "limit": 4} for name in ("gpu", "cpu", "memory")}
    ),
    sources.KAI_POD_GROUP: of(
        sources.KAI_POD_GROUP, "g", subGroups=[{"name": "x", "minMember": 1}, {"name": "y"}, {"name": "up"}]
    ),
    sources.HYPER_NODE: of(sources.HYPER_NODE, "r-1", tier=1, members=[HYPER]),
    sources.VOLCANO_QUEUE: of(sources.VOLCANO_QUEUE, "team"),
    sources.VOLCANO_POD_GROUP: of(
        sources.VOLCANO_POD_GROUP,
        "g",
        minMember=1,
        networkTopology={"highestTierAllowed": 1},
        subGroupPolicy=[
            {
                "matchLabelKeys": ["volcano.sh/partition-id"],
                "subGroupSize": 2,
                "networkTopology": {"highestTierAllowed": 1},
            }
        ],
    ),
    sources.VOLCANO_JOB: of(
        sources.VOLCANO_JOB,
        "vj",
        schedulerName="railwise",
        minAvailable=1,
        networkTopology={"highestTierAllowed": 1},
        tasks=[TASK],
    ),
    sources.UPSTREAM_POD_GROUP: of(sources.UPSTREAM_POD_GROUP, "up", schedulingPolicy={"gang": {"minCount": 2}}),
}

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_Q = sources.CLUSTER_QUEUE
_C = sources.COHORT
_F = sources.RESOURCE_FLAVOR
_KQ, _KG = sources.KAI_QUEUE, sources.KAI_POD_GROUP
_VQ, _VG, _VJ, _H = sources.VOLCANO_QUEUE, sources.VOLCANO_POD_GROUP, sources.VOLCANO_JOB, sources.HYPER_NODE
_RESOURCE = "spec.resourceGroups[].flavors[].resources[]"
_TREE = {"from": "example.com/rack", "to": "example.com/row"}


def _groups(kind: Kind) -> dict[tuple[Kind, str], object]:
    return {
        (kind, "spec.resourceGroups[].coveredResources"): ["cpu"],
        (kind, "spec.resourceGroups[].flavors[].name"): "g",
        (kind, f"{_RESOURCE}.name"): "cpu",
        (kind, f"{_RESOURCE}.nominalQuota"): 4,
        (kind, f"{_RESOURCE}.borrowingLimit"): 1,
        (kind, f"{_RESOURCE}.lendingLimit"): 1,
    }


CHANGES: dict[tuple[Kind, str], object] = {
    (sources.KUEUE_TOPOLOGY, "spec.levels[].nodeLabel"): "example.com/row",
    (sources.KAI_TOPOLOGY, "spec.levels[].nodeLabel"): "example.com/row",
    (sources.KAI_TOPOLOGY, "spec.levels[].alias"): "shelf",
    (_F, "spec.nodeTaints[].effect"): "NoSchedule",
    (_F, "spec.tolerations[].operator"): "Exists",
    (_F, "spec.tolerations[].effect"): "NoSchedule",
    (_F, "spec.tolerations[].tolerationSeconds"): {"from": 1, "to": 2},
    (_F, "spec.topologyName"): "hall",
    **_groups(_Q),
    **_groups(_C),
    (_Q, "spec.cohortName"): "other",
    (_Q, "spec.cohort"): Change("d", {"resourceGroups": [quota()], "namespaceSelector": {}}),
    (_C, "spec.parent"): Change("other", {"resourceGroups": [quota()]}),
    (_Q, "spec.namespaceSelector"): {"matchLabels": {"kubernetes.io/metadata.name": "elsewhere"}},
    (_Q, "spec.preemption.withinClusterQueue"): "LowerPriority",
    (_Q, "spec.preemption.reclaimWithinCohort"): "Any",
    (_Q, "spec.fairSharing.weight"): 3,
    (_Q, "spec.stopPolicy"): "Hold",
    (_Q, "spec.preemption.borrowWithinCohort.policy"): "LowerPriority",
    (_Q, "spec.preemption.borrowWithinCohort.maxPriorityThreshold"): 10,
    (_Q, "spec.admissionChecksStrategy.admissionChecks[].onFlavors"): ["f"],
    (_Q, "spec.admissionChecks"): ["prov"],
    (sources.LOCAL_QUEUE, "spec.stopPolicy"): "Hold",
    (sources.LOCAL_QUEUE, "spec.fairSharing.weight"): 3,
    (_C, "spec.fairSharing.weight"): 3,
    (sources.WORKLOAD_CLASS, "value"): 9,
    (_KQ, "spec.priority"): 7,
    (_KQ, "spec.preemptMinRuntime"): "1m",
    (_KQ, "spec.reclaimMinRuntime"): "1m",
    **{(_KQ, f"spec.resources.{name}.quota"): 3 for name in ("gpu", "cpu", "memory")},
    (_KQ, "spec.resources.memory.quota"): 3000,
    **{(_KQ, f"spec.resources.{name}.limit"): -1 for name in ("gpu", "cpu", "memory")},
    **{(_KQ, f"spec.resources.{name}.overQuotaWeight"): 3 for name in ("gpu", "cpu", "memory")},
    (_KG, "spec.priorityClassName"): "first",
    (_KG, "spec.preemptibility"): "non-preemptible",
    (_KG, "spec.minMember"): Change(2, {"minMember": 1}, "t"),
    (_KG, "spec.minSubGroup"): 1,
    (_KG, "spec.subGroups[].name"): "z",
    (_KG, "spec.subGroups[].parent"): "up",
    (_KG, "spec.subGroups[].minMember"): 2,
    (_KG, "spec.subGroups[].minSubGroup"): Change(
        1, {"subGroups": [{"name": "up"}, {"name": "x", "parent": "up"}, {"name": "y", "parent": "up"}]}
    ),
    (_KG, "spec.preemptionDelay"): "5m",
    (_KG, "spec.stalenessGracePeriod"): "5m",
    (_KG, "spec.markUnschedulable"): False,
    (_KG, "spec.schedulingBackoff"): 1,
    (_H, "spec.tier"): 2,
    (_H, "spec.tierName"): "rack",
    (_H, "spec.members[].type"): "HyperNode",
    (_H, "spec.members[].selector.exactMatch.name"): "n-1",
    (_VQ, "spec.parent"): "org",
    (_VQ, "spec.weight"): 3,
    (_VQ, "spec.priority"): 3,
    (_VQ, "spec.reclaimable"): False,
    (_VQ, "spec.capability.*"): 4,
    (_VQ, "spec.deserved.*"): 4,
    (_VQ, "spec.guarantee.resource.*"): 4,
    (_VQ, "spec.dequeueStrategy"): "fifo",
    (_VQ, "spec.extendClusters[].weight"): 3,
    (_VQ, "spec.extendClusters[].capacity"): {"cpu": 1},
    **{
        (_VQ, f"spec.affinity.{side}.{how}"): ["a"]
        for side in ("nodeGroupAffinity", "nodeGroupAntiAffinity")
        for how in (_REQUIRED, _PREFERRED)
    },
    (_VG, "spec.minMember"): 2,
    (_VG, "spec.minTaskMember.*"): Change(1, {"minMember": 1}, "t"),
    (_VG, "spec.subGroupPolicy[].labelSelector"): {"matchLabels": {"a": "b"}},
    (_VG, "spec.minResources.*"): 4,
    (_VG, "spec.priorityClassName"): "first",
    (_VG, "spec.networkTopology.mode"): "soft",
    (_VG, "spec.networkTopology.highestTierAllowed"): 3,
    (_VG, "spec.networkTopology.highestTierName"): "hall",
    (_VG, "spec.subGroupPolicy[].matchLabelKeys"): ["team"],
    (_VG, "spec.subGroupPolicy[].subGroupSize"): 1,
    (_VG, "spec.subGroupPolicy[].minSubGroups"): 2,
    (_VG, "spec.subGroupPolicy[].networkTopology.mode"): "soft",
    (_VG, "spec.subGroupPolicy[].networkTopology.highestTierAllowed"): 3,
    (_VG, "spec.subGroupPolicy[].networkTopology.highestTierName"): "hall",
    (_VJ, "spec.schedulerName"): "volcano",
    (_VJ, "spec.minAvailable"): 2,
    (_VJ, "spec.priorityClassName"): "first",
    (_VJ, "spec.runningEstimate"): "1h",
    (_VJ, "spec.networkTopology.mode"): "soft",
    (_VJ, "spec.networkTopology.highestTierAllowed"): 3,
    (_VJ, "spec.networkTopology.highestTierName"): "hall",
    (_VJ, "spec.tasks[].replicas"): 6,
    (_VJ, "spec.tasks[].name"): Change("x", {"schedulerName": "railwise", "tasks": [TASK, TASK | {"name": "v"}]}),
    (_VJ, "spec.tasks[].minAvailable"): Change(2, {"schedulerName": "railwise", "tasks": [TASK]}),
    (_VJ, "spec.tasks[].template"): {"spec": {"containers": [container(2)]}},
    (_VJ, "spec.tasks[].partitionPolicy.totalPartitions"): 4,
    (_VJ, "spec.tasks[].partitionPolicy.partitionSize"): 1,
    (_VJ, "spec.tasks[].partitionPolicy.minPartitions"): 2,
    (_VJ, "spec.tasks[].partitionPolicy.networkTopology.mode"): {"from": "hard", "to": "soft"},
    (_VJ, "spec.tasks[].partitionPolicy.networkTopology.highestTierAllowed"): 1,
    (_VJ, "spec.tasks[].topologyPolicy"): "restricted",
    (_VJ, "spec.tasks[].dependsOn.name"): ["x"],
    (sources.UPSTREAM_POD_GROUP, "spec.schedulingPolicy.gang.minCount"): 1,
    (sources.UPSTREAM_POD_GROUP, "spec.schedulingPolicy.basic"): {},
    (sources.UPSTREAM_POD_GROUP, "spec.schedulingConstraints.topology[].key"): "example.com/rack",
    (sources.UPSTREAM_POD_GROUP, "spec.priorityClassName"): "first",
    (sources.UPSTREAM_POD_GROUP, "spec.resourceClaims"): [{"name": "x"}],
    (sources.UPSTREAM_POD_GROUP, "spec.disruptionMode.all"): {"x": 1},
    (sources.UPSTREAM_POD_GROUP, "spec.workloadRef"): {"workloadName": "w"},
}
"""What makes a difference; where nothing stands here, any text does."""

_KUEUE, _KAI = "kueue.x-k8s.io/", "kai.scheduler/"
MARKED: dict[str, tuple[str, Object]] = {
    f"{_KUEUE}priority-class": ("high", {}),
    f"{_KUEUE}pod-group-total-count": ("3", {"labels": {f"{_KUEUE}pod-group-name": "g"}}),
    f"{_KUEUE}pod-group-pod-index": ("1", {"labels": {f"{_KUEUE}pod-group-name": "g"}}),
    f"{_KUEUE}podset-unconstrained-topology": ("true", {}),
    f"{_KUEUE}podset-group-name": ("g", {"annotations": {f"{_KUEUE}podset-required-topology": "example.com/rack"}}),
    "priorityClassName": ("first", {"labels": {f"{_KAI}queue": "team"}}),
    f"{_KAI}preemptibility": ("non-preemptible", {}),
    f"{_KAI}subgroup-name": ("x", {"annotations": {"pod-group-name": "t"}}),
    "volcano.sh/preemptable": ("false", {}),
    "volcano.sh/task-spec": ("x", {"annotations": {"scheduling.k8s.io/group-name": "t"}}),
    "volcano.sh/task-index": ("1", {"annotations": {"scheduling.k8s.io/group-name": "t"}}),
}
"""A value for keys on pods, with what else stands on the pod; where nothing stands here, any text does."""


def rest(kind: Kind | None) -> list[Object]:
    """Return what stands around an object of a kind: nodes, queues, and pods that show a difference."""
    labels = {"example.com/rack": "r", "example.com/row": "w", "k": "something", "volcano.sh/nodegroup-name": "a"}
    found = [node(f"n-{index}", labels, gpu=8, cpu=64, memory="64Gi") for index in range(3)]
    classes = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "first"}, "value": 7}
    found.append(classes)
    around = [
        *(BASES[one] for one in (sources.RESOURCE_FLAVOR, sources.CLUSTER_QUEUE, sources.LOCAL_QUEUE) if one != kind),
        *(BASES[one] for one in (sources.KAI_QUEUE, sources.WORKLOAD_CLASS) if one != kind),
        of(sources.CLUSTER_QUEUE, "q2", resourceGroups=[quota()], namespaceSelector={}, cohort="c"),
        of(sources.RESOURCE_FLAVOR, "g", nodeLabels={"example.com/pool": "g"}),
    ]
    marks: list[tuple[str, Object]] = [
        ("kueue", {"labels": {"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/priority-class": "high"}}),
        ("volcano-queue", {"annotations": {"scheduling.volcano.sh/queue-name": "team"}}),
        ("kai-queue", {"labels": {"kai.scheduler/queue": "team"}}),
    ]
    for index in range(4):
        part = "x" if index < len("ab") else "y"
        marks.append((f"v-{index}", {"annotations": {"scheduling.k8s.io/group-name": "g"}}))
        marks.append((f"k-{index}", {"annotations": {"pod-group-name": "g"}, "labels": {f"{_KAI}subgroup-name": part}}))
        marks.append((f"t-{index}", {"annotations": {"pod-group-name": "t"}}))
        task = {"annotations": {"scheduling.k8s.io/group-name": "t"}, "labels": {"volcano.sh/task-spec": "k"}}
        marks.append((f"w-{index}", task))
    upstream = [pod(f"u-{index}", 1, schedulingGroup={"podGroupName": "up"}) for index in range(3)]
    return [*found, *around, *(pod(name, 1, meta=meta) for name, meta in marks), *upstream]
