"""A small NVIDIA Air, written from its documented REST API: enough to import, start, reach and delete a simulation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

KEY = "nvapi-for-tests"
PAGE = 2
"""Entries of one page of a list."""


@dataclass
class Simulation:
    """One simulation: what was imported, the states it goes through at each look, its services."""

    manifest: dict[str, Any]
    states: list[str]
    services: list[dict[str, Any]] = field(default_factory=list)

    def look(self) -> str:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


def shown(name: str, state: str) -> dict[str, Any]:
    """Return a simulation as the API shows it."""
    moment = "2026-11-30T12:00:00Z"
    told = {"created": moment, "modified": moment, "creator": "somebody@example.com"}
    return {"id": name, "name": "x", "state": state, "auto_oob_enabled": False, "enable_dhcp": False, **told}


class FakeAir:
    """The server. ``on_start`` are the states after a start; ``called`` is what was asked, in order."""

    def __init__(self, on_start: tuple[str, ...] = ("REQUESTING", "PROVISIONING", "BOOTING", "ACTIVE")) -> None:
        self.on_start = on_start
        self.simulations: dict[str, Simulation] = {}
        self.called: list[str] = []
        self.url = ""
        self.made = 0

    async def answer(self, request: web.Request) -> web.Response:
        path = request.path.removeprefix("/api/v3/")
        self.called.append(f"{request.method} {path}")
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response({"detail": "Invalid token."}, status=401)
        match path.strip("/").split("/"):
            case ["simulations", "import"] if request.method == "POST":
                return self._imported(await request.json())
            case ["simulations", "nodes"] if request.method == "GET":
                return self._page(request, self._nodes(request.query["simulation"]))
            case ["simulations", "nodes", "interfaces"] if request.method == "GET":
                return self._page(request, self._interfaces(request.query["simulation"]))
            case ["simulations", "nodes", "interfaces", "services"] if request.method == "POST":
                return self._service(await request.json())
            case ["simulations", name, "start"] if request.method == "PATCH" and name in self.simulations:
                self.simulations[name].states = list(self.on_start)
                return web.json_response({"id": name})
            case ["simulations", name] if name in self.simulations:
                if request.method == "DELETE":
                    del self.simulations[name]
                    return web.Response(status=204)
                return web.json_response(shown(name, self.simulations[name].look()))
        return web.json_response({"detail": "Not found."}, status=404)

    def _imported(self, manifest: dict[str, Any]) -> web.Response:
        if manifest.get("format") != "JSON" or not (manifest.get("title") or manifest.get("name")):
            return web.json_response({"format": ["This field is required."]}, status=400)
        nodes = manifest["content"]["nodes"]
        for link in manifest["content"]["links"]:
            for end in link:
                if end != "unconnected" and end["node"] not in nodes:
                    return web.json_response({"content": [f"unknown node {end['node']}"]}, status=400)
        self.made += 1
        name = f"00000000-0000-4000-8000-{self.made:012}"
        self.simulations[name] = Simulation(manifest, ["IMPORTING", "IMPORTING", "INACTIVE"])
        return web.json_response(shown(name, "IMPORTING"), status=201)

    def _nodes(self, name: str) -> list[dict[str, Any]]:
        return [{"id": f"n-{node}", "name": node} for node in self.simulations[name].manifest["content"]["nodes"]]

    def _interfaces(self, name: str) -> list[dict[str, Any]]:
        content = self.simulations[name].manifest["content"]
        found = [{"id": f"i-{node}-eth0", "name": "eth0", "node": f"n-{node}"} for node in content["nodes"]]
        for link in content["links"]:
            for end in link:
                if end != "unconnected":
                    one = (end["node"], end["interface"])
                    found.append({"id": "i-" + "-".join(one), "name": one[1], "node": f"n-{one[0]}"})
        return found

    def _page(self, request: web.Request, entries: list[dict[str, Any]]) -> web.Response:
        offset = int(request.query.get("offset", 0))
        here = f"{self.url}/{request.path.removeprefix('/api/v3/')}?simulation={request.query['simulation']}"
        following = f"{here}&offset={offset + PAGE}" if offset + PAGE < len(entries) else None
        return web.json_response({"count": len(entries), "next": following, "results": entries[offset : offset + PAGE]})

    def _service(self, asked: dict[str, Any]) -> web.Response:
        if asked["service_type"] not in ("SSH", "OTHER"):
            return web.json_response({"service_type": ["not a valid choice"]}, status=400)
        place = {"worker_fqdn": "worker.example", "worker_port": 20_000 + asked["node_port"]}
        return web.json_response({"id": "s", **asked, **place}, status=201)


@asynccontextmanager
async def served(air: FakeAir) -> AsyncIterator[FakeAir]:
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", air.answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    air.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/v3"
    try:
        yield air
    finally:
        await runner.cleanup()
