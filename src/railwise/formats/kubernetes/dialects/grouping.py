"""Which gang a pod says it belongs to by another system's keys, and what that system's PodGroups say of a gang.

These say more than who made the pod: a PodGroup is made on purpose, or by a controller that knows the workload.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from railwise.formats.kubernetes.dialects.sayings import Says
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Meta

KUEUE_GROUP: Final = "kueuepodgroup"
KAI_GROUP: Final = "kaipodgroup"
VOLCANO_GROUP: Final = "volcanopodgroup"
VOLCANO_JOB_GROUP: Final = "volcanojob"
"""The kinds of gangs that are grouped by labels and annotations."""

KUEUE_NAME: Final = "kueue.x-k8s.io/pod-group-name"
KUEUE_TOTAL: Final = "kueue.x-k8s.io/pod-group-total-count"
KAI_NAME: Final = "pod-group-name"
KAI_PART: Final = "kai.scheduler/subgroup-name"
VOLCANO_NAMES: Final = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
VOLCANO_JOB: Final = "volcano.sh/job-name"
VOLCANO_PART: Final = "volcano.sh/task-spec"
PART_LABELS: Final = (KAI_PART, VOLCANO_PART)
"""Labels that tell the parts of a gang apart."""

LARGEST: Final = 1_000_000


@dataclass(frozen=True)
class Branch:
    """A part of a gang that holds parts, inside the branch ``parent`` (empty: the gang).

    ``says`` is its rule; so many of what it holds are needed, 0: all.
    """

    name: str
    parent: str = ""
    says: Says = field(default_factory=dict)
    min_groups: int = 0


@dataclass(frozen=True)
class PartRule:
    """What a PodGroup says of a part: the branch it lies in, its rule, and the pods it needs (0: each alone)."""

    branch: str = ""
    says: Says = field(default_factory=dict)
    min_count: int = 0


@dataclass(frozen=True)
class GroupRule:
    """What a PodGroup says of a gang: it needs ``min_count`` pods (0: each alone), and ``min_groups`` of its parts."""

    key: ObjectName
    where: str
    meta: Meta
    says: Says = field(default_factory=dict)
    min_count: int = 0
    branches: Mapping[str, Branch] = field(default_factory=dict)
    parts: Mapping[str, PartRule] = field(default_factory=dict)
    min_groups: int = 0


def group_key(meta: Meta, space: str) -> ObjectName | None:
    """Return the gang that the labels and annotations of a pod name; None: none."""
    labels, annotations = meta.labels, meta.annotations
    if labels.get(KUEUE_NAME):
        return ObjectName(space, KUEUE_GROUP, labels[KUEUE_NAME])
    if annotations.get(KAI_NAME):
        return ObjectName(space, KAI_GROUP, annotations[KAI_NAME])
    if labels.get(VOLCANO_JOB):
        return ObjectName(space, VOLCANO_JOB_GROUP, labels[VOLCANO_JOB])
    name = next((annotations[key] for key in VOLCANO_NAMES if annotations.get(key)), "")
    return ObjectName(space, VOLCANO_GROUP, name) if name else None


def total_of(meta: Meta, key: ObjectName) -> int:
    """Return how many pods a gang has, as its pods say; 0: they do not."""
    text = meta.annotations.get(KUEUE_TOTAL, "") if key.kind == KUEUE_GROUP else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(LARGEST)) else 0
