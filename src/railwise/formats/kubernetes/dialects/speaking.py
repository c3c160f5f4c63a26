"""All dialects' marks of one object together; of most objects there are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from railwise.formats.kubernetes.dialects import kai_marks, kueue_marks, volcano_marks
from railwise.formats.kubernetes.dialects.marks import LABEL, Mark, Place, resolved, told
from railwise.formats.kubernetes.dialects.sayings import Said

DIALECTS: Final[tuple[tuple[str, tuple[Mark, ...], Callable[[Place], Mapping[str, Said]]], ...]] = (
    ("kueue", kueue_marks.MARKS, kueue_marks.read),
    ("kai", kai_marks.MARKS, kai_marks.read),
    ("volcano", volcano_marks.MARKS, volcano_marks.read),
)
"""Each dialect with its keys and its reader, in the order of authority."""

_KEYS: Final = {(mark.form, mark.key): index for index, (_, marks, _) in enumerate(DIALECTS) for mark in marks}


def says(place: Place) -> tuple[dict[str, Said], list[str]]:
    """Return what an object says in the words of our annotations, and what is to be warned of."""
    meta = place.meta
    if not meta.labels and not meta.annotations:
        return {}, []
    spoken = {_KEYS.get((LABEL, key), -1) for key in meta.labels}
    spoken.update(_KEYS.get(("annotation", key), -1) for key in meta.annotations)
    found: dict[str, Said] = {}
    warnings: list[str] = []
    for index in sorted(spoken - {-1}):
        _, marks, read = DIALECTS[index]
        for key, said in read(place).items():
            found.setdefault(key, said)
        refused, ignored = told(place, marks)
        warnings += ignored
        if refused:
            found.setdefault("refused", Said(refused[0], place.where))
    return resolved(found, place.namespace, place.catalog, place.trees), warnings
