"""The fields of Kubernetes' own PodGroup, each with what becomes of it."""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.dialects.fields import HONOURED, Row, Table
from railwise.formats.kubernetes.dialects.sources import IGNORED, REFUSED, UPSTREAM_POD_GROUP

TABLES: Final = (
    Table(
        UPSTREAM_POD_GROUP,
        (
            Row("spec.schedulingPolicy.gang.minCount", HONOURED, "`min-pods`"),
            Row("spec.schedulingPolicy.basic", HONOURED, "follows from having no `gang`: each pod is of use alone"),
            Row("spec.schedulingConstraints.topology[].key", HONOURED, "`required`, by the level's node label"),
            Row("spec.priorityClassName", HONOURED, "a PriorityClass"),
            Row("spec.disruptionMode.all", IGNORED, "whole is what would fall below its minimum; surplus goes alone"),
            Row("spec.disruptionMode.single", HONOURED, "decides nothing: below its minimum a gang goes whole"),
            Row("spec.resourceClaims", REFUSED, "devices are not claimed; ask for GPUs as an extended resource"),
            Row("spec.workloadRef", HONOURED, "for people: a PodGroup says all that its Workload does"),
            Row("spec.parentCompositePodGroupName", IGNORED, "groups of groups are not read"),
        ),
    ),
)
"""Kubernetes' own kind."""
