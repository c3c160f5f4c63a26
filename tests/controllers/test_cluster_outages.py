"""Everything at once: two replicas behind bad networks, killed and paused; the API server ended and started again.

Nodes go and come back, gangs lose pods, others bind, and at rest everything is as it should be. The control plane is
one of its own, because it is ended in the middle.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from railwise.devcluster.cluster import Cluster, Wish, programs_of
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.processes import gone_within
from railwise.devcluster.programs import Programs, find_programs
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.resources import NAMESPACES
from railwise.kubeapi.retry import Backoff, RetryPolicy
from railwise.kubeapi.settings import Settings
from tests.controllers.replicas import VALID, Reigns, Replica, replica
from tests.controllers.test_cluster_scheduler import Stage
from tests.controllers.users import ROUGH, Users, looked_at

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

log = logging.getLogger(__name__)

NODE_COUNT = 12
RACKS = 3
PATIENT = Settings(
    timeout=5.0, retry=RetryPolicy(attempts=8, backoff=Backoff(0.1, 2.0)), watch_backoff=Backoff(0.1, 1.0)
)
REST = 180.0
"""Seconds after the last fault within which everything has to be as it should be."""


class Place:
    """A control plane that can be ended and started again."""

    def __init__(self, cluster: Cluster, programs: Programs) -> None:
        self.cluster = cluster
        self.programs = programs

    def access(self) -> Access:
        return access_from(merge([self.cluster.kubeconfig]))

    def restart_api_server(self) -> None:
        """End it as a crash does, and start it again."""
        process = self.cluster.daemon("kube-apiserver").process()
        layout = self.cluster.layout()
        assert process is not None
        assert layout is not None
        os.kill(process.pid, signal.SIGKILL)
        assert gone_within(process, 30.0)
        wait_for_port(layout.ports["kube-apiserver"])
        self.cluster.start("kube-apiserver", self.programs, layout, 60.0)


def wait_for_port(port: int) -> None:
    """Wait until a port is free: the threads of a process that was killed may hold it a moment longer than it lives."""
    end = time.monotonic() + 30.0
    while True:
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                assert time.monotonic() < end
                time.sleep(0.05)
            else:
                return


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    try:
        programs = find_programs(programs_of(()))
    except NoControlPlaneError as error:
        pytest.skip(str(error))
    if programs is None:
        pytest.skip("no control plane: `make control-plane` builds one, in about 20 minutes")
    cluster = Cluster(tmp_path / "outages")
    cluster.up(programs, Wish(), lambda _line: None, patience=120)
    try:
        yield Place(cluster, programs)
    finally:
        cluster.down()


class Outage:
    """What happens to the two replicas and to the API server, in turn, by seed; ``done`` counts it."""

    def __init__(self, place: Place, replicas: list[Replica], reigns: Reigns, seed: int) -> None:
        self.place = place
        self.replicas = replicas
        self.reigns = reigns
        self.chance = Random(seed)
        self.done: list[str] = []

    async def leader(self) -> Replica:
        holder = await self.reigns.holder()
        return next((one for one in self.replicas if one.leads(holder)), self.replicas[0])

    async def happen(self, kind: str) -> None:
        """Let one thing happen, and who ended is started again."""
        await asyncio.sleep(self.chance.random() * 4)
        if kind == "kill":
            (await self.leader()).kill()
        elif kind == "pause":
            one = await self.leader()
            one.signal(signal.SIGSTOP)
            await asyncio.sleep(VALID * (1.2 + self.chance.random()))
            one.signal(signal.SIGCONT)
            await asyncio.sleep(1.0)
        else:
            await asyncio.to_thread(self.place.restart_api_server)
        self.done.append(kind)
        for one in self.replicas:
            one.start()


async def life(
    place: Place, folder: Path, seed: int, share: float, enough: Callable[[int, list[str]], bool]
) -> list[str]:
    """Let everything happen until it is enough, then rest; return what is wrong then.

    ``share`` of the requests of each replica are spoiled.
    """
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(connect(place.access(), PATIENT))
        space = "outages"
        await client.create(NAMESPACES, "", {"metadata": {"name": space}})
        stage = Stage(client, space)
        await stage.nodes(NODE_COUNT, racks=RACKS)
        replicas = [
            await stack.enter_async_context(
                replica(f"r{index}", place.access(), folder, seed * 2 + index, share, space, stage.name)
            )
            for index in range(2)
        ]
        users, reigns = Users(stage, seed, NODE_COUNT, ROUGH), Reigns(client, space)
        outage = Outage(place, replicas, reigns, seed)
        async with asyncio.TaskGroup() as group:
            around = [group.create_task(one) for one in (reigns.watch(), users.kubelet(), working(users))]
            kinds = ["pause", "kill", "server"]
            while not enough(sum(one.proxy.faults.total() for one in replicas), outage.done):
                await outage.happen(kinds[len(outage.done) % len(kinds)])
            around.pop().cancel()
            for one in replicas:
                one.proxy.calm = True
                one.start()
            wrong = await at_rest(stage)
            for task in around:
                task.cancel()
        told = [f"{dict(one.proxy.faults)} and {len(one.proxy.binds)} binds" for one in replicas]
        log.info("%s; %s; %s; %d reigns", outage.done, told, dict(users.done), len(reigns.all))
        return wrong + deposed_binds(replicas, reigns)


async def working(users: Users) -> None:
    while True:
        await users.step()
        await asyncio.sleep(0.01)


async def at_rest(stage: Stage) -> list[str]:
    """Return what is wrong once nothing is, or after a long while."""
    end = time.monotonic() + REST
    while True:
        await asyncio.sleep(2.0)
        wrong = await looked_at(stage.client, stage)
        overfull = [one for one in wrong if "holds" in one]
        if not wrong or overfull or time.monotonic() > end:
            return wrong


def deposed_binds(replicas: list[Replica], reigns: Reigns) -> list[str]:
    """Return the binds that a replica sent while it did not lead."""
    return [
        f"{one.name} bound at {moment:.3f} while {reigns.at(moment)} led"
        for one in replicas
        for moment in one.proxy.binds
        if not one.leads(reigns.at(moment))
    ]


async def test_after_outages_of_every_kind_nothing_is_wrong(place: Place, tmp_path: Path) -> None:
    wrong = await life(place, tmp_path, 1, 0.3, lambda faults, done: faults >= 40 and len(done) >= 4)
    assert wrong == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [2, 3])
async def test_after_ten_thousand_faults_nothing_is_wrong(place: Place, tmp_path: Path, seed: int) -> None:
    wrong = await life(place, tmp_path, seed, 0.5, lambda faults, done: faults >= 5_000 and len(done) >= 9)
    assert wrong == []
