"""The gate behind a bad network, while pods and Jobs come and go: afterwards everything is as it should be."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from railwise.controllers.announcer import is_ours
from railwise.controllers.cache import LIVE_POLICY
from railwise.controllers.gate_cache import GateCache
from railwise.controllers.gate_mode import GateMode
from railwise.controllers.gate_watch import TAKEN
from railwise.controllers.scheduler import Scheduler
from railwise.formats.kubernetes.kinds import Job
from railwise.formats.kubernetes.schema import NodeObject
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.resources import JOBS, NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.controllers.fault_proxy import FaultProxy
from tests.controllers.gate_stage import GateStage
from tests.controllers.test_cluster_faults import IMPATIENT
from tests.controllers.users import CARDS, cards_of

pytestmark = [pytest.mark.slow, pytest.mark.cluster, pytest.mark.usefixtures("stock")]

NODE_COUNT = 10
WANTED = 250
LONGEST = 180.0
REST = 60
"""Seconds within which all is well once the network is: Jobs wait up to 10 s before they replace a pod again."""


class People:
    """Who creates and deletes, and cordons nodes; by seed."""

    def __init__(self, stage: GateStage, seed: int) -> None:
        self.stage = stage
        self.chance = Random(seed)
        self.count = 0

    async def step(self) -> None:
        self.count += 1
        kind = self.chance.choice(("pod", "job", "held", "delete", "delete", "cordon"))
        client, space = self.stage.client, self.stage.space
        if kind == "pod":
            critical = {"priority": None, "priorityClassName": "system-cluster-critical"}
            more: dict[str, Any] = dict(critical) if self.chance.random() < 0.2 else {}
            await self.stage.pod(f"p-{self.count}", self.chance.randint(1, CARDS), **more)
        elif kind in ("job", "held"):
            pods = self.chance.randint(2, 4)
            await self.stage.run(f"j-{self.count}", pods, {"required": "rack"}, held=kind == "held")
        elif kind == "cordon":
            name = f"{space}-{self.chance.randrange(NODE_COUNT)}"
            await client.patch(NODES, "", name, {"spec": {"unschedulable": self.chance.random() < 0.4}})
        else:
            jobs = (await client.list(JOBS, Job, Scope(space))).objects
            bare = [one for one in await self.stage.pods() if one.metadata.controller() is None]
            names = [(JOBS, one.metadata.name) for one in jobs] + [(PODS, one.metadata.name) for one in bare]
            if len(names) > 4:
                resource, name = self.chance.choice(sorted(names))
                await client.delete(resource, space, name, grace=0)

    async def kubelet(self) -> None:
        """Let bound pods go that are on their way out."""
        while True:
            for one in await self.stage.pods():
                meta = one.metadata
                if meta.deletion_timestamp is not None and one.spec.node_name:
                    await self.stage.client.delete(PODS, meta.namespace, meta.name, grace=0)
            await asyncio.sleep(0.2)


async def wrong_now(stage: GateStage) -> list[str]:
    """Return what must not be."""
    pods = await stage.pods()
    nodes = {one.metadata.name: one for one in (await stage.client.list(NODES, NodeObject)).objects}
    found, used = [], Counter[str]()
    made: dict[str, list[bool]] = {}
    for one in pods:
        name, bound = one.metadata.name, one.spec.node_name
        used[bound] += cards_of(one)
        owner = one.metadata.controller()
        if owner is not None:
            made.setdefault(owner.name, []).append(bool(bound))
        if one.spec.scheduling_gates and not is_ours(one.status.scheduled().message):
            found.append(f"{name} is forgotten: {one.status.scheduled().message}")
        elif not bound and not one.spec.scheduling_gates:
            told = any((each.type, each.status) == (TAKEN, "True") for each in one.status.conditions)
            where = one.metadata.annotations.get("railwise.dev/node", "")
            if owner is not None or not told or not nodes[where].spec.unschedulable:
                there = [(each.metadata.name, cards_of(each)) for each in pods if each.spec.node_name == where]
                found.append(f"{name} ({cards_of(one)}) was let through to {where} and is not bound: {there}")
    found += [f"{node} holds {cards}" for node, cards in used.items() if node and cards > CARDS]
    found += [f"{name} is bound in part: {bound}" for name, bound in made.items() if any(bound) and not all(bound)]
    for job in (await stage.client.list(JOBS, Job, Scope(stage.space))).objects:
        count, wanted = len(made.get(job.metadata.name, [])), job.spec.parallelism
        if count != (0 if job.spec.suspend else wanted):
            found.append(f"{job.metadata.name} has {count} of {wanted} pods")
    return found


@pytest.mark.parametrize("seed", [1])
async def test_after_hundreds_of_faults_nothing_is_wrong(gate_stage: GateStage, admin: Access, seed: int) -> None:
    stage = gate_stage
    await stage.nodes(NODE_COUNT, racks=3)
    people = People(stage, seed)
    proxy = FaultProxy(admin, seed, share=0.35)
    async with proxy.served() as bad, connect(bad, IMPATIENT) as client, asyncio.timeout(LONGEST):
        cache = GateCache(policy=replace(LIVE_POLICY, repair_wait=5_000_000))  # µs: then a gang begins anew, whole
        scheduler = Scheduler(client, cache, mode=GateMode(cache))
        working = asyncio.create_task(scheduler.run())
        kubelet = asyncio.create_task(people.kubelet())
        while sum(proxy.faults.values()) < WANTED:
            await people.step()
            await asyncio.sleep(0.02)
            assert not working.done(), working.exception()
        proxy.calm = True
        wrong = ["not looked yet"]
        for _ in range(REST):
            await asyncio.sleep(1.0)
            wrong = await wrong_now(stage)
            assert [one for one in wrong if "holds" in one] == []
            if not wrong and scheduler.tally.rounds:
                break
        assert wrong == []
        for task in (working, kubelet):
            task.cancel()
        await asyncio.gather(working, kubelet, return_exceptions=True)
    assert scheduler.tally.bound > 20
    assert {"lost", "refused", "unsent", "late", "conflict"} <= proxy.faults.keys()
