"""The gate in front of the stock scheduler, on a real API server: what people would see with kubectl."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from railwise.controllers.gate_cache import GateCache, SeenPod
from railwise.controllers.gate_mode import GateMode
from railwise.controllers.gate_release import Releaser
from railwise.controllers.scheduler import Scheduler
from railwise.formats.kubernetes.gate_marks import GATE, NODE
from railwise.formats.kubernetes.kinds import Job
from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.pods import bind
from railwise.kubeapi.resources import JOBS, NAMESPACES, PODS
from tests.control_plane import pod
from tests.controllers.gate_stage import GateStage, gatekeeping
from tests.controllers.test_cluster_scheduler import PATIENCE, until

pytestmark = [pytest.mark.slow, pytest.mark.cluster, pytest.mark.usefixtures("stock")]


@pytest.fixture
def stage(gate_stage: GateStage) -> GateStage:
    """Return a namespace whose pods pass the gate."""
    return gate_stage


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


async def test_a_deposed_gate_lets_nobody_through_and_says_so(stage: GateStage) -> None:
    await stage.nodes(1)
    await stage.pod("p", 1)
    await stage.run("job", 1, held=True)

    def guard() -> float:
        raise DeposedError("another leads")

    cache = GateCache()
    scheduler = Scheduler(stage.client.fenced(guard), cache, mode=GateMode(cache))
    with pytest.raises(DeposedError):
        async with asyncio.timeout(PATIENCE):
            await scheduler.run()
    assert await stage.gates("p") == [GATE]
    assert (await stage.client.get(JOBS, Job, stage.space, "job")).spec.suspend
