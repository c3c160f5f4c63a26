"""What other systems' labels and annotations on pods and templates say, in the words of our own annotations.

A workload that was written for Kueue, KAI or Volcano names its queue, its levels and its gang by their keys. Each key
that is known stands in a table of its dialect with what becomes of it; what it says is laid beside the annotations
``railwise.dev/…`` of the same object, which count first. What cannot be honoured makes the workload wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from railwise.formats.kubernetes.dialects.catalog import Catalog
from railwise.formats.kubernetes.dialects.sources import IGNORED, REFUSED
from railwise.formats.kubernetes.dialects.trees import Trees
from railwise.formats.kubernetes.schema import Meta

LABEL: Final = "label"
ANNOTATION: Final = "annotation"


class Mark(NamedTuple):
    """A key on pods, templates or what makes them: a label or an annotation, its verdict, and how."""

    key: str
    form: str
    verdict: str
    how: str = ""
    plain: tuple[str, ...] = ()


class Said(NamedTuple):
    """A value and the path where it stands."""

    value: str
    path: str


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


Says = Mapping[str, Said]
"""What an object says, by the keys of our own annotations and a few more: see ``annotations.Wishes``."""


NOTHING_SAID: Final[Says] = {}


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
