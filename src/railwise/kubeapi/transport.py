"""One connection pool to one API server: requests that end in bytes or an error, and streams that end when they end.

Everything that is the same for each request happens here and only here: who we are, TLS, time limits, what is sent
again, how much of an answer is taken. A request that waits for a free connection does not use up its time limit, so
thousands may be started at once. ``guard`` is asked right before each write: it raises where this process may no longer
lead, and says how many seconds are left otherwise.
"""

from __future__ import annotations

import asyncio
import os
import random
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import NamedTuple, Self

import aiohttp
from yarl import URL

from railwise.kubeapi.access import Access, ClientCertificate
from railwise.kubeapi.answers import ERROR_FROM, refusal
from railwise.kubeapi.errors import ApiError, StatusError, UnauthorizedError, UnreachableError, UnreadableError
from railwise.kubeapi.retry import RetryPolicy
from railwise.kubeapi.settings import Observer, Settings

JSON = "application/json"
CHUNK = 1 << 16

Guard = Callable[[], float]

AGENT = "railwise"


class Call(NamedTuple):
    """One request: HTTP's verb, the path with its query, the name under which metrics count it, and what is sent.

    ``seconds`` is the limit for one try (0: as set for the connection).
    """

    verb: str
    path: str
    resource: str = ""
    body: bytes | None = None
    content_type: str = JSON
    seconds: float = 0.0


class Transport:
    """Requests to one server. Use it as a context manager, or call ``close``."""

    def __init__(
        self,
        access: Access,
        settings: Settings | None = None,
        observer: Observer | None = None,
        chance: random.Random | None = None,
    ) -> None:
        """Keep how the server is reached; the first request connects."""
        self.access = access
        self.settings = settings or Settings()
        self.observer = observer or Observer()
        self.chance = chance or random.Random()
        self._free = asyncio.Semaphore(self.settings.connections)
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._shown: ClientCertificate | None = None
        self._tls: ssl.SSLContext | None = None

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            await session.close()
        await asyncio.sleep(0)  # what was aborted is closed in the next turn of the loop

    async def request(self, call: Call, retry: RetryPolicy | None = None, guard: Guard | None = None) -> bytes:
        """Return the body of the answer.

        Args:
            call: what is asked.
            retry: when it is sent again (None: as set for the connection).
            guard: asked before each try; see the module.

        Raises:
            ApiError: what the last try ended with.
        """
        policy = retry or self.settings.retry
        attempt = 0
        renewed = False
        while True:
            attempt += 1
            try:
                return await self._once(call, guard)
            except UnauthorizedError:
                if renewed or not self.access.credentials.refused():
                    raise
                renewed = True
            except ApiError as error:
                wait = policy.wait(call.verb, attempt, error, self.chance)
                if wait is None:
                    raise
                self.observer.repeated(call.verb, call.resource, wait)
                await asyncio.sleep(wait)

    async def _once(self, call: Call, guard: Guard | None) -> bytes:
        verb, path = call.verb, call.path
        async with self._free:
            limit = call.seconds or self.settings.timeout
            if guard is not None:
                limit = min(limit, guard())
            headers = {"Accept": JSON} if call.body is None else {"Accept": JSON, "Content-Type": call.content_type}
            started = time.monotonic()
            code = 0
            try:
                async with asyncio.timeout(limit), self._open(verb, path, headers, call.body, stream=False) as answer:
                    code = answer.status
                    data = await self._whole(answer, f"{verb} {path}")
            except TimeoutError:
                hint = "the server or the network is slow, or the address is wrong"
                raise UnreachableError(f"{verb} {path}: no answer within {limit:.1f} s", sent=True, hint=hint) from None
            finally:
                self.observer.request(verb, call.resource, code, time.monotonic() - started)
        if code >= ERROR_FROM:
            raise refusal(f"{verb} {path.partition('?')[0]}", code, data, answer.headers)
        return data

    @asynccontextmanager
    async def stream(self, path: str, resource: str = "") -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a GET whose answer has no end, and yield its chunks; silence and broken connections raise.

        Streams do not count among ``connections``. They are not repeated here: only who reads one knows where it stood.

        Raises:
            ApiError: the server refuses, or the stream breaks off.
        """
        started = time.monotonic()
        async with self._open("GET", path, {"Accept": JSON}, None, stream=True) as answer:
            self.observer.request("WATCH", resource, answer.status, time.monotonic() - started)
            if answer.status >= ERROR_FROM:
                async with asyncio.timeout(self.settings.timeout):
                    data = await self._whole(answer, f"WATCH {path}")
                error = refusal(f"WATCH {path.partition('?')[0]}", answer.status, data, answer.headers)
                if isinstance(error, UnauthorizedError):
                    self.access.credentials.refused()
                raise error
            try:
                yield answer.content.iter_any()
            finally:
                _hang_up(answer)

    @asynccontextmanager
    async def _open(
        self, verb: str, path: str, headers: Mapping[str, str], body: bytes | None, *, stream: bool
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a request and translate what the library raises, here and while the answer is read."""
        access = self.access
        proof = await access.credentials.headers()
        session = self._session(stream=stream)
        limits = aiohttp.ClientTimeout(
            total=None,
            sock_connect=self.settings.connect_timeout,
            sock_read=self.settings.silence if stream else None,
        )
        try:
            async with session.request(
                verb,
                URL(access.server + path, encoded=True),
                data=body,
                headers=[*access.headers, *headers.items(), *proof.items()],
                timeout=limits,
                ssl=self._security(),
                server_hostname=access.server_name or None,
                proxy=access.proxy or None,
                allow_redirects=False,
            ) as answer:
                yield answer
        except StatusError:
            raise
        except aiohttp.ClientError as error:
            raise _translated(f"{verb} {path.partition('?')[0]}", access.server, error) from None

    def _session(self, *, stream: bool) -> aiohttp.ClientSession:
        found = self._sessions.get(stream)
        if found is None:
            encoding = "gzip, deflate" if self.settings.compress and self.access.compress else "identity"
            connector = aiohttp.TCPConnector(limit=0 if stream else self.settings.connections, ttl_dns_cache=60)
            found = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": AGENT, "Accept-Encoding": encoding},
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=CHUNK * 4,
            )
            self._sessions[stream] = found
        return found

    def _security(self) -> ssl.SSLContext | bool:
        """Return the TLS context for the certificate of now; another one means other connections."""
        certificate = self.access.credentials.certificate()
        if self._tls is None or certificate != self._shown:
            self._tls, self._shown = self.access.tls(certificate), certificate
        return self._tls if self._tls is not None else True

    async def _whole(self, answer: aiohttp.ClientResponse, what: str) -> bytes:
        """Return the body, but never more than the settings allow."""
        most = self.settings.largest_answer
        if (answer.content_length or 0) <= CHUNK and answer.content_length is not None:
            return await answer.read()
        parts: list[bytes] = []
        size = 0
        async for part in answer.content.iter_any():
            size += len(part)
            if size > most:
                raise UnreadableError(f"{what}: the answer is larger than {most} bytes")
            parts.append(part)
        return b"".join(parts)


def _hang_up(answer: aiohttp.ClientResponse) -> None:
    """Leave a stream that has not ended, without the farewell of TLS: the other side would wait for it with us."""
    connection = answer.connection
    if connection is not None and connection.transport is not None:
        connection.transport.abort()


def _translated(what: str, server: str, error: aiohttp.ClientError) -> ApiError:
    """Return one of our errors for one of the library's; what failed before it left may be sent again."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        hint = "the kubeconfig's certificate-authority or tls-server-name does not fit this server"
        return UnreachableError(f"{what}: {server} is not trusted: {_reason(error)}", sent=False, hint=hint)
    if isinstance(
        error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | aiohttp.ClientProxyConnectionError
    ):
        hint = (
            "is it running, and is this the right context? `railwise dev cluster status` tells of one on this machine"
        )
        return UnreachableError(f"{what}: cannot connect to {server}: {_reason(error)}", sent=False, hint=hint)
    if isinstance(error, aiohttp.InvalidURL):
        return UnreachableError(f"{what}: {server} is no address", sent=False)
    if isinstance(error, aiohttp.ContentTypeError | aiohttp.ClientResponseError):
        return UnreadableError(f"{what}: {_reason(error)}")
    return UnreachableError(f"{what}: the connection broke off: {_reason(error)}", sent=True)


def _reason(error: aiohttp.ClientError) -> str:
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno
        return os.strerror(number) if number and number > 0 else error.os_error.strerror or str(error.os_error)
    return str(error) or type(error).__name__
