"""Jobs that are held as a whole, with the stock controllers and the stock scheduler on a real API server."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from railwise.controllers import gate_release
from railwise.formats.kubernetes.gate_jobs import NODES as NODES_NOTE
from railwise.formats.kubernetes.gate_jobs import planned
from railwise.formats.kubernetes.kinds import Job
from railwise.kubeapi.client import Client
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import Answer, bind
from railwise.kubeapi.resources import EVENTS, JOBS, PODS
from railwise.kubeapi.watching import Scope
from tests.controllers.gate_stage import GateStage, gatekeeping
from tests.controllers.test_cluster_scheduler import until

pytestmark = [pytest.mark.slow, pytest.mark.cluster, pytest.mark.usefixtures("stock")]


@pytest.fixture
def stage(gate_stage: GateStage) -> GateStage:
    """Return a namespace whose pods pass the gate."""
    return gate_stage


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

    async def late(client: Client, job: Job, nodes: Sequence[str]) -> Answer:
        if not stolen:
            stolen.append(nodes[0])
            await bind(stage.client, thief, nodes[0])
        return await start(client, job, nodes)

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
        large = {("Job", "large", code) for code in ("NeverFits", "NodesExcluded")}  # nodes of others may be there
        return ("Job", "ranks", "Unsupported") in found and bool(large & found)

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
