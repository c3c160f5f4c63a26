"""How another process acts on a running laboratory: a line of JSON each way, over a socket only its owner may open.

A socket in the file system needs no password: who may write to it is a matter of file permissions.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

from railwise.fabric.elements import Event, Port
from railwise.fabric.wires import expanded
from railwise.lab.laboratory import Laboratory
from railwise.lab.orders import OrderError, Orders

LONGEST_LINE: Final = 64 * 1024
PATIENCE: Final = 30.0
"""Seconds a line may take to arrive."""


class Changeable(Protocol):
    """What orders act on."""

    @property
    def laboratory(self) -> Laboratory:
        """The fabric that orders name parts of."""
        ...

    def apply(self, event: Event) -> frozenset[Port]:
        """Let an event happen and return the ports that changed."""
        ...

    def end(self) -> None:
        """Ask whoever runs it to stop it."""
        ...


class Control:
    """The socket of one laboratory."""

    def __init__(self, running: Changeable, path: Path) -> None:
        """Prepare, without opening the socket."""
        self._running: Final = running
        self._orders: Final = Orders(running.laboratory.fabric)
        self._path: Final = path
        self._server: asyncio.Server | None = None
        self._flaps: Final[set[asyncio.Task[None]]] = set()

    async def start(self) -> None:
        """Open the socket. Raises OSError where another laboratory holds it."""
        if self._path.exists():
            if _answers(self._path):
                raise OSError(f"another laboratory listens on {self._path}")
            self._path.unlink()
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._session, self._path, limit=LONGEST_LINE)
        finally:
            os.umask(before)

    async def stop(self) -> None:
        """Close the socket and end what still flaps."""
        for task in self._flaps:
            task.cancel()
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def _session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                answer = self._answer(await reader.readline())
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except (TimeoutError, ValueError, ConnectionError):
            pass  # who sends no line, or too long a one, gets no answer
        finally:
            writer.close()

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            order = json.loads(line)
            if isinstance(order, dict) and order.get("do") == "stop":
                self._running.end()
                return {"changed": []}
            event = self._orders.event(order if isinstance(order, dict) else {})
        except OrderError as error:
            return {"error": str(error), "hint": error.hint}
        except ValueError:
            return {"error": "expected a line of JSON", "hint": ""}
        if event.times:
            task = asyncio.get_running_loop().create_task(self._flap(event))
            self._flaps.add(task)
            task.add_done_callback(self._flaps.discard)
            return {"changed": []}
        return {"changed": [port.text() for port in sorted(self._running.apply(event))]}

    async def _flap(self, event: Event) -> None:
        start = asyncio.get_running_loop().time()
        for one in expanded((replace(event, at=0),)):
            await asyncio.sleep(max(start + one.at / 1e6 - asyncio.get_running_loop().time(), 0))
            self._running.apply(one)


def send(path: Path, order: dict[str, Any]) -> list[str]:
    """Give an order to the laboratory at a socket and return the ports that changed.

    Raises OrderError for what it refuses, OSError where no laboratory listens.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(str(path))
        connection.sendall(json.dumps(order).encode() + b"\n")
        with connection.makefile("rb") as answers:
            answer = json.loads(answers.readline(LONGEST_LINE * 64) or b"{}")
    if "error" in answer:
        raise OrderError(answer["error"], answer.get("hint", ""))
    return list(answer.get("changed", []))


def _answers(path: Path) -> bool:
    """Return whether somebody listens on a socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(path))
        except OSError:
            return False
    return True
