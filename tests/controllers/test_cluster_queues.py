"""Our own Queue and Topology on a real API server: refused where they are wrong, obeyed where they are right."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from railwise.controllers import addons
from railwise.formats.kubernetes.dialects.crds import crds
from railwise.formats.kubernetes.dialects.sources import KAI_QUEUE, OWN_QUEUE, OWN_TOPOLOGY
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.errors import StatusError
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.control_plane import node, pod
from tests.controllers.resources import custom, defined, events_about, resource, shared_definition
from tests.controllers.test_cluster_scheduler import Condition, Stage, Status, scheduling, until

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

QUEUES, TOPOLOGIES = resource(OWN_QUEUE), resource(OWN_TOPOLOGY)
LABEL = "example.com/rack"


class Seen(PartialObject, frozen=True):
    status: Status = msgspec.field(default_factory=Status)


@pytest.fixture
async def client(admin: Access) -> AsyncIterator[Client]:
    async with connect(admin) as one:
        yield one


@pytest.fixture
async def stage(client: Client, space: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    monkeypatch.setattr(addons, "LOOK_AGAIN", 0.1)
    yield Stage(client, space)
    for found in (await client.list(PODS, PartialObject, Scope(space))).objects:
        await client.delete(PODS, space, found.metadata.name, grace=0)
    for found in (await client.list(NODES, PartialObject, Scope(labels=f"space={space}"))).objects:
        await client.delete(NODES, "", found.metadata.name)


RACK = {"name": "rack", "label": LABEL}

REFUSED_QUEUES: list[tuple[str, dict[str, Any]]] = [
    ("a limit below the quota takes away what is guaranteed", {"quota": {"gpu": 8}, "limit": {"gpu": "4"}}),
    ("no more than the quota can be lent", {"quota": {"memory": "1Gi"}, "lend": {"memory": "2Gi"}}),
    ("only what is in quota can be lent", {"lend": {"gpu": 1}}),
    ("a queue cannot be its own parent", {"parent": "refused"}),
    ("unknown resource", {"quota": {"gpus": 8}}),
    ("none of them below 0", {"quota": {"gpu": -1}}),
    ("none of them below 0", {"quota": {"gpu": "eight"}}),
    ("spec.weight", {"weight": -1}),
    ("spec.reclaimMinRuntime", {"reclaimMinRuntime": "10 minutes"}),
    ("spec.guarantee.rack", {"guarantee": {"rack": -1}}),
]

REFUSED_TOPOLOGIES: list[tuple[str, dict[str, Any]]] = [
    ("two levels have the same name", {"levels": [RACK, {"name": "rack", "label": "example.com/row"}]}),
    ("two levels have the same label", {"levels": [RACK, {"name": "row", "label": LABEL}]}),
    ("'node' is always the last level", {"levels": [{"name": "node"}, RACK]}),
    ("every level but the node needs the node label", {"levels": [{"name": "rack"}]}),
    ("'none' cannot be a level", {"levels": [{"name": "none", "label": LABEL}]}),
    ("leave the hostname out", {"levels": [{"name": "host", "label": "kubernetes.io/hostname"}]}),
    ("spec.levels", {"levels": []}),
    ("spec.levels", {}),
    ("spec.levels[0].uplink", {"levels": [{**RACK, "uplink": "fast"}]}),
]

SOUND_QUEUES: list[dict[str, Any]] = [
    {},
    {"quota": {"gpu": 8, "memory": "64Gi"}, "limit": {"gpu": "8"}, "lend": {"gpu": 4}, "weight": 0.5},
    {"quota": {"vendor.com/fpga": 2}, "limit": {"gpu": 1}, "reclaimMinRuntime": "1h30m", "bandwidth": {"rack": "25%"}},
    {"parent": "elsewhere", "stopped": True, "guarantee": {"rack": 2}, "priority": -5},
]


async def test_the_server_refuses_what_is_wrong_and_says_why(client: Client) -> None:
    async with defined(client, crds()):
        for resource_, cases in ((QUEUES, REFUSED_QUEUES), (TOPOLOGIES, REFUSED_TOPOLOGIES)):
            for words, spec in cases:
                with pytest.raises(StatusError) as caught:
                    await client.create(resource_, "", custom(resource_, "refused", **spec))
                assert words in str(caught.value), spec
        for number, spec in enumerate(SOUND_QUEUES):
            await client.create(QUEUES, "", custom(QUEUES, f"sound-{number}", **copy.deepcopy(spec)))
        await client.create(
            TOPOLOGIES, "", custom(TOPOLOGIES, "sound", levels=[RACK, {"name": "node", "uplink": "3.2Tbps"}])
        )


async def test_queues_that_come_and_change_while_it_runs_are_obeyed(stage: Stage) -> None:
    client = stage.client
    await stage.nodes(2)
    pods = [await stage.pod(f"p-{index}", 4, {"queue": "team"}) for index in range(4)]

    async def codes() -> set[str]:
        return {(await stage.word(pod.name)).message.partition(":")[0] for pod in pods}

    async def bound(count: int) -> bool:
        return len(await stage.places()) == count

    async with scheduling(stage) as scheduler:
        await until(lambda: _is(codes, {"UnknownQueue"}))
        async with defined(client, crds()):
            await client.create(QUEUES, "", custom(QUEUES, "team", quota={"gpu": 4}, limit={"gpu": 4}))
            await until(lambda: bound(1))
            await client.patch(QUEUES, "", "team", {"spec": {"limit": {"gpu": "12"}}})
            await until(lambda: bound(3))

            async def accepted() -> bool:
                return (await _accepted(client, QUEUES, "team")).status == "True"

            await until(accepted)
            engines = scheduler.tally.engines
            await client.create(QUEUES, "", custom(QUEUES, "odd", bandwidth={"rack": "fast"}))

            async def refused() -> bool:
                return (await _accepted(client, QUEUES, "odd")).status == "False"

            await until(refused)
            assert "spec.bandwidth.rack" in (await _accepted(client, QUEUES, "odd")).message
            assert scheduler.tally.engines == engines + 1

            async def told() -> bool:
                return [one.reason for one in await events_about(client, "Queue", "odd")] == ["CannotBeRead"]

            await until(told)
            assert await bound(3)
        running = await stage.places()
        waiting = next(pod for pod in pods if pod.name not in running)

        async def unknown() -> bool:
            return (await stage.word(waiting.name)).message.startswith("UnknownQueue")

        await until(unknown)


async def test_a_topology_object_names_the_levels_and_another_one_changes_them(stage: Stage) -> None:
    client = stage.client
    for index in range(4):
        labels = {"space": stage.space, LABEL: f"r{index // 2}", "example.com/row": f"w{index % 2}"}
        await client.create(NODES, "", node(f"{stage.space}-{index}", **labels))
    async with defined(client, crds()), scheduling(stage):
        await client.create(TOPOLOGIES, "", custom(TOPOLOGIES, "hall", levels=[RACK]))
        first = await stage.job("first", 2, 8, {"required": "rack"})

        async def placed(count: int) -> bool:
            return len(await stage.places()) == count

        await until(lambda: placed(2))
        assert {(await stage.places())[pod.name][-1] for pod in first} in ({"0", "1"}, {"2", "3"})
        await client.patch(TOPOLOGIES, "", "hall", {"spec": {"levels": [{"name": "row", "label": "example.com/row"}]}})
        second = await stage.job("second", 2, 8, {"required": "row"})

        async def told() -> bool:
            word = (await stage.word(second[0].name)).message
            return word.startswith("TooFragmented") and "one row" in word

        await until(told)


async def test_an_object_of_another_system_that_cannot_be_read_is_told_so_and_costs_nobody_else(stage: Stage) -> None:
    client, queues = stage.client, resource(KAI_QUEUE)
    definition = shared_definition(KAI_QUEUE)
    if definition is None:
        pytest.skip("the published definition of KAI's Queue is not here: ../shared/crds")
    await stage.nodes(1)
    free = {"quota": 2, "limit": -1}
    async with scheduling(stage), defined(client, [definition]):
        for name, gpu in (("crooked", {"quota": -5, "limit": -1}), ("sound", free)):
            spec = {"resources": {"gpu": gpu, "cpu": free, "memory": free}}
            await client.create(queues, "", custom(queues, name, **spec))
        container = {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        for name in ("crooked", "sound"):
            one = pod(f"in-{name}", schedulerName=stage.name, containers=[container])
            one["metadata"]["labels"] = {"kai.scheduler/queue": name}
            await client.create(PODS, stage.space, one)

        async def bound() -> bool:
            return set(await stage.places()) == {"in-sound"}

        await until(bound)

        async def told() -> bool:
            return [one.reason for one in await events_about(client, "Queue", "crooked")] == ["CannotBeRead"]

        await until(told)
        assert (await stage.word("in-crooked")).message.startswith("UnknownQueue")


async def _is(ask: Any, wanted: object) -> bool:
    return bool(await ask() == wanted)


async def _accepted(client: Client, kind: Any, name: str) -> Condition:
    seen = await client.get(kind, Seen, "", name)
    return next((one for one in seen.status.conditions if one.type == "Accepted"), Condition())
