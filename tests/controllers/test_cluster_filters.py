"""The stock scheduler as judge: on the same nodes, a pod goes only where kube-scheduler would put it too."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import msgspec
import pytest

from railwise.devcluster.cluster import Cluster, programs_of
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.programs import find_programs
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import PodName, bind
from railwise.kubeapi.resources import CLAIMS, CSI_NODES, NODES, PODS, VOLUMES
from railwise.kubeapi.watching import Scope
from tests.control_plane import uid_of
from tests.controllers.filter_table import HOST, RESIDENTS, ZONE, Object, Row, container, rows
from tests.controllers.filter_table import NODES as PLACES
from tests.controllers.test_cluster_scheduler import Seen, Stage, scheduling

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

STOCK = "default-scheduler"
BOUND = "pv.kubernetes.io/bind-completed"
DRIVER = "csi.example.com"
SILENCE = 8.0
"""Seconds after which nothing more is expected to be said of a pod."""


class Sight(Seen, frozen=True):
    """A pod with where it is bound."""

    spec: dict[str, object] = msgspec.field(default_factory=dict)


@pytest.fixture(scope="module")
def judge(control_plane: Cluster) -> Iterator[None]:
    """Run the stock scheduler; skip, and say so, where there is none."""
    layout = control_plane.layout()
    try:
        programs = find_programs(programs_of(("scheduler",)))
    except NoControlPlaneError as error:
        pytest.skip(str(error))
    if programs is None or layout is None:
        pytest.skip("no kube-scheduler: `make control-plane` builds one")
    control_plane.start("kube-scheduler", programs, layout)
    try:
        yield
    finally:
        control_plane.daemon("kube-scheduler").stop()


def on_nodes(key: str, value: str) -> Object:
    """Return the node affinity of a volume."""
    expressions = [{"key": key, "operator": "In", "values": [value]}]
    return {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}}


class Court:
    """A namespace with nodes, pods of others and volumes, on which both schedulers are asked."""

    def __init__(self, client: Client, space: str) -> None:
        self.client = client
        self.space = space

    async def furnish(self) -> None:
        for name, place in PLACES.items():
            await self.node(name, place.labels, place.spec, place.room)
        for one in RESIDENTS:
            await self.resident(one.name, one.node, one.labels, one.spec)
        zone, host = on_nodes(ZONE, "a"), on_nodes(HOST, f"{self.space}-shunned")
        await self.volume("in-zone-a", {**zone, "hostPath": {"path": "/a"}})
        await self.volume("on-shunned", {**host, "local": {"path": "/b"}})
        for name in ("driven", "driving"):
            await self.volume(name, {"csi": {"driver": DRIVER, "volumeHandle": name}})
        await self.volume("in-use", {"hostPath": {"path": "/c"}}, mode="ReadWriteOncePod")
        await self.claim("unbound", "")
        drivers = [{"name": DRIVER, "nodeID": "x", "allocatable": {"count": 1}, "topologyKeys": []}]
        meta = {"name": f"{self.space}-shunned"}
        await self.client.create(CSI_NODES, "", {"metadata": meta, "spec": {"drivers": drivers}})
        for name, node in (("in-use", "plain"), ("driving", "shunned")):
            volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
            await self.resident(f"has-{name}", node, {}, {"containers": [container()], "volumes": volumes})

    async def node(self, name: str, labels: dict[str, str], spec: Object, room: dict[str, str]) -> None:
        full = f"{self.space}-{name}"
        meta = {"name": full, "labels": {"space": self.space, HOST: full, "target": full, **labels}}
        status = {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]}
        await self.client.create(NODES, "", {"metadata": meta, "spec": spec, "status": status})

    async def resident(self, name: str, node: str, labels: dict[str, str], spec: Object) -> None:
        body = {"metadata": {"name": name, "labels": labels}, "spec": {"schedulerName": "nobody", **spec}}
        uid = uid_of(await self.client.create(PODS, self.space, body))
        assert (await bind(self.client, PodName(self.space, name, uid), f"{self.space}-{node}")).node

    async def volume(self, name: str, source: Object, mode: str = "ReadWriteOnce") -> None:
        full = f"{self.space}-{name}"
        claim = {"kind": "PersistentVolumeClaim", "namespace": self.space, "name": name}
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": [mode], "claimRef": claim, "storageClassName": "none"}
        meta = {"name": full, "labels": {"space": self.space}}
        await self.client.create(VOLUMES, "", {"metadata": meta, "spec": spec | source})
        await self.claim(name, full, mode)

    async def claim(self, name: str, volume: str, mode: str = "ReadWriteOnce") -> None:
        spec: Object = {
            "accessModes": [mode],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "none",
        }
        meta: Object = {"name": name}
        if volume:
            meta["annotations"] = {BOUND: "yes"}
            spec["volumeName"] = volume
        await self.client.create(CLAIMS, self.space, {"metadata": meta, "spec": spec})

    async def verdict(self, row: Row, scheduler: str) -> tuple[bool, str]:
        """Return whether a scheduler binds the pod of a row, and what it says otherwise; the pod is gone afterwards.

        Of a pod that is not even queued the stock scheduler says nothing.
        """
        meta: Object = {"name": f"{row.name}-{scheduler[:1]}", "labels": dict(row.labels)}
        body = {"metadata": meta, "spec": {**row.spec, "schedulerName": scheduler}}
        await self.client.create(PODS, self.space, body)
        end = time.monotonic() + SILENCE
        try:
            while time.monotonic() < end:
                seen = await self.client.get(PODS, Sight, self.space, meta["name"])
                if seen.spec.get("nodeName"):
                    assert seen.spec["nodeName"] == row.node
                    return True, ""
                word = next((one for one in seen.status.conditions if one.type == "PodScheduled"), None)
                if word is not None and word.status == "False":
                    return False, word.message
                await asyncio.sleep(0.01)
            return False, "nothing"
        finally:
            await self.client.delete(PODS, self.space, meta["name"], grace=0)

    async def clear(self) -> None:
        for found in (await self.client.list(PODS, PartialObject, Scope(self.space))).objects:
            await self.client.delete(PODS, self.space, found.metadata.name, grace=0)
        for resource in (NODES, VOLUMES):
            for found in (await self.client.list(resource, PartialObject, Scope(labels=f"space={self.space}"))).objects:
                await self.client.delete(resource, "", found.metadata.name)
        await self.client.delete(CSI_NODES, "", f"{self.space}-shunned")


@pytest.fixture
async def court(admin: Access, space: str, judge: None) -> AsyncIterator[Court]:
    del judge
    async with connect(admin) as client:
        one = Court(client, space)
        await one.furnish()
        yield one
        await one.clear()


STRICTER: dict[str, str] = {}
"""Rows that we refuse though the stock scheduler does not, and why."""


async def test_no_pod_goes_where_the_stock_scheduler_would_not_put_it(court: Court) -> None:
    table = list(rows(court.space))
    assert len(table) >= 60
    stage = Stage(court.client, court.space)
    wrong: dict[str, str] = {}
    granted = 0
    stricter: dict[str, str] = {}
    async with scheduling(stage):
        for row in table:
            for attempt in (1, 2):
                stock, why = await court.verdict(row, STOCK)
                ours, reason = await court.verdict(row, stage.name)
                if stock == ours or attempt == 2:
                    break
                await asyncio.sleep(0.2)
            granted += stock
            if ours and not stock:
                wrong[row.name] = why
            elif stock and not ours:
                stricter[row.name] = reason
    assert wrong == {}
    assert min(granted, len(table) - granted) >= 30, f"the judge grants {granted} of {len(table)}"
    assert stricter.keys() == STRICTER.keys(), stricter
