"""Those around a scheduler while it works: people, another scheduler, kubelets; and what must be true afterwards.

What is asked of the server here may fail, as when it is restarted: then somebody comes again later.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from random import Random
from typing import Any

from railwise.formats.kubernetes.schema import NodeObject, Pod
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError
from railwise.kubeapi.pods import bind
from railwise.kubeapi.resources import NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.control_plane import node
from tests.controllers.test_cluster_scheduler import Seen, Stage

CARDS = 8
FULL = ("NotEnoughFree", "NeverFits")
"""Codes that say that there is no room."""

USUAL = ("pod", "pod", "job", "delete", "delete", "theirs", "cordon")
ROUGH = (*USUAL, "part", "node")


class Users:
    """People who create and delete, another scheduler, and kubelets that let pods go; by seed."""

    def __init__(self, stage: Stage, seed: int, nodes: int, kinds: tuple[str, ...] = USUAL) -> None:
        self.stage = stage
        self.chance = Random(seed)
        self.nodes = nodes
        self.kinds = kinds
        self.count = 0
        self.done: Counter[str] = Counter()

    async def pods(self) -> list[Pod]:
        return (await self.stage.client.list(PODS, Pod, Scope(self.stage.space))).objects

    async def step(self) -> None:
        self.count += 1
        kind = self.chance.choice(self.kinds)
        try:
            await self.act(kind)
        except ApiError:
            return
        self.done[kind] += 1

    async def act(self, kind: str) -> None:
        client, space = self.stage.client, self.stage.space
        if kind == "pod":
            critical = {"priority": None, "priorityClassName": "system-cluster-critical"}
            more: dict[str, Any] = dict(critical) if self.chance.random() < 0.2 else {}
            await self.stage.pod(f"p-{self.count}", self.chance.randint(1, CARDS), **more)
        elif kind == "job":
            await self.stage.job(f"j-{self.count}", self.chance.randint(2, 4), 4, {"required": "rack"})
        elif kind == "theirs":
            await self.foreign()
        elif kind == "cordon":
            name = f"{space}-{self.chance.randrange(self.nodes)}"
            await client.patch(NODES, "", name, {"spec": {"unschedulable": self.chance.random() < 0.4}})
        elif kind == "node":
            name = f"{space}-{self.chance.randrange(self.nodes)}"
            found = await client.find(NODES, NodeObject, "", name)
            if found is not None:
                await client.delete(NODES, "", name)
                await asyncio.sleep(self.chance.random())
                await client.create(NODES, "", node(name, **found.metadata.labels))
        else:
            await self.delete(whole=kind == "delete")

    async def delete(self, *, whole: bool) -> None:
        """Delete a pod; one of a gang takes the whole gang with it, as its Job would, or not."""
        found = await self.pods()
        if not found:
            return
        one = self.chance.choice(found)
        owner = one.metadata.controller()
        for other in found:
            same = whole and owner is not None and other.metadata.controller() == owner
            if same or other.metadata.uid == one.metadata.uid:
                await self.stage.client.delete(PODS, self.stage.space, other.metadata.name, grace=0)

    async def foreign(self) -> None:
        """Let another scheduler bind a pod where nothing of ours can be, so that only one of the two can be wrong."""
        used = {one.spec.node_name for one in await self.pods()}
        free = [name for name in (f"{self.stage.space}-f{index}" for index in range(2)) if name not in used]
        if free:
            pod = await self.stage.pod(f"t-{self.count}", 1, schedulerName="somebody")
            await bind(self.stage.client, pod, free[0])

    async def kubelet(self) -> None:
        """Let pods go that are on their way out, and those whose node is gone, as the pod garbage collector does."""
        while True:
            try:
                there = {one.metadata.name for one in (await self.stage.client.list(NODES, NodeObject)).objects}
                for one in await self.pods():
                    meta, where = one.metadata, one.spec.node_name
                    lost = where and where not in there and "-f" not in where
                    if lost or meta.deletion_timestamp is not None:
                        await self.stage.client.delete(PODS, meta.namespace, meta.name, meta.uid, grace=0)
            except ApiError:
                pass
            await asyncio.sleep(0.2)


def cards_of(pod: Pod) -> int:
    return int(str(pod.spec.containers[0].resources.limits.get("nvidia.com/gpu", 0)))


def faults_of(pods: list[Pod], seen: dict[str, Seen], scheduler: str, nodes: list[NodeObject]) -> list[str]:
    """Return what must not be: overfull nodes, gangs in part, waiting pods without a reason or with an untrue one."""
    found = []
    used: Counter[str] = Counter()
    gangs: dict[str, list[bool]] = defaultdict(list)
    for one in pods:
        used[one.spec.node_name] += cards_of(one)
        owner = one.metadata.controller()
        if owner is not None:
            gangs[owner.name].append(bool(one.spec.node_name))
    usable = [one.metadata.name for one in nodes if not one.spec.unschedulable]
    most = max((CARDS - used[name] for name in usable), default=0)
    for one in pods:
        if one.spec.scheduler_name == scheduler and not one.spec.node_name:
            words = [each.message for each in seen[one.metadata.name].status.conditions if each.type == "PodScheduled"]
            if not any(words):
                found.append(f"{one.metadata.name} is forgotten")
            elif one.metadata.controller() is None and cards_of(one) <= most and words[0].partition(":")[0] in FULL:
                found.append(f"{one.metadata.name} would fit: {words[0]}")
    found += [f"{node} holds {cards}" for node, cards in used.items() if node and cards > CARDS]
    found += [f"{name} is bound in part: {bound}" for name, bound in gangs.items() if any(bound) and not all(bound)]
    return found


async def looked_at(client: Client, stage: Stage) -> list[str]:
    """Return what is wrong now."""
    pods = (await client.list(PODS, Pod, Scope(stage.space))).objects
    seen = {one.metadata.name: one for one in (await client.list(PODS, Seen, Scope(stage.space))).objects}
    nodes = (await client.list(NODES, NodeObject, Scope(labels=f"space={stage.space}"))).objects
    return faults_of([one for one in pods if one.metadata.name in seen], seen, stage.name, nodes)
