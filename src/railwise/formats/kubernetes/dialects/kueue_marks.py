"""Kueue's labels and annotations: the queue, the priority, and where the pods of a PodSet may lie."""

from __future__ import annotations

import json
from typing import Final

from railwise.formats.kubernetes.dialects.fields import APPROXIMATED, HONOURED
from railwise.formats.kubernetes.dialects.marks import ANNOTATION, LABEL, Mark, Place
from railwise.formats.kubernetes.dialects.sayings import Said
from railwise.formats.kubernetes.dialects.sources import IGNORED, KUEUE, REFUSED

PREFIX: Final = "kueue.x-k8s.io/"

QUEUE_NAME: Final = Mark(PREFIX + "queue-name", LABEL, HONOURED, "a LocalQueue of the namespace; also as annotation")
OLD_QUEUE_NAME: Final = Mark(PREFIX + "queue-name", ANNOTATION, HONOURED, "as the label")
PRIORITY: Final = Mark(PREFIX + "priority-class", LABEL, HONOURED, "a WorkloadPriorityClass, before the pods' priority")
GROUP_NAME: Final = Mark(PREFIX + "pod-group-name", LABEL, HONOURED, "pods with the same value are one gang")
TOTAL: Final = Mark(PREFIX + "pod-group-total-count", ANNOTATION, HONOURED, "so many pods make the gang complete")
GROUP_RANK: Final = Mark(PREFIX + "pod-group-pod-index", LABEL, HONOURED, "the pod's rank")
REQUIRED: Final = Mark(
    PREFIX + "podset-required-topology", ANNOTATION, HONOURED, "`required`; in a JobSet for all copies of a Job"
)
PREFERRED: Final = Mark(PREFIX + "podset-preferred-topology", ANNOTATION, HONOURED, "`preferred`, likewise")
UNCONSTRAINED: Final = Mark(PREFIX + "podset-unconstrained-topology", ANNOTATION, HONOURED, "`preferred: none`")
SLICE_LEVEL: Final = Mark(PREFIX + "podset-slice-required-topology", ANNOTATION, HONOURED, "`segment-required`")
SLICE_SIZE: Final = Mark(
    PREFIX + "podset-slice-size", ANNOTATION, HONOURED, "`segment-size`; in a JobSet without it a slice is one Job"
)
LAYERS: Final = Mark(
    PREFIX + "podset-slice-required-topology-constraints",
    ANNOTATION,
    APPROXIMATED,
    "one layer as `segment-…`; more are refused, the workload waits as `Unsupported`",
)
TOGETHER: Final = Mark(
    PREFIX + "podset-group-name", ANNOTATION, APPROXIMATED, "the groups lie in one domain, where all groups say so"
)
LEAST: Final = Mark(PREFIX + "job-min-parallelism", ANNOTATION, HONOURED, "`min-pods`")

MARKS: Final = (
    *(QUEUE_NAME, OLD_QUEUE_NAME, PRIORITY, GROUP_NAME, TOTAL, GROUP_RANK),
    *(REQUIRED, PREFERRED, UNCONSTRAINED, SLICE_LEVEL, SLICE_SIZE, LAYERS, TOGETHER, LEAST),
    Mark(PREFIX + "elastic-job", ANNOTATION, IGNORED, "a Job that grows is planned anew", ("false",)),
    Mark(PREFIX + "pod-index-offset", ANNOTATION, IGNORED, "ranks begin with the index", ("0",)),
    Mark(PREFIX + "pod-group-fast-admission", ANNOTATION, IGNORED, "a gang waits for all of its pods", ("false",)),
    Mark(PREFIX + "max-exec-time-seconds", LABEL, IGNORED, "nobody is stopped for its time"),
    Mark(PREFIX + "multikueue-origin", LABEL, REFUSED, "work of other clusters"),
)
"""All keys."""


def read(place: Place) -> dict[str, Said]:
    """Return what an object says to Kueue."""
    found: dict[str, Said] = {}
    queue = place.get(QUEUE_NAME) or place.get(OLD_QUEUE_NAME)
    if queue is not None:
        found["queue"] = queue._replace(of=KUEUE)
    priority = place.get(PRIORITY)
    if priority is not None:
        found["priority-class"] = Said(f"{KUEUE}/{priority.value}", priority.path)
    least = place.get(LEAST)
    if least is not None:
        found["min-pods"] = least
    for key, mark in (("required", REQUIRED), ("preferred", PREFERRED)):
        level = place.get(mark)
        if level is not None:
            found[key] = level
            found["podset"] = Said("true", level.path)
    anywhere = place.get(UNCONSTRAINED)
    if anywhere is not None and anywhere.value == "true":
        found["preferred"] = Said("none", anywhere.path)
    together = place.get(TOGETHER)
    if together is not None:
        found["together"] = together
    _slices(place, found)
    return found


def _slices(place: Place, found: dict[str, Said]) -> None:
    level, size, layers = place.get(SLICE_LEVEL), place.get(SLICE_SIZE), place.get(LAYERS)
    if layers is not None:
        try:
            read_layers = json.loads(layers.value)
            ((name, count),) = [(str(one["topology"]), int(one["size"])) for one in read_layers]
        except (ValueError, TypeError, KeyError, RecursionError):
            found["refused"] = Said(f"{LAYERS.key} with other than one layer is not supported", layers.path)
            return
        level, size = Said(name, layers.path), Said(str(count), layers.path)
    if level is not None and size is None:
        found["slice"] = level
        found["podset"] = Said("true", level.path)
    elif level is not None and size is not None:
        found["segment-required"] = level
        found["segment-size"] = size
    elif size is not None:
        found["segment-size"] = size
