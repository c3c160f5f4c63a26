"""Gangs with a rack level on 5,000 nodes, beside the stock kube-scheduler with its own topology feature on.

Both read the same objects: upstream PodGroups that start all together, on nodes of one rack. For kube-scheduler the
feature gates ``GenericWorkload`` and ``TopologyAwareWorkloadScheduling`` are on. Pods and groups are there before a
scheduler starts; the value is how many times as many pods a second as kube-scheduler. Who has not bound everything
after ``LONGEST`` seconds is measured by what it has bound by then, which flatters it: the later half is the harder one.
Nodes send no leases.
"""

from __future__ import annotations

import asyncio
import sys
from functools import cache

from benchmarks.live import (
    SPACE,
    Seen,
    bound_within,
    create,
    kube_scheduler,
    pod,
    programs,
    railwise,
    running,
    with_client,
)
from benchmarks.result import Bars, Quantity, Registry, Result
from railwise.controllers.feeds import POD_GROUPS
from railwise.devcluster.cluster import Wish
from railwise.devcluster.nodes import default_scenario
from railwise.kubeapi.client import Client

NODES, GANGS, SIZE, CARDS = 5000, 1250, 8, 4
RACK = "fabric.railwise.dev/rack"
LONGEST = 300.0

WISH = Wish(("kwok",), "GenericWorkload=true,TopologyAwareWorkloadScheduling=true", "scheduling.k8s.io/v1beta1=true")
"""What kube-scheduler needs for its topology feature."""


async def _gangs(client: Client, scheduler: str, gangs: int) -> None:
    """Create gangs of 8 pods of 4 cards, that is two gangs to a rack of 8 nodes."""
    rules = {
        "schedulingPolicy": {"gang": {"minCount": SIZE}},
        "schedulingConstraints": {"topology": [{"key": RACK}]},
    }
    names = [f"g-{index}" for index in range(gangs)]
    groups = ({"metadata": {"name": name}, "spec": rules} for name in names)
    await asyncio.gather(*(client.create(POD_GROUPS, SPACE, one) for one in groups))
    pods = [pod(f"{name}-{rank}", scheduler, CARDS, group=name) for name in names for rank in range(SIZE)]
    await create(client, pods)


@cache
def placed(who: str, nodes: int = NODES, gangs: int = GANGS) -> Seen:
    """Return how many pods ``railwise`` or ``kube-scheduler`` binds, and when."""
    name = "railwise" if who == "railwise" else "default-scheduler"
    with running(default_scenario(nodes), WISH) as cluster:
        with_client(cluster, lambda client: _gangs(client, name, gangs))
        with (railwise if who == "railwise" else kube_scheduler)(cluster):
            seen = with_client(cluster, lambda client: bound_within(client, gangs * SIZE, LONGEST))
    print(f"  {who}: {seen.pods} of {gangs * SIZE} pods, {seen.rate():.0f} pods/s", file=sys.stderr)
    return seen


def topology() -> Result:
    """Return how many times as quick as kube-scheduler with its topology feature we are."""
    ours, theirs = placed("railwise"), placed("kube-scheduler")
    if ours.pods < GANGS * SIZE:
        raise TimeoutError
    ratio = ours.rate() / theirs.rate()
    return Result(ratio, "× kube-scheduler", Quantity.PLAIN, bars=Bars(pure=2.0, compiled=2.0))


BENCHMARKS: Registry = {"kube-topology": topology} if programs() is not None else {}
