"""Everything of one kind as one list, page by page, so that neither side has to hold the whole answer at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar

import msgspec

from railwise.kubeapi.errors import GoneError, UnreadableError
from railwise.kubeapi.objects import KubeObject, ListDecoder, Unreadable
from railwise.kubeapi.resources import Resource, with_query
from railwise.kubeapi.transport import Call, Transport

T = TypeVar("T", bound=KubeObject)

PAGED_TRIES = 3
"""A list whose pages expire while it is read is begun anew so often; then it is asked for in one piece."""


class Listing(NamedTuple, Generic[T]):
    """A complete list as of ``version``."""

    objects: list[T]
    unreadable: list[Unreadable]
    version: str


async def list_objects(
    transport: Transport,
    resource: Resource,
    kind: type[T],
    namespace: str = "",
    query: Mapping[str, str] | None = None,
) -> Listing[T]:
    """Return all objects of a kind, consistent as of one moment.

    ``query`` holds further parameters, such as selectors.

    Raises:
        ApiError: the server cannot be reached or refuses.
    """
    decoder = ListDecoder(kind)
    for attempt in range(PAGED_TRIES + 1):
        page = transport.settings.page if attempt < PAGED_TRIES else 0
        try:
            return await _pages(transport, resource, decoder, resource.path(namespace), {**(query or {})}, page)
        except GoneError:
            if not page:
                raise
    raise AssertionError


async def _pages(
    transport: Transport,
    resource: Resource,
    decoder: ListDecoder[T],
    path: str,
    query: dict[str, str],
    page: int,
) -> Listing[T]:
    objects: list[T] = []
    unreadable: list[Unreadable] = []
    if page:
        query["limit"] = str(page)
    while True:
        call = Call("GET", with_query(path, query), resource.label(), seconds=transport.settings.list_timeout)
        data = await transport.request(call)
        try:
            found = decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UnreadableError(f"GET {path}: the answer is no list: {error}") from None
        objects += found.objects
        unreadable += found.unreadable
        if not found.more:
            return Listing(objects, unreadable, found.version)
        query["continue"] = found.more
