"""The fields of Kueue's objects, each with what becomes of it."""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.dialects.fields import APPROXIMATED, HONOURED, Row, Table
from railwise.formats.kubernetes.dialects.sources import (
    CLUSTER_QUEUE,
    COHORT,
    IGNORED,
    KUEUE_TOPOLOGY,
    LOCAL_QUEUE,
    REFUSED,
    RESOURCE_FLAVOR,
    WORKLOAD_CLASS,
)

_SUMMED: Final = "counted per resource, the sum over all flavors"
_FLAVORS: Final = "spec.resourceGroups[].flavors[]"


def _groups(*, of_cohort: bool) -> tuple[Row, ...]:
    whose = "added to what the queues below have" if of_cohort else ""
    quota = f"{_SUMMED}{f'; {whose}' if whose else ''}; cards of all vendors are `gpu`"
    if of_cohort:
        covered = Row(
            "spec.resourceGroups[].coveredResources", HONOURED, "decides nothing: what the flavors say counts"
        )
        name = Row(f"{_FLAVORS}.name", HONOURED, "decides nothing: flavors are added up")
    else:
        covered = Row("spec.resourceGroups[].coveredResources", HONOURED, "who asks for one goes to the flavors' nodes")
        name = Row(f"{_FLAVORS}.name", APPROXIMATED, "pods go to nodes of any of the flavors; the order is not kept")
    return (
        covered,
        name,
        Row(f"{_FLAVORS}.resources[].name", HONOURED),
        Row(f"{_FLAVORS}.resources[].nominalQuota", APPROXIMATED, quota),
        Row(f"{_FLAVORS}.resources[].borrowingLimit", APPROXIMATED, _SUMMED),
        Row(f"{_FLAVORS}.resources[].lendingLimit", APPROXIMATED, _SUMMED),
    )


TABLES: Final = (
    Table(KUEUE_TOPOLOGY, (Row("spec.levels[].nodeLabel", HONOURED, "the level is named by the label's last part"),)),
    Table(
        RESOURCE_FLAVOR,
        (
            Row(
                "spec.nodeLabels.*", HONOURED, "pods that ask for a resource of the flavor go to nodes with the labels"
            ),
            Row("spec.nodeTaints[].key", APPROXIMATED, "the taints that the nodes themselves have count"),
            Row("spec.nodeTaints[].value", APPROXIMATED, "likewise"),
            Row("spec.nodeTaints[].effect", APPROXIMATED, "likewise"),
            Row("spec.nodeTaints[].timeAdded", HONOURED, "decides nothing"),
            Row("spec.tolerations[].key", HONOURED, "added to those of the pods"),
            Row("spec.tolerations[].operator", HONOURED),
            Row("spec.tolerations[].value", HONOURED),
            Row("spec.tolerations[].effect", HONOURED),
            Row("spec.tolerations[].tolerationSeconds", HONOURED, "decides nothing when a pod is placed"),
            Row("spec.topologyName", HONOURED, "the topology that levels in annotations belong to; the first flavor's"),
        ),
    ),
    Table(
        CLUSTER_QUEUE,
        (
            *_groups(of_cohort=False),
            Row("spec.cohortName", HONOURED, "the parent; a cohort needs no object"),
            Row("spec.cohort", HONOURED, "the same, in v1beta1"),
            Row(
                "spec.namespaceSelector",
                APPROXIMATED,
                "names of namespaces (`kubernetes.io/metadata.name`); where other labels are asked for, or nothing is "
                "said, the queue takes no work",
            ),
            Row(
                "spec.preemption.withinClusterQueue",
                APPROXIMATED,
                "`Never` and `LowerPriority` as they stand; `LowerOrNewerEqualPriority` and `Any` as `LowerPriority`",
            ),
            Row(
                "spec.preemption.reclaimWithinCohort",
                APPROXIMATED,
                "`Never` where all other queues of the cohort say so too; else quota and fair share decide, not "
                "priorities",
            ),
            Row("spec.preemption.borrowWithinCohort.policy", IGNORED, "fair shares decide who may borrow", ("Never",)),
            Row("spec.preemption.borrowWithinCohort.maxPriorityThreshold", IGNORED, "likewise"),
            Row("spec.fairSharing.weight", HONOURED, "`weight`"),
            Row(
                "spec.stopPolicy",
                APPROXIMATED,
                "`Hold` and `HoldAndDrain` start nothing new; who runs goes on",
            ),
            Row(
                "spec.queueingStrategy",
                IGNORED,
                "who does not fit is passed, but keeps a reservation",
                ("BestEffortFIFO",),
            ),
            Row(
                "spec.flavorFungibility.whenCanBorrow",
                IGNORED,
                "placement decides among the flavors",
                ("MayStopSearch", "Borrow"),
            ),
            Row("spec.flavorFungibility.whenCanPreempt", IGNORED, "likewise", ("TryNextFlavor",)),
            Row("spec.flavorFungibility.preference", IGNORED, "likewise"),
            Row("spec.admissionChecksStrategy.admissionChecks[].name", REFUSED, "nobody would wait for the check"),
            Row("spec.admissionChecksStrategy.admissionChecks[].onFlavors", REFUSED, "likewise"),
            Row("spec.admissionChecks", REFUSED, "nobody would wait for the checks"),
            Row("spec.admissionScope.admissionMode", IGNORED, "see `usageHalfLife`", ("NoAdmissionFairSharing",)),
            Row("spec.concurrentAdmissionPolicy.migration.mode", IGNORED),
            Row("spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName", IGNORED),
        ),
    ),
    Table(
        LOCAL_QUEUE,
        (
            Row("spec.clusterQueue", HONOURED, "where work with this `queue-name` in this namespace goes"),
            Row("spec.stopPolicy", APPROXIMATED, "work that waits here is held as if suspended; who runs goes on"),
            Row("spec.fairSharing.weight", IGNORED, "namespaces share a ClusterQueue by priority and time", (1, "1")),
            Row("spec.flavors[].name", HONOURED, "decides nothing (v1beta1)"),
        ),
    ),
    Table(
        COHORT,
        (
            *_groups(of_cohort=True),
            Row("spec.parentName", HONOURED),
            Row("spec.parent", HONOURED, "the same, in v1alpha1"),
            Row("spec.fairSharing.weight", HONOURED, "`weight`"),
        ),
    ),
    Table(
        WORKLOAD_CLASS,
        (Row("value", HONOURED, "the priority in the queue"), Row("description", HONOURED, "for people")),
    ),
)
"""Kueue's kinds."""
