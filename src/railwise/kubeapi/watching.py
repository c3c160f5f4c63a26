"""Following one kind of object for as long as somebody listens, whatever happens to the connection.

One loop holds everything that goes wrong with watches. A watch that ends, breaks or falls silent is opened again from
the version of the last event, so nothing is missed and nothing is listed twice. A version that the server has forgotten
(410) means a new list. A server that refuses for a while is asked less and less often. Where the server can, the list
comes as a stream on the watch's own connection, which costs it far less memory than pages.

Who reads slowly slows the connection down; nothing piles up here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Generic, NamedTuple, TypeVar

from railwise.kubeapi.changes import Bookmark, Change, EventDecoder, Snapshot, Spoiled
from railwise.kubeapi.errors import (
    ApiError,
    ConflictError,
    GoneError,
    NotFoundError,
    StatusError,
    UnreachableError,
    UnreadableError,
)
from railwise.kubeapi.lines import Lines
from railwise.kubeapi.listing import list_objects
from railwise.kubeapi.objects import KubeObject, Unreadable
from railwise.kubeapi.resources import Resource, with_query
from railwise.kubeapi.transport import Transport

T = TypeVar("T", bound=KubeObject)

CANNOT_STREAM = (400, 422)
"""How servers answer that cannot stream lists."""


class Scope(NamedTuple):
    """Which objects of a kind: those of a namespace (empty: all), and those that selectors choose."""

    namespace: str = ""
    labels: str = ""
    fields: str = ""

    def query(self) -> dict[str, str]:
        """Return the selectors as the API's parameters."""
        return {"labelSelector": self.labels, "fieldSelector": self.fields}


EVERYTHING = Scope()
"""All objects of a kind."""


class Watcher(Generic[T]):
    """One kind, one scope; ``follow`` yields snapshots and changes for ever."""

    def __init__(self, transport: Transport, resource: Resource, kind: type[T], scope: Scope = EVERYTHING) -> None:
        """Keep what to follow; ``kind`` is the structure that objects are decoded to."""
        self._transport = transport
        self._resource = resource
        self._kind = kind
        self._scope = scope
        self._decoder = EventDecoder(kind)
        self._version = ""
        self._streams = transport.settings.streaming
        self._failures = 0
        self._heard = False

    async def follow(self) -> AsyncGenerator[Snapshot[T] | Change[T] | Spoiled, None]:
        """Yield everything there is, then each change. Use it within ``contextlib.aclosing``.

        Raises:
            StatusError: the server refuses for a reason that waiting does not cure (no such kind, not allowed, …).
            KubeconfigError: the credentials can no longer be used.
        """
        while True:
            self._heard = False
            try:
                async with aclosing(self._open()) as events:
                    async for event in events:
                        yield event
            except GoneError:
                self._version = ""
                self._ended("gone")
                await self._pause(1)
            except (UnreachableError, UnreadableError) as error:
                self._ended("broken", error)
                if isinstance(error, UnreadableError):
                    self._streams = self._streams and bool(self._version)
                    self._version = ""  # what the line said is lost, so only a new list tells how things stand
                await self._pause()
            except StatusError as error:
                if not self._passing(error):
                    raise
                self._ended("refused", error)
                await self._pause(least=error.retry_after or 0.0)
            else:
                self._ended("closed")
                if not self._heard:
                    await self._pause()  # a server that says nothing and hangs up must not be asked in a circle

    def _open(self) -> AsyncGenerator[Snapshot[T] | Change[T] | Spoiled, None]:
        if self._version:
            return self._watch(self._query())
        return self._streamed() if self._streams else self._listed()

    def _passing(self, error: StatusError) -> bool:
        """Return whether a refusal may be over soon, or is one of streaming only."""
        if error.code in CANNOT_STREAM and self._streams and not self._version:
            self._streams = False
            return True
        if isinstance(error, NotFoundError | ConflictError):
            return False
        return error.code in (408, 429) or error.code >= 500  # noqa: PLR2004 -- HTTP's own numbers

    def _query(self, **more: str) -> dict[str, str]:
        seconds = self._transport.settings.watch_time
        spread = round(seconds * (1 + self._transport.chance.random()) / 2) or 1
        return {
            **self._scope.query(),
            "watch": "1",
            "allowWatchBookmarks": "true",
            "resourceVersion": self._version,
            "timeoutSeconds": str(spread),
            **more,
        }

    async def _listed(self) -> AsyncGenerator[Snapshot[T] | Change[T] | Spoiled, None]:
        """List in pages; the watch from there is the next turn of the loop."""
        found = await list_objects(
            self._transport, self._resource, self._kind, self._scope.namespace, self._scope.query()
        )
        self._version, self._heard, self._failures = found.version, True, 0
        yield self._snapshot(found.objects, found.unreadable)

    def _snapshot(self, objects: list[T], unreadable: list[Unreadable]) -> Snapshot[T]:
        observer = self._transport.observer
        observer.listed(self._resource.label(), len(objects))
        for _ in unreadable:
            observer.unreadable(self._resource.label())
        return Snapshot(objects, unreadable)

    async def _streamed(self) -> AsyncGenerator[Snapshot[T] | Change[T] | Spoiled, None]:
        """Gather what a streamed list brings up to its end, then go on with the same connection."""
        found: dict[str, T] = {}
        unreadable: dict[str, Unreadable] = {}
        complete = False
        query = self._query(sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
        async with aclosing(self._events(query)) as events:
            async for event, version in events:
                if complete:
                    self._version = version or self._version
                    if not isinstance(event, Bookmark):
                        yield event
                elif isinstance(event, Bookmark):
                    if event.complete:
                        complete = True
                        self._version = version
                        yield self._snapshot(list(found.values()), list(unreadable.values()))
                        found, unreadable = {}, {}
                elif isinstance(event, Spoiled):
                    unreadable[event.object.uid] = event.object
                else:
                    found[event.object.metadata.uid] = event.object
        if not complete:
            raise UnreachableError(f"WATCH {self._resource.label()}: a streamed list broke off", sent=True)

    async def _watch(self, query: Mapping[str, str]) -> AsyncGenerator[Snapshot[T] | Change[T] | Spoiled, None]:
        async with aclosing(self._events(query)) as events:
            async for event, version in events:
                self._version = version or self._version
                if isinstance(event, Bookmark):
                    continue
                if isinstance(event, Spoiled):
                    self._transport.observer.unreadable(self._resource.label())
                yield event

    async def _events(
        self, query: Mapping[str, str]
    ) -> AsyncGenerator[tuple[Change[T] | Spoiled | Bookmark, str], None]:
        settings = self._transport.settings
        path = with_query(self._resource.path(self._scope.namespace), query)
        lines = Lines(settings.largest_object)
        async with self._transport.stream(path, self._resource.label()) as chunks:
            async for chunk in chunks:
                for line in lines.feed(chunk):
                    decoded = self._decoder.decode(line)
                    self._heard, self._failures = True, 0
                    yield decoded
        if lines.unfinished():
            raise UnreachableError(f"WATCH {self._resource.label()}: broke off within an event", sent=True)

    def _ended(self, how: str, error: ApiError | None = None) -> None:
        observer = self._transport.observer
        observer.watched(self._resource.label(), how)
        if error is not None:
            observer.trouble(self._resource.label(), error)

    async def _pause(self, failures: int = 0, least: float = 0.0) -> None:
        """Wait after the end of a watch, longer after each failure in a row."""
        self._failures += 1
        backoff = self._transport.settings.watch_backoff
        await asyncio.sleep(max(least, backoff.seconds(failures or self._failures, self._transport.chance)))
