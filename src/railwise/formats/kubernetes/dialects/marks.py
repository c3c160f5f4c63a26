"""What other systems' labels and annotations on pods and templates say, in the words of our own annotations.

A workload that was written for Kueue, KAI or Volcano names its queue, its levels and its gang by their keys. Each key
that is known stands in a table of its dialect with what becomes of it; what it says is laid beside the annotations
``railwise.dev/…`` of the same object, which count first. What cannot be honoured makes the workload wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from railwise.formats.kubernetes.dialects.catalog import Catalog
from railwise.formats.kubernetes.dialects.hypertree import NAME as HYPERNODES
from railwise.formats.kubernetes.dialects.sayings import Said, Says
from railwise.formats.kubernetes.dialects.sources import IGNORED, REFUSED, VOLCANO
from railwise.formats.kubernetes.dialects.trees import Trees
from railwise.formats.kubernetes.schema import Meta

DEFAULT: Final = "default"
LEVELS: Final = ("required", "preferred", "segment-required", "segment-preferred")
LABEL: Final = "label"
ANNOTATION: Final = "annotation"


class Mark(NamedTuple):
    """A key on pods, templates or what makes them: a label or an annotation, its verdict, and how."""

    key: str
    form: str
    verdict: str
    how: str = ""
    plain: tuple[str, ...] = ()


class Place(NamedTuple):
    """Whose marks are read: the object's path and metadata, its namespace, and the cluster around."""

    where: str
    meta: Meta
    namespace: str
    catalog: Catalog
    trees: Trees

    def get(self, mark: Mark) -> Said | None:
        """Return what the object says under a key; None: nothing."""
        of = self.meta.labels if mark.form == LABEL else self.meta.annotations
        value = of.get(mark.key, "").strip()
        return Said(value, self.path(mark)) if value else None

    def path(self, mark: Mark) -> str:
        """Return where a mark stands."""
        return f"{self.where}.{mark.form}s.{mark.key}"


def _nowhere(queue: Said) -> str:
    """Return the name for a queue that does not exist; Volcano's default one need not: nobody has to name it."""
    if (queue.of, queue.value) == (VOLCANO, DEFAULT):
        return DEFAULT
    return f"{queue.of}.unknown.{queue.value}"[:253]


def resolved(found: Says, namespace: str, catalog: Catalog, trees: Trees) -> dict[str, Said]:
    """Return what is said with names of other systems' queues and topologies turned into ours.

    A queue that does not exist keeps a name that no queue has.
    """
    meant = dict(found)
    queue, topology = found.get("queue"), found.get("topology")
    if queue is not None and queue.of:
        route = catalog.routes.get((queue.of, namespace, queue.value), catalog.routes.get((queue.of, "", queue.value)))
        name = _nowhere(queue) if route is None else route.queue
        meant["queue"] = Said(name, queue.path)
        if route is not None and route.held:
            meant["held"] = Said(f"{queue.value} is stopped", queue.path)
        admission = catalog.admissions.get(name)
        if admission is not None and admission.topology is not None and topology is None:
            dialect, tree = admission.topology
            meant["topology"] = Said(trees.names.get((dialect, tree), tree), queue.path)
    for key in LEVELS:
        said = found.get(key)
        if said is None or not said.of:
            continue
        level = catalog.tiers.level(said.value)
        meant[key] = Said(level, said.path)
        if level:
            meant.setdefault("topology", Said(trees.names.get((said.of, HYPERNODES), HYPERNODES), said.path))
        else:
            del meant[key]
    if topology is not None and topology.of:
        name = trees.names.get((topology.of, topology.value), f"{topology.of}.unknown.{topology.value}"[:253])
        meant["topology"] = Said(name, topology.path)
    return meant


def told(place: Place, marks: Iterator[Mark] | tuple[Mark, ...]) -> tuple[list[str], list[str]]:
    """Return what is refused, and what is to be warned of, among the marks of an object."""
    refused, ignored = [], []
    for mark in marks:
        if mark.verdict not in (REFUSED, IGNORED):
            continue
        said = place.get(mark)
        if said is None or said.value in mark.plain:
            continue
        why = f": {mark.how}" if mark.how else ""
        if mark.verdict == REFUSED:
            refused.append(f"{mark.key} is not supported{why}")
        else:
            ignored.append(f"{said.path}: ignored{why}")
    return refused, ignored
