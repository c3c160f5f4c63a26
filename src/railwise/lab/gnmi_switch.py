"""The gNMI service of one virtual switch: who may ask, one subscription a connection, and the modes of a subscription.

What is said comes from the dialect; this is the protocol around it, the same for all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from hashlib import blake2s
from itertools import chain
from typing import Any, Final, NamedTuple, NoReturn

from grpc import StatusCode
from grpc.aio import ServicerContext

from railwise.gnmi.gnmi_pb2 import (
    ON_CHANGE,
    SAMPLE,
    CapabilityRequest,
    CapabilityResponse,
    GetRequest,
    GetResponse,
    Notification,
    Path,
    SubscribeRequest,
    SubscribeResponse,
    SubscriptionList,
)
from railwise.lab.dialects.dialect import Area, Change, Dialect, RefusedError
from railwise.lab.virtual_switch import VirtualSwitch

VERSION = "0.10.0"
LEAST_SAMPLE = 1.0
"""Seconds between samples, at least."""


class Access(NamedTuple):
    """What a client must show: a user with a password, or nothing where ``user`` is empty."""

    user: str = ""
    password: str = ""


ANYBODY = Access()


class Watched(NamedTuple):
    """One subscription of a stream: what, and after how many seconds again (0: on change)."""

    area: Area
    interval: float


class GnmiSwitch:
    """The methods of the service, for one switch in one dialect.

    ``per_connection`` is the number of subscriptions a connection may hold at once (0: any number).
    """

    def __init__(
        self, switch: VirtualSwitch, dialect: Dialect, access: Access = ANYBODY, *, per_connection: int = 1
    ) -> None:
        """Serve a switch; whatever happens to it later is seen by every session."""
        self._switch: Final = switch
        self._dialect: Final = dialect
        self._access: Final = access
        self._per_connection: Final = per_connection
        self._sessions: Final[dict[str, int]] = {}

    async def capabilities(
        self, request: CapabilityRequest, context: ServicerContext[CapabilityRequest, CapabilityResponse]
    ) -> CapabilityResponse:
        """Say which models and encodings are spoken."""
        del request
        await self._admit(context)
        models, encodings = self._dialect.models, self._dialect.encodings
        return CapabilityResponse(supported_models=models, supported_encodings=encodings, gNMI_version=VERSION)

    async def get(self, request: GetRequest, context: ServicerContext[GetRequest, GetResponse]) -> GetResponse:
        """Return what stands below each path."""
        await self._admit(context)
        if not self._dialect.gets:
            await context.abort(StatusCode.UNIMPLEMENTED, "Get is not implemented")
        try:
            areas = [self._dialect.area(path, request.prefix) for path in request.path]
        except RefusedError as error:
            await _refuse(context, error)
        said = [change for area in areas for change in self._dialect.everything(self._switch, area, _clock())]
        return GetResponse(notification=[_notification(change, request.prefix) for change in said])

    async def subscribe(
        self,
        requests: AsyncIterator[SubscribeRequest],
        context: ServicerContext[SubscribeRequest, SubscribeResponse],
    ) -> AsyncIterator[SubscribeResponse]:
        """Yield values once, whenever polled, or as they change, as the first request asks."""
        await self._admit(context)
        peer = context.peer()
        if self._per_connection and self._sessions.get(peer, 0) >= self._per_connection:
            await context.abort(StatusCode.RESOURCE_EXHAUSTED, "only one Subscribe per connection")
        self._sessions[peer] = self._sessions.get(peer, 0) + 1
        try:
            async for answer in self._session(requests, context):
                yield answer
        except RefusedError as error:
            await _refuse(context, error)
        finally:
            self._sessions[peer] -= 1
            if not self._sessions[peer]:
                del self._sessions[peer]

    async def _admit(self, context: ServicerContext[Any, Any]) -> None:
        if not self._switch.reachable:
            await context.abort(StatusCode.UNAVAILABLE, "the switch is off")
        if self._access.user:
            shown = dict(context.invocation_metadata() or ())
            if (shown.get("username"), shown.get("password")) != (self._access.user, self._access.password):
                await context.abort(StatusCode.UNAUTHENTICATED, "unknown user or wrong password")

    async def _session(
        self, requests: AsyncIterator[SubscribeRequest], context: ServicerContext[Any, Any]
    ) -> AsyncIterator[SubscribeResponse]:
        first = await anext(aiter(requests), None)
        if first is None or first.WhichOneof("request") != "subscribe":
            raise RefusedError("INVALID_ARGUMENT", "the first message must be a subscription list")
        asked = first.subscribe
        watched = [self._watched(asked, number) for number in range(len(asked.subscription))]
        if not watched:
            raise RefusedError("INVALID_ARGUMENT", "no subscription in the list")
        if asked.mode == SubscriptionList.POLL:
            async for answer in self._polled(requests, watched, asked.prefix):
                yield answer
            return
        reader = self._switch.follow()
        try:
            for answer in _said([change for one in watched for change in self._all(one)], asked.prefix):
                if not asked.updates_only:
                    yield answer
            yield SubscribeResponse(sync_response=True)
            if asked.mode == SubscriptionList.STREAM:
                async for change in self._stream(watched, reader.next):
                    if not self._switch.reachable:
                        await context.abort(StatusCode.UNAVAILABLE, "the switch is off")
                    for answer in _said([change], asked.prefix):
                        yield answer
        finally:
            self._switch.leave(reader)

    def _watched(self, asked: SubscriptionList, number: int) -> Watched:
        one = asked.subscription[number]
        area = self._dialect.area(one.path, asked.prefix)
        if asked.mode != SubscriptionList.STREAM:
            return Watched(area, 0.0)
        if one.mode not in (ON_CHANGE, SAMPLE):
            raise RefusedError("INVALID_ARGUMENT", "the mode TARGET_DEFINED is not supported")
        self._dialect.can_stream(area, on_change=one.mode == ON_CHANGE)
        if one.mode == ON_CHANGE:
            return Watched(area, 0.0)
        interval = one.sample_interval / 1e9
        if 0 < interval < LEAST_SAMPLE:
            raise RefusedError("INVALID_ARGUMENT", f"a sample interval below {LEAST_SAMPLE:g} s")
        return Watched(area, interval or LEAST_SAMPLE)

    def _all(self, one: Watched) -> list[Change]:
        return self._dialect.everything(self._switch, one.area, _clock())

    async def _polled(
        self, requests: AsyncIterator[SubscribeRequest], watched: Sequence[Watched], prefix: Path
    ) -> AsyncIterator[SubscribeResponse]:
        before: list[list[Change]] = [[] for _ in watched]
        async for request in requests:
            if request.WhichOneof("request") != "poll":
                raise RefusedError("INVALID_ARGUMENT", "only a poll may follow")
            for number, one in enumerate(watched):
                now = self._all(one)
                for answer in _said(self._dialect.since(before[number], now), prefix):
                    yield answer
                before[number] = now
            yield SubscribeResponse(sync_response=True)

    async def _stream(self, watched: Sequence[Watched], news: Any) -> AsyncIterator[Change]:  # noqa: ANN401 # Changes.next
        """Yield what an on-change stream and the samples beside it say, for ever."""
        loop = asyncio.get_running_loop()
        dialect, switch = self._dialect, self._switch
        due: dict[int, float] = {n: loop.time() + one.interval for n, one in enumerate(watched) if one.interval}
        before: Mapping[int, list[Change]] = {number: self._all(watched[number]) for number in due}
        last = {**before}
        rewrite = loop.time() + dialect.rewrites * (0.5 + _phase(switch.name)) if dialect.rewrites else float("inf")
        while True:
            until = min([rewrite, *due.values()])
            ports = await news(None if until == float("inf") else max(until - loop.time(), 0.0))
            now = loop.time()
            for number, one in enumerate(watched):
                said: Iterable[Change] = ()
                if number not in due:
                    said = dialect.changed(switch, one.area, ports, _clock()) if ports else []
                    said = chain(said, dialect.rewritten(switch, one.area, _clock())) if now >= rewrite else said
                elif now >= due[number]:
                    current = self._all(one)
                    said, last[number] = dialect.since(last[number], current), current
                    due[number] = now + one.interval
                for change in said:
                    yield change
            if now >= rewrite:
                rewrite = now + dialect.rewrites
            if not switch.reachable:
                yield Change()


def _phase(name: str) -> float:
    """Return a fixed part of 1 for a name: no two switches of a hall do anything at the same moment."""
    return blake2s(name.encode(), digest_size=1).digest()[0] / 256


def _clock() -> int:
    return int(asyncio.get_running_loop().time())


def _said(changes: Sequence[Change], prefix: Path) -> list[SubscribeResponse]:
    return [SubscribeResponse(update=_notification(change, prefix)) for change in changes]


def _notification(change: Change, prefix: Path) -> Notification:
    stamp = int(asyncio.get_running_loop().time() * 1e9)
    return Notification(timestamp=stamp, prefix=prefix, update=change.updates, delete=change.deletes)


async def _refuse(context: ServicerContext[Any, Any], error: RefusedError) -> NoReturn:
    await context.abort(StatusCode[error.code], str(error))
    raise AssertionError
