"""The webhook asked by a real API server: pods get their gate, certificates change, and what its absence does."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from railwise.controllers.admission import NAME, WEBHOOKS, drop_policy, served_version
from railwise.controllers.admission_keeper import SECRETS, CertificateKeeper, Place
from railwise.controllers.admission_webhook import webhook
from railwise.controllers.gate_cache import SeenPod
from railwise.devcluster.cluster import free_ports
from railwise.formats.kubernetes.gate_marks import GATE
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.errors import StatusError
from railwise.kubeapi.resources import NAMESPACES, PODS
from tests.control_plane import pod
from tests.controllers.test_cluster_scheduler import until

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

DAY = dt.timedelta(days=1)


class Calendar:
    """Days that pass when a test says so; from some days ago, as an API server believes no certificate of tomorrow."""

    def __init__(self) -> None:
        self.passed = -2.5 * DAY

    def __call__(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC) + self.passed


@pytest.fixture
async def client(admin: Access, space: str) -> AsyncIterator[Client]:
    async with connect(admin) as found:
        version = await served_version(found)
        if version:
            await drop_policy(found, version)
        await found.label(NAMESPACES, "", space, {GATE: "enabled"})
        try:
            yield found
        finally:
            await found.delete(WEBHOOKS, "", NAME)
            await found.label(NAMESPACES, "", space, {GATE: None})


@asynccontextmanager
async def answering(keeper: CertificateKeeper, port: int) -> AsyncIterator[None]:
    await keeper.look()
    async with webhook("127.0.0.1", port, keeper.context):
        yield


async def gates(client: Client, space: str, name: str) -> list[str]:
    """Create a pod and return its gates."""
    await client.create(PODS, space, pod(name, schedulerName="default-scheduler"))
    found = await client.get(PODS, SeenPod, space, name)
    await client.delete(PODS, space, name, grace=0)
    return [gate.name for gate in found.spec.scheduling_gates]


async def in_force(client: Client, space: str) -> None:
    """Wait until the API server asks the webhook."""

    async def held() -> bool:
        try:
            return await gates(client, space, "probe") == [GATE]
        except StatusError:  # asked before it answers
            return False

    await until(held)


async def test_a_new_certificate_is_believed_and_so_is_the_one_before(client: Client, space: str) -> None:
    port = free_ports(["hook"])["hook"]
    place, secret, calendar = Place(url=f"https://127.0.0.1:{port}"), (space, "pair"), Calendar()
    keeper = CertificateKeeper(client, place, secret, valid=3 * DAY, now=calendar)
    slow = CertificateKeeper(client, place, secret, valid=3 * DAY, now=calendar)
    async with answering(keeper, port):
        await in_force(client, space)
        await slow.look()
        assert slow.pair == keeper.pair, "replicas share one pair"
        first = keeper.pair
        calendar.passed = 0 * DAY
        await keeper.look()
        assert first is not None
        assert keeper.pair is not None
        assert keeper.pair != first
        assert first.authorities in keeper.pair.authorities
        await asyncio.sleep(1.0)  # for the API server to hear of it
        assert await gates(client, space, "new") == [GATE]
    async with webhook("127.0.0.1", port, slow.context):
        await in_force(client, space)  # a replica that has not looked again is believed
    await slow.look()
    assert slow.pair == keeper.pair


async def test_when_it_is_down_only_namespaces_that_asked_for_it_notice(client: Client, space: str) -> None:
    port = free_ports(["hook"])["hook"]
    keeper = CertificateKeeper(client, Place(url=f"https://127.0.0.1:{port}"), (space, "pair"))
    async with answering(keeper, port):
        await in_force(client, space)
    with pytest.raises(StatusError, match=NAME):
        await gates(client, space, "late")
    other = f"{space}-other"
    await client.create(NAMESPACES, "", {"metadata": {"name": other}})
    assert await gates(client, other, "free") == []
    async with answering(keeper, port):
        assert await gates(client, space, "again") == [GATE]


async def test_replicas_that_come_together_agree_and_nonsense_is_replaced(client: Client, space: str) -> None:
    place = Place(("railwise-system", "gate"))
    keepers = [CertificateKeeper(client, place, (space, "pair")) for _ in range(3)]
    await asyncio.gather(*(keeper.look() for keeper in keepers))
    assert len({keeper.pair for keeper in keepers}) == 1
    await client.patch(SECRETS, space, "pair", {"data": {"tls.key": "bm9uc2Vuc2U="}})
    await keepers[0].look()
    assert keepers[0].pair != keepers[1].pair
    await keepers[1].look()
    assert keepers[0].pair == keepers[1].pair
