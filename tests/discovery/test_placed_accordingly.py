"""From the fabric to the placements: what happens in the laboratory decides where the next gang goes.

Everything between is real: gNMI to virtual switches, labels on nodes of an API server, a scheduler that watches them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from railwise.discovery import gnmi_source
from railwise.discovery.publishing.node_labels import LabelledNode, NodeLabels
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import NODES, PODS
from railwise.model.node import MAINTENANCE_LABEL
from tests.control_plane import node
from tests.controllers.test_cluster_scheduler import Stage, scheduling, stage, until
from tests.discovery.test_collector import collector, laboratory

__all__ = ["stage"]

pytestmark = [pytest.mark.slow, pytest.mark.cluster]
LEAF_GROUP = {"required": "leaf-group"}


def racks(space: str) -> Fabric:
    """Return two leaves of four servers each below two spines, with room to plug in more."""
    design = DESIGNS["two-tier-ethernet"]
    fabric = design.draw(replace(design.usual, units=2, servers=4, rails=1, spines=2))
    names = {server.name: f"{space}-{server.name}" for server in fabric.servers}

    def port(one: Port) -> Port:
        return Port(names.get(one.device, one.device), one.name)

    return replace(
        fabric,
        switches=tuple(replace(one, ports=(*one.ports, "Ethernet1020")) for one in fabric.switches),
        servers=tuple(replace(server, name=names[server.name]) for server in fabric.servers),
        cables=tuple(replace(cable, a=port(cable.a), b=port(cable.b)) for cable in fabric.cables),
    )


@asynccontextmanager
async def discovering(stage: Stage, folder: Path) -> AsyncIterator[None]:
    """Follow the laboratory and label the nodes meanwhile."""

    async def follow() -> None:
        places = NodeLabels(stage.client)
        async for drawn in collector(folder).watch():
            await places.publish(drawn)

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def made(stage: Stage, fabric: Fabric) -> list[str]:
    names = [server.name for server in fabric.servers]
    for name in names:
        await stage.client.create(NODES, "", node(name, space=stage.space))
    return names


async def test_a_gang_follows_a_moved_cable(stage: Stage, tmp_path: Path) -> None:
    fabric = racks(stage.space)
    async with laboratory(fabric, tmp_path) as lab, discovering(stage, tmp_path), scheduling(stage):
        names = await made(stage, fabric)
        await stage.job("five", 5, 8, LEAF_GROUP)

        async def refused() -> bool:
            word = await stage.word("five-0")
            return word.status == "False" and "leaf-group" in word.message

        await until(refused)
        here, free = Port("rack-1-a", "Ethernet0"), Port("rack-2-a", "Ethernet1020")
        lab.apply(Event(0, Action.REPLUG, on=True, ports=(here, free)))

        async def placed() -> bool:
            return len(await stage.places()) == 5

        await until(placed)
        assert set((await stage.places()).values()) == {names[0], *names[4:]}


async def test_nothing_new_below_a_switch_in_maintenance_and_what_runs_there_stays(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gnmi_source, "STATE_EVERY", 0.1)
    fabric = racks(stage.space)
    async with laboratory(fabric, tmp_path) as lab, discovering(stage, tmp_path), scheduling(stage):
        names = await made(stage, fabric)
        stays = await stage.pod("stays", 8, nodeName=names[0])
        lab.apply(Event(0, Action.MAINTENANCE, on=True, device="rack-1-a"))

        async def told() -> bool:
            listed = (await stage.client.list(NODES, LabelledNode)).objects
            return {one.metadata.name for one in listed if MAINTENANCE_LABEL in (one.metadata.labels or {})} >= set(
                names[:4]
            )

        await until(told)
        await stage.job("four", 4, 8, LEAF_GROUP)
        await stage.pod("more", 8)

        async def placed() -> bool:
            return len(await stage.places()) == 5 and (await stage.word("more")).status == "False"

        await until(placed)
        places = await stage.places()
        assert {places[f"four-{index}"] for index in range(4)} == set(names[4:])
        assert places["stays"] == names[0]
        lab.apply(Event(0, Action.MAINTENANCE, on=False, device="rack-1-a"))

        async def reopened() -> bool:
            return (await stage.places()).get("more") in names[1:4]

        await until(reopened)
        assert (await stage.places())["stays"] == names[0]
        seen = await stage.client.get(PODS, PartialObject, stage.space, "stays")
        assert seen.metadata.uid == stays.uid
