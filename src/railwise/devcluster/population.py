"""Filling a cluster with nodes: as quickly as the API server takes them, without losing count of what fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.errors import ConflictError
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import DEFINITIONS, NODES


def create_nodes(kubeconfig: Path, objects: Sequence[dict[str, Any]]) -> int:
    """Create nodes and return how many were not there yet.

    Raises:
        ApiError: the server cannot be reached or refuses one.
    """
    return asyncio.run(_create(kubeconfig, objects))


async def _create(kubeconfig: Path, objects: Sequence[dict[str, Any]]) -> int:
    async with connect(access_from(merge([kubeconfig]))) as client, asyncio.TaskGroup() as group:
        tasks = [group.create_task(_one(client, one)) for one in objects]
    return sum(task.result() for task in tasks)


async def _one(client: Client, node: dict[str, Any]) -> bool:
    try:
        await client.create(NODES, "", node)
    except ConflictError:
        return False
    return True


def define_kinds(kubeconfig: Path, definitions: Sequence[dict[str, Any]]) -> None:
    """Create CustomResourceDefinitions that are not there yet.

    Raises:
        ApiError: the server cannot be reached or refuses one.
    """
    asyncio.run(_define(kubeconfig, definitions))


async def _define(kubeconfig: Path, definitions: Sequence[dict[str, Any]]) -> None:
    async with connect(access_from(merge([kubeconfig]))) as client:
        for one in definitions:
            with suppress(ConflictError):
                await client.create(DEFINITIONS, "", one)


def describe(kubeconfig: Path) -> tuple[str, int]:
    """Return the server's version and the number of nodes.

    Raises:
        ApiError: the server cannot be reached or refuses.
    """
    return asyncio.run(_describe(kubeconfig))


async def _describe(kubeconfig: Path) -> tuple[str, int]:
    async with connect(access_from(merge([kubeconfig]))) as client:
        listing = await client.list(NODES, PartialObject)
        return await client.version(), len(listing.objects)
