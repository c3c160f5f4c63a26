"""A server that does to each connection what a test says: answers by the byte, falls silent, hangs up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.credentials import FixedCredentials, bearer
from railwise.kubeapi.retry import Backoff, RetryPolicy
from railwise.kubeapi.settings import Observer, Settings

QUICK = Settings(
    timeout=5.0,
    retry=RetryPolicy(attempts=4, backoff=Backoff(0.001, 0.002)),
    watch_backoff=Backoff(0.001, 0.002),
)


@dataclass
class Asked:
    """A request as it came."""

    verb: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Conversation:
    """One request and the means to answer it badly."""

    def __init__(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        self.asked = asked
        self.writer = writer

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self, code: int, body: object, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {code} Whatever", f"Content-Length: {len(data)}", "Content-Type: application/json"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode() + data)

    async def begin(self) -> None:
        """Begin an answer without an end."""
        head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        await self.raw(head.encode())

    async def chunk(self, data: bytes) -> None:
        await self.raw(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def event(self, kind: str, value: object) -> None:
        await self.chunk(json.dumps({"type": kind, "object": value}).encode() + b"\n")

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def hang_up(self) -> None:
        self.writer.transport.abort()

    async def for_ever(self) -> None:
        await asyncio.Event().wait()


Step = Callable[[Conversation], Awaitable[None]]


@dataclass
class Server:
    """Answers the n-th request by the n-th step, and every later one by the last."""

    steps: Sequence[Step]
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    _talks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            while not writer.is_closing():
                request = await _read(reader)
                if request is None:
                    break
                self.asked.append(request)
                await self.steps[min(len(self.asked), len(self.steps)) - 1](Conversation(request, writer))
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._talks.discard(task)
            writer.transport.abort()

    def access(self, name: str = "somebody") -> Access:
        return Access(f"http://127.0.0.1:{self.port}", FixedCredentials(bearer(name)))

    async def stop(self) -> None:
        for task in list(self._talks):
            task.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)
        await asyncio.sleep(0)


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode().strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    verb, path, _ = first.split(" ")
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(verb, path, headers, body)


@asynccontextmanager
async def server(*steps: Step) -> AsyncIterator[Server]:
    """Yield a server that takes these steps."""
    one = Server(steps)
    listening = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.port = listening.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        listening.close()
        await one.stop()


@asynccontextmanager
async def talking(
    *steps: Step, settings: Settings = QUICK, observer: Observer | None = None
) -> AsyncIterator[tuple[Client, Server]]:
    """Yield a client and the server it talks to."""
    async with server(*steps) as one, connect(one.access(), settings, observer) as client:
        yield client, one


def answers(code: int, body: object = None, **headers: str) -> Step:
    """Return the step that answers so."""

    async def step(talk: Conversation) -> None:
        await talk.reply(code, {} if body is None else body, **headers)

    return step


async def hangs_up(talk: Conversation) -> None:
    """Close the connection without an answer."""
    await talk.hang_up()


async def says_nothing(talk: Conversation) -> None:
    """Never answer."""
    await talk.for_ever()


def status(code: int, reason: str = "", message: str = "", **details: object) -> dict[str, object]:
    """Return a Status as servers send it."""
    found: dict[str, object] = {
        "kind": "Status",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    }
    return found | ({"details": details} if details else {})


def thing(name: str, version: int, **more: object) -> dict[str, object]:
    """Return an object."""
    return {"metadata": {"name": name, "namespace": "a", "uid": f"u-{name}", "resourceVersion": str(version)}, **more}


def listing(version: int, *items: object, more: str = "") -> dict[str, object]:
    """Return a list, or the part of one that goes on at ``more``."""
    return {"kind": "List", "metadata": {"resourceVersion": str(version), "continue": more}, "items": list(items)}
