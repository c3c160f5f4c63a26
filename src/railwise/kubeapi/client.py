"""Reading and writing objects of any kind, and following them: what the rest of Railwise uses.

One example, walked through. A controller that labels new nodes::

    async with connect(find_access()) as client:                      # the kubeconfig's current context
        async with aclosing(client.follow(NODES, NodeObject)) as news:
            async for event in news:
                if isinstance(event, Snapshot):                       # all there is; what is missing has gone
                    known = {node.metadata.name for node in event.objects}
                elif isinstance(event, Change) and event.object.metadata.name not in known:
                    labels = {"example.com/seen": "yes"}
                    await client.label(NODES, "", event.object.metadata.name, labels)
                    known.add(event.object.metadata.name)

``NodeObject`` is any msgspec structure with ``metadata``; only the fields it names are decoded. Every call is a
coroutine that may be cancelled, and ends within its time limit in a value or an ``ApiError``. Where two replicas may
run, writes go through ``client.fenced(leadership)``: a copy whose writes raise ``DeposedError`` once the Lease may be
another's. Controllers bind, evict and set conditions with ``pods.py``, speak to people with ``recorder.py``, and are
elected with ``election.py``.
"""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec

from railwise.kubeapi.access import Access
from railwise.kubeapi.changes import Change, Snapshot, Spoiled
from railwise.kubeapi.errors import NotFoundError, UnreadableError
from railwise.kubeapi.listing import Listing, list_objects
from railwise.kubeapi.objects import KubeObject, ObjectDecoder, Unreadable
from railwise.kubeapi.resources import Resource, with_query
from railwise.kubeapi.retry import RetryPolicy
from railwise.kubeapi.settings import Observer, Settings
from railwise.kubeapi.transport import JSON, Call, Guard, Transport
from railwise.kubeapi.watching import EVERYTHING, Scope, Watcher

T = TypeVar("T", bound=KubeObject)

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

MANAGER = "railwise"
"""Who owns the fields that are written."""

Body = Mapping[str, Any] | msgspec.Struct


class Client:
    """Objects of one cluster. Writes of a fenced client stop with the leadership they are made under."""

    def __init__(self, transport: Transport, guard: Guard | None = None) -> None:
        """Keep the connection, and who has to agree before each write."""
        self.transport = transport
        self._guard = guard

    def fenced(self, guard: Guard) -> Client:
        """Return a client on the same connection whose writes ask ``guard`` first; see ``transport.py``."""
        return Client(self.transport, guard)

    async def write(
        self,
        verb: str,
        path: str,
        resource: Resource,
        body: Body | None = None,
        content_type: str = JSON,
        retry: RetryPolicy | None = None,
    ) -> bytes:
        """Send a write and return the answer as it came.

        Raises:
            DeposedError: this process may no longer lead.
            ApiError: the server cannot be reached or refuses.
        """
        data = None if body is None else msgspec.json.encode(body)
        return await self.transport.request(Call(verb, path, resource.label(), data, content_type), retry, self._guard)

    async def get(self, resource: Resource, kind: type[T], namespace: str, name: str) -> T:
        """Return an object.

        Raises:
            NotFoundError: there is none of that name.
            UnreadableError: it is not what its kind promises.
            ApiError: the server cannot be reached or refuses.
        """
        path = resource.path(namespace, name)
        return decoded(kind, await self.transport.request(Call("GET", path, resource.label())), path)

    async def find(self, resource: Resource, kind: type[T], namespace: str, name: str) -> T | None:
        """Return an object, None if there is none of that name; raises as ``get`` does."""
        try:
            return await self.get(resource, kind, namespace, name)
        except NotFoundError:
            return None

    async def list(self, resource: Resource, kind: type[T], scope: Scope = EVERYTHING) -> Listing[T]:
        """Return all objects of a kind, consistent as of one moment.

        Raises:
            ApiError: the server cannot be reached or refuses.
        """
        return await list_objects(self.transport, resource, kind, scope.namespace, scope.query())

    def follow(
        self, resource: Resource, kind: type[T], scope: Scope = EVERYTHING
    ) -> AsyncGenerator[Snapshot[T] | Change[T] | Spoiled, None]:
        """Yield everything there is, then each change, for ever; see ``watching.py``. Use it within ``aclosing``."""
        return Watcher(self.transport, resource, kind, scope).follow()

    async def create(self, resource: Resource, namespace: str, body: Body) -> bytes:
        """Create an object and return it as the server made it.

        Raises:
            ConflictError: there is one of that name.
            ApiError: the server cannot be reached or refuses.
        """
        return await self.write("POST", resource.path(namespace), resource, body)

    async def replace(self, resource: Resource, namespace: str, name: str, body: Body) -> bytes:
        """Replace an object; with its resourceVersion inside, only if nobody else has changed it.

        Raises:
            ConflictError: somebody else has.
            ApiError: the server cannot be reached or refuses.
        """
        return await self.write("PUT", resource.path(namespace, name), resource, body)

    async def patch(
        self, resource: Resource, namespace: str, name: str, body: Body, *, sub: str = "", content_type: str = MERGE
    ) -> bytes:
        """Change what ``body`` names, of an object or its sub-resource (``status``).

        Raises:
            NotFoundError: there is none of that name.
            ApiError: the server cannot be reached or refuses.
        """
        return await self.write("PATCH", resource.path(namespace, name, sub), resource, body, content_type)

    async def label(
        self, resource: Resource, namespace: str, name: str, labels: Mapping[str, str | None], uid: str = ""
    ) -> bytes:
        """Set labels, and remove those that are None. With ``uid``, only if it is still that object.

        Raises:
            ConflictError: it is another object by now.
            ApiError: the server cannot be reached or refuses.
        """
        metadata: dict[str, Any] = {"labels": dict(labels)}
        if uid:
            metadata["uid"] = uid
        return await self.patch(resource, namespace, name, {"metadata": metadata})

    async def apply(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        body: Mapping[str, Any],
        *,
        manager: str = MANAGER,
        force: bool = False,
        sub: str = "",
    ) -> bytes:
        """Declare the fields that ``manager`` wants (server-side apply): others' fields stay, ours that are missing go.

        Raises:
            ConflictError: another manager owns such a field, and ``force`` was not asked for.
            ApiError: the server cannot be reached or refuses.
        """
        whole = {"apiVersion": resource.api_version(), "kind": resource.kind, **body}
        whole["metadata"] = {**body.get("metadata", {}), "name": name}
        query = {"fieldManager": manager, "force": "true" if force else ""}
        path = with_query(resource.path(namespace, name, sub), query)
        return await self.write("PATCH", path, resource, whole, APPLY)

    async def delete(
        self, resource: Resource, namespace: str, name: str, uid: str = "", grace: int | None = None
    ) -> bool:
        """Delete an object; with ``uid`` only that one, with ``grace`` seconds of notice. Return whether it was there.

        Raises:
            ConflictError: it is another object by now.
            ApiError: the server cannot be reached or refuses.
        """
        body: dict[str, Any] = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        if uid:
            body["preconditions"] = {"uid": uid}
        if grace is not None:
            body["gracePeriodSeconds"] = grace
        try:
            await self.write("DELETE", resource.path(namespace, name), resource, body)
        except NotFoundError:
            return False
        return True

    async def version(self) -> str:
        """Return the server's version (``v1.37.2``).

        Raises:
            ApiError: the server cannot be reached or refuses.
        """
        data = await self.transport.request(Call("GET", "/version", "version"))
        found = msgspec.json.decode(data)
        return str(found.get("gitVersion", "")) if isinstance(found, dict) else ""

    async def versions(self) -> frozenset[str]:
        """Return every ``group/version`` that the server has, the core's left out: one request for all of them.

        Raises:
            ApiError: the server cannot be reached or refuses.
        """
        data = await self.transport.request(Call("GET", "/apis", "discovery"))
        groups = msgspec.json.decode(data, type=_Groups).groups
        return frozenset(version.group_version for group in groups for version in group.versions)

    async def serves(self, resource: Resource) -> bool:
        """Return whether the server knows a kind; one that belongs to an add-on may be missing.

        Raises:
            ApiError: the server cannot be reached or refuses.
        """
        prefix = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
        try:
            data = await self.transport.request(Call("GET", prefix, "discovery"))
        except NotFoundError:
            return False
        listed = msgspec.json.decode(data, type=_Served)
        return any(one.name == resource.plural for one in listed.resources)


class _GroupVersion(msgspec.Struct, rename="camel"):
    group_version: str = ""


class _Group(msgspec.Struct):
    versions: list[_GroupVersion] = []


class _Groups(msgspec.Struct):
    groups: list[_Group] = []


class _ServedKind(msgspec.Struct):
    name: str = ""


class _Served(msgspec.Struct):
    resources: list[_ServedKind] = []


def decoded(kind: type[T], data: bytes, what: str) -> T:
    """Return an answer as an object.

    Raises:
        UnreadableError: it is not what its kind promises.
    """
    try:
        found = ObjectDecoder(kind).decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{what}: the answer is no object: {error}") from None
    if isinstance(found, Unreadable):
        raise UnreadableError(f"{what}: {found.message}")
    return found


@asynccontextmanager
async def connect(
    access: Access,
    settings: Settings | None = None,
    observer: Observer | None = None,
    chance: random.Random | None = None,
) -> AsyncIterator[Client]:
    """Yield a client for a server, and close its connections afterwards."""
    async with Transport(access, settings, observer, chance) as transport:
        yield Client(transport)
