"""The queues, topologies and priorities of a live cluster, from whatever objects declare them.

Other systems write the status of their queues all the time; nothing of that decides. Only where a spec has changed, or
an object has come or gone, is the picture made anew, and with it the engine: a quota that moves is rare, and everything
that runs is told again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from railwise.formats.kubernetes.dialects.catalog import NOTHING, Catalog, catalog_of
from railwise.formats.kubernetes.dialects.sources import Foreign, Kind, Source
from railwise.formats.kubernetes.kinds import PriorityClass


class QueueBook:
    """Objects of dialects by uid; ``changed`` says that the picture of them is no longer true."""

    def __init__(self) -> None:
        """Start empty."""
        self.changed = False
        self.catalog: Catalog = NOTHING
        self.classes: Mapping[str, int] = {}
        self.default_priority = 0
        self._classes: dict[str, PriorityClass] = {}
        self._sources: dict[Kind, dict[str, Source]] = {}

    def put(self, kind: Kind, found: Foreign) -> None:
        """Take in an object as it is now."""
        meta = found.metadata
        known = self._sources.setdefault(kind, {})
        before = known.get(meta.uid)
        place = f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
        known[meta.uid] = Source(kind, f"{kind.kind} {place}", found)
        if before is None or _said(before.object) != _said(found):
            self.changed = True

    def drop(self, kind: Kind, uid: str) -> None:
        """Forget an object."""
        if self._sources.get(kind, {}).pop(uid, None) is not None:
            self.changed = True

    def replace(self, kind: Kind, objects: Sequence[Foreign]) -> None:
        """Take in all objects of a kind there are."""
        for uid in set(self._sources.get(kind, {})) - {one.metadata.uid for one in objects}:
            self.drop(kind, uid)
        for one in objects:
            self.put(kind, one)

    def put_class(self, found: PriorityClass) -> None:
        """Take in a PriorityClass; pods carry its value, but labels and other objects only its name."""
        before = self._classes.get(found.metadata.uid)
        self._classes[found.metadata.uid] = found
        if before is None or _ranks(before) != _ranks(found):
            self._name_classes()

    def drop_class(self, uid: str) -> None:
        """Forget a PriorityClass."""
        if self._classes.pop(uid, None) is not None:
            self._name_classes()

    def replace_classes(self, found: Sequence[PriorityClass]) -> None:
        """Take in all PriorityClasses there are."""
        for uid in set(self._classes) - {one.metadata.uid for one in found}:
            self.drop_class(uid)
        for one in found:
            self.put_class(one)

    def _name_classes(self) -> None:
        self.classes = {one.metadata.name: one.value for one in self._classes.values()}
        self.default_priority = next((one.value for one in self._classes.values() if one.global_default), 0)
        self.changed = True

    def read(self) -> Catalog:
        """Return the picture as it is now."""
        if self.changed:
            self.changed = False
            self.catalog = catalog_of(source for known in self._sources.values() for source in known.values())
        return self.catalog

    def sources(self) -> list[Source]:
        """Return all objects there are."""
        return [source for known in self._sources.values() for source in known.values()]


def _ranks(found: PriorityClass) -> tuple[str, int, bool]:
    """Return what of a PriorityClass decides."""
    return found.metadata.name, found.value, found.global_default


def _said(found: Foreign) -> tuple[object, object, object]:
    """Return what decides of an object: of a status only the state, by which Volcano closes a queue."""
    return found.spec, found.value, found.status.get("state") if isinstance(found.status, dict) else None
