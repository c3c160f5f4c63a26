"""Objects of Kueue, KAI and Volcano as their users write them, on a real API server with the published definitions.

Only ``schedulerName`` is ours. What the scheduler binds is what ``railwise plan`` says of the same files.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from railwise.controllers import addons
from railwise.controllers.cache import ClusterCache
from railwise.controllers.scheduler import Scheduler
from railwise.engine.cycle import Engine
from railwise.formats.inputs import read_inputs
from railwise.formats.kubernetes.dialects.sources import Kind, kind_of
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.errors import ConflictError
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import JOBS, NAMESPACES, NODES, PODS, Resource
from tests.conftest import ROOT
from tests.controllers.makers import WORKLOAD, pods_of
from tests.controllers.resources import defined, resource, shared_definition
from tests.controllers.test_cluster_scheduler import until

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

EXAMPLES = ROOT / "examples" / "dialects"
FILES = sorted(path for path in EXAMPLES.glob("*.yaml") if path.name != "nodes.yaml")
PATIENCE = 40.0
PRIORITY_CLASSES = Resource("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False)
GROUPED_BY = ("pod-group-name", "kueue.x-k8s.io/pod-group-name", "scheduling.k8s.io/group-name")
PLAIN = {"Node": NODES, "Pod": PODS, "Job": JOBS, "PriorityClass": PRIORITY_CLASSES}


def documents(path: Path) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


def planned(path: Path) -> dict[str, str]:
    """Return where ``railwise plan`` puts the pods of a file: nodes by workload, sorted."""
    files = (EXAMPLES / "nodes.yaml", path)
    scenario = read_inputs([(one.name, one.read_bytes()) for one in files])
    plan = Engine(scenario).cycle([], 0)
    return {entry.name: ",".join(sorted(pod.node for pod in entry.pods)) for entry in plan.workloads if entry.pods}


def definitions(objects: list[dict[str, Any]]) -> Iterator[tuple[Kind, dict[str, Any]]]:
    for kind in dict.fromkeys(kind_of(one["kind"], one["apiVersion"]) for one in objects):
        if kind is None:
            continue
        definition = shared_definition(kind)
        if definition is None:
            pytest.skip(f"the published definition of {kind.plural}.{kind.group} is not here: ../shared/crds")
        yield kind, definition


def where(one: dict[str, Any]) -> Resource:
    kind = kind_of(one["kind"], one["apiVersion"])
    return PLAIN[one["kind"]] if kind is None else resource(kind, one["apiVersion"].rpartition("/")[2])


def space_of(one: dict[str, Any]) -> str:
    return str(one["metadata"].get("namespace", "default")) if where(one).namespaced else ""


@asynccontextmanager
async def applied(client: Client, objects: list[dict[str, Any]]) -> AsyncIterator[None]:
    """Create objects, and what controllers would make of them; remove the plain ones afterwards."""
    made: list[tuple[Resource, str, str]] = []
    try:
        for space in dict.fromkeys(space_of(one) for one in objects if where(one).namespaced):
            with suppress(ConflictError):
                await client.create(NAMESPACES, "", {"metadata": {"name": space}})
        for one in [*objects, *(pod for maker in objects for pod in pods_of(maker))]:
            kind, space = where(one), space_of(one)
            await client.write("POST", f"{kind.path(space)}?fieldValidation=Strict", kind, one)
            made.append((kind, space, one["metadata"]["name"]))
        yield
    finally:
        for kind, space, name in reversed(made):
            grace = 0 if kind == PODS else None
            await client.delete(kind, space, name, grace=grace)


@asynccontextmanager
async def running(client: Client) -> AsyncIterator[Scheduler]:
    scheduler = Scheduler(client, ClusterCache("railwise"))
    task = asyncio.create_task(scheduler.run())
    try:
        async with asyncio.timeout(PATIENCE):
            await scheduler.ready.wait()
        yield scheduler
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def bound(client: Client) -> dict[str, str]:
    """Return the nodes of the pods that are bound, by what made them."""
    found: dict[str, list[str]] = {}
    for pod in (await client.list(PODS, Pod)).objects:
        if pod.spec.node_name and pod.spec.scheduler_name == "railwise":
            named = {**pod.metadata.labels, **pod.metadata.annotations}
            owner = next((named[key] for key in (WORKLOAD, *GROUPED_BY) if key in named), pod.metadata.name)
            found.setdefault(owner, []).append(pod.spec.node_name)
    return {name: ",".join(sorted(nodes)) for name, nodes in found.items()}


@pytest.fixture
async def client(admin: Access, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    monkeypatch.setattr(addons, "LOOK_AGAIN", 0.1)
    async with connect(admin) as one:
        for left in (await one.list(NODES, PartialObject)).objects:
            await one.delete(NODES, "", left.metadata.name)  # by other tests: no example shall count on them
        yield one


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_an_example_is_placed_as_planned(path: Path, client: Client) -> None:
    objects = [*documents(EXAMPLES / "nodes.yaml"), *documents(path)]
    wanted = planned(path)
    assert wanted
    async with defined(client, [one for _, one in definitions(objects)]), applied(client, objects), running(client):

        async def done() -> bool:
            return await bound(client) == wanted

        try:
            await until(done)
        except TimeoutError:
            assert await bound(client) == wanted
            raise
