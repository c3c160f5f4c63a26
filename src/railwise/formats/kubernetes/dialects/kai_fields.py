"""The fields of KAI's objects, each with what becomes of it."""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.dialects.fields import APPROXIMATED, HONOURED, Row, Table
from railwise.formats.kubernetes.dialects.sources import IGNORED, KAI_POD_GROUP, KAI_QUEUE, KAI_TOPOLOGY

_QUOTA: Final = "`quota`; -1 (unlimited): none of its own, so it shares what is above the quotas of others"
_LIMIT: Final = "`limit`; -1: none; not said: 0, as KAI takes it, with a warning"


def _resource(name: str, unit: str) -> tuple[Row, ...]:
    path = f"spec.resources.{name}"
    weight = HONOURED if name == "gpu" else IGNORED
    how = "`weight`, of all resources" if name == "gpu" else "the weight of GPUs counts for all resources"
    return (
        Row(f"{path}.quota", APPROXIMATED, f"{_QUOTA}; in {unit}"),
        Row(f"{path}.limit", HONOURED, _LIMIT),
        Row(f"{path}.overQuotaWeight", weight, how, () if name == "gpu" else (1,)),
    )


def _constraint(path: str) -> tuple[Row, ...]:
    return (
        Row(f"{path}.topology", HONOURED, "a Topology of KAI"),
        Row(f"{path}.requiredTopologyLevel", HONOURED, "`required`, by label or alias"),
        Row(f"{path}.preferredTopologyLevel", HONOURED, "`preferred`, likewise"),
    )


TABLES: Final = (
    Table(
        KAI_TOPOLOGY,
        (
            Row("spec.levels[].nodeLabel", HONOURED, "the level is named by its alias, else by the label's last part"),
            Row("spec.levels[].alias", HONOURED),
        ),
    ),
    Table(
        KAI_QUEUE,
        (
            Row("spec.displayName", HONOURED, "for people"),
            Row("spec.parentQueue", HONOURED, "`parent`"),
            Row("spec.priority", HONOURED, "`priority`; not said: 100"),
            *_resource("gpu", "cards"),
            *_resource("cpu", "millicores"),
            *_resource("memory", "MB"),
            Row("spec.preemptMinRuntime", HONOURED),
            Row("spec.reclaimMinRuntime", HONOURED),
        ),
    ),
    Table(
        KAI_POD_GROUP,
        (
            Row("spec.queue", HONOURED),
            Row("spec.priorityClassName", HONOURED, "a PriorityClass"),
            Row("spec.preemptibility", HONOURED, "not said: a priority below 100 may be evicted"),
            Row("spec.minMember", HONOURED, "`min-pods`; 0: each pod alone"),
            Row("spec.minSubGroup", HONOURED, "so many of the subgroups are needed"),
            *_constraint("spec.topologyConstraint"),
            Row("spec.subGroups[].name", HONOURED, "a group"),
            Row("spec.subGroups[].parent", HONOURED, "the group it lies in"),
            Row("spec.subGroups[].minMember", APPROXIMATED, "`min-pods` of the group; all of them where pods differ"),
            Row("spec.subGroups[].minSubGroup", HONOURED),
            *_constraint("spec.subGroups[].topologyConstraint"),
            Row("spec.preemptionDelay", IGNORED, "who may evict does so at once", ("0s",)),
            Row("spec.stalenessGracePeriod", IGNORED, "a gang that has lost pods is repaired: see `repairWait`"),
            Row("spec.markUnschedulable", IGNORED, "it is always said why a pod waits", (True,)),
            Row("spec.schedulingBackoff", IGNORED, "who waits is asked as soon as it matters"),
        ),
    ),
)
"""KAI's kinds."""
