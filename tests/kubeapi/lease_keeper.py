"""A server that keeps one Lease as an API server would, and loses answers when a test says so."""

from __future__ import annotations

import json
from typing import Any

from tests.kubeapi.misbehaving import Conversation, status


class LeaseKeeper:
    """One Lease. So many answers are lost after the write was made (``lose``); who is ``cut_off`` gets none."""

    def __init__(self) -> None:
        self.lease: dict[str, Any] | None = None
        self.version = 0
        self.lose = 0
        self.down = False
        self.cut_off: set[str] = set()
        self.holders: list[str] = []

    async def step(self, talk: Conversation) -> None:
        if talk.asked.headers["authorization"].removeprefix("Bearer ") in self.cut_off:
            await talk.for_ever()
        if self.down:
            await talk.reply(503, status(503, "ServiceUnavailable"))
            return
        code, body = self.answer(talk.asked.verb, talk.asked.body)
        if talk.asked.verb != "GET" and self.lose:
            self.lose -= 1
            await talk.hang_up()
            return
        await talk.reply(code, body)

    def answer(self, verb: str, data: bytes) -> tuple[int, Any]:
        if verb == "GET":
            return (200, self.lease) if self.lease is not None else (404, status(404, "NotFound"))
        body = json.loads(data)
        wanted = body["metadata"].get("resourceVersion", "")
        if verb == "POST" and self.lease is not None:
            return 409, status(409, "AlreadyExists")
        if verb == "PUT" and wanted != str(self.version):
            return 409, status(409, "Conflict")
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        self.lease = body
        self.holders.append(body["spec"].get("holderIdentity", ""))
        return 200, body
