"""A scheduler behind a bad network, while pods come and go: afterwards everything is as it should be."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from random import Random
from typing import Any

import pytest

from railwise.controllers.cache import ClusterCache
from railwise.controllers.scheduler import Scheduler
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.pods import bind
from railwise.kubeapi.resources import NODES, PODS
from railwise.kubeapi.retry import Backoff
from railwise.kubeapi.settings import Settings
from railwise.kubeapi.watching import Scope
from tests.controllers.fault_proxy import FaultProxy
from tests.controllers.test_cluster_scheduler import Seen, Stage, stage

__all__ = ["stage"]

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

CARDS = 8
NODE_COUNT = 12
WANTED = 500
"""So many faults at least."""

LONGEST = 150.0
IMPATIENT = Settings(timeout=3.0, silence=5.0, watch_time=10, watch_backoff=Backoff(0.05, 0.5))


class Users:
    """People who create and delete, another scheduler, and a kubelet that lets pods go; by seed."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.stage = stage
        self.chance = Random(seed)
        self.count = 0

    async def pods(self) -> list[Pod]:
        return (await self.stage.client.list(PODS, Pod, Scope(self.stage.space))).objects

    async def step(self) -> None:
        self.count += 1
        kind = self.chance.choice(("pod", "pod", "job", "delete", "delete", "theirs", "cordon"))
        if kind == "pod":
            critical = {"priority": None, "priorityClassName": "system-cluster-critical"}
            more: dict[str, Any] = dict(critical) if self.chance.random() < 0.2 else {}
            await self.stage.pod(f"p-{self.count}", self.chance.randint(1, CARDS), **more)
        elif kind == "job":
            await self.stage.job(f"j-{self.count}", self.chance.randint(2, 4), 4, {"required": "rack"})
        elif kind == "theirs":
            await self.foreign()
        elif kind == "cordon":
            name = f"{self.stage.space}-{self.chance.randrange(NODE_COUNT)}"
            await self.stage.client.patch(NODES, "", name, {"spec": {"unschedulable": self.chance.random() < 0.4}})
        else:
            await self.delete()

    async def delete(self) -> None:
        """Delete a pod; one of a gang takes the whole gang with it, as its Job would."""
        found = await self.pods()
        if not found:
            return
        one = self.chance.choice(found)
        owner = one.metadata.controller()
        for other in found:
            same = owner is not None and other.metadata.controller() == owner
            if same or other.metadata.uid == one.metadata.uid:
                await self.stage.client.delete(PODS, self.stage.space, other.metadata.name, grace=0)

    async def foreign(self) -> None:
        """Let another scheduler bind a pod where nothing of ours is, so that only one of the two can be wrong."""
        used = {one.spec.node_name for one in await self.pods()}
        free = [name for name in (f"{self.stage.space}-f{index}" for index in range(2)) if name not in used]
        if free:
            pod = await self.stage.pod(f"t-{self.count}", 1, schedulerName="somebody")
            await bind(self.stage.client, pod, free[0])

    async def kubelet(self) -> None:
        """Let pods that are on their way out go."""
        while True:
            for one in await self.pods():
                if one.metadata.deletion_timestamp is not None:
                    await self.stage.client.delete(PODS, self.stage.space, one.metadata.name, one.metadata.uid, grace=0)
            await asyncio.sleep(0.2)


def faults_of(pods: list[Pod], seen: dict[str, Seen], scheduler: str) -> list[str]:
    """Return what must not be: overfull nodes, gangs in part, waiting pods without a reason."""
    found = []
    used: Counter[str] = Counter()
    gangs: dict[str, list[bool]] = defaultdict(list)
    for one in pods:
        used[one.spec.node_name] += int(one.spec.containers[0].resources.limits.get("nvidia.com/gpu", 0))
        owner = one.metadata.controller()
        if owner is not None:
            gangs[owner.name].append(bool(one.spec.node_name))
        if one.spec.scheduler_name == scheduler and not one.spec.node_name:
            words = [each.message for each in seen[one.metadata.name].status.conditions if each.type == "PodScheduled"]
            if not any(words):
                found.append(f"{one.metadata.name} is forgotten")
    found += [f"{node} holds {cards}" for node, cards in used.items() if node and cards > CARDS]
    found += [f"{name} is bound in part: {bound}" for name, bound in gangs.items() if any(bound) and not all(bound)]
    return found


async def looked_at(client: Client, stage: Stage) -> list[str]:
    pods = (await client.list(PODS, Pod, Scope(stage.space))).objects
    seen = {one.metadata.name: one for one in (await client.list(PODS, Seen, Scope(stage.space))).objects}
    return faults_of(pods, seen, stage.name)


@pytest.mark.parametrize("seed", [1])
async def test_after_hundreds_of_faults_nothing_is_wrong(stage: Stage, admin: Access, seed: int) -> None:
    await stage.nodes(NODE_COUNT, racks=3)
    users = Users(stage, seed)
    proxy = FaultProxy(admin, seed, share=0.4)
    async with proxy.served() as bad, connect(bad, IMPATIENT) as client, asyncio.timeout(LONGEST):
        scheduler = Scheduler(client, ClusterCache(stage.name))
        working = asyncio.create_task(scheduler.run())
        kubelet = asyncio.create_task(users.kubelet())
        while sum(proxy.faults.values()) < WANTED:
            await users.step()
            await asyncio.sleep(0.01)
            assert not working.done(), working.exception()
        proxy.calm = True
        wrong = ["not looked yet"]
        while wrong or scheduler.tally.rounds == 0:
            await asyncio.sleep(1.0)
            wrong = await looked_at(stage.client, stage)
            overfull = [one for one in wrong if "holds" in one]
            assert overfull == []
        for task in (working, kubelet):
            task.cancel()
        await asyncio.gather(working, kubelet, return_exceptions=True)
    assert scheduler.tally.bound > 20
    assert {"lost", "refused", "unsent", "late"} <= proxy.faults.keys()
