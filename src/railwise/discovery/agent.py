"""The agent of one node: it gathers what only the node can see and keeps one object of the API true, its own.

It writes when something is different, and a sign of life now and then; both are one small request. What it may write
is not decided here: the API server lets the account of agents write no report but that of the node its token is for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

from railwise.discovery.backoff import Backoff
from railwise.discovery.hearing import Failed, Gone, Hearing, Source
from railwise.discovery.local.lldpd_source import LldpdSource
from railwise.discovery.node_identity import NodeIdentity
from railwise.discovery.tables import Tables
from railwise.fabric.observations import SERVER, Report, Speaker
from railwise.formats.discovery.node_report import GROUP, KIND, PLURAL, VERSION, NodeFacts, report_spec
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, ForbiddenError, NotFoundError
from railwise.kubeapi.resources import Resource

NODE_REPORTS: Final = Resource(GROUP, VERSION, PLURAL, KIND, namespaced=False)
MANAGER: Final = "railwise-agent"

GATHER: Final = 0.5
"""Seconds to wait for more before a change is written; also the shortest time between two writes."""

AFTER_FAILURE: Final = (2.0, 60.0)
"""Seconds to wait after the first failure in a row, and after many."""

FIRST_WORDS: Final = 10.0
"""Seconds that the first report waits for sources that have not told anything yet."""

log: Final = logging.getLogger("railwise.agent")


class NodeAgent:
    """The agent of ``node``; ``every`` is the seconds between two signs of life."""

    def __init__(
        self, client: Client, node: NodeIdentity, sources: Sequence[Source], every: int, chance: Random
    ) -> None:
        """Prepare, without asking or writing."""
        self._client: Final = client
        self._node: Final = node
        self._sources: Final = sources
        self._every: Final = every
        self._chance: Final = chance
        self._tables: Final = Tables({node.name: Speaker(node.name, SERVER)})
        self._failures: Final[dict[str, str]] = {}
        self._heard: Final[set[str]] = set()
        self._news: Final = asyncio.Event()
        self._written: NodeFacts | None = None
        self.writes = 0

    def ready(self) -> bool:
        """Return whether a report of ours stands in the cluster."""
        return self._written is not None

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            for source in self._sources:
                group.create_task(source.watch(self._take))
            group.create_task(self._write())

    def facts(self) -> NodeFacts:
        """Return what is to be said of the node now."""
        told = [replace(report, time=0, speaker=self._speaker(report)) for report in self._tables.reports()]
        return NodeFacts(tuple(told), tuple(sorted(self._failures.items())))

    def _speaker(self, report: Report) -> Speaker:
        """Return the node as its neighbours may know it."""
        for source in self._sources:
            known = source.known_as if isinstance(source, LldpdSource) and report.source == source.name else None
            if known is not None:
                names = tuple(name for name in (known.name,) if name and name != self._node.name)
                return replace(report.speaker, aliases=names, chassis=tuple(sorted(known.chassis)))
        return report.speaker

    def _take(self, hearing: Hearing) -> None:
        self._heard.add(hearing.source)
        if isinstance(hearing, Gone):
            return
        if isinstance(hearing, Failed):
            if self._failures.get(hearing.source) != hearing.reason:
                log.warning("%s: %s", hearing.source, hearing.reason)
                self._failures[hearing.source] = hearing.reason
                self._news.set()
            return
        mended = self._failures.pop(hearing.source, None) is not None
        if self._tables.take(hearing, 0) is not None or mended or self._written is None:
            self._news.set()

    async def _write(self) -> None:
        await self._everybody()
        backoff = Backoff(self._chance, *AFTER_FAILURE)
        while True:
            try:
                await self._say()
            except ApiError as error:
                log.warning("the report cannot be written: %s%s", error, _hint(error))
                await asyncio.sleep(backoff.wait())
                continue
            backoff.reset()
            try:
                async with asyncio.timeout(self._every * (0.9 + 0.1 * self._chance.random())):
                    await self._news.wait()
            except TimeoutError:
                continue
            await asyncio.sleep(GATHER)
            self._news.clear()

    async def _everybody(self) -> None:
        """Wait until every source has told something or failed, but not for ever."""
        names = {source.name for source in self._sources}
        try:
            async with asyncio.timeout(FIRST_WORDS):
                while not names <= self._heard:
                    await self._news.wait()
                    self._news.clear()
        except TimeoutError:
            log.warning("nothing from %s yet", ", ".join(sorted(names - self._heard)))

    async def _say(self) -> None:
        """Write the report if it says something else, else only the sign of life. Raises ApiError."""
        facts = self.facts()
        beat = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if facts == self._written:
            try:
                await self._client.patch(NODE_REPORTS, "", self._node.name, {"spec": {"beat": beat}})
            except NotFoundError:
                self._written = None
            else:
                return
        body: dict[str, Any] = {"metadata": self._metadata(), "spec": report_spec(facts, self._every, beat)}
        await self._client.apply(NODE_REPORTS, "", self._node.name, body, manager=MANAGER, force=True)
        self._written = facts
        self.writes += 1
        log.info("report written: %s", ", ".join(report.source for report in facts.reports) or "nothing yet")

    def _metadata(self) -> dict[str, Any]:
        """Return what makes the report go when its node goes."""
        if not self._node.uid:
            return {}
        owner = {"apiVersion": "v1", "kind": "Node", "name": self._node.name, "uid": self._node.uid}
        return {"ownerReferences": [owner]}


def _hint(error: ApiError) -> str:
    if isinstance(error, ForbiddenError):
        return " (hint: this token may write the report of its own node only)"
    if isinstance(error, NotFoundError):
        return " (hint: `kubectl apply -k deploy/agent` brings the kind NodeReport)"
    return ""
