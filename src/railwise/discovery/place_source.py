"""What objects of a cluster tell of places: labels of live nodes, ConfigMaps of Ascend's device plugin.

All objects of a kind are followed, and what they say together is worked out when one that matters has changed. A node
that goes, or loses its labels, is told as one that says nothing; an API server that cannot be reached takes nothing
back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

import msgspec

from railwise.discovery.hearing import Failed, Sink, Told
from railwise.fabric.observations import Report
from railwise.formats.discovery.place_labels import label_reports, relevant
from railwise.formats.discovery.settings import InCluster
from railwise.formats.hosts.ascend import KEY, node_of, read_device_info
from railwise.kubeapi.access import Access
from railwise.kubeapi.changes import Change, ChangeKind, Snapshot
from railwise.kubeapi.client import connect
from railwise.kubeapi.errors import ApiError, KubeconfigError
from railwise.kubeapi.resources import CONFIG_MAPS, NODES
from railwise.kubeapi.watching import EVERYTHING, Scope
from railwise.model.errors import InputError

AGAIN: Final = 15.0
GATHER: Final = 0.2
"""Seconds to wait for more before what changed is worked out."""


class _Meta(msgspec.Struct, rename="camel", kw_only=True, frozen=True, gc=False):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] | None = None


class _Object(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    metadata: _Meta = _Meta()
    data: dict[str, str] | None = None


class _Labels:
    """How labels of nodes are read."""

    resource = NODES
    scope = EVERYTHING

    def __init__(self, kind: str) -> None:
        self._kind: Final = kind

    def facts(self, one: _Object) -> tuple[str, Mapping[str, str]]:
        """Return the node that an object is about, and what of it matters."""
        return one.metadata.name, relevant(self._kind, one.metadata.labels or {})

    def reports(self, known: Mapping[str, Mapping[str, str]]) -> list[Report]:
        """Return what all labels say together."""
        return label_reports(self._kind, known)


class _Ascend:
    """How ConfigMaps of Ascend's device plugin are read."""

    resource = CONFIG_MAPS

    def __init__(self, namespace: str) -> None:
        self.scope: Final = Scope(namespace)

    def facts(self, one: _Object) -> tuple[str, Mapping[str, str]]:
        """Return the node that an object is about (empty: none), and what of it matters."""
        text = (one.data or {}).get(KEY, "")
        return node_of(one.metadata.name), {KEY: text} if text else {}

    def reports(self, known: Mapping[str, Mapping[str, str]]) -> list[Report]:
        """Return what all ConfigMaps say; one that cannot be read says nothing of its node."""
        found = []
        for node in sorted(known):
            try:
                found.append(read_device_info(known[node], node))
            except InputError:
                continue
        return found


class PlaceSource:
    """One kind of objects of one cluster."""

    def __init__(self, settings: InCluster, access: Callable[[], Access]) -> None:
        """Prepare, without connecting."""
        self.name: Final = settings.kind
        self._access: Final = access
        self._kind: Final = _Ascend(settings.namespace) if settings.kind == "ascend" else _Labels(settings.kind)
        self._known: dict[str, Mapping[str, str]] = {}
        self._last: dict[str, Report] = {}
        self._news: Final = asyncio.Event()

    async def once(self, sink: Sink) -> None:
        """Read every object."""
        try:
            async with connect(self._access()) as client:
                listing = await client.list(self._kind.resource, _Object, self._kind.scope)
        except (ApiError, KubeconfigError) as error:
            sink(Failed(self.name, self.name, " ".join(str(error).split())[:200]))
            return
        self._replace(listing.objects)
        self._tell(sink)

    async def watch(self, sink: Sink) -> None:
        """Read every object, then each change."""
        telling = asyncio.create_task(self._tell_changes(sink))
        try:
            while True:
                try:
                    await self._follow()
                except (ApiError, KubeconfigError) as error:
                    sink(Failed(self.name, self.name, " ".join(str(error).split())[:200], AGAIN))
                await asyncio.sleep(AGAIN)
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)

    async def _follow(self) -> None:
        kind = self._kind
        async with (
            connect(self._access()) as client,
            aclosing(client.follow(kind.resource, _Object, kind.scope)) as news,
        ):
            async for event in news:
                if isinstance(event, Snapshot):
                    self._replace(event.objects)
                    self._news.set()
                elif isinstance(event, Change):
                    gone = event.kind is ChangeKind.DELETED
                    node, facts = kind.facts(event.object)
                    facts = {} if gone else facts
                    if node and facts != self._known.get(node, {}):
                        self._put(node, facts)
                        self._news.set()

    def _replace(self, objects: list[_Object]) -> None:
        self._known = {}
        for one in objects:
            self._put(*self._kind.facts(one))

    def _put(self, node: str, facts: Mapping[str, str]) -> None:
        if node and facts:
            self._known[node] = facts
        else:
            self._known.pop(node, None)

    async def _tell_changes(self, sink: Sink) -> None:
        while True:
            await self._news.wait()
            await asyncio.sleep(GATHER)
            self._news.clear()
            self._tell(sink)

    def _tell(self, sink: Sink) -> None:
        now = {report.speaker.name: report for report in self._kind.reports(self._known)}
        if not now and not self._last:
            sink(Failed(self.name, self.name, "no object says anything of this kind"))
        told: dict[str, Any] = dict(now)
        for name in self._last.keys() - now.keys():
            told[name] = replace(self._last[name], observations=(), scale_up=())
        for name in sorted(told):
            sink(Told(self.name, name, told[name]))
        self._last = now
