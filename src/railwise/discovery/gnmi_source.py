"""One switch over gNMI: found, subscribed to, and kept up through every failure.

Thousands of these run in one process, so each is one task with one stream. What a switch sends before its first sync
belongs together and is told as a whole; after that, each change is told as it comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from grpc import StatusCode
from grpc.aio import AioRpcError, Channel

from railwise.discovery.backoff import Backoff
from railwise.discovery.gnmi_target import PORTS, CredentialsError, channel, metadata
from railwise.discovery.gnmi_ways import Way, ways_for
from railwise.discovery.hearing import Changed, Failed, Records, Sink, Whole
from railwise.formats.discovery.settings import Target
from railwise.gnmi.gnmi_pb2 import CapabilityRequest, CapabilityResponse, SubscribeRequest, SubscriptionList
from railwise.gnmi.service import Stub
from railwise.model.errors import InputError

PATIENCE: Final = 10.0
"""Seconds until a switch must have answered a question, or sent its first sync."""

NOT_THIS_WAY: Final = (StatusCode.INVALID_ARGUMENT, StatusCode.UNIMPLEMENTED, StatusCode.NOT_FOUND)
"""With these a switch says that it does not understand, not that something is wrong with it."""


class SilentError(Exception):
    """The switch cannot be read; the message says why."""


class GnmiSource:
    """A switch as a source."""

    def __init__(self, target: Target, backoff: Backoff) -> None:
        """Prepare, without connecting."""
        self.name: Final = f"gnmi:{target.name}"
        self._target: Final = target
        self._backoff: Final = backoff
        self._port = target.port
        self._way: Callable[[], Way] | None = None

    async def once(self, sink: Sink) -> None:
        """Tell what the switch hears now."""
        try:
            await self._session(SubscriptionList.ONCE, sink)
        except SilentError as error:
            sink(Failed(self.name, self._target.name, str(error)))

    async def watch(self, sink: Sink) -> None:
        """Tell what the switch hears, and every change."""
        while True:
            try:
                await self._session(SubscriptionList.STREAM, sink)
                reason = "the switch ended the stream"
            except SilentError as error:
                reason = str(error)
            wait = self._backoff.wait()
            sink(Failed(self.name, self._target.name, reason, wait))
            await asyncio.sleep(wait)

    async def _session(self, mode: SubscriptionList.Mode, sink: Sink) -> None:
        """Find port and way where they are not known, and read to the end of the stream. Raises SilentError."""
        try:
            shown = metadata(self._target.login)
            ports = [self._port] if self._port else list(PORTS)
            reasons = []
            for port in ports:
                async with channel(self._target, port) as way_in:
                    capabilities, reason = await self._greet(way_in, shown)
                    if capabilities is not None or (reason and len(ports) == 1 and "UNIMPLEMENTED" in reason):
                        self._port = port
                        await self._subscribe(way_in, shown, capabilities, mode, sink)
                        return
                    reasons.append(f"port {port}: {reason}")
        except CredentialsError as error:
            raise SilentError(str(error)) from None
        raise SilentError(reasons[0] if len(reasons) == 1 else "no gNMI at the usual ports: " + "; ".join(reasons))

    async def _greet(
        self, way_in: Channel, shown: tuple[tuple[str, str], ...]
    ) -> tuple[CapabilityResponse | None, str]:
        """Return what the switch can do, or why it does not say so."""
        try:
            call = Stub(way_in).capabilities(CapabilityRequest(), metadata=shown, timeout=PATIENCE)
            return await call, ""
        except AioRpcError as error:
            return None, _status(error)

    async def _subscribe(
        self,
        way_in: Channel,
        shown: tuple[tuple[str, str], ...],
        capabilities: CapabilityResponse | None,
        mode: SubscriptionList.Mode,
        sink: Sink,
    ) -> None:
        """Read the stream in the first way that the switch understands."""
        reasons = []
        for way in [self._way] if self._way is not None else ways_for(self._target.dialect, capabilities):
            try:
                await self._read(way_in, shown, way(), mode, sink)
            except AioRpcError as error:
                reasons.append(_status(error))
                if self._way is None and error.code() in NOT_THIS_WAY:
                    continue
                raise SilentError(_status(error)) from None
            else:
                return
        raise SilentError("no way to ask for neighbours that the switch understands: " + "; ".join(reasons))

    async def _read(
        self,
        way_in: Channel,
        shown: tuple[tuple[str, str], ...],
        way: Way,
        mode: SubscriptionList.Mode,
        sink: Sink,
    ) -> None:
        ended = asyncio.Event()

        async def requests() -> AsyncIterator[SubscribeRequest]:
            yield SubscribeRequest(subscribe=way.subscription(mode))
            await ended.wait()

        call = Stub(way_in).subscribe(requests(), metadata=shown)
        first: dict[str, Records] | None = {}
        try:
            async with asyncio.timeout(PATIENCE) as patience:
                async for answer in call:
                    if answer.WhichOneof("response") == "sync_response":
                        patience.reschedule(None)
                        self._way = type(way)
                        self._backoff.reset()
                        if first is not None:
                            sink(Whole(self.name, self._target.name, first))
                            first = None
                        if mode == SubscriptionList.ONCE:
                            return
                        continue
                    ports = way.read(answer.update)
                    if first is not None:
                        first |= ports
                    elif way.whole and ports:
                        sink(Whole(self.name, self._target.name, ports))
                    elif ports:
                        sink(Changed(self.name, self._target.name, ports))
        except TimeoutError:
            raise SilentError(f"no complete answer within {PATIENCE:g} s") from None
        except InputError as error:
            raise SilentError(f"an answer that cannot be read: {error.faults[0].message[:120]}") from None
        finally:
            ended.set()
            call.cancel()


def _status(error: AioRpcError) -> str:
    text = " ".join((error.details() or "").split())[:200]
    return f"{error.code().name}: {text}" if text else error.code().name
