"""What a cluster asks a controller: is it alive, is it ready, what are its figures. Plain HTTP, read only, bounded.

``/healthz`` answers 200 as long as the process does; ``/readyz`` 200 or 503; ``/metrics`` in Prometheus' text form.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from railwise.model.errors import Fault, InputError

LARGEST_REQUEST = 16 * 1024


@asynccontextmanager
async def probes(address: str, registry: CollectorRegistry, ready: Callable[[], bool]) -> AsyncIterator[int]:
    """Answer at ``HOST:PORT`` (port 0: any free one) while the context lasts, and yield the port.

    With an empty address nothing is served. Raises InputError for what is no address, OSError where it is taken.
    """
    if not address:
        yield 0
        return
    host, port = parsed(address)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def healthy(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def is_ready(_: web.Request) -> web.Response:
        return web.Response(text="ready\n") if ready() else web.Response(status=503, text="not yet\n")

    application = web.Application(client_max_size=LARGEST_REQUEST)
    routes = [web.get("/metrics", metrics), web.get("/healthz", healthy), web.get("/readyz", is_ready)]
    application.add_routes(routes)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def parsed(address: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``, ``[::1]:PORT`` or ``:PORT`` (all interfaces). Raises InputError."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isdecimal() and int(port) < 1 << 16):
        raise InputError([Fault("", f"'{address[:80]}' is no address", "HOST:PORT, such as 0.0.0.0:9090")])
    return host.strip("[]") or "0.0.0.0", int(port)  # noqa: S104 # asked for
