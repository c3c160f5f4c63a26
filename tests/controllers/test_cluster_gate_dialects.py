"""The objects of Kueue, KAI and Volcano in gate mode: pods are the default scheduler's, and told what is planned."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from railwise.controllers.gate_cache import GateCache
from railwise.controllers.gate_mode import GateMode
from railwise.controllers.scheduler import Scheduler
from railwise.formats.kubernetes.gate_marks import GATE, released_to
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.client import Client
from railwise.kubeapi.resources import PODS
from tests.controllers.makers import WORKLOAD
from tests.controllers.resources import defined
from tests.controllers.test_cluster_dialects import (
    EXAMPLES,
    FILES,
    GROUPED_BY,
    PATIENCE,
    applied,
    client,
    definitions,
    documents,
    planned,
)
from tests.controllers.test_cluster_scheduler import until

__all__ = ["client"]

pytestmark = [pytest.mark.slow, pytest.mark.cluster]


def at_the_gate(value: Any) -> Any:
    """Return an object whose pods are the default scheduler's and held, as the policy makes them."""
    if isinstance(value, list):
        return [at_the_gate(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: at_the_gate(one) for key, one in value.items()}
    if "schedulerName" in found:
        found["schedulerName"] = "default-scheduler"
    if "containers" in found:
        found["schedulingGates"] = [{"name": GATE}]
    return found


async def told(client: Client) -> dict[str, str]:
    """Return the nodes that pods were let through to, by what made them."""
    found: dict[str, list[str]] = {}
    for pod in (await client.list(PODS, Pod)).objects:
        node = released_to(pod)
        if node:
            named = {**pod.metadata.labels, **pod.metadata.annotations}
            owner = next((named[key] for key in (WORKLOAD, *GROUPED_BY) if key in named), pod.metadata.name)
            found.setdefault(owner, []).append(node)
    return {name: ",".join(sorted(nodes)) for name, nodes in found.items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_an_example_is_let_through_as_planned(path: Path, client: Client) -> None:
    objects = [*documents(EXAMPLES / "nodes.yaml"), *at_the_gate(documents(path))]
    wanted = planned(path)
    cache = GateCache()
    async with defined(client, [one for _, one in definitions(objects)]), applied(client, objects):
        scheduler = Scheduler(client, cache, mode=GateMode(cache))
        task = asyncio.create_task(scheduler.run())
        try:
            async with asyncio.timeout(PATIENCE):
                await scheduler.ready.wait()

            async def done() -> bool:
                return await told(client) == wanted

            try:
                await until(done)
            except TimeoutError:
                assert await told(client) == wanted
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
