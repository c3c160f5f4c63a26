"""A bad network between a scheduler and its API server: by seed, answers late, refused, lost, or cut in the middle."""

from __future__ import annotations

import asyncio
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


class FaultProxy:
    """Passes requests on with the rights of ``access``, and spoils a part of them; ``faults`` counts how."""

    def __init__(self, access: Access, seed: int, share: float) -> None:
        self._access = access
        self._chance = Random(seed)
        self._share = share
        self._session: aiohttp.ClientSession | None = None
        self.faults: Counter[str] = Counter()
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
        fault = self._draw("late", "refused", "unsent", *(("cut", "expired") if watch else ("lost",)))
        if fault == "late":
            await asyncio.sleep(self._chance.random() / 5)
        elif fault == "refused":
            return web.json_response({"kind": "Status"}, status=self._chance.choice(REFUSALS))
        elif fault == "expired":
            return web.json_response({"kind": "Status", "code": 410, "reason": "Expired"}, status=410)
        elif fault == "unsent":
            return self._hang_up(request)
        assert self._session is not None
        async with self._session.request(
            request.method,
            self._access.server + request.raw_path,
            data=await request.read(),
            headers={**PLAIN, "Content-Type": request.headers.get("Content-Type", "application/json")},
            ssl=self._access.tls(self._access.credentials.certificate()) or True,
            timeout=aiohttp.ClientTimeout(total=None),
        ) as answer:
            if watch and answer.status == 200:
                return await self._stream(request, answer, cut=fault == "cut")
            body = await answer.read()
            if fault == "lost":
                return self._hang_up(request)
            kept = {name: answer.headers[name] for name in KEPT if name in answer.headers}
            return web.Response(status=answer.status, body=body, headers=kept)

    async def _stream(self, request: web.Request, answer: aiohttp.ClientResponse, *, cut: bool) -> web.StreamResponse:
        """Pass a watch on; cut it after some chunks, in the middle of one."""
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        left = self._chance.randint(0, 6) if cut else -1
        async for chunk in answer.content.iter_any():
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

    @staticmethod
    def _hang_up(request: web.Request) -> web.Response:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()
