"""Volcano's labels and annotations: the queue, the gang, the tier, whether it may be evicted."""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.dialects.fields import HONOURED
from railwise.formats.kubernetes.dialects.marks import ANNOTATION, LABEL, Mark, Place
from railwise.formats.kubernetes.dialects.sayings import Said
from railwise.formats.kubernetes.dialects.sources import IGNORED, VOLCANO
from railwise.formats.kubernetes.dialects.volcano import closeness
from railwise.formats.kubernetes.dialects.volcano_schema import Network

PREFIX: Final = "volcano.sh/"
GANG: Final = "scheduling.volcano.sh/"

QUEUE: Final = Mark(GANG + "queue-name", ANNOTATION, HONOURED, "a Queue of Volcano")
QUEUE_LABEL: Final = Mark(PREFIX + "queue-name", LABEL, HONOURED, "likewise")
LEAST: Final = Mark(GANG + "group-min-member", ANNOTATION, HONOURED, "`min-pods`")
PREEMPTABLE: Final = Mark(PREFIX + "preemptable", ANNOTATION, HONOURED, "`false`: not to be evicted")
MODE: Final = Mark(PREFIX + "network-topology-mode", ANNOTATION, HONOURED, "`hard` or `soft`")
TIER: Final = Mark(PREFIX + "network-topology-highest-tier", ANNOTATION, HONOURED, "as `highestTierAllowed`")

MARKS: Final = (
    *(QUEUE, QUEUE_LABEL, LEAST, PREEMPTABLE, MODE, TIER),
    Mark("scheduling.k8s.io/group-name", ANNOTATION, HONOURED, "a PodGroup of Volcano"),
    Mark(GANG + "group-name", ANNOTATION, HONOURED, "likewise"),
    Mark(PREFIX + "job-name", LABEL, HONOURED, "a Job of Volcano; comes before a PodGroup"),
    Mark(PREFIX + "task-spec", LABEL, HONOURED, "the task: a group of its own where pods differ"),
    Mark(PREFIX + "task-index", LABEL, HONOURED, "the pod's rank"),
    Mark(GANG + "group-min-resources", ANNOTATION, IGNORED, "what the pods ask for counts"),
    Mark(PREFIX + "cooldown-time", ANNOTATION, IGNORED, "see `preemptMinRuntime` of queues"),
    Mark(PREFIX + "revocable-zone", ANNOTATION, IGNORED),
    Mark(PREFIX + "jdb-min-available", ANNOTATION, IGNORED, "PodDisruptionBudgets count"),
    Mark(PREFIX + "jdb-max-unavailable", ANNOTATION, IGNORED, "PodDisruptionBudgets count"),
    Mark(PREFIX + "numa-topology-policy", ANNOTATION, IGNORED, "NUMA nodes are not looked at", ("none",)),
    Mark(PREFIX + "sla-waiting-time", ANNOTATION, IGNORED, "see `reserveAfter`"),
)
"""All keys."""


def read(place: Place) -> dict[str, Said]:
    """Return what an object says to Volcano."""
    found: dict[str, Said] = {}
    queue = place.get(QUEUE) or place.get(QUEUE_LABEL)
    if queue is not None:
        found["queue"] = queue._replace(of=VOLCANO)
    least, preemptable = place.get(LEAST), place.get(PREEMPTABLE)
    if least is not None:
        found["min-pods"] = least
    if preemptable is not None:
        found["preemptible"] = Said("false" if preemptable.value == "false" else "true", preemptable.path)
    mode, tier = place.get(MODE), place.get(TIER)
    if mode is not None or tier is not None:
        value = "" if tier is None else tier.value
        numbered = value.isdecimal() and value.isascii() and len(value) < len("0" * 9)
        network = Network(
            mode="hard" if mode is None else mode.value,
            highest_tier_allowed=int(value) if numbered else None,
            highest_tier_name="" if numbered else value,
        )
        found |= closeness(network, place.where)
    return found
