"""Fabric managers over HTTP: UFM, NetQ and NMX, asked every so often.

A manager knows many devices at once. A device that was in its last answer and is missing in the next has, as far as it
knows, no links any more; if the manager does not answer at all, everything it said stands.
"""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

import msgspec.json
from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, TCPConnector

from railwise.discovery.backoff import Backoff
from railwise.discovery.gnmi_target import CredentialsError, password
from railwise.discovery.hearing import Failed, Sink, Told
from railwise.fabric.observations import Report
from railwise.formats.discovery.settings import Manager
from railwise.formats.managers.netq import read_netq
from railwise.formats.managers.nmx import read_nmx
from railwise.formats.managers.ufm import read_ufm_ports
from railwise.model.errors import InputError

LARGEST_ANSWER: Final = 256 * 1024 * 1024
PATIENCE: Final = ClientTimeout(total=60, connect=10)
MICROSECONDS: Final = 1_000_000
_CHUNK: Final = 1024 * 1024


class RefusedError(Exception):
    """The manager did not answer as hoped; the message says how."""


class ManagerSource:
    """One manager."""

    def __init__(self, manager: Manager, backoff: Backoff) -> None:
        """Prepare, without connecting."""
        host = manager.url.partition("://")[2]
        self.name: Final = f"{manager.kind}:{host}"
        self._manager: Final = manager
        self._backoff: Final = backoff
        self._last: dict[str, Report] = {}

    async def once(self, sink: Sink) -> None:
        """Ask once."""
        try:
            reports = await self._ask()
        except RefusedError as error:
            sink(Failed(self.name, self.name, str(error)))
            return
        self._tell(reports, sink)

    async def watch(self, sink: Sink) -> None:
        """Ask again and again."""
        while True:
            try:
                self._tell(await self._ask(), sink)
                self._backoff.reset()
                wait = self._manager.every / MICROSECONDS
            except RefusedError as error:
                wait = self._backoff.wait()
                sink(Failed(self.name, self.name, str(error), wait))
            await asyncio.sleep(wait)

    def _tell(self, reports: list[Report], sink: Sink) -> None:
        now = {report.speaker.name: report for report in reports}
        for name in self._last.keys() - now.keys():
            now[name] = replace(self._last[name], observations=(), scale_up=())
        for name in sorted(now):
            sink(Told(self.name, name, now[name]))
        self._last = {report.speaker.name: report for report in reports}

    async def _ask(self) -> list[Report]:
        """Return what the manager says of all its devices. Raises RefusedError."""
        ask, read = WAYS[self._manager.kind]
        try:
            connector = TCPConnector(ssl=_context(self._manager))
            async with ClientSession(connector=connector, timeout=PATIENCE, trust_env=True) as session:
                data = await ask(session, self._manager)
        except (ClientError, TimeoutError, OSError, CredentialsError, ssl.SSLError) as error:
            raise RefusedError(" ".join(f"{type(error).__name__}: {error}".split())[:200]) from None
        try:
            return await asyncio.to_thread(read, data)
        except InputError as error:
            raise RefusedError(f"an answer that cannot be read: {error.faults[0].text()[:120]}") from None


async def _ask_ufm(session: ClientSession, manager: Manager) -> bytes:
    async with session.get(f"{manager.url}/ufmRest/resources/ports", headers=_basic(manager)) as answer:
        return await _body(answer)


async def _ask_nmx(session: ClientSession, manager: Manager) -> bytes:
    async with session.get(f"{manager.url}/nmx/v1/compute-nodes", headers=_basic(manager)) as answer:
        return await _body(answer)


async def _ask_netq(session: ClientSession, manager: Manager) -> bytes:
    """Log in, choose the first premises, and fetch the graph."""
    login = {"username": manager.login.user, "password": password(manager.login)}
    async with session.post(f"{manager.url}/api/netq/auth/v1/login", json=login) as answer:
        entered = _object(await _body(answer))
    premises = entered.get("premises")
    first = premises[0] if isinstance(premises, list) and premises and isinstance(premises[0], dict) else {}
    token = entered.get("access_token")
    select = f"{manager.url}/api/netq/auth/v1/select/opid/{int(first.get('opid') or 0)}"
    async with session.get(select, headers={"Authorization": f"Bearer {token}"}) as answer:
        token = _object(await _body(answer)).get("access_token", token)
    fetch = f"{manager.url}/api/netq/telemetry/v1/object/topologygraph/fetch-topology?timestamp=0"
    wanted = {"filters": [], "subgroupNestingDepth": 2}
    async with session.post(fetch, json=wanted, headers={"Authorization": f"Bearer {token}"}) as answer:
        return await _body(answer)


Ask = Callable[[ClientSession, Manager], Awaitable[bytes]]
WAYS: Final[dict[str, tuple[Ask, Callable[[bytes], list[Report]]]]] = {
    "ufm": (_ask_ufm, read_ufm_ports),
    "netq": (_ask_netq, read_netq),
    "nmx": (_ask_nmx, read_nmx),
}


async def _body(answer: ClientResponse) -> bytes:
    """Return the body of a good answer, bounded. Raises RefusedError."""
    if answer.status != 200:  # noqa: PLR2004 # HTTP OK
        raise RefusedError(f"HTTP {answer.status} from {answer.url.path}")
    data = bytearray()
    async for chunk in answer.content.iter_chunked(_CHUNK):
        data += chunk
        if len(data) > LARGEST_ANSWER:
            raise RefusedError(f"more than {LARGEST_ANSWER} bytes from {answer.url.path}")
    return bytes(data)


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise RefusedError("an answer that is no JSON object")
    return value


def _basic(manager: Manager) -> dict[str, str]:
    if not manager.login.user:
        return {}
    pair = f"{manager.login.user}:{password(manager.login)}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def _context(manager: Manager) -> ssl.SSLContext | bool:
    """Return how the manager's certificate is checked. Raises OSError for files that cannot be read."""
    trust = manager.trust
    if trust.insecure:
        return False
    context = ssl.create_default_context(cafile=trust.authority or None)
    if trust.certificate:
        context.load_cert_chain(trust.certificate, trust.key)
    return context
