"""Following every kind that decides, and keeping the cache in step with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from railwise.controllers.cache import ClusterCache
from railwise.controllers.makers import Maker
from railwise.formats.kubernetes.kinds import Job, JobSet, LeaderWorkerSet, PodGroup
from railwise.formats.kubernetes.schema import NodeObject
from railwise.kubeapi.changes import Change, ChangeKind, Snapshot, Spoiled
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ForbiddenError
from railwise.kubeapi.objects import KubeObject, Unreadable
from railwise.kubeapi.resources import JOBS, NODES, PODS, Resource
from railwise.kubeapi.watching import EVERYTHING, Scope

T = TypeVar("T", bound=KubeObject)

LIVING = Scope(fields="status.phase!=Succeeded,status.phase!=Failed")
"""Pods that have ended hold nothing; a pod that ends leaves the selection, which the server tells as its deletion."""

JOBSETS = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")
LEADER_WORKER_SETS = Resource("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet")
POD_GROUPS = Resource("scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup")

NEEDED = (NODES, PODS)
"""Kinds without which nothing can be said of a cluster."""


class Feed(NamedTuple, Generic[T]):
    """One kind: where it comes from and where it goes. ``drop`` is given the name of a node, the uid of others."""

    resource: Resource
    kind: type[T]
    scope: Scope
    replace: Callable[[Sequence[T]], None]
    put: Callable[[T], None]
    drop: Callable[[str], None]


class Feeds:
    """All feeds of one cache; ``news`` is set whenever anything was told."""

    def __init__(self, client: Client, cache: ClusterCache, spoiled: Callable[[Resource, Unreadable], None]) -> None:
        """Keep whom to tell of objects that cannot be read."""
        self._client = client
        self._cache = cache
        self._spoiled = spoiled
        self._missing = 0
        self._started: set[str] = set()
        self.news = asyncio.Event()
        self.synced = asyncio.Event()

    async def run(self) -> None:
        """Follow everything for ever.

        Raises:
            ApiError: something may not be read.
        """
        feeds = await self._served()
        self._missing = len(feeds)
        async with asyncio.TaskGroup() as group:
            for feed in feeds:
                group.create_task(self._follow(feed))

    async def once(self, closed: Callable[[Resource], None]) -> None:
        """Take everything in as it is now, by lists alone; ``closed`` hears of a kind that may not be read.

        Raises:
            ApiError: nodes or pods may not be read, or the server cannot be reached.
        """
        for feed in await self._served():
            try:
                found = await self._client.list(feed.resource, feed.kind, feed.scope)
            except ForbiddenError:
                if feed.resource in NEEDED:
                    raise
                closed(feed.resource)
                continue
            feed.replace(found.objects)
            for one in found.unreadable:
                self._spoiled(feed.resource, one)

    async def _served(self) -> list[Feed[Any]]:
        """Return the feeds of all kinds that the server has."""
        cache = self._cache
        feeds: list[Feed[Any]] = [
            Feed(NODES, NodeObject, EVERYTHING, cache.replace_nodes, cache.nodes.put, cache.nodes.drop),
            Feed(PODS, cache.pods.kind, LIVING, cache.pods.replace, cache.pods.put, cache.pods.drop),
        ]
        for resource, kind in _MAKERS:
            if resource == JOBS or await self._client.serves(resource):
                replace = partial(cache.replace_makers, kind)
                feeds.append(Feed(resource, kind, EVERYTHING, replace, cache.put_maker, cache.drop_maker))
        return feeds

    async def _follow(self, feed: Feed[T]) -> None:
        async with aclosing(self._client.follow(feed.resource, feed.kind, feed.scope)) as news:
            async for event in news:
                if isinstance(event, Snapshot):
                    feed.replace(event.objects)
                    for one in event.unreadable:
                        self._spoiled(feed.resource, one)
                    self._first(feed.resource)
                elif isinstance(event, Spoiled):
                    feed.drop(_identity(feed.resource, event.object.name, event.object.uid))
                    self._spoiled(feed.resource, event.object)
                elif isinstance(event, Change):
                    meta = event.object.metadata
                    if event.kind is ChangeKind.DELETED:
                        feed.drop(_identity(feed.resource, meta.name, meta.uid))
                    else:
                        feed.put(event.object)
                self.news.set()

    def _first(self, resource: Resource) -> None:
        self._started.add(resource.label())
        if len(self._started) == self._missing:
            self.synced.set()


_MAKERS: tuple[tuple[Resource, type[Maker]], ...] = (
    (JOBS, Job),
    (JOBSETS, JobSet),
    (LEADER_WORKER_SETS, LeaderWorkerSet),
    (POD_GROUPS, PodGroup),
)


def _identity(resource: Resource, name: str, uid: str) -> str:
    return name if resource == NODES else uid
