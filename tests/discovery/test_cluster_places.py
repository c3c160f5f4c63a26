"""Labels of live nodes and ConfigMaps of Ascend's device plugin, followed on a real API server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from railwise.discovery.hearing import Failed, Hearing, Told
from railwise.discovery.permissions import ASCEND
from railwise.discovery.place_source import PlaceSource
from railwise.fabric.observations import Report, ScaleUp
from railwise.formats.discovery.settings import InCluster
from railwise.formats.hosts.ascend import KEY, PREFIX
from railwise.formats.kubernetes.rbac import role_documents
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.credentials import FixedCredentials, bearer
from railwise.kubeapi.errors import KubeconfigError
from railwise.kubeapi.resources import CONFIG_MAPS, NAMESPACES, NODES
from tests.control_plane import node
from tests.deploy.cluster import applied, token_of
from tests.deploy.generate import DISCOVERER, NAMESPACE

AWS = "topology.k8s.aws/network-node-layer-"


class Ear:
    """Hears a source, and tells what it said last of a device."""

    def __init__(self) -> None:
        self._heard: asyncio.Queue[Hearing] = asyncio.Queue()
        self.take = self._heard.put_nowait

    async def until(self, device: str, *wanted: str) -> Report:
        """Wait until exactly these neighbours are heard at a device."""
        async with asyncio.timeout(30):
            while True:
                one = await self._heard.get()
                if isinstance(one, Told) and one.device == device:
                    names = sorted(heard.name for heard in one.report.observations)
                    if names == sorted(wanted):
                        return one.report


@asynccontextmanager
async def listening(source: PlaceSource) -> AsyncIterator[Ear]:
    ear = Ear()
    task = asyncio.create_task(source.watch(ear.take))
    try:
        yield ear
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def labels(space: str, low: str) -> dict[str, str | None]:
    return {f"{AWS}3": f"{space}-{low}", f"{AWS}2": f"{space}-mid", f"{AWS}1": f"{space}-top"}


@pytest.mark.slow
@pytest.mark.cluster
async def test_labels_of_nodes_are_followed_as_they_change(admin: Access, space: str) -> None:
    names = [f"{space}-a", f"{space}-b"]
    async with connect(admin) as client:
        for name in names:
            await client.create(NODES, "", node(name))
            await client.label(NODES, "", name, labels(space, "low-1"))
        async with listening(PlaceSource(InCluster("aws"), lambda: admin)) as ear:
            report = await ear.until(f"{space}-low-1", *names, f"{space}-mid")
            assert report.speaker.role == "leaf"
            await client.label(NODES, "", names[1], labels(space, "low-2"))
            await ear.until(names[1], f"{space}-low-2")
            await ear.until(f"{space}-low-2", names[1], f"{space}-mid")
            await client.label(NODES, "", names[1], dict.fromkeys(labels(space, ""), None))
            await ear.until(names[1])
            await client.delete(NODES, "", names[0])
            await ear.until(names[0])


@pytest.mark.slow
@pytest.mark.cluster
async def test_super_pods_come_from_the_config_maps_of_the_device_plugin(admin: Access, space: str) -> None:
    info = {"DeviceInfo": {"DeviceList": {"huawei.com/Ascend910": "Ascend910-0,Ascend910-1"}}, "SuperPodID": 7}
    async with connect(admin) as client:
        for name, text in ((f"{PREFIX}n1", json.dumps(info)), (f"{PREFIX}n2", "{"), ("other", json.dumps(info))):
            body = {"metadata": {"name": name}, "data": {KEY: text}}
            await client.create(CONFIG_MAPS, space, body)
        await client.apply(NAMESPACES, "", NAMESPACE, {}, force=True)
        objects = role_documents("ascend", ASCEND, space, DISCOVERER)
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": DISCOVERER._asdict()}
        await applied(client, [account, *objects])
        credentials = FixedCredentials(bearer(await token_of(client, DISCOVERER.name)))
        access = Access(admin.server, credentials, authority=admin.authority)
        heard: list[Hearing] = []
        await PlaceSource(InCluster("ascend", namespace=space), lambda: access).once(heard.append)
        (told,) = heard
        assert isinstance(told, Told)
        assert (told.device, told.report.scale_up) == ("n1", (ScaleUp("superpod-7", "hccs", 2),))


async def test_a_kubeconfig_that_is_lost_fails_this_source_alone() -> None:
    def lost() -> Access:
        raise KubeconfigError("somewhere", "", "cannot be read")

    heard: list[Hearing] = []
    await PlaceSource(InCluster("gfd"), lost).once(heard.append)
    assert heard == [Failed("gfd", "gfd", "somewhere: cannot be read")]
