"""The scheduler on a real API server: what people would see with kubectl."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from railwise.controllers.cache import ClusterCache
from railwise.controllers.scheduler import Scheduler
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import PodName, bind
from railwise.kubeapi.resources import JOBS, NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.control_plane import node, pod, uid_of

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

PATIENCE = 90.0


class Condition(msgspec.Struct):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class Status(msgspec.Struct):
    conditions: list[Condition] = []


class Seen(PartialObject, frozen=True):
    status: Status = msgspec.field(default_factory=Status)


class Stage:
    """A namespace, its own nodes that only its pods may use, and a scheduler whose name only its pods name."""

    def __init__(self, client: Client, space: str) -> None:
        self.client = client
        self.space = space
        self.name = f"railwise-{space}"
        self.owners: dict[str, dict[str, Any]] = {}

    async def nodes(self, count: int, racks: int = 1) -> None:
        for index in range(count):
            rack = {"fabric.railwise.dev/rack": f"{self.space}-r{index * racks // count}"}
            await self.client.create(NODES, "", node(f"{self.space}-{index}", space=self.space, **rack))

    async def pod(self, name: str, gpus: int, notes: dict[str, str] | None = None, **spec: Any) -> PodName:
        container = {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
        rules = {"schedulerName": self.name, "containers": [container], "nodeSelector": {"space": self.space}}
        body = pod(name, **{**rules, **spec})
        body["metadata"]["annotations"] = {f"railwise.dev/{key}": value for key, value in (notes or {}).items()}
        owner = spec.pop("owner", None)
        if owner:
            body["metadata"]["ownerReferences"] = [owner]
            body["spec"].pop("owner")
        return PodName(self.space, name, uid_of(await self.client.create(PODS, self.space, body)))

    async def job(self, name: str, pods: int, gpus: int, notes: dict[str, str] | None = None) -> list[PodName]:
        """Create a Job and, as its controller would, its pods."""
        template = {"metadata": {"annotations": {}}, "spec": pod("x", restartPolicy="Never")["spec"]}
        spec = {"parallelism": pods, "completions": pods, "template": template}
        uid = uid_of(await self.client.create(JOBS, self.space, {"metadata": {"name": name}, "spec": spec}))
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}
        self.owners[name] = owner
        return [await self.pod(f"{name}-{index}", gpus, notes, owner=owner) for index in range(pods)]

    async def places(self) -> dict[str, str]:
        listing = await self.client.list(PODS, Pod, Scope(self.space))
        return {one.metadata.name: one.spec.node_name for one in listing.objects if one.spec.node_name}

    async def word(self, name: str) -> Condition:
        seen = await self.client.get(PODS, Seen, self.space, name)
        return next((one for one in seen.status.conditions if one.type == "PodScheduled"), Condition())


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something to be so."""
    async with asyncio.timeout(PATIENCE):
        while not await true():  # noqa: ASYNC110 -- what is waited for happens in another process
            await asyncio.sleep(0.05)


@asynccontextmanager
async def working(scheduler: Scheduler) -> AsyncIterator[Scheduler]:
    """Let a scheduler work for a while, from when it is ready."""
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


@asynccontextmanager
async def scheduling(
    stage: Stage, client: Client | None = None, cache: ClusterCache | None = None
) -> AsyncIterator[Scheduler]:
    """Run a scheduler for a while."""
    async with working(Scheduler(client or stage.client, cache or ClusterCache(stage.name))) as scheduler:
        yield scheduler


@pytest.fixture
async def stage(admin: Access, space: str) -> AsyncIterator[Stage]:
    async with connect(admin) as client:
        one = Stage(client, space)
        yield one
        for found in (await client.list(PODS, PartialObject, Scope(space))).objects:
            await client.delete(PODS, space, found.metadata.name, grace=0)
        for found in (await client.list(NODES, PartialObject, Scope(labels=f"space={space}"))).objects:
            await client.delete(NODES, "", found.metadata.name)


async def test_pods_are_bound_and_what_does_not_fit_says_why(stage: Stage) -> None:
    await stage.nodes(2)
    for index in range(4):
        await stage.pod(f"p-{index}", 4)
    await stage.pod("huge", 16)
    async with scheduling(stage) as scheduler:

        async def bound() -> bool:
            return len(await stage.places()) == 4

        await until(bound)

        async def told() -> bool:
            return (await stage.word("huge")).status == "False"

        await until(told)
        word = await stage.word("huge")
        assert (word.reason, word.message.partition(":")[0]) == ("Unschedulable", "NeverFits")

        async def counted() -> bool:
            return scheduler.tally.bound == 4

        await until(counted)
    places = await stage.places()
    assert sorted(places.values()) == [f"{stage.space}-{index}" for index in (0, 0, 1, 1)]


async def test_a_gang_is_bound_as_one_inside_its_rack(stage: Stage) -> None:
    await stage.nodes(8, racks=2)
    blocker = await stage.pod("theirs", 1, schedulerName="somebody")
    assert (await bind(stage.client, blocker, f"{stage.space}-0")).node
    async with scheduling(stage):
        await stage.job("fits", 4, 8, {"required": "rack"})

        async def bound() -> bool:
            return len(await stage.places()) == 5

        await until(bound)
        places = await stage.places()
        assert sorted(places[f"fits-{index}"] for index in range(4)) == [
            f"{stage.space}-{index}" for index in range(4, 8)
        ]
        await stage.job("waits", 4, 8, {"required": "rack"})

        async def told() -> bool:
            return "NotEnoughFree" in (await stage.word("waits-3")).message

        await until(told)
        assert len(await stage.places()) == 5, "nothing of a gang is bound while the whole does not fit"
        await stage.client.delete(PODS, stage.space, "fits-0", grace=0)
        await asyncio.sleep(0.3)
        assert "waits-0" not in await stage.places()


async def test_a_victim_is_gone_before_its_room_is_used(stage: Stage) -> None:
    await stage.nodes(1)
    async with scheduling(stage):
        low = await stage.pod("low", 8)

        async def low_runs() -> bool:
            return "low" in await stage.places()

        await until(low_runs)
        await stage.pod("high", 8, {"kind": "training"}, priority=None, priorityClassName="system-cluster-critical")

        async def low_leaves() -> bool:
            found = await stage.client.find(PODS, Pod, stage.space, "low")
            return found is None or found.metadata.deletion_timestamp is not None

        await until(low_leaves)
        await asyncio.sleep(0.5)
        assert "high" not in await stage.places(), "the victim still holds the cards"

        async def high_knows() -> bool:
            return (await stage.word("high")).message.startswith(
                "WaitingForVictims: its place is being cleared: 1 pod "
            )

        await until(high_knows)
        await stage.client.delete(PODS, stage.space, "low", uid=low.uid, grace=0)

        async def high_runs() -> bool:
            return (await stage.places()).get("high") == f"{stage.space}-0"

        await until(high_runs)


async def test_a_restart_knows_what_runs(stage: Stage) -> None:
    await stage.nodes(2)
    async with scheduling(stage):
        await stage.job("a", 2, 4)

        async def both() -> bool:
            return len(await stage.places()) == 2

        await until(both)
    before = await stage.places()
    await stage.pod("b", 8)
    async with scheduling(stage) as second:

        async def third() -> bool:
            return len(await stage.places()) == 3

        await until(third)

        async def counted() -> bool:
            return second.tally.bound == 1

        await until(counted)
    after = await stage.places()
    assert {name: after[name] for name in before} == before
    assert after["b"] not in set(before.values())


async def test_a_node_that_comes_is_used(stage: Stage) -> None:
    await stage.nodes(1)
    async with scheduling(stage) as scheduler:
        await stage.pod("a", 8)
        await stage.pod("b", 8)

        async def one() -> bool:
            return len(await stage.places()) == 1

        await until(one)
        await stage.client.create(NODES, "", node(f"{stage.space}-new", space=stage.space))

        async def two() -> bool:
            return len(await stage.places()) == 2

        await until(two)
        assert scheduler.tally.engines >= 2


async def test_a_deposed_scheduler_binds_nothing_and_says_so(stage: Stage) -> None:
    await stage.nodes(1)

    def guard() -> float:
        raise DeposedError("another leads")

    await stage.pod("p", 1)
    scheduler = Scheduler(stage.client.fenced(guard), ClusterCache(stage.name))
    with pytest.raises(DeposedError):
        async with asyncio.timeout(PATIENCE):
            await scheduler.run()
    assert await stage.places() == {}


async def test_who_waits_beside_a_gang_that_runs_without_it_is_told_so(stage: Stage) -> None:
    await stage.nodes(2)
    await stage.job("grows", 3, 8, {"min-pods": "1"})
    async with scheduling(stage):

        async def told() -> bool:
            waits = {f"grows-{index}" for index in range(3)} - set(await stage.places())
            return len(waits) == 1 and (await stage.word(waits.pop())).status == "False"

        await until(told)
        (left,) = {f"grows-{index}" for index in range(3)} - set(await stage.places())
        word = await stage.word(left)
        expected = "Surplus: 2 of 3 pods run or will, which is enough; the rest waits for room"
        assert (word.reason, word.message) == ("Unschedulable", expected)
