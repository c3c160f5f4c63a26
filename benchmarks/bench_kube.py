"""The scheduler on a real etcd and API server, beside the stock kube-scheduler and a client that only binds.

``kube-fill`` fills 500 nodes of 8 GPUs with 4,000 pods of one GPU, by each of the three on a fresh cluster:
how many times as many pods a second as kube-scheduler (``kube-fill``), which part of what the bare client reaches
(``kube-fill-of-bare``), and how many times its processor time a pod (``kube-fill-cpu``). The others are our own alone.
Without a built control plane (``make control-plane``) there are none of these.
"""

from __future__ import annotations

import asyncio
import sys
import time
from functools import cache
from typing import NamedTuple

import msgspec

from benchmarks.live import (
    SPACE,
    all_bound,
    bare_client,
    cpu_seconds,
    create,
    kube_scheduler,
    megabytes,
    pod,
    programs,
    railwise,
    running,
    with_client,
)
from benchmarks.result import Bars, Quantity, Registry, Result
from railwise.devcluster.nodes import default_scenario
from railwise.kubeapi.client import Client
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import JOBS, PODS
from railwise.kubeapi.watching import Scope
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology

NODES, PODS_TO_FILL = 500, 4000
GANG = 512
REFUSED = 10
RESTART_NODES, RESTART_PODS = 5000, 20_000


class Filled(NamedTuple):
    """Pods per second, and seconds of processor time a pod."""

    rate: float
    cpu: float


@cache
def filled(who: str) -> Filled:
    """Return how quickly ``railwise``, ``kube-scheduler`` or ``bare`` binds what is waiting."""
    names = {"railwise": "railwise", "kube-scheduler": "default-scheduler", "bare": "bare"}
    with running(default_scenario(NODES)) as cluster:
        pods = [pod(f"p-{index}", names[who], 1) for index in range(PODS_TO_FILL)]
        with_client(cluster, lambda client: create(client, pods))
        if who == "kube-scheduler":
            with kube_scheduler(cluster) as pid:
                seen = with_client(cluster, lambda client: all_bound(client, PODS_TO_FILL))
                used = cpu_seconds(pid)
        else:
            with (railwise if who == "railwise" else bare_client)(cluster) as process:
                seen = with_client(cluster, lambda client: all_bound(client, PODS_TO_FILL))
                used = cpu_seconds(process.pid)
    print(f"  {who}: {seen.rate():.0f} pods/s, {used / PODS_TO_FILL * 1e6:.0f} µs CPU a pod", file=sys.stderr)
    return Filled(seen.rate(), used / PODS_TO_FILL)


def fill() -> Result:
    """Return how many times as quick as kube-scheduler we are."""
    ratio = filled("railwise").rate / filled("kube-scheduler").rate
    return Result(ratio, "× kube-scheduler", Quantity.PLAIN, bars=Bars(pure=2.0, compiled=2.0))


def fill_of_bare() -> Result:
    """Return which part of the bare client's speed we reach."""
    share = filled("railwise").rate / filled("bare").rate
    return Result(share, "of a bare client", Quantity.PLAIN, bars=Bars(pure=0.8, compiled=0.8))


def fill_cpu() -> Result:
    """Return how many times the bare client's processor time a pod costs us, all told."""
    ratio = filled("railwise").cpu / filled("bare").cpu
    return Result(ratio, "× a bare client", Quantity.PLAIN, higher_is_better=False, bars=Bars(pure=1.5, compiled=1.5))


def one_hall(count: int) -> Scenario:
    """Return nodes that all stand in one hall, in racks of 8."""
    nodes = tuple(
        Node(
            f"gpu-{index:04}",
            places={"fabric": {"hall": "h1", "rack": f"r{index // 8}"}},
            cards=(Cards(8, "H100-80GB"),),
            resources={"cpu": 192_000, "memory": 2 << 20, "pods": 110},
        )
        for index in range(count)
    )
    return Scenario(topologies=(Topology("fabric", (Level("hall"), Level("rack"))),), nodes=nodes)


async def _job(client: Client, name: str, pods: int) -> str:
    """Create a Job of so many pods and return its uid; there is no controller that would make its pods."""
    spec = {"containers": [{"name": "main", "image": "none"}], "restartPolicy": "Never"}
    body = {"parallelism": pods, "completions": pods, "template": {"spec": spec}}
    made = await client.create(JOBS, SPACE, {"metadata": {"name": name}, "spec": body})
    return str(msgspec.json.decode(made)["metadata"]["uid"])


async def _gang(client: Client) -> float:
    """Return the seconds from the last pod of a gang created to all of them bound."""
    uid = await _job(client, "gang", GANG)
    waiting = asyncio.create_task(all_bound(client, GANG))
    notes = {"required": "hall"}
    await create(client, [pod(f"gang-{i}", "railwise", 8, owner="gang", uid=uid, notes=notes) for i in range(GANG)])
    created = time.monotonic()
    return (await waiting).last - created


def gang() -> Result:
    """Return how long a gang of 512 whole nodes takes from its last pod to its last bind."""
    with running(one_hall(GANG)) as cluster, railwise(cluster) as process:
        _until_ready(process.stdout)
        seconds = with_client(cluster, _gang)
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=3.0, compiled=3.0))


class _Condition(msgspec.Struct):
    type: str = ""
    message: str = ""


class _Status(msgspec.Struct):
    conditions: list[_Condition] = []


class _Told(PartialObject, frozen=True):
    status: _Status = msgspec.field(default_factory=_Status)


async def _verdict(client: Client) -> float:
    """Return the seconds until each of the pods says why it will never run."""
    await create(client, [pod(f"never-{index}", "railwise", 9) for index in range(REFUSED)])
    created = time.monotonic()
    while True:
        found = (await client.list(PODS, _Told, Scope(SPACE))).objects
        if sum(any("NeverFits" in one.message for one in each.status.conditions) for each in found) == REFUSED:
            return time.monotonic() - created
        await asyncio.sleep(0.01)


def verdict() -> Result:
    """Return how long it takes until pods that can never fit on 500 nodes say so."""
    with running(default_scenario(NODES)) as cluster, railwise(cluster) as process:
        _until_ready(process.stdout)
        seconds = with_client(cluster, _verdict)
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=1.0, compiled=1.0))


class Restarted(NamedTuple):
    """Seconds until the first decision could be made, and megabytes by then."""

    seconds: float
    megabytes: float


@cache
def restarted() -> Restarted:
    """Start on a cluster on which much runs."""
    with running(default_scenario(RESTART_NODES)) as cluster:
        pods = [pod(f"p-{index}", "railwise", 2, node=f"gpu-{index // 4 + 1:04}") for index in range(RESTART_PODS)]
        with_client(cluster, lambda client: create(client, pods))
        started = time.monotonic()
        with railwise(cluster) as process:
            _until_ready(process.stdout)
            return Restarted(time.monotonic() - started, megabytes(process.pid))


def restart() -> Result:
    """Return how long a restart takes with 5,000 nodes and 20,000 pods that run."""
    value = restarted().seconds
    return Result(value, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=15.0, compiled=15.0))


def restart_memory() -> Result:
    """Return how much memory that takes."""
    value = restarted().megabytes
    return Result(value, "MB", Quantity.PLAIN, higher_is_better=False, bars=Bars(pure=700.0, compiled=700.0))


def _until_ready(lines: object) -> None:
    """Read what the scheduler logs until it has decided for the first time."""
    for line in lines:  # type: ignore[attr-defined]
        if "ready:" in line:
            return
    raise RuntimeError("the scheduler ended before it was ready")


BENCHMARKS: Registry = (
    {
        "kube-fill": fill,
        "kube-fill-of-bare": fill_of_bare,
        "kube-fill-cpu": fill_cpu,
        "kube-gang-512": gang,
        "kube-verdict": verdict,
        "kube-restart": restart,
        "kube-restart-memory": restart_memory,
    }
    if programs() is not None
    else {}
)
