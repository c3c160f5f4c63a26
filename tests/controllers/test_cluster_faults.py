"""A scheduler behind a bad network, while pods come and go: afterwards everything is as it should be."""

from __future__ import annotations

import asyncio

import pytest

from railwise.controllers.cache import ClusterCache
from railwise.controllers.scheduler import Scheduler
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.retry import Backoff
from railwise.kubeapi.settings import Settings
from tests.controllers.fault_proxy import FaultProxy
from tests.controllers.test_cluster_scheduler import Stage, stage
from tests.controllers.users import Users, looked_at

__all__ = ["stage"]

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

NODE_COUNT = 12
WANTED = 500
"""So many faults at least."""

LONGEST = 150.0
IMPATIENT = Settings(timeout=3.0, silence=5.0, watch_time=10, watch_backoff=Backoff(0.05, 0.5))


@pytest.mark.parametrize("seed", [1])
async def test_after_hundreds_of_faults_nothing_is_wrong(stage: Stage, admin: Access, seed: int) -> None:
    await stage.nodes(NODE_COUNT, racks=3)
    users = Users(stage, seed, NODE_COUNT)
    proxy = FaultProxy(admin, seed, share=0.4)
    async with proxy.served() as bad, connect(bad, IMPATIENT) as client, asyncio.timeout(LONGEST):
        scheduler = Scheduler(client, ClusterCache(stage.name))
        working = asyncio.create_task(scheduler.run())
        kubelet = asyncio.create_task(users.kubelet())
        while sum(proxy.faults.values()) < WANTED:
            await users.step()
            await asyncio.sleep(0.01)
            assert not working.done(), working.exception()
        proxy.calm = True
        wrong = ["not looked yet"]
        while wrong or scheduler.tally.rounds == 0:
            await asyncio.sleep(1.0)
            wrong = await looked_at(stage.client, stage)
            overfull = [one for one in wrong if "holds" in one]
            assert overfull == []
        for task in (working, kubelet):
            task.cancel()
        await asyncio.gather(working, kubelet, return_exceptions=True)
    assert scheduler.tally.bound > 20
    assert {"lost", "refused", "unsent", "late"} <= proxy.faults.keys()
