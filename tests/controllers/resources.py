"""Custom resources on a real API server: definitions created and removed, objects, and what is said of those."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import yaml

from railwise.formats.kubernetes.dialects.sources import Kind
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import NotFoundError
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import EVENTS, Resource
from tests.conftest import SHARED

DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False
)


def resource(kind: Kind, version: str = "") -> Resource:
    return Resource(kind.group, version or kind.versions[0], kind.plural, kind.kind, kind.namespaced)


def custom(kind: Resource, name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": kind.api_version(), "kind": kind.kind, "metadata": {"name": name}, "spec": spec}


def shared_definition(kind: Kind) -> dict[str, Any] | None:
    """Return the definition of another system's kind; None where the folder is not there."""
    name = SHARED / "crds" / f"{kind.group}_{kind.plural}.yaml"
    for path in (name, name.with_suffix(".yaml.gz")):
        if path.is_file():
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            found: dict[str, Any] = yaml.safe_load(data)
            return found
    return None


@asynccontextmanager
async def defined(client: Client, definitions: Iterable[dict[str, Any]]) -> AsyncIterator[None]:
    """Have the server serve kinds for a while; their objects go with them."""
    names = []
    try:
        for one in definitions:
            body = {key: value for key, value in one.items() if key != "status"}
            await client.create(DEFINITIONS, "", body)
            names.append(one["metadata"]["name"])
            spec = one["spec"]
            for version in spec["versions"]:
                if version["served"]:
                    await served(client, Resource(spec["group"], version["name"], spec["names"]["plural"], ""))
        yield
    finally:
        for name in names:
            await client.delete(DEFINITIONS, "", name)
        for name in names:
            await gone(client, name)


async def served(client: Client, wanted: Resource) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                if await client.serves(wanted):
                    await client.list(wanted, PartialObject)
                    return
            except NotFoundError:
                pass
            await asyncio.sleep(0.05)


async def gone(client: Client, name: str) -> None:
    async with asyncio.timeout(30):
        while await client.find(DEFINITIONS, PartialObject, "", name) is not None:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


class About(msgspec.Struct):
    name: str = ""
    kind: str = ""


class Told(PartialObject, frozen=True):
    """An event as people see it."""

    reason: str = ""
    note: str = ""
    regarding: About = msgspec.field(default_factory=About)


async def events_about(client: Client, kind: str, name: str) -> list[Told]:
    listing = await client.list(EVENTS, Told)
    return [one for one in listing.objects if (one.regarding.kind, one.regarding.name) == (kind, name)]
