"""Which gang a pod says it belongs to by another system's keys; these say more than who made the pod."""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Meta

KUEUE_GROUP: Final = "kueuepodgroup"
KUEUE_NAME: Final = "kueue.x-k8s.io/pod-group-name"
KUEUE_TOTAL: Final = "kueue.x-k8s.io/pod-group-total-count"
LARGEST: Final = 1_000_000


def group_key(meta: Meta, space: str) -> ObjectName | None:
    """Return the gang that the labels and annotations of a pod name; None: none."""
    if meta.labels.get(KUEUE_NAME):
        return ObjectName(space, KUEUE_GROUP, meta.labels[KUEUE_NAME])
    return None


def total_of(meta: Meta, key: ObjectName) -> int:
    """Return how many pods a gang has, as its pods say; 0: they do not."""
    text = meta.annotations.get(KUEUE_TOTAL, "") if key.kind == KUEUE_GROUP else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(LARGEST)) else 0
