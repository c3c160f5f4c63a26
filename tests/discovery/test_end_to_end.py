"""From a plug to a label: a cable is moved in the laboratory, and one node of a real API server follows."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import ClientError, ClientSession

from railwise.devcluster.cluster import Cluster
from railwise.discovery.publishing.config_map import stored_map
from railwise.discovery.publishing.node_labels import LabelledMeta, LabelledNode
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.fabric_map import Map
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.resources import NODES
from railwise.lab.running import RunningLab
from railwise.lab.serving import Listening
from tests.control_plane import node

pytestmark = [pytest.mark.slow, pytest.mark.cluster]
LABEL = "fabric.railwise.dev/leaf-group"


def plain(prefix: str = "plug") -> Fabric:
    """Return four leaves with four servers each, which have one cable each, below two spines."""
    design = DESIGNS["two-tier-ethernet"]
    fabric = design.draw(replace(design.usual, units=4, servers=4, rails=1, spines=2))
    names = {server.name: f"{prefix}-{server.name}" for server in fabric.servers}

    def port(one: Port) -> Port:
        return Port(names.get(one.device, one.device), one.name)

    servers = tuple(replace(server, name=names[server.name]) for server in fabric.servers)
    cables = tuple(replace(cable, a=port(cable.a), b=port(cable.b)) for cable in fabric.cables)
    switches = tuple(replace(one, ports=(*one.ports, "Ethernet1020")) for one in fabric.switches)
    return replace(fabric, switches=switches, servers=servers, cables=cables)


@asynccontextmanager
async def published(folder: Path, kubeconfig: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    command = [
        sys.executable, "-m", "railwise", "discover", "--lab", str(folder), "--watch", "--publish", "labels",
        "--kubeconfig", str(kubeconfig),
    ]  # fmt: skip
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.terminate()
        await process.wait()


async def nodes_of(client: Client, names: list[str]) -> dict[str, LabelledMeta]:
    listed = (await client.list(NODES, LabelledNode)).objects
    return {one.metadata.name: one.metadata for one in listed if one.metadata.name in names}


async def until_labelled(client: Client, names: list[str], wanted: int) -> dict[str, LabelledMeta]:
    """Return the nodes when so many leaf groups are among their labels."""
    async with asyncio.timeout(90):
        while True:
            found = await nodes_of(client, names)
            groups = {(one.labels or {}).get(LABEL, "") for one in found.values()}
            if "" not in groups and len(groups) == wanted:
                return found
            await asyncio.sleep(0.2)


async def test_a_moved_cable_moves_one_label(admin: Access, control_plane: Cluster, tmp_path: Path) -> None:
    fabric = plain()
    names = [server.name for server in fabric.servers]
    lab = RunningLab(fabric, tmp_path / "lab", Listening())
    await lab.start()
    try:
        async with connect(admin) as client, published(tmp_path / "lab", control_plane.kubeconfig):
            for name in names:
                await client.create(NODES, "", node(name))
            before = await until_labelled(client, names, 4)
            here, free = Port("rack-1-a", "Ethernet0"), Port("rack-3-a", "Ethernet1020")
            lab.apply(Event(0, Action.REPLUG, on=True, ports=(here, free)))
            async with asyncio.timeout(60):
                while True:
                    after = await nodes_of(client, names)
                    if after[names[0]].labels != before[names[0]].labels:
                        break
                    await asyncio.sleep(0.1)
            assert (after[names[0]].labels or {})[LABEL] == (before["plug-gpu-09"].labels or {})[LABEL]
            others = names[1:]
            assert {name: after[name].resource_version for name in others} == {
                name: before[name].resource_version for name in others
            }
    finally:
        await lab.stop()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def controller(document: Path, kubeconfig: Path, space: str, port: int) -> AsyncIterator[None]:
    command = [
        sys.executable, "-m", "railwise", "run", "discovery", "--config", str(document), "--kubeconfig",
        str(kubeconfig), "--namespace", space, "--lease", f"{space}/discovery", "--metrics", f"127.0.0.1:{port}",
    ]  # fmt: skip
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE)
    try:
        yield
    finally:
        process.terminate()
        await process.communicate()
    assert process.returncode == 0


async def ready(port: int) -> str:
    """Wait until the controller has a map (one that waits for its turn is ready without), and return its metrics."""
    async with asyncio.timeout(60), ClientSession() as session:
        while True:
            with contextlib.suppress(ClientError):
                async with session.get(f"http://127.0.0.1:{port}/metrics") as answer:
                    figures = await answer.text()
                    if 'railwise_fabric_objects{kind="servers"}' in figures:
                        break
            await asyncio.sleep(0.2)
        async with session.get(f"http://127.0.0.1:{port}/readyz") as answer:
            assert answer.status == 200
        return figures


async def stored(admin: Access, space: str) -> Map:
    async with asyncio.timeout(60), connect(admin) as client:
        while (found := await stored_map(client, space)) is None:  # noqa: ASYNC110 # another process writes it
            await asyncio.sleep(0.2)
        return found


async def test_the_controller_publishes_and_a_restart_keeps_every_name(
    admin: Access, control_plane: Cluster, tmp_path: Path, space: str
) -> None:
    document = tmp_path / "discover.yaml"
    document.write_text("apiVersion: railwise.dev/v1alpha1\nkind: Discovery\nspec: {lab: lab}\n")
    lab = RunningLab(plain(), tmp_path / "lab", Listening())
    await lab.start()
    try:
        port = free_port()
        async with controller(document, control_plane.kubeconfig, space, port):
            figures = await ready(port)
            first = await stored(admin, space)
        assert 'railwise_fabric_objects{kind="servers"} 16.0' in figures
        assert 'railwise_discovery_devices{source="gnmi"} 10.0' in figures
        lab.apply(Event(0, Action.SWITCH, on=False, device="rack-1-a"))
        port = free_port()
        async with controller(document, control_plane.kubeconfig, space, port):
            await ready(port)
            second = await stored(admin, space)
        assert {server: second.places[server] for server in first.places} == first.places
    finally:
        await lab.stop()
