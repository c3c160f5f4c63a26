"""A bad network between a scheduler and its API server: by seed, answers late, refused, lost, or cut in the middle.

Nothing happens that Kubernetes rules out: a list that was asked for without a version is never older than the question,
though it may arrive when it is; news of one kind keeps its order, though it may come late against that of another kind
(``lag``) and twice in a row (``twice``).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import aiohttp
from aiohttp import web

from railwise.kubeapi.access import Access
from railwise.kubeapi.credentials import FixedCredentials

KEPT = ("Content-Type", "Retry-After")

PLAIN = {"Accept": "application/json", "Accept-Encoding": "identity"}

REFUSALS = (429, 500, 502, 503, 504)
STATUS = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}
READING = ("late", "refused", "unsent", "lost", "stale")
WRITING = ("late", "refused", "unsent", "lost", "lost", "conflict")
WATCHING = ("late", "refused", "unsent", "cut", "expired", "lag", "twice")


class FaultProxy:
    """Passes requests on with the rights of ``access``, and spoils a part of them; ``faults`` counts how.

    ``binds`` are the times (``time.time``) at which binds arrived here. Without ``streams`` lists come in pages.
    """

    def __init__(self, access: Access, seed: int, share: float, *, streams: bool = True) -> None:
        self._access = access
        self._chance = Random(seed)
        self._share = share
        self._session: aiohttp.ClientSession | None = None
        self._streams = streams
        self.faults: Counter[str] = Counter()
        self.binds: list[float] = []
        self.calm = False

    @asynccontextmanager
    async def served(self) -> AsyncIterator[Access]:
        """Yield how the server is reached through the bad network."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        async with aiohttp.ClientSession(auto_decompress=False) as self._session:
            try:
                port = runner.addresses[0][1]
                yield Access(f"http://127.0.0.1:{port}", FixedCredentials())
            finally:
                await runner.cleanup()
        await asyncio.sleep(0)

    def _draw(self, *kinds: str) -> str:
        """Return a fault, or nothing for most requests."""
        if self.calm or self._chance.random() >= self._share:
            return ""
        kind = self._chance.choice(kinds)
        self.faults[kind] += 1
        return kind

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        watch = "watch" in request.query
        body = await request.read()
        if request.path.endswith("/binding"):
            self.binds.append(time.time())
        if "sendInitialEvents" in request.query and not self._streams:
            return web.json_response({**STATUS, "code": 422, "reason": "Invalid"}, status=422)
        fault = self._draw(*(WATCHING if watch else READING if request.method == "GET" else WRITING))
        if fault == "late":
            await asyncio.sleep(self._chance.random() / 5)
        elif fault == "refused":
            return web.json_response(STATUS, status=self._chance.choice(REFUSALS))
        elif fault == "conflict":
            return web.json_response({**STATUS, "code": 409, "reason": "Conflict"}, status=409)
        elif fault == "expired":
            return web.json_response({**STATUS, "code": 410, "reason": "Expired"}, status=410)
        elif fault == "unsent":
            return self._hang_up(request)
        try:
            return await self._pass_on(request, body, fault, watch=watch)
        except aiohttp.ClientError:  # the API server is away
            return self._hang_up(request)

    async def _pass_on(self, request: web.Request, body: bytes, fault: str, *, watch: bool) -> web.StreamResponse:
        assert self._session is not None
        async with self._session.request(
            request.method,
            self._access.server + request.raw_path,
            data=body,
            headers={**PLAIN, "Content-Type": request.headers.get("Content-Type", "application/json")},
            ssl=self._access.tls(self._access.credentials.certificate()) or True,
            timeout=aiohttp.ClientTimeout(total=None),
        ) as answer:
            if watch and answer.status == 200:
                return await self._stream(request, answer, fault)
            told = await answer.read()
            if fault == "lost":
                return self._hang_up(request)
            if fault == "stale":
                await asyncio.sleep(self._chance.random())
            kept = {name: answer.headers[name] for name in KEPT if name in answer.headers}
            return web.Response(status=answer.status, body=told, headers=kept)

    async def _stream(self, request: web.Request, answer: aiohttp.ClientResponse, fault: str) -> web.StreamResponse:
        """Pass a watch on: late, each event twice, or cut after some chunks in the middle of one."""
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        left = self._chance.randint(0, 6) if fault == "cut" else -1
        async for chunk in self._told(answer, fault):
            ends = left == 0 or (left < 0 and bool(self._draw("cut later")))
            left -= left > 0
            try:
                await response.write(chunk[: self._chance.randint(0, len(chunk))] if ends else chunk)
            except ConnectionError:  # the scheduler has hung up itself
                break
            if ends:
                self._hang_up(request)
                break
        return response

    async def _told(self, answer: aiohttp.ClientResponse, fault: str) -> AsyncIterator[bytes]:
        if fault == "twice":
            async for line in answer.content:
                yield line * 2
            return
        async for chunk in answer.content.iter_any():
            if fault == "lag" and not self.calm:
                await asyncio.sleep(self._chance.random())
            yield chunk

    @staticmethod
    def _hang_up(request: web.Request) -> web.Response:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()
