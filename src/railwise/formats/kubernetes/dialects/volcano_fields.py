"""The fields of Volcano's objects, each with what becomes of it."""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.dialects.fields import APPROXIMATED, HONOURED, Row, Table
from railwise.formats.kubernetes.dialects.sources import (
    HYPER_NODE,
    IGNORED,
    REFUSED,
    VOLCANO_JOB,
    VOLCANO_POD_GROUP,
    VOLCANO_QUEUE,
)

_CONTROLLER: Final = "left to Volcano's job controller"


def _network(path: str, what: str) -> tuple[Row, ...]:
    return (
        Row(f"{path}.mode", HONOURED, f"`hard`: `{what}required`, `soft`: `{what}preferred`"),
        Row(f"{path}.highestTierAllowed", HONOURED, "the level of the widest tier within; a tier above all: any place"),
        Row(f"{path}.highestTierName", HONOURED, "the level of that name"),
    )


def _affinity(path: str) -> tuple[Row, ...]:
    required, preferred = (f"{how}DuringSchedulingIgnoredDuringExecution" for how in ("required", "preferred"))
    label = "nodes by their label `volcano.sh/nodegroup-name`"
    return (
        Row(f"{path}.{required}", HONOURED, label),
        Row(f"{path}.{preferred}", IGNORED, "a queue's preference decides nothing"),
    )


TABLES: Final = (
    Table(
        HYPER_NODE,
        (
            Row("spec.tier", HONOURED, "a level of the topology `hypernodes`, the largest is the widest"),
            Row("spec.tierName", HONOURED, "the name of the level, where all of the tier agree"),
            Row("spec.members[].type", HONOURED),
            Row("spec.members[].selector.exactMatch.name", HONOURED, "a node or HyperNode lies in one only: the first"),
            Row("spec.members[].selector.regexMatch.pattern", APPROXIMATED, "nodes; no pattern that may run for ever"),
            Row("spec.members[].selector.labelMatch.matchLabels.*", HONOURED, "nodes"),
            Row("spec.members[].selector.labelMatch.matchExpressions", HONOURED, "nodes"),
        ),
    ),
    Table(
        VOLCANO_QUEUE,
        (
            Row("spec.parent", HONOURED, "`parent`; the queue `root` is none, what lies in it is a top queue"),
            Row("spec.weight", HONOURED, "`weight`"),
            Row("spec.priority", HONOURED, "`priority`"),
            Row("spec.capability.*", HONOURED, "`limit`"),
            Row("spec.deserved.*", HONOURED, "`quota`"),
            Row("spec.guarantee.resource.*", APPROXIMATED, "the part of the quota that is not lent; not held free"),
            Row("spec.reclaimable", HONOURED, "`false`: other queues take nothing from it"),
            *_affinity("spec.affinity.nodeGroupAffinity"),
            *_affinity("spec.affinity.nodeGroupAntiAffinity"),
            Row("spec.dequeueStrategy", IGNORED, "who does not fit is passed, but keeps a reservation", ("traverse",)),
            Row("spec.type", IGNORED),
            Row("spec.extendClusters[].name", IGNORED, "other clusters"),
            Row("spec.extendClusters[].weight", IGNORED, "other clusters"),
            Row("spec.extendClusters[].capacity", IGNORED, "other clusters"),
        ),
    ),
    Table(
        VOLCANO_POD_GROUP,
        (
            Row("spec.minMember", HONOURED, "`min-pods`"),
            Row("spec.minTaskMember.*", HONOURED, "`min-pods` of the group of that task"),
            Row("spec.minResources.*", IGNORED, "what the pods ask for counts"),
            Row("spec.queue", HONOURED),
            Row("spec.priorityClassName", HONOURED, "a PriorityClass"),
            *_network("spec.networkTopology", ""),
            Row("spec.subGroupPolicy[].name", HONOURED, "for people; more policies than one are refused"),
            Row("spec.subGroupPolicy[].labelSelector", IGNORED, "it speaks of all pods of the gang"),
            Row(
                "spec.subGroupPolicy[].matchLabelKeys",
                APPROXIMATED,
                "`volcano.sh/partition-id`: equal runs of ranks; other keys are refused",
            ),
            Row("spec.subGroupPolicy[].subGroupSize", HONOURED, "`segment-size`"),
            Row("spec.subGroupPolicy[].minSubGroups", HONOURED, "`min-pods` is at least so many segments"),
            *_network("spec.subGroupPolicy[].networkTopology", "segment-"),
        ),
    ),
    Table(
        VOLCANO_JOB,
        (
            Row("spec.schedulerName", HONOURED, "not said: Volcano's"),
            Row("spec.minAvailable", HONOURED, "`min-pods`; of several tasks no more than their own together"),
            Row("spec.queue", HONOURED),
            Row("spec.priorityClassName", HONOURED, "a PriorityClass"),
            Row("spec.runningEstimate", HONOURED, "`duration`"),
            *_network("spec.networkTopology", ""),
            Row("spec.tasks[].name", HONOURED, "a group, where there are several"),
            Row("spec.tasks[].replicas", HONOURED),
            Row("spec.tasks[].minAvailable", APPROXIMATED, "`min-pods` of the group, also where the Job needs fewer"),
            Row("spec.tasks[].template", HONOURED, "as every pod"),
            Row("spec.tasks[].partitionPolicy.totalPartitions", HONOURED, "follows from size and replicas"),
            Row("spec.tasks[].partitionPolicy.partitionSize", HONOURED, "`segment-size`"),
            Row("spec.tasks[].partitionPolicy.minPartitions", HONOURED, "`min-pods` is at least so many segments"),
            *_network("spec.tasks[].partitionPolicy.networkTopology", "segment-"),
            Row("spec.tasks[].topologyPolicy", IGNORED, "NUMA nodes are not looked at", ("none",)),
            Row("spec.tasks[].dependsOn.name", REFUSED, "the gang would wait for pods that come only once it runs"),
            Row("spec.tasks[].dependsOn.iteration", REFUSED, "likewise"),
            Row("spec.tasks[].policies", HONOURED, _CONTROLLER),
            Row("spec.tasks[].maxRetry", HONOURED, _CONTROLLER),
            Row("spec.maxRetry", HONOURED, _CONTROLLER),
            Row("spec.minSuccess", HONOURED, _CONTROLLER),
            Row("spec.plugins", HONOURED, _CONTROLLER),
            Row("spec.policies", HONOURED, _CONTROLLER),
            Row("spec.ttlSecondsAfterFinished", HONOURED, _CONTROLLER),
            Row("spec.volumes", HONOURED, f"{_CONTROLLER}; what the pods mount counts"),
        ),
    ),
)
"""Volcano's kinds."""
