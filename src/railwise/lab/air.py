"""A fabric as a simulation in NVIDIA Air: made, waited for, started, reached, and taken down again.

Air runs virtual switches and servers with real operating systems, which no laboratory of ours can; it takes minutes and
an account. So a deployment is one thing with an end: whatever goes wrong in between, the simulation is deleted. The
calls are those of its documented REST API (version 3); nothing is sent to it but the manifest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec.json
from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout

DEFAULT_URL: Final = "https://api.dsx-air.nvidia.com/api/v3"
READY: Final = "INACTIVE"
RUNS: Final = "ACTIVE"
FAILED: Final = ("INVALID", "ERROR", "DELETING", "DELETED")
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
LARGEST_ANSWER: Final = 64 * 1024 * 1024
MOST_PAGES: Final = 1000
PATIENCE: Final = 60.0
"""Seconds that one call may take."""


class AirError(Exception):
    """Air does not do what it is asked; the message says what and why, ``hint`` what would help."""

    def __init__(self, message: str, hint: str = "") -> None:
        """Keep both."""
        super().__init__(message)
        self.hint = hint


class Exposed(NamedTuple):
    """A port of a simulated machine that shall be reached from outside."""

    node: str
    interface: str
    port: int

    def text(self) -> str:
        """Return ``node/interface:port``."""
        return f"{self.node}/{self.interface}:{self.port}"


class Air:
    """The calls of one account. ``poll`` is in seconds, between two looks at a state."""

    def __init__(self, session: ClientSession, url: str, poll: float = 5.0) -> None:
        """Use an open session that shows the key."""
        self._session: Final = session
        self._url: Final = url.rstrip("/")
        self._poll: Final = poll

    async def create(self, manifest: bytes) -> str:
        """Import a manifest, and return the simulation's id once it is ready to be started. Raises AirError."""
        made = await self._call("POST", "simulations/import/", manifest)
        return _text(made, "id")

    async def start(self, simulation: str) -> None:
        """Start a simulation. Raises AirError."""
        await self._call("PATCH", f"simulations/{simulation}/start/", b"{}")

    async def wait(self, simulation: str, wanted: str, seconds: float) -> None:
        """Wait until a simulation is in a state. Raises AirError if it fails, or takes longer."""
        state = ""
        try:
            async with asyncio.timeout(seconds):
                while (state := _text(await self._call("GET", f"simulations/{simulation}/"), "state")) != wanted:
                    if state in FAILED:
                        raise AirError(f"the simulation is {state}", "Air's own page of it may say why")
                    await asyncio.sleep(self._poll)
        except TimeoutError:
            raise AirError(
                f"still {state or 'silent'} after {seconds:g} s, not {wanted}", "give it more --minutes"
            ) from None

    async def expose(self, simulation: str, wanted: Sequence[Exposed]) -> dict[str, str]:
        """Return where the ports are reached, ``host:port`` by ``node/interface:port``. Raises AirError."""
        nodes = {_text(one, "id"): _text(one, "name") for one in await self._all("simulations/nodes/", simulation)}
        interfaces: dict[tuple[str, str], str] = {}
        for one in await self._all("simulations/nodes/interfaces/", simulation):
            interfaces[nodes.get(_text(one, "node"), ""), _text(one, "name")] = _text(one, "id")
        found = {}
        for port in wanted:
            interface = interfaces.get((port.node, port.interface))
            if interface is None:
                raise AirError(
                    f"the simulation has no interface {port.node}/{port.interface}", "name one of the fabric"
                )
            kind = "SSH" if port.port == 22 else "OTHER"  # noqa: PLR2004 # the port of ssh
            asked = {"name": f"{port.node}-{port.port}", "interface": interface, "node_port": port.port}
            body = msgspec.json.encode(asked | {"service_type": kind})
            made = await self._call("POST", "simulations/nodes/interfaces/services/", body)
            found[port.text()] = f"{_text(made, 'worker_fqdn')}:{made.get('worker_port')}"
        return found

    async def delete(self, simulation: str) -> None:
        """Delete a simulation; one that is gone already is as wanted. Raises AirError."""
        await self._call("DELETE", f"simulations/{simulation}/", gone=True)

    async def _all(self, path: str, simulation: str) -> list[Mapping[str, Any]]:
        """Return every page of a list."""
        found: list[Mapping[str, Any]] = []
        following = f"{path}?simulation={simulation}"
        for _ in range(MOST_PAGES):
            page = await self._call("GET", following)
            found += [one for one in page.get("results") or () if isinstance(one, dict)]
            following = str(page.get("next") or "")
            if not following:
                return found
        raise AirError(f"{path} has more than {MOST_PAGES} pages")

    async def _call(
        self, method: str, path: str, body: bytes | None = None, *, gone: bool = False
    ) -> Mapping[str, Any]:
        url = path if path.startswith(f"{self._url}/") else f"{self._url}/{path}"
        if "://" in path and url != path:
            raise AirError("Air names a page on another server, which is not followed")
        headers = {"Content-Type": "application/json"} if body is not None else {}
        try:
            async with self._session.request(method, url, data=body, headers=headers, allow_redirects=False) as answer:
                if gone and answer.status == 404:  # noqa: PLR2004 # HTTP Not Found
                    return {}
                return await _answer(method, answer)
        except (ClientError, TimeoutError, OSError) as error:
            raise AirError(f"{self._url} cannot be reached: {str(error) or type(error).__name__}") from None


@asynccontextmanager
async def connected(url: str, key: str, poll: float = 5.0) -> AsyncIterator[Air]:
    """Yield the calls of the account that a key belongs to. Raises AirError for an address without encryption."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise AirError(f"{url} is not encrypted, and the key would be seen", "write https://…")
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
    async with ClientSession(headers=headers, timeout=ClientTimeout(total=PATIENCE)) as session:
        yield Air(session, url, poll)


@asynccontextmanager
async def simulated(air: Air, manifest: bytes, seconds: float, *, keep: bool = False) -> AsyncIterator[str]:
    """Yield the id of a simulation that runs, and delete it however this ends, unless it shall be kept."""
    simulation = await air.create(manifest)
    try:
        await air.wait(simulation, READY, seconds)
        await air.start(simulation)
        await air.wait(simulation, RUNS, seconds)
        yield simulation
    finally:
        if not keep:
            await air.delete(simulation)


async def _answer(method: str, answer: ClientResponse) -> Mapping[str, Any]:
    data = bytearray()
    async for chunk in answer.content.iter_chunked(64 * 1024):
        data += chunk
        if len(data) > LARGEST_ANSWER:
            raise AirError(f"more than {LARGEST_ANSWER} bytes from {answer.url.path}")
    if answer.status in (401, 403):
        raise AirError(f"HTTP {answer.status}: the key is not accepted", "AIR_API_KEY or --key-file holds a key of Air")
    if not 200 <= answer.status < 300:  # noqa: PLR2004 # HTTP says so
        said = " ".join(bytes(data[:400]).decode("utf-8", "replace").split())
        raise AirError(f"HTTP {answer.status} to {method} {answer.url.path}: {said[:200]}")
    if not data:
        return {}
    try:
        value = msgspec.json.decode(bytes(data))
    except (msgspec.DecodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise AirError(f"an answer of {answer.url.path} that is no JSON object")
    return value


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str) or not found:
        raise AirError(f"an answer without '{key}'")
    return found
