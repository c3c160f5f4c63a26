"""A switch served on loopback, and what a client hears from it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from grpc.aio import insecure_channel, server

from railwise.gnmi import gnmi_pb2 as gnmi
from railwise.gnmi.paths import parse_path
from railwise.gnmi.service import Stub, serve
from railwise.lab.dialects.dialect import Dialect
from railwise.lab.gnmi_switch import ANYBODY, Access, GnmiSwitch
from railwise.lab.neighbour import Neighbour, PortState
from railwise.lab.virtual_switch import VirtualSwitch

HOST = Neighbour("02:00:00:00:00:01", "02:00:00:00:00:11", "mac", "eth0", "node-1", "Linux", "10.0.0.1", ("station",))
SPINE = Neighbour("02:00:00:00:00:02", "Ethernet8", "ifname", "to leaf-1", "spine-1", "NOS", "", ("bridge", "router"))


def leaf(ports: int = 4) -> VirtualSwitch:
    """Return a leaf whose first port hears a server, whose last port hears a spine, and nothing between."""
    states = {f"Ethernet{4 * number}": PortState() for number in range(ports)}
    states["Ethernet0"] = PortState(neighbours=(HOST,))
    states[f"Ethernet{4 * (ports - 1)}"] = PortState(neighbours=(SPINE,))
    return VirtualSwitch("leaf-1", "02:00:00:00:00:ff", states, "a switch")


@asynccontextmanager
async def asked(
    switch: VirtualSwitch, dialect: Dialect, access: Access = ANYBODY, per_connection: int = 1
) -> AsyncIterator[Stub]:
    """Serve a switch and yield a client of it."""
    end = server()
    serve(GnmiSwitch(switch, dialect, access, per_connection=per_connection), end)
    port = end.add_insecure_port("127.0.0.1:0")
    await end.start()
    try:
        async with insecure_channel(f"127.0.0.1:{port}") as channel:
            yield Stub(channel)
    finally:
        await end.stop(None)


def subscription(
    path: str,
    mode: gnmi.SubscriptionList.Mode,
    *,
    target: str = "",
    how: gnmi.SubscriptionMode = gnmi.ON_CHANGE,
    every: int = 0,
) -> gnmi.SubscribeRequest:
    """Return a subscription to one path; ``every`` is in ns."""
    one = gnmi.Subscription(path=parse_path(path), mode=how, sample_interval=every)
    asked_for = gnmi.SubscriptionList(prefix=gnmi.Path(target=target), subscription=[one], mode=mode)
    return gnmi.SubscribeRequest(subscribe=asked_for)


class Listener:
    """A stream, read message by message."""

    def __init__(self, stub: Stub, first: gnmi.SubscribeRequest) -> None:
        """Ask."""
        self._more: asyncio.Queue[gnmi.SubscribeRequest] = asyncio.Queue()
        self._more.put_nowait(first)
        self.call = stub.subscribe(self._requests())

    async def _requests(self) -> AsyncIterator[gnmi.SubscribeRequest]:
        while True:
            yield await self._more.get()

    def ask(self, request: gnmi.SubscribeRequest) -> None:
        """Send a further request."""
        self._more.put_nowait(request)

    async def until_sync(self) -> list[gnmi.Notification]:
        """Return what comes before the next sync response."""
        found = []
        async for answer in self.call:
            if answer.WhichOneof("response") == "sync_response":
                break
            found.append(answer.update)
        return found

    async def next(self) -> gnmi.Notification:
        """Return the next notification."""
        async for answer in self.call:
            return answer.update
        raise AssertionError("the stream has ended")
