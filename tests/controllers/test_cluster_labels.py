"""Places change while the scheduler runs: by hand, and because a cable was moved; the next gang follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from railwise.devcluster.cluster import Cluster
from railwise.fabric.elements import Action, Event, Port
from railwise.kubeapi.resources import NODES
from railwise.lab.running import RunningLab
from railwise.lab.serving import Listening
from tests.control_plane import node
from tests.controllers.test_cluster_scheduler import Stage, scheduling, stage, until
from tests.discovery.test_end_to_end import LABEL, nodes_of, plain, published, until_labelled

__all__ = ["stage"]

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

RACK = "fabric.railwise.dev/rack"


async def test_a_gang_is_placed_by_the_labels_of_now_and_running_pods_stay(stage: Stage) -> None:
    await stage.nodes(4, racks=2)
    async with scheduling(stage) as scheduler:
        await stage.job("first", 2, 4, {"required": "rack"})

        async def first_runs() -> bool:
            return len(await stage.places()) == 2

        await until(first_runs)
        before = await stage.places()
        await stage.job("wide", 3, 8, {"required": "rack"})

        async def waits() -> bool:
            return bool((await stage.word("wide-2")).message)

        await until(waits)
        (packed,) = set(before.values())
        free = [name for name in (f"{stage.space}-{index}" for index in range(4)) if name != packed]
        await stage.client.label(NODES, "", free[0], {RACK: f"{stage.space}-moved"})
        for name in free[1:]:
            await stage.client.label(NODES, "", name, {RACK: f"{stage.space}-moved"})

        async def wide_runs() -> bool:
            return len(await stage.places()) == 5

        await until(wide_runs)
        after = await stage.places()
        assert {after[f"wide-{index}"] for index in range(3)} == set(free)
        assert {name: after[name] for name in before} == before
        assert scheduler.tally.evicted == 0


async def test_a_moved_cable_makes_room_for_the_next_gang(stage: Stage, control_plane: Cluster, tmp_path: Path) -> None:
    fabric = plain("jack")
    names = [server.name for server in fabric.servers]
    lab = RunningLab(fabric, tmp_path / "lab", Listening())
    await lab.start()
    try:
        async with published(tmp_path / "lab", control_plane.kubeconfig), scheduling(stage):
            for name in names:
                await stage.client.create(NODES, "", node(name, space=stage.space))
            before = await until_labelled(stage.client, names, 4)
            await stage.job("gang", 5, 8, {"required": "leaf-group"})

            async def waits() -> bool:
                return bool((await stage.word("gang-4")).message)

            await until(waits)
            assert await stage.places() == {}, "no leaf has five servers"
            lab.apply(
                Event(
                    0, Action.REPLUG, on=True, ports=(Port("rack-1-a", "Ethernet0"), Port("rack-3-a", "Ethernet1020"))
                )
            )

            async def moved() -> bool:
                found = await nodes_of(stage.client, names)
                return (found[names[0]].labels or {}).get(LABEL) == (before["jack-gpu-09"].labels or {})[LABEL]

            await until(moved)

            async def runs() -> bool:
                return len(await stage.places()) == 5

            await until(runs)
            wide = (before["jack-gpu-09"].labels or {})[LABEL]
            there = {name for name in names if (before[name].labels or {})[LABEL] == wide}
            assert set((await stage.places()).values()) == there | {names[0]}
    finally:
        await lab.stop()
