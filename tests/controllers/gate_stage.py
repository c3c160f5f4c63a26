"""A gate in front of the stock scheduler and the stock controllers, for tests on a real API server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from railwise.controllers.admission import put_policy, served_version
from railwise.controllers.gate_cache import GateCache, SeenPod
from railwise.controllers.gate_mode import GateMode
from railwise.controllers.scheduler import Scheduler
from railwise.devcluster.cluster import Cluster
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.programs import find_programs
from railwise.formats.kubernetes.gate_marks import GATE
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import JOBS, NAMESPACES, NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.control_plane import pod
from tests.controllers.test_cluster_scheduler import Stage, until, working


@pytest.fixture(scope="module")
def stock(control_plane: Cluster) -> Iterator[None]:
    """Run the stock scheduler and the stock controllers."""
    names = ["kube-scheduler", "kube-controller-manager"]
    try:
        programs = find_programs(names)
    except NoControlPlaneError as error:
        pytest.skip(str(error))
    layout = control_plane.layout()
    if programs is None or layout is None:
        pytest.skip("no kube-scheduler: `make control-plane` builds one")
    try:
        for name in names:
            control_plane.start(name, programs, layout)
        yield
    finally:
        for name in names:
            control_plane.daemon(name).stop()


class GateStage(Stage):
    """A namespace whose pods pass the gate, with nodes of its own."""

    def __init__(self, client: Client, space: str) -> None:
        super().__init__(client, space)
        self.name = "default-scheduler"

    async def open(self) -> None:
        """Put the policy into force and wait until it is."""
        await put_policy(self.client, await served_version(self.client))
        await self.hold()

    async def hold(self) -> None:
        """Ask for the gate and wait until it is put on pods."""
        await self.client.label(NAMESPACES, "", self.space, {GATE: "enabled"})

        async def held() -> bool:
            await self.client.create(PODS, self.space, pod("probe", schedulerName="default-scheduler"))
            found = await self.seen("probe")
            await self.client.delete(PODS, self.space, "probe", grace=0)
            return bool(found.spec.scheduling_gates)

        await until(held)

    async def run(self, name: str, pods: int, notes: dict[str, str] | None = None, *, held: bool = False) -> None:
        """Create a Job whose pods want all cards of a node and end without notice; ``held``: as a whole."""
        container = {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
        spec: dict[str, Any] = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [container]}
        spec["nodeSelector"] = {"space": self.space}
        annotations = {f"railwise.dev/{key}": value for key, value in (notes or {}).items()}
        template = {"metadata": {"annotations": annotations}, "spec": spec}
        job = {"parallelism": pods, "completions": pods, "suspend": held, "backoffLimit": 50, "template": template}
        body = {"metadata": {"name": name, "labels": {GATE: "suspend"} if held else {}}, "spec": job}
        await self.client.create(JOBS, self.space, body)

    async def pods(self) -> list[SeenPod]:
        """Return all pods."""
        return (await self.client.list(PODS, SeenPod, Scope(self.space))).objects

    async def made(self, job: str) -> list[SeenPod]:
        """Return the pods of a Job."""
        return (await self.client.list(PODS, SeenPod, Scope(self.space, f"job-name={job}"))).objects

    async def running(self, job: str) -> list[str]:
        """Return the nodes that the pods of a Job are bound to, in order."""
        return sorted(one.spec.node_name for one in await self.made(job) if one.spec.node_name)

    async def seen(self, name: str) -> SeenPod:
        return await self.client.get(PODS, SeenPod, self.space, name)

    async def gates(self, name: str) -> list[str]:
        return [gate.name for gate in (await self.seen(name)).spec.scheduling_gates]


@asynccontextmanager
async def gatekeeping(stage: GateStage, client: Client | None = None) -> AsyncIterator[Scheduler]:
    """Run the gate for a while."""
    cache = GateCache()
    async with working(Scheduler(client or stage.client, cache, mode=GateMode(cache))) as scheduler:
        yield scheduler


@pytest.fixture
async def gate_stage(admin: Access, space: str) -> AsyncIterator[GateStage]:
    async with connect(admin) as client:
        one = GateStage(client, space)
        await one.open()
        yield one
        await client.label(NAMESPACES, "", space, {GATE: None})
        for found in (await client.list(JOBS, PartialObject, Scope(space))).objects:
            await client.delete(JOBS, space, found.metadata.name)
        for found in (await client.list(PODS, PartialObject, Scope(space))).objects:
            await client.delete(PODS, space, found.metadata.name, grace=0)
        for found in (await client.list(NODES, PartialObject, Scope(labels=f"space={space}"))).objects:
            await client.delete(NODES, "", found.metadata.name)
