"""UFM, NetQ and NMX on one port of loopback, each with its own paths and its own way to log in."""

from __future__ import annotations

import secrets
from base64 import b64decode
from hmac import compare_digest
from typing import Final

from aiohttp import web

from railwise.lab.gnmi_switch import ANYBODY, Access
from railwise.lab.laboratory import Laboratory
from railwise.lab.rest.documents import netq_topology, nmx_compute_nodes, ufm_ports

PREMISES: Final = [{"name": "Lab", "opid": 0, "config_key_viewed": False}]
LARGEST_BODY: Final = 64 * 1024


class Endpoints:
    """The three managers of a laboratory; with ``access`` empty, any user is let in."""

    def __init__(self, laboratory: Laboratory, access: Access = ANYBODY) -> None:
        """Prepare, without opening a port."""
        self._laboratory: Final = laboratory
        self._access: Final = access
        self._tokens: Final[set[str]] = set()
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Open a port (0: any free one). Raises OSError where it is taken."""
        application = web.Application(client_max_size=LARGEST_BODY)
        application.add_routes(
            [
                web.get("/ufmRest/resources/ports", self._ufm),
                web.post("/api/netq/auth/v1/login", self._login),
                web.get("/api/netq/auth/v1/select/opid/{opid}", self._select),
                web.post("/api/netq/telemetry/v1/object/topologygraph/fetch-topology", self._netq),
                web.get("/nmx/v1/compute-nodes", self._nmx),
            ]
        )
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Close the port."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _ufm(self, request: web.Request) -> web.Response:
        self._admit(request)
        return web.json_response(ufm_ports(self._laboratory))

    async def _nmx(self, request: web.Request) -> web.Response:
        self._admit(request)
        return web.json_response(nmx_compute_nodes(self._laboratory))

    async def _login(self, request: web.Request) -> web.Response:
        body = await _object(request)
        if not self._knows(str(body.get("username", "")), str(body.get("password", ""))):
            raise web.HTTPUnauthorized(text="unknown user or wrong password")
        return web.json_response({"access_token": self._token(), "premises": PREMISES})

    async def _select(self, request: web.Request) -> web.Response:
        self._bearer(request)
        return web.json_response({"access_token": self._token()})

    async def _netq(self, request: web.Request) -> web.Response:
        self._bearer(request)
        await _object(request)
        return web.json_response(netq_topology(self._laboratory))

    def _token(self) -> str:
        token = secrets.token_urlsafe(24)
        self._tokens.add(token)
        return token

    def _admit(self, request: web.Request) -> None:
        kind, _, encoded = request.headers.get("Authorization", "").partition(" ")
        try:
            user, _, password = b64decode(encoded if kind == "Basic" else "").decode().partition(":")
        except ValueError:
            user = password = ""
        if not self._knows(user, password):
            raise web.HTTPUnauthorized(text="unknown user or wrong password")

    def _bearer(self, request: web.Request) -> None:
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self._tokens:
            raise web.HTTPUnauthorized(text="log in first")

    def _knows(self, user: str, password: str) -> bool:
        shown, known = (user, password), (self._access.user, self._access.password)
        pair = all(compare_digest(one.encode(), other.encode()) for one, other in zip(shown, known, strict=True))
        return not self._access.user or pair


async def _object(request: web.Request) -> dict[str, object]:
    try:
        body = await request.json()
    except ValueError:
        raise web.HTTPBadRequest(text="expected a JSON object") from None
    if not isinstance(body, dict):
        raise web.HTTPBadRequest(text="expected a JSON object")
    return body
