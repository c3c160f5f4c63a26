"""Following every kind that decides, and keeping the cache in step with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from railwise.controllers.addons import Addon, Addons
from railwise.controllers.cache import ClusterCache
from railwise.controllers.makers import Maker
from railwise.formats.kubernetes.dialects.sources import CATALOGUED, GANG_KINDS, Foreign, Kind
from railwise.formats.kubernetes.kinds import Job, JobSet, LeaderWorkerSet, PodGroup, PriorityClass
from railwise.formats.kubernetes.schema import NodeObject
from railwise.formats.kubernetes.storage import Claim, CSINode, Volume
from railwise.kubeapi.changes import Change, ChangeKind, Snapshot, Spoiled
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ForbiddenError
from railwise.kubeapi.objects import KubeObject, Unreadable
from railwise.kubeapi.resources import CLAIMS, CSI_NODES, JOBS, NODES, PODS, PRIORITY_CLASSES, VOLUMES, Resource
from railwise.kubeapi.watching import EVERYTHING, Scope

T = TypeVar("T", bound=KubeObject)

LIVING = Scope(fields="status.phase!=Succeeded,status.phase!=Failed")
"""Pods that have ended hold nothing; a pod that ends leaves the selection, which the server tells as its deletion."""

JOBSETS = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")
LEADER_WORKER_SETS = Resource("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet")
POD_GROUPS = Resource("scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup")
FORMER_POD_GROUPS = POD_GROUPS._replace(version="v1alpha2")

MAKERS: tuple[tuple[tuple[Resource, ...], type[Maker]], ...] = (
    ((JOBS,), Job),
    ((JOBSETS,), JobSet),
    ((LEADER_WORKER_SETS,), LeaderWorkerSet),
    ((POD_GROUPS, FORMER_POD_GROUPS), PodGroup),
)
"""Kinds that make pods, or rule over them."""


class Feed(NamedTuple, Generic[T]):
    """One kind: where it comes from and where it goes. ``drop`` is given the name of a node, the uid of others."""

    resource: Resource
    kind: type[T]
    scope: Scope
    replace: Callable[[Sequence[T]], None]
    put: Callable[[T], None]
    drop: Callable[[str], None]


class Feeds:
    """All feeds of one cache; ``news`` is set whenever anything was told, ``synced`` once all has been read."""

    def __init__(self, client: Client, cache: ClusterCache, spoiled: Callable[[Resource, Unreadable], None]) -> None:
        """Keep whom to tell of objects that cannot be read."""
        self._client = client
        self._cache = cache
        self._spoiled = spoiled
        self._awaited: set[str] = set()
        self.news = asyncio.Event()
        self.synced = asyncio.Event()

    async def run(self) -> None:
        """Follow everything for ever; kinds of others as soon as, and as long as, they are served.

        Raises:
            ApiError: something may not be read.
        """
        addons = Addons(self._client, self._addons())
        present = await addons.look()
        needed = self._needed()
        self._awaited = {feed.resource.label() for feed in needed} | {one.label() for _, one in present}
        async with asyncio.TaskGroup() as group:
            for feed in needed:
                group.create_task(self._follow(feed))
            group.create_task(addons.run(present))

    async def once(self, closed: Callable[[Resource], None]) -> None:
        """Take everything in as it is now, by lists alone; ``closed`` hears of a kind that may not be read.

        Raises:
            ApiError: nodes or pods may not be read, or the server cannot be reached.
        """
        for feed in self._needed():
            await self._list(feed)
        for addon, resource in await Addons(self._client, self._addons()).look():
            try:
                await self._list(addon.feed(resource))
            except ForbiddenError:
                closed(resource)

    async def _list(self, feed: Feed[T]) -> None:
        found = await self._client.list(feed.resource, feed.kind, feed.scope)
        feed.replace(found.objects)
        for one in found.unreadable:
            self._spoiled(feed.resource, one)

    def _needed(self) -> list[Feed[Any]]:
        """Return the feeds without which nothing can be said of a cluster."""
        cache = self._cache
        return [
            Feed(NODES, NodeObject, EVERYTHING, cache.replace_nodes, cache.nodes.put, cache.nodes.drop),
            Feed(PODS, cache.pods.kind, LIVING, cache.pods.replace, cache.pods.put, cache.pods.drop),
        ]

    def _addons(self) -> list[Addon]:
        """Return the kinds that may be served or not, or not be ours to read."""
        queues = self._cache.queues
        classes = (queues.replace_classes, queues.put_class, queues.drop_class)
        feeds: list[tuple[tuple[Resource, ...], Callable[[Resource], Feed[Any]]]] = [
            (resources, partial(self._maker, kind)) for resources, kind in MAKERS
        ]
        feeds += [(resources_of(kind), partial(self._declared, kind)) for kind in CATALOGUED]
        feeds += [(resources_of(kind), partial(self._rule, kind)) for kind in GANG_KINDS]
        feeds.append(((PRIORITY_CLASSES,), lambda one: Feed(one, PriorityClass, EVERYTHING, *classes)))
        book = self._cache.pods.volumes
        claims = (book.replace_claims, book.put_claim, book.drop_claim)
        volumes = (book.replace_volumes, book.put_volume, book.drop_volume)
        drivers = (book.replace_drivers, book.put_drivers, book.drop_drivers)
        feeds.append(((CLAIMS,), lambda one: Feed(one, Claim, EVERYTHING, *claims)))
        feeds.append(((VOLUMES,), lambda one: Feed(one, Volume, EVERYTHING, *volumes)))
        feeds.append(((CSI_NODES,), lambda one: Feed(one, CSINode, EVERYTHING, *drivers)))
        return [Addon(resources, feed, self._follow, self._forgotten) for resources, feed in feeds]

    def _maker(self, kind: type[Maker], resource: Resource) -> Feed[Any]:
        cache = self._cache
        return Feed(resource, kind, EVERYTHING, partial(cache.replace_makers, kind), cache.put_maker, cache.drop_maker)

    def _declared(self, kind: Kind, resource: Resource) -> Feed[Foreign]:
        queues = self._cache.queues
        replace, put, drop = (partial(one, kind) for one in (queues.replace, queues.put, queues.drop))
        return Feed(resource, Foreign, EVERYTHING, replace, put, drop)

    def _rule(self, kind: Kind, resource: Resource) -> Feed[Foreign]:
        cache = self._cache
        replace, put = (partial(one, kind) for one in (cache.replace_rules, cache.put_rule))
        return Feed(resource, Foreign, EVERYTHING, replace, put, cache.drop_rule)

    def _forgotten(self, feed: Feed[Any]) -> None:
        """Forget all of a kind that is not served any more; nobody waits for it either."""
        feed.replace([])
        self._read(feed.resource)
        self.news.set()

    async def _follow(self, feed: Feed[T]) -> None:
        async with aclosing(self._client.follow(feed.resource, feed.kind, feed.scope)) as news:
            async for event in news:
                if isinstance(event, Snapshot):
                    feed.replace(event.objects)
                    for one in event.unreadable:
                        self._spoiled(feed.resource, one)
                    self._read(feed.resource)
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

    def _read(self, resource: Resource) -> None:
        self._awaited.discard(resource.label())
        if not self._awaited:
            self.synced.set()


def resources_of(kind: Kind) -> tuple[Resource, ...]:
    """Return a kind of a dialect under each of its versions, the preferred first."""
    return tuple(Resource(kind.group, one, kind.plural, kind.kind, kind.namespaced) for one in kind.versions)


def _identity(resource: Resource, name: str, uid: str) -> str:
    return name if resource == NODES else uid
