"""Reports of agents, read from the API server: what each node says of itself, and whether its agent is alive.

An agent's clock is not trusted: its sign of life is any text that changes, and its age is counted here, from when the
change was seen. An agent that is silent for three times as long as it promised has failed; what it said stands. A
report that is deleted, as it is when its node goes, is no longer waited for, and takes nothing back either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any, Final, NamedTuple

import msgspec

from railwise.discovery.agent import NODE_REPORTS
from railwise.discovery.hearing import Failed, Gone, Sink, Told
from railwise.formats.discovery.node_report import SOURCES, NodeFacts, read_spec
from railwise.kubeapi.access import Access
from railwise.kubeapi.changes import ChangeKind, Snapshot, Spoiled
from railwise.kubeapi.client import connect
from railwise.kubeapi.errors import ApiError, KubeconfigError, NotFoundError
from railwise.kubeapi.objects import ObjectMeta

NAME: Final = "agent"
AGAIN: Final = 15.0
LOOK_EVERY: Final = 5.0
MISSED: Final = 3
"""So many signs of life may be missed."""

SHORTEST: Final = 10
LONGEST: Final = 3600
"""Seconds between two signs of life that are believed."""

MOST_NODES: Final = 100_000


class NodeReport(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """A report as it is read: anything may stand in its ``spec``."""

    metadata: ObjectMeta = ObjectMeta()
    spec: dict[str, Any] | None = None


class _Life(NamedTuple):
    beat: object
    since: float
    patience: float
    silent: bool = False


class ReportSource:
    """All reports of one cluster. ``access`` is asked when it is needed, so that a lost kubeconfig fails this alone."""

    name: Final = NAME

    def __init__(self, access: Callable[[], Access]) -> None:
        """Prepare, without connecting."""
        self._access: Final = access
        self._lives: Final[dict[str, _Life]] = {}
        self._facts: Final[dict[str, NodeFacts]] = {}

    async def once(self, sink: Sink) -> None:
        """Read every report."""
        try:
            async with connect(self._access()) as client:
                found = (await client.list(NODE_REPORTS, NodeReport)).objects
        except (ApiError, KubeconfigError) as error:
            sink(Failed(NAME, NAME, _words(error)))
            return
        if not found:
            sink(Failed(NAME, NAME, "no agent has reported"))
        for one in found:
            self._hear(one, sink)

    async def watch(self, sink: Sink) -> None:
        """Read every report, then each change, and count the age of each sign of life."""
        counting = asyncio.create_task(self._count(sink))
        try:
            while True:
                try:
                    await self._follow(sink)
                except (ApiError, KubeconfigError) as error:
                    sink(Failed(NAME, NAME, _words(error), AGAIN))
                await asyncio.sleep(AGAIN)
        finally:
            counting.cancel()
            await asyncio.gather(counting, return_exceptions=True)

    async def _follow(self, sink: Sink) -> None:
        async with connect(self._access()) as client, aclosing(client.follow(NODE_REPORTS, NodeReport)) as news:
            async for event in news:
                if isinstance(event, Snapshot):
                    if not event.objects:
                        sink(Failed(NAME, NAME, "no agent has reported yet"))
                    there = {one.metadata.name for one in event.objects}
                    for node in sorted(self._lives.keys() - there):
                        self._forget(node, sink)
                    for one in event.objects:
                        self._hear(one, sink)
                elif isinstance(event, Spoiled):
                    self._fail(event.object.name, "a report that cannot be read", sink)
                elif event.kind is ChangeKind.DELETED:
                    self._forget(event.object.metadata.name, sink)
                else:
                    self._hear(event.object, sink)

    def _hear(self, one: NodeReport, sink: Sink) -> None:
        node, spec = one.metadata.name, one.spec or {}
        if node not in self._lives and len(self._lives) >= MOST_NODES:
            return
        try:
            facts = read_spec(node, spec)
        except ValueError as error:
            self._fail(node, f"a report that cannot be read: {error}", sink)
            return
        before = self._lives.get(node)
        beat = spec.get("beat")
        if before is None or before.beat != beat:
            every = spec.get("everySeconds")
            seconds = min(max(every, SHORTEST), LONGEST) if type(every) is int else SHORTEST
            self._lives[node] = _Life(beat, asyncio.get_running_loop().time(), MISSED * seconds)
        elif before.silent and facts == self._facts.get(node):
            return
        known = {report.source for report in self._facts[node].reports} if node in self._facts else set()
        failing = {source for source, _ in facts.failures}
        self._facts[node] = facts
        for report in facts.reports:
            if report.source not in failing & known:  # what a source said before it failed is not said again
                sink(Told(f"{NAME}:{report.source}", node, report))
        for source, reason in facts.failures:
            sink(Failed(f"{NAME}:{source}", node, reason))

    def _fail(self, node: str, reason: str, sink: Sink) -> None:
        told = [report.source for report in self._facts[node].reports] if node in self._facts else SOURCES[:1]
        for source in told:
            sink(Failed(f"{NAME}:{source}", node, reason))

    def _forget(self, node: str, sink: Sink) -> None:
        """Wait no longer for a node's agent."""
        self._lives.pop(node, None)
        facts = self._facts.pop(node, NodeFacts(()))
        for source in (*(report.source for report in facts.reports), *(source for source, _ in facts.failures)):
            sink(Gone(f"{NAME}:{source}", node))

    async def _count(self, sink: Sink) -> None:
        """Say which agents have been silent for too long."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            now = asyncio.get_running_loop().time()
            for node, life in list(self._lives.items()):
                if not life.silent and now - life.since > life.patience:
                    self._lives[node] = life._replace(silent=True)
                    self._fail(node, f"its agent has been silent for {now - life.since:.0f} s", sink)


def _words(error: ApiError | KubeconfigError) -> str:
    if isinstance(error, NotFoundError):
        return "the cluster does not know the kind NodeReport; `kubectl apply -k deploy/agent` brings it"
    return " ".join(str(error).split())[:200]
