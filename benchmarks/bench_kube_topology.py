"""Gangs with a rack level on 5,000 nodes, beside the stock kube-scheduler with its own topology feature on.

Both read the same objects: upstream PodGroups that start all together, on nodes of one rack. For kube-scheduler the
feature gates ``GenericWorkload`` and ``TopologyAwareWorkloadScheduling`` are on. Pods and groups are there before a
scheduler starts; the value is how many times as many pods a second as kube-scheduler.

We place 10,000 pods. kube-scheduler is given the first 50 gangs of them on the same nodes: with all 1,250 waiting it
had bound none after 300 seconds where this was written, and a cluster that stays empty is the easier one. Nodes send no
leases.
"""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
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
from railwise.devcluster.nodes import RACK as RACK_OF
from railwise.devcluster.nodes import default_scenario
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.client import Client
from railwise.kubeapi.resources import PODS
from railwise.kubeapi.watching import Scope

NODES, GANGS, SIZE, CARDS = 5000, 1250, 8, 4
PEER_GANGS = 50
RACK = "fabric.railwise.dev/rack"
LONGEST = 600.0

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


async def _in_one_rack(client: Client) -> bool:
    """Return whether every gang lies in one rack, as far as it is bound."""
    racks: dict[str, set[int]] = defaultdict(set)
    for one in (await client.list(PODS, Pod, Scope(SPACE))).objects:
        if one.spec.node_name:
            number = int(one.spec.node_name.partition("-")[2]) - 1
            racks[one.metadata.name.rpartition("-")[0]].add(number // RACK_OF)
    return all(len(found) == 1 for found in racks.values())


@cache
def placed(who: str, nodes: int = NODES, gangs: int = GANGS) -> Seen:
    """Return how many pods ``railwise`` or ``kube-scheduler`` binds, and when."""
    name = "railwise" if who == "railwise" else "default-scheduler"
    with running(default_scenario(nodes), WISH) as cluster:
        with_client(cluster, lambda client: _gangs(client, name, gangs))
        with (railwise if who == "railwise" else kube_scheduler)(cluster):
            seen = with_client(cluster, lambda client: bound_within(client, gangs * SIZE, LONGEST))
        rule = "kept" if with_client(cluster, _in_one_rack) else "BROKEN"
    told = f"{seen.pods} of {gangs * SIZE} pods, {seen.rate():.0f} pods/s, rack rule {rule}"
    print(f"  {who}: {told}", file=sys.stderr)
    return seen


def topology() -> Result:
    """Return how many times as quick as kube-scheduler with its topology feature we are."""
    ours, theirs = placed("railwise"), placed("kube-scheduler", gangs=PEER_GANGS)
    if ours.pods < GANGS * SIZE:
        raise TimeoutError
    ratio = ours.rate() / theirs.rate()
    return Result(ratio, "× kube-scheduler", Quantity.PLAIN, bars=Bars(pure=2.0, compiled=2.0))


BENCHMARKS: Registry = {"kube-topology": topology} if programs() is not None else {}
