"""The webhook that puts the gate on new pods where the API server has no admission policies: asked, answered, bounded.

It changes nothing but the gate, and answers the same for the same pod, so it may be asked twice. What it is asked about
is chosen by its configuration (``admission.py``); servers before 1.28 do not know the finer conditions, so they are
checked here as well.
"""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

from railwise.controllers.admission import PASSED
from railwise.formats.kubernetes.gate_marks import GATE, STOCK
from railwise.formats.kubernetes.schema import Part, Pod

PATH = "/gate"
LARGEST_REVIEW = 8 * 1024 * 1024
"""Bytes of a review that are read: the API's own limit of an object, and what stands around it."""

AGENTS = ("DaemonSet", "Node")


class Request(Part, frozen=True):
    """What is asked: about which object."""

    uid: str
    object: Pod


class Review(Part, frozen=True):
    """A question of the API server."""

    request: Request


def needs_gate(pod: Pod) -> bool:
    """Return whether a new pod is to be held."""
    if pod.spec.scheduler_name not in STOCK or pod.spec.node_name or pod.metadata.labels.get(GATE) in PASSED:
        return False
    if any(owner.kind in AGENTS for owner in pod.metadata.owner_references):
        return False
    return GATE not in [gate.name for gate in pod.spec.scheduling_gates]


def answer_to(body: bytes) -> dict[str, Any]:
    """Return the answer to a review.

    Raises:
        msgspec.DecodeError: it is none.
    """
    request = msgspec.json.decode(body, type=Review).request
    response: dict[str, Any] = {"uid": request.uid, "allowed": True}
    if needs_gate(request.object):
        gate = {"name": GATE}
        some = bool(request.object.spec.scheduling_gates)
        where = "/spec/schedulingGates" + ("/-" if some else "")
        patch = [{"op": "add", "path": where, "value": gate if some else [gate]}]
        response |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(patch).encode()).decode()}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}


async def _review(request: web.Request) -> web.Response:
    try:
        return web.json_response(answer_to(await request.read()))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return web.Response(status=400, text=f"this is no review of a new pod: {error}\n")


@asynccontextmanager
async def webhook(host: str, port: int, context: ssl.SSLContext) -> AsyncIterator[int]:
    """Answer reviews at an address (port 0: any free one) while the context lasts, and yield the port.

    Raises:
        OSError: the address cannot be used.
    """
    application = web.Application(client_max_size=LARGEST_REVIEW)
    application.add_routes([web.post(PATH, _review)])
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, ssl_context=context).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
