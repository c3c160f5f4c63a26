"""KAI's labels and annotations: the queue, preemptibility, levels and segments; parts of cards are refused."""

from __future__ import annotations

from typing import Final

from railwise.formats.kubernetes.dialects.fields import HONOURED
from railwise.formats.kubernetes.dialects.marks import ANNOTATION, LABEL, Mark, Place
from railwise.formats.kubernetes.dialects.sayings import Said
from railwise.formats.kubernetes.dialects.sources import IGNORED, KAI, REFUSED

PREFIX: Final = "kai.scheduler/"
_CARDS: Final = "parts of cards are assigned by nobody yet; ask for whole ones"

QUEUE: Final = Mark(PREFIX + "queue", LABEL, HONOURED, "a Queue of KAI")
CLASS: Final = Mark("priorityClassName", LABEL, HONOURED, "a PriorityClass; only beside the queue's label")
PREEMPTIBILITY: Final = Mark(
    PREFIX + "preemptibility", LABEL, HONOURED, "not said: a priority below 100 may be evicted"
)
TOPOLOGY: Final = Mark(PREFIX + "topology", ANNOTATION, HONOURED, "a Topology of KAI")
REQUIRED: Final = Mark(PREFIX + "topology-required-placement", ANNOTATION, HONOURED, "`required`, by label or alias")
PREFERRED: Final = Mark(PREFIX + "topology-preferred-placement", ANNOTATION, HONOURED, "`preferred`, likewise")
SEGMENT: Final = Mark(PREFIX + "segment-size", ANNOTATION, HONOURED, "`segment-size`, for every kind of workload")
SEGMENT_REQUIRED: Final = Mark(PREFIX + "segment-topology-required-placement", ANNOTATION, HONOURED)
SEGMENT_PREFERRED: Final = Mark(PREFIX + "segment-topology-preferred-placement", ANNOTATION, HONOURED)
LEAST: Final = Mark(PREFIX + "batch-min-member", ANNOTATION, HONOURED, "`min-pods`")
POOL: Final = Mark(PREFIX + "node-pool", LABEL, HONOURED, "pods go to nodes with the same label")
GROUP: Final = Mark("pod-group-name", ANNOTATION, HONOURED, "a PodGroup of KAI, as KAI's own grouper writes it too")
PART: Final = Mark(PREFIX + "subgroup-name", LABEL, HONOURED, "the subgroup inside the PodGroup")

MARKS: Final = (
    *(QUEUE, CLASS, PREEMPTIBILITY, TOPOLOGY, REQUIRED, PREFERRED, SEGMENT, SEGMENT_REQUIRED, SEGMENT_PREFERRED),
    *(LEAST, POOL, GROUP, PART),
    Mark("gpu-fraction", ANNOTATION, REFUSED, _CARDS),
    Mark("gpu-memory", ANNOTATION, REFUSED, _CARDS),
    Mark("gpu-fraction-num-devices", ANNOTATION, REFUSED, _CARDS),
    Mark("mps", ANNOTATION, REFUSED, _CARDS),
    Mark(PREFIX + "preemption-delay", ANNOTATION, IGNORED, "who may evict does so at once", ("0s",)),
    Mark(PREFIX + "staleness-grace-period", ANNOTATION, IGNORED, "a gang that has lost pods is repaired"),
    Mark(PREFIX + "task-priority", LABEL, IGNORED, "pods of a gang go by their rank"),
    Mark(PREFIX + "skip-podgrouper", ANNOTATION, HONOURED, "decides nothing: pods are grouped by what made them"),
)
"""All keys."""

_DIRECT: Final = (
    ("required", REQUIRED),
    ("preferred", PREFERRED),
    ("segment-size", SEGMENT),
    ("segment-required", SEGMENT_REQUIRED),
    ("segment-preferred", SEGMENT_PREFERRED),
    ("min-pods", LEAST),
    ("node-pool", POOL),
)
_PREEMPTIBLE: Final = {"preemptible": "true", "non-preemptible": "false"}


def read(place: Place) -> dict[str, Said]:
    """Return what an object says to KAI."""
    found = {key: said for key, mark in _DIRECT if (said := place.get(mark)) is not None}
    topology = place.get(TOPOLOGY)
    if topology is not None:
        found["topology"] = topology._replace(of=KAI)
    queue = place.get(QUEUE)
    preemptibility = place.get(PREEMPTIBILITY)
    if queue is not None:
        found["queue"] = queue._replace(of=KAI)
        named = place.get(CLASS)
        if named is not None:
            found["priority-class"] = named
    if queue is not None or preemptibility is not None:
        value = _PREEMPTIBLE.get(preemptibility.value, "by-priority") if preemptibility is not None else "by-priority"
        found["preemptible"] = Said(value, place.where)
    return found
