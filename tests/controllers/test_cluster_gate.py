"""The gate in front of the stock scheduler, on a real API server: what people would see with kubectl."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from railwise.controllers import gate_release
from railwise.controllers.admission import put_policy, served_version
from railwise.controllers.gate_cache import GateCache, SeenPod
from railwise.controllers.gate_jobs import NODES as NODES_NOTE
from railwise.controllers.gate_jobs import planned
from railwise.controllers.gate_marks import GATE, NODE
from railwise.controllers.gate_mode import GateMode
from railwise.controllers.gate_release import Releaser
from railwise.controllers.scheduler import Scheduler
from railwise.devcluster.cluster import Cluster
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.programs import find_programs
from railwise.formats.kubernetes.kinds import Job
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import bind
from railwise.kubeapi.resources import EVENTS, JOBS, NAMESPACES, NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.control_plane import pod
from tests.controllers.test_cluster_scheduler import PATIENCE, Stage, until

pytestmark = [pytest.mark.slow, pytest.mark.cluster, pytest.mark.usefixtures("stock")]


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
    scheduler = Scheduler(client or stage.client, cache, mode=GateMode(cache))
    task = asyncio.create_task(scheduler.run())
    try:
        ready = asyncio.create_task(scheduler.ready.wait())
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if task.done():
            task.result()
        yield scheduler
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def stage(admin: Access, space: str) -> AsyncIterator[GateStage]:
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


async def test_a_gang_is_let_through_whole_and_the_stock_scheduler_binds_it(stage: GateStage) -> None:
    await stage.nodes(8, racks=2)
    blocker = await stage.pod("theirs", 1, schedulerName="somebody")
    assert (await bind(stage.client, blocker, f"{stage.space}-0")).node
    await stage.run("fits", 4, {"required": "rack"})

    async def gated(job: str) -> bool:
        made = await stage.made(job)
        return len(made) == 4 and all([gate.name for gate in one.spec.scheduling_gates] == [GATE] for one in made)

    async def fits_waits() -> bool:
        return await gated("fits")

    await until(fits_waits)
    async with gatekeeping(stage):

        async def bound() -> bool:
            return len(await stage.running("fits")) == 4

        await until(bound)
        assert await stage.running("fits") == [f"{stage.space}-{index}" for index in range(4, 8)]
        for one in await stage.made("fits"):
            assert one.metadata.annotations[NODE] == one.spec.node_name
        await stage.run("waits", 4, {"required": "rack"})

        async def told() -> bool:
            made = await stage.made("waits")
            return bool(made) and all("NotEnoughFree" in one.status.scheduled().message for one in made)

        await until(told)
        assert await gated("waits")


async def test_namespaces_not_opted_in_and_agents_are_left_alone(stage: GateStage) -> None:
    await stage.nodes(1)
    other = f"{stage.space}-other"
    await stage.client.create(NAMESPACES, "", {"metadata": {"name": other}})
    rules = {"schedulerName": "default-scheduler", "nodeSelector": {"space": stage.space}}
    await stage.client.create(PODS, other, pod("free", **rules))

    async def free() -> bool:
        found = await stage.client.get(PODS, SeenPod, other, "free")
        return bool(found.spec.node_name)

    await until(free)
    theirs: list[dict[str, Any]] = [pod("theirs", schedulerName="somebody"), pod("placed", nodeName="x")]
    wish = pod("wish", **rules)
    wish["metadata"]["labels"][GATE] = "disabled"
    agent = pod("agent", **rules)
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}
    agent["metadata"]["ownerReferences"] = [owner]
    for body in (*theirs, wish, agent):
        await stage.client.create(PODS, stage.space, body)
        assert await stage.gates(body["metadata"]["name"]) == []
    await stage.client.delete(PODS, other, "free", grace=0)


async def test_room_that_somebody_else_took_is_planned_again(stage: GateStage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pod of another scheduler is bound to the chosen node in the moment between plan and release."""
    await stage.nodes(2)
    monkeypatch.setattr("railwise.controllers.gate_watch.PATIENCE", 1.0)
    stolen: list[str] = []
    thief = await stage.pod("thief", 8, schedulerName="somebody")
    send = Releaser.send

    async def late(self: Releaser, binding: Any) -> Any:
        if not stolen:
            stolen.append(binding.node)
            await bind(stage.client, thief, binding.node)
        return await send(self, binding)

    monkeypatch.setattr(Releaser, "send", late)
    async with gatekeeping(stage):
        await stage.run("job", 1)

        async def bound() -> bool:
            return len(await stage.running("job")) == 1

        await until(bound)
    assert (await stage.places())["thief"] == stolen[0] != (await stage.running("job"))[0]


async def test_a_bare_pod_waits_for_its_room_and_says_so(stage: GateStage, monkeypatch: pytest.MonkeyPatch) -> None:
    await stage.nodes(1)
    thief = await stage.pod("thief", 8, schedulerName="somebody")
    send = Releaser.send

    async def late(self: Releaser, binding: Any) -> Any:
        await bind(stage.client, thief, binding.node)
        return await send(self, binding)

    monkeypatch.setattr(Releaser, "send", late)
    async with gatekeeping(stage):
        first = await stage.pod("bare", 8)

        async def told() -> bool:
            return any(one.type == "railwise.dev/RoomTaken" for one in (await stage.seen("bare")).status.conditions)

        await until(told)
        monkeypatch.setattr(Releaser, "send", send)
        await stage.pod("next", 8)
        await stage.client.delete(PODS, stage.space, "thief", uid=thief.uid, grace=0)

        async def bound() -> bool:
            return "bare" in await stage.places()

        await until(bound)
        found = await stage.seen("bare")
        assert found.metadata.uid == first.uid
        assert await stage.gates("next") == [GATE], "the room was kept for who had it"

        async def over() -> bool:
            conditions = (await stage.seen("bare")).status.conditions
            return any((one.type, one.status) == ("railwise.dev/RoomTaken", "False") for one in conditions)

        await until(over)


async def test_a_restart_in_the_middle_of_a_release_ends_it(stage: GateStage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first gate dies when it has let two of four pods through."""
    await stage.nodes(4)
    send = Releaser.send
    sent: list[str] = []

    async def dies(self: Releaser, binding: Any) -> Any:
        sent.append(binding.pod.name)
        if len(sent) > 2:
            await asyncio.Event().wait()
        return await send(self, binding)

    monkeypatch.setattr(Releaser, "send", dies)
    monkeypatch.setattr("railwise.controllers.scheduler.FAREWELL", 0.1)
    async with gatekeeping(stage):
        await stage.run("job", 4)

        async def half() -> bool:
            return len(await stage.running("job")) == 2

        await until(half)
    before = await stage.places()
    monkeypatch.setattr(Releaser, "send", send)
    async with gatekeeping(stage) as second:

        async def whole() -> bool:
            return len(await stage.running("job")) == 4 and second.tally.bound == 2

        await until(whole)
    after = await stage.places()
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == 4


async def test_a_held_job_begins_where_it_was_told_and_stops_for_others(stage: GateStage) -> None:
    await stage.nodes(4, racks=2)
    blocker = await stage.pod("theirs", 1, schedulerName="somebody")
    await bind(stage.client, blocker, f"{stage.space}-0")
    await stage.run("job", 2, {"required": "rack"}, held=True)

    async def runs() -> bool:
        return len(await stage.running("job")) == 2

    async def job() -> Job:
        return await stage.client.get(JOBS, Job, stage.space, "job")

    async with gatekeeping(stage):
        await until(runs)
        places = await stage.running("job")
        assert places == [f"{stage.space}-2", f"{stage.space}-3"]
        assert sorted(planned(await job())) == places
    high = {"priority": None, "priorityClassName": "system-cluster-critical"}
    async with gatekeeping(stage) as second:
        owner = {"apiVersion": "example.com/v1", "kind": "Own", "name": "high", "uid": "high", "controller": True}
        notes = {"required": "rack", "min-pods": "2"}
        wanted = [await stage.pod(f"high-{index}", 8, notes, owner=owner, **high) for index in range(2)]

        async def high_runs() -> bool:
            places = await stage.places()
            return all(one.name in places for one in wanted)

        await until(high_runs)
        assert (await job()).spec.suspend
        assert NODES_NOTE not in (await job()).metadata.annotations
        assert second.tally.bound == 2, "what runs already is known, not placed again"
        for one in wanted:
            await stage.client.delete(PODS, stage.space, one.name, grace=0)
        await until(runs)
        assert not (await job()).spec.suspend


async def test_a_held_job_whose_room_was_taken_is_planned_again(
    stage: GateStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stage.nodes(3)
    monkeypatch.setattr("railwise.controllers.gate_watch.PATIENCE", 1.0)
    thief = await stage.pod("thief", 8, schedulerName="somebody")
    start = gate_release.start_job
    stolen: list[str] = []

    async def late(client: Client, job: Job, nodes: Sequence[str]) -> None:
        if not stolen:
            stolen.append(nodes[0])
            await bind(stage.client, thief, nodes[0])
        await start(client, job, nodes)

    monkeypatch.setattr(gate_release, "start_job", late)
    async with gatekeeping(stage):
        await stage.run("job", 2, held=True)

        async def runs() -> bool:
            return len(await stage.running("job")) == 2

        await until(runs)
    assert (await stage.places())["thief"] == stolen[0]
    assert stolen[0] not in await stage.running("job")


async def test_why_a_held_job_waits_is_said_on_the_job(stage: GateStage) -> None:
    await stage.nodes(1)
    await stage.run("large", 2, held=True)
    await stage.run("ranks", 1, {"segment-size": "1", "segment-required": "node"}, held=True)

    async def told() -> bool:
        events = await stage.client.list(EVENTS, SeenEvent, Scope(stage.space))
        found = {(one.regarding.kind, one.regarding.name, one.reason) for one in events.objects}
        return {("Job", "large", "NeverFits"), ("Job", "ranks", "Unsupported")} <= found

    async with gatekeeping(stage):
        await until(told)
    for name in ("large", "ranks"):
        assert (await stage.client.get(JOBS, Job, stage.space, name)).spec.suspend


class Subject(msgspec.Struct):
    kind: str = ""
    name: str = ""


class SeenEvent(PartialObject, frozen=True):
    reason: str = ""
    regarding: Subject = msgspec.field(default_factory=Subject)
