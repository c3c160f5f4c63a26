"""Telling the owners of queues and topologies what became of their objects: an event, and on ours a condition.

What is wrong with a queue is learnt by the person who wrote it only if it stands on the object, since nobody reads the
scheduler's log. Each finding is said once, and again only when the object changes to something else that is wrong. The
status of other systems' objects is theirs to write; ours gets the condition ``Accepted``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from railwise.controllers.feeds import resources_of
from railwise.formats.kubernetes.dialects.crds import ACCEPTED
from railwise.formats.kubernetes.dialects.sources import ERROR, IGNORED, OWN, REFUSED, Finding, Source
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, DeposedError
from railwise.kubeapi.recorder import Recorder, Regarding
from railwise.kubeapi.resources import Resource

log = logging.getLogger("railwise.scheduler")

REASONS = {ERROR: "CannotBeRead", REFUSED: "Unsupported", IGNORED: "Ignored"}
"""The reasons of events and conditions, by how bad a finding is."""

LONGEST = 2048
"""Characters of a condition's message."""


class Notices:
    """Says what is found; ``run`` writes the conditions."""

    def __init__(self, client: Client, recorder: Recorder) -> None:
        """Keep who writes."""
        self._client = client
        self._recorder = recorder
        self._said: dict[str, frozenset[str]] = {}
        self._next: dict[str, tuple[Source, dict[str, Any]]] = {}
        self._some = asyncio.Event()

    def tell(self, sources: Iterable[Source], findings: Iterable[Finding]) -> None:
        """Hear all objects there are and all that was found about them."""
        found: dict[str, list[Finding]] = {}
        for one in findings:
            found.setdefault(one.source.object.metadata.uid, []).append(one)
        present = {source.object.metadata.uid: source for source in sources}
        for uid in self._said.keys() - present.keys():
            del self._said[uid]
        for uid, source in present.items():
            self._tell(source, found.get(uid, []))
        self._some.set()

    def _tell(self, source: Source, found: list[Finding]) -> None:
        meta = source.object.metadata
        said = self._said.get(meta.uid, frozenset())
        self._said[meta.uid] = frozenset(one.path + one.text for one in found)
        for one in found:
            if one.path + one.text not in said:
                about = Regarding(_resource(source), meta.namespace, meta.name, meta.uid)
                note = f"{one.path.lstrip('.')}: {one.text}" if one.path else one.text
                self._recorder.say(about, REASONS[one.grade], note, warning=True, action="Reading")
                log.warning("%s", one.told())
        if source.kind.dialect == OWN:
            wanted = condition(found, meta.generation)
            if not _stands(source.object.status, wanted):
                self._next[meta.uid] = source, wanted

    async def run(self) -> None:
        """Write conditions, for ever; what cannot be written is written when it changes again.

        Raises:
            DeposedError: this process may no longer lead.
        """
        while True:
            while self._next:
                source, wanted = self._next.pop(next(iter(self._next)))
                stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                body = {"status": {"conditions": [{**wanted, "lastTransitionTime": stamp}]}}
                meta = source.object.metadata
                try:
                    await self._client.patch(_resource(source), meta.namespace, meta.name, body, sub="status")
                except DeposedError:
                    raise
                except ApiError as error:
                    log.warning("the condition of %s cannot be written: %s", source.where, error)
            self._some.clear()
            await self._some.wait()


def _resource(source: Source) -> Resource:
    return resources_of(source.kind)[0]


def condition(found: list[Finding], generation: int) -> dict[str, Any]:
    """Return the condition of an object about which so much was found."""
    bad = [one for one in found if one.grade == ERROR]
    message = "; ".join(f"{one.path.lstrip('.')}: {one.text}" for one in bad or found)
    return {
        "type": ACCEPTED,
        "status": "False" if bad else "True",
        "reason": REASONS[ERROR] if bad else "Read",
        "message": message if len(message) <= LONGEST else message[: LONGEST - 1] + "…",
        "observedGeneration": generation,
    }


def _stands(status: object, wanted: dict[str, Any]) -> bool:
    """Return whether an object's status says that already, whenever it was written."""
    conditions = status.get("conditions") if isinstance(status, dict) else None
    return isinstance(conditions, list) and any(
        isinstance(one, dict) and wanted.items() <= one.items() for one in conditions
    )
