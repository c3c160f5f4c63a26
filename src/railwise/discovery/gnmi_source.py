"""One switch over gNMI: found, subscribed to, and kept up through every failure.

Thousands of these run in one process, so each is one task with one stream. What a switch sends before its first sync
belongs together and is told as a whole; after that, each change is told as it comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final, NamedTuple

from grpc import StatusCode
from grpc.aio import AioRpcError

from railwise.discovery.backoff import Backoff
from railwise.discovery.flood import PAUSE, Budget, FloodError
from railwise.discovery.gnmi_target import PORTS, CredentialsError, channel, metadata
from railwise.discovery.gnmi_ways import Way, ways_for
from railwise.discovery.hearing import Changed, Failed, Records, Sink, State, Whole
from railwise.formats.discovery.settings import Target
from railwise.formats.lldp.record import MOST_PORTS
from railwise.gnmi.gnmi_pb2 import (
    CapabilityRequest,
    CapabilityResponse,
    GetRequest,
    SubscribeRequest,
    SubscriptionList,
)
from railwise.gnmi.service import Stub
from railwise.model.errors import InputError

PATIENCE: Final = 30.0
"""Seconds until a switch must have answered a question, or sent its first sync."""

STATE_EVERY: Final = 10.0
"""Seconds from one question whether a switch is being worked on to the next."""

NOT_THIS_WAY: Final = (StatusCode.INVALID_ARGUMENT, StatusCode.UNIMPLEMENTED, StatusCode.NOT_FOUND)
"""With these a switch says that it does not understand, not that something is wrong with it."""


class SilentError(Exception):
    """The switch cannot be read; the message says why. It is left alone for at least ``pause`` seconds."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        """Take the reason, and how long to wait."""
        super().__init__(reason)
        self.pause: Final = pause


class Asking(NamedTuple):
    """One attempt: the switch at the other end, what we show, how we ask, who is told; ``entered`` when it answers."""

    stub: Stub
    shown: tuple[tuple[str, str], ...]
    mode: SubscriptionList.Mode
    sink: Sink
    entered: Callable[[], None]


class GnmiSource:
    """A switch as a source."""

    def __init__(self, target: Target, backoff: Backoff, gate: asyncio.Semaphore | None = None) -> None:
        """Prepare, without connecting; ``gate`` lets only so many switches be asked for their first table at once."""
        self.name: Final = f"gnmi:{target.name}"
        self._target: Final = target
        self._backoff: Final = backoff
        self._gate: Final = gate or asyncio.Semaphore()
        self._port = target.port
        self._way: Callable[[], Way] | None = None
        self._maintained = False

    async def once(self, sink: Sink) -> None:
        """Tell what the switch hears now."""
        try:
            await self._session(SubscriptionList.ONCE, sink)
        except SilentError as error:
            sink(Failed(self.name, self._target.name, str(error)))

    async def watch(self, sink: Sink) -> None:
        """Tell what the switch hears, and every change."""
        while True:
            pause = 0.0
            try:
                await self._session(SubscriptionList.STREAM, sink)
                reason = "the switch ended the stream"
            except SilentError as error:
                reason, pause = str(error), error.pause
            wait = max(self._backoff.wait(), pause)
            sink(Failed(self.name, self._target.name, reason, wait))
            await asyncio.sleep(wait)

    async def _session(self, mode: SubscriptionList.Mode, sink: Sink) -> None:
        """Find port and way where they are not known, and read to the end of the stream. Raises SilentError."""
        await self._gate.acquire()
        waiting = True

        def entered() -> None:
            nonlocal waiting
            if waiting:
                waiting = False
                self._gate.release()

        try:
            await self._enter(mode, sink, entered)
        finally:
            entered()

    async def _enter(self, mode: SubscriptionList.Mode, sink: Sink, entered: Callable[[], None]) -> None:
        """Try the ports in turn, and read from the first that answers. Raises SilentError."""
        reasons = []
        try:
            shown = metadata(self._target.login)
            ports = [self._port] if self._port else list(PORTS)
            for port in ports:
                async with channel(self._target, port) as way_in:
                    asking = Asking(Stub(way_in), shown, mode, sink, entered)
                    capabilities, reason = await _greet(asking)
                    if capabilities is not None or (len(ports) == 1 and "UNIMPLEMENTED" in reason):
                        self._port = port
                        await self._subscribe(asking, capabilities)
                        return
                    reasons.append(f"port {port}: {reason}")
        except CredentialsError as error:
            raise SilentError(str(error)) from None
        raise SilentError(reasons[0] if len(reasons) == 1 else "no gNMI at the usual ports: " + "; ".join(reasons))

    async def _subscribe(self, asking: Asking, capabilities: CapabilityResponse | None) -> None:
        """Read the stream in the first way that the switch understands. Raises SilentError."""
        reasons = []
        for way in [self._way] if self._way is not None else ways_for(self._target.dialect, capabilities):
            try:
                await self._read(asking, way())
            except AioRpcError as error:
                reasons.append(_status(error))
                if self._way is None and error.code() in NOT_THIS_WAY:
                    continue
                raise SilentError(_status(error)) from None
            else:
                return
        raise SilentError("no way to ask for neighbours that the switch understands: " + "; ".join(reasons))

    async def _read(self, asking: Asking, way: Way) -> None:
        ended = asyncio.Event()

        async def requests() -> AsyncIterator[SubscribeRequest]:
            yield SubscribeRequest(subscribe=way.subscription(asking.mode))
            await ended.wait()

        call = asking.stub.subscribe(requests(), metadata=asking.shown)
        first: dict[str, Records] | None = {}
        clock = asyncio.get_running_loop().time
        budget = Budget(clock())
        watch: asyncio.Task[None] | None = None
        try:
            async with asyncio.timeout(PATIENCE) as patience:
                async for answer in call:
                    budget.spend(answer.update, clock())
                    if answer.WhichOneof("response") == "sync_response":
                        patience.reschedule(None)
                        self._way = type(way)
                        self._backoff.reset()
                        asking.entered()
                        if first is not None:
                            watch = await self._state(asking, way)
                            asking.sink(Whole(self.name, self._target.name, first))
                            first = None
                        if asking.mode == SubscriptionList.ONCE:
                            return
                    elif first is not None:
                        _add(first, way.read(answer.update))
                    elif ports := way.read(answer.update):
                        told = Whole if way.whole else Changed
                        asking.sink(told(self.name, self._target.name, ports))
        except TimeoutError:
            raise SilentError(f"no complete answer within {PATIENCE:g} s") from None
        except FloodError as error:
            raise SilentError(str(error), PAUSE) from None
        except InputError as error:
            raise SilentError(f"an answer that cannot be read: {error.faults[0].message[:120]}") from None
        finally:
            ended.set()
            call.cancel()
            if watch is not None:
                watch.cancel()

    async def _state(self, asking: Asking, way: Way) -> asyncio.Task[None] | None:
        """Tell whether the switch is being worked on; return what goes on asking, where it is asked for good."""
        question = way.state()
        if question is None or not await self._tell_state(asking, way, question):
            return None
        if asking.mode == SubscriptionList.ONCE:
            return None

        async def again() -> None:
            while True:
                await asyncio.sleep(STATE_EVERY)
                await self._tell_state(asking, way, question)

        return asyncio.create_task(again())

    async def _tell_state(self, asking: Asking, way: Way, question: GetRequest) -> bool:
        """Ask once; False where the switch has no answer to that, which leaves all else as it is."""
        try:
            answer = await asking.stub.get(question, metadata=asking.shown, timeout=PATIENCE)
        except AioRpcError as error:
            return error.code() not in NOT_THIS_WAY
        maintained = way.maintained(answer)
        if maintained != self._maintained:
            self._maintained = maintained
            asking.sink(State(self.name, self._target.name, maintained))
        return True


def _add(table: dict[str, Records], ports: Mapping[str, Records]) -> None:
    """Add what was said of ports, for no more of them than any switch has."""
    for port, records in ports.items():
        if port in table or len(table) < MOST_PORTS:
            table[port] = records


async def _greet(asking: Asking) -> tuple[CapabilityResponse | None, str]:
    """Return what the switch can do, or why it does not say so."""
    try:
        return await asking.stub.capabilities(CapabilityRequest(), metadata=asking.shown, timeout=PATIENCE), ""
    except AioRpcError as error:
        return None, _status(error)


def _status(error: AioRpcError) -> str:
    text = " ".join((error.details() or "").split())[:200]
    return f"{error.code().name}: {text}" if text else error.code().name
