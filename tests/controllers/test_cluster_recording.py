"""What a live scheduler decided is what the twin decides, told the same: byte for byte, in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from railwise.controllers.cache import ClusterCache
from railwise.controllers.journal import Journal, LineFile
from railwise.controllers.scheduler import Scheduler
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import PodName, bind
from railwise.kubeapi.resources import NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.conftest import ROOT
from tests.control_plane import node
from tests.controllers.test_cluster_scheduler import Stage, until

pytestmark = [pytest.mark.slow, pytest.mark.cluster]


@dataclass
class Files:
    """Where a run is written down."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "decisions.jsonl"

    @property
    def recording(self) -> Path:
        return self.folder / "recording.jsonl"

    def events(self) -> int:
        """Return how many events the engines were told, not counting those with which they began."""
        lines = [json.loads(line) for line in self.recording.read_text().splitlines()]
        return sum(len(line.get("events", ())) for line in lines)


class Run(NamedTuple):
    """A stage with a scheduler that writes down what it does."""

    stage: Stage
    scheduler: Scheduler

    async def bound(self, count: int) -> None:
        async def so() -> bool:
            return len(await self.stage.places()) >= count

        await until(so)

    async def told(self, name: str, code: str) -> None:
        async def so() -> bool:
            return (await self.stage.word(name)).message.startswith(code)

        await until(so)

    async def known(self, count: int) -> None:
        """Wait until the engine was told of so many workloads: who goes before that has never been."""

        async def so() -> bool:
            gangs = self.scheduler.cache.pods.gangs.values()
            return sum(gang.told is not None for gang in gangs) >= count

        await until(so)

    async def free(self, name: str) -> None:
        await self.stage.client.delete(PODS, self.stage.space, name, grace=0)


@asynccontextmanager
async def written(stage: Stage, files: Files) -> AsyncIterator[Run]:
    journal = Journal(LineFile(files.log), LineFile(files.recording, largest=0))
    scheduler = Scheduler(stage.client, ClusterCache(stage.name), journal=journal)
    task = asyncio.create_task(scheduler.run())
    try:
        async with asyncio.timeout(30):
            await scheduler.ready.wait()
        yield Run(stage, scheduler)
        await asyncio.sleep(0.3)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        journal.close()


async def singles_that_come_and_go(run: Run) -> None:
    stage = run.stage
    await stage.nodes(4, racks=2)
    for index in range(160):
        await stage.pod(f"p-{index}", 1 + index % 3)
    await run.known(160)
    for index in range(0, 160, 2):
        await run.free(f"p-{index}")
    await run.bound(12)


async def gangs_inside_racks(run: Run) -> None:
    stage = run.stage
    await stage.nodes(8, racks=2)
    for index in range(18):
        await stage.job(f"g-{index}", 2 + index % 3, 4, {"required": "rack"})
    await run.known(18)
    await run.bound(12)
    for index in range(0, 18, 2):
        for member in range(2 + index % 3):
            await run.free(f"g-{index}-{member}")
    await stage.job("wide", 5, 8, {"required": "rack"})
    await run.told("wide-0", "NeverFits")


async def nodes_that_fail(run: Run) -> None:
    stage = run.stage
    await stage.nodes(4, racks=2)
    for index in range(8):
        await stage.pod(f"p-{index}", 3)
    await run.bound(8)
    for index in (*range(4), *range(4)):
        name = f"{stage.space}-{index}"
        await stage.client.patch(NODES, "", name, {"spec": {"unschedulable": True}})
        await asyncio.sleep(0.02)
        await stage.client.patch(NODES, "", name, {"spec": {"unschedulable": index == 0}})
        await stage.client.label(NODES, "", name, {"example.com/note": f"v{index}"})
    taint = {"key": "example.com/odd", "value": "yes", "effect": "NoSchedule"}
    await stage.client.patch(NODES, "", f"{stage.space}-1", {"spec": {"taints": [taint]}})
    sick = {"status": {"allocatable": {"nvidia.com/gpu": "6"}}}
    await stage.client.patch(NODES, "", f"{stage.space}-3", sick, sub="status")
    for index in range(8, 14):
        await stage.pod(f"p-{index}", 2)
    await run.told("p-13", "")
    await stage.client.create(NODES, "", node(f"{stage.space}-9", space=stage.space))
    await run.bound(12)
    await stage.client.delete(NODES, "", f"{stage.space}-9")
    await stage.pod("last", 1)


async def room_is_made(run: Run) -> None:
    stage = run.stage
    await stage.nodes(3)
    for index in range(6):
        await stage.pod(f"low-{index}", 4)
    await run.bound(6)
    for index in range(3):
        await stage.pod(f"high-{index}", 8, priority=None, priorityClassName="system-cluster-critical")

    async def evicted() -> bool:
        for found in (await stage.client.list(PODS, Pod, Scope(stage.space))).objects:
            if found.metadata.deletion_timestamp is not None:  # there is no kubelet that would end it
                await run.free(found.metadata.name)
        places = await stage.places()
        return sum(name.startswith("high") for name in places) == 3

    await until(evicted)


async def others_and_failures(run: Run) -> None:
    stage = run.stage
    await stage.nodes(3, racks=3)
    theirs = [await stage.pod(f"t-{index}", 2, schedulerName="somebody") for index in range(6)]
    ours = [await stage.pod(f"o-{index}", 8) for index in range(4)]
    for index, one in enumerate(theirs):
        if index % 2:
            with contextlib.suppress(AssertionError):
                await bind(stage.client, PodName(*one), f"{stage.space}-{index % 3}")
    await stage.pod("odd", 1, {"required": "no such level"})
    await run.told("odd", "Invalid")
    for one in ours[:2]:
        await run.free(one.name)
    for index in range(80):
        await stage.pod(f"s-{index}", 1, {"preferred": "rack"})
    await run.known(80)
    await run.bound(8)


SCENARIOS: tuple[Callable[[Run], Awaitable[None]], ...] = (
    singles_that_come_and_go,
    gangs_inside_racks,
    nodes_that_fail,
    room_is_made,
    others_and_failures,
)

EVENTS: Counter[str] = Counter()
"""Events of each scenario, once it has run."""


async def lived(admin: Access, space: str, files: Files, play: Callable[[Run], Awaitable[None]]) -> None:
    async with connect(admin) as client:
        stage = Stage(client, space)
        try:
            async with written(stage, files) as run:
                await play(run)
        finally:
            for found in (await client.list(PODS, PartialObject, Scope(space))).objects:
                await client.delete(PODS, space, found.metadata.name, grace=0)
            for found in (await client.list(NODES, PartialObject, Scope(labels=f"space={space}"))).objects:
                await client.delete(NODES, "", found.metadata.name)


def again(files: Files, seed: int) -> subprocess.CompletedProcess[bytes]:
    """Decide once more, in another process with another order of hashes."""
    command = [sys.executable, "-m", "railwise", "replay", str(files.recording)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": str(seed)}
    return subprocess.run(command, capture_output=True, check=False, env=environment)


def test_five_runs_are_lived_through_again(admin: Access, space: str, tmp_path: Path) -> None:
    total = 0
    for number, play in enumerate(SCENARIOS):
        files = Files(tmp_path / play.__name__)
        files.folder.mkdir()
        asyncio.run(lived(admin, space, files, play))
        done = again(files, number + 1)
        assert (done.returncode, done.stderr) == (0, b""), play.__name__
        assert done.stdout == files.log.read_bytes(), play.__name__
        kinds = Counter(json.loads(line)["event"] for line in done.stdout.splitlines())
        assert kinds["placed"] >= 3, (play.__name__, kinds)
        EVENTS.update(kinds)
        total += files.events()
    assert total >= 300, total
    assert {"submitted", "placed", "finished", "changed", "evicted"} <= EVENTS.keys()
