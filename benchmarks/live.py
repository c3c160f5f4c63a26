"""Measuring on a real API server: a fresh cluster for each run, whoever schedules as a process of its own.

Everything runs on one machine, so nothing here is a number of its own: it is set against a peer that did the same work
on the same kind of cluster in the same run. Pods are created before the peer starts, so that creating is not measured.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import railwise as package
from railwise.devcluster.cluster import Cluster, Wish
from railwise.devcluster.commands import ARGUMENTS
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.nodes import node_objects
from railwise.devcluster.population import create_nodes
from railwise.devcluster.programs import PROGRAMS, Programs, find_programs
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.changes import Change, Snapshot
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.pods import PodName, bind
from railwise.kubeapi.resources import PODS
from railwise.kubeapi.watching import Scope
from railwise.model.scenario import Scenario

T = TypeVar("T")

SPACE = "default"
PATIENCE = 600.0
TICKS = os.sysconf("SC_CLK_TCK")
WISH = Wish(("kwok",))


def programs() -> Programs | None:
    """Return the programs of a control plane, None where there are none (``make control-plane`` builds them)."""
    try:
        return find_programs(list(PROGRAMS))
    except NoControlPlaneError:
        return None


@contextmanager
def running(scenario: Scenario, wish: Wish = WISH) -> Iterator[Cluster]:
    """Yield a cluster with the nodes of a scenario."""
    found = programs()
    assert found is not None
    with tempfile.TemporaryDirectory(prefix="railwise-bench-") as folder:
        cluster = Cluster(Path(folder) / "bench")
        cluster.up(found, wish, lambda _line: None, patience=180)
        try:
            create_nodes(cluster.kubeconfig, node_objects(scenario))
            yield cluster
        finally:
            cluster.down()


def with_client(cluster: Cluster, work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function with a client of the cluster and return its result."""

    async def whole() -> T:
        async with connect(access_from(merge([cluster.kubeconfig]))) as client:
            return await work(client)

    return asyncio.run(whole())


def pod(name: str, scheduler: str, gpus: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 -- fields of the API
    """Return a pod that asks for so many cards; ``notes`` are annotations, ``owner`` a Job, ``group`` a PodGroup."""
    notes = {f"railwise.dev/{key}": value for key, value in more.get("notes", {}).items()}
    meta: dict[str, Any] = {"name": name, "namespace": SPACE, "annotations": notes}
    if "owner" in more:
        meta["ownerReferences"] = [
            {"apiVersion": "batch/v1", "kind": "Job", "name": more["owner"], "uid": more["uid"], "controller": True}
        ]
    container = {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
    spec = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "containers": [container]}
    if "node" in more:
        spec["nodeName"] = more["node"]
    if "group" in more:
        spec["schedulingGroup"] = {"podGroupName": more["group"]}
    return {"metadata": meta, "spec": spec}


async def create(client: Client, pods: Sequence[dict[str, Any]]) -> None:
    """Create pods as quickly as the server takes them."""
    await asyncio.gather(*(client.create(PODS, SPACE, one) for one in pods))


class Seen(NamedTuple):
    """When (seconds of ``time.monotonic``) the first and the last of so many pods was seen bound."""

    first: float
    last: float
    pods: int

    def rate(self) -> float:
        """Return pods per second between the two."""
        return self.pods / max(self.last - self.first, 1e-9)


async def all_bound(client: Client, count: int) -> Seen:
    """Wait until so many pods are bound."""
    seen = await bound_within(client, count, PATIENCE)
    if seen.pods < count:
        raise TimeoutError
    return seen


async def bound_within(client: Client, count: int, seconds: float) -> Seen:
    """Wait until so many pods are bound, or for so many seconds."""
    bound: dict[str, float] = {}
    try:
        async with asyncio.timeout(seconds), aclosing(client.follow(PODS, Pod, Scope(SPACE))) as news:
            async for event in news:
                found = event.objects if isinstance(event, Snapshot) else []
                found = [event.object] if isinstance(event, Change) else found
                now = time.monotonic()
                for one in found:
                    if one.spec.node_name:
                        bound.setdefault(one.metadata.name, now)
                if len(bound) >= count:
                    break
    except TimeoutError:
        pass
    return Seen(min(bound.values(), default=0.0), max(bound.values(), default=0.0), len(bound))


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def megabytes(pid: int) -> float:
    """Return the most memory that a process has used."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise ValueError(pid)


@contextmanager
def railwise(cluster: Cluster) -> Iterator[subprocess.Popen[str]]:
    """Run our scheduler."""
    more = ["run", "scheduler", "--kubeconfig", str(cluster.kubeconfig), "--no-leader-elect"]
    with _process([sys.executable, "-m", "railwise", *more]) as process:
        yield process


@contextmanager
def bare_client(cluster: Cluster) -> Iterator[subprocess.Popen[str]]:
    """Run a client that binds and does nothing else."""
    with _process([sys.executable, "-m", "benchmarks.live", str(cluster.kubeconfig)]) as process:
        yield process


@contextmanager
def kube_scheduler(cluster: Cluster) -> Iterator[int]:
    """Run the stock scheduler; yields its process number."""
    layout, found = cluster.layout(), programs()
    assert layout is not None
    assert found is not None
    daemon = cluster.daemon("kube-scheduler")
    name = "kube-scheduler"
    try:
        yield daemon.start([str(found.path(name)), *ARGUMENTS[name](layout)]).pid
    finally:
        daemon.stop()


@contextmanager
def _process(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_installed()
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=60)


@cache
def _installed() -> dict[str, str]:
    """Return the environment of a program that is installed: its bytecode is there, as installing leaves it."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-m", "compileall", "-q", *package.__path__], env=environment, check=True)
    return environment


async def _bind_all(kubeconfig: Path) -> None:
    """Bind every pod that names ``bare``, eight to a node, and stay until ended."""
    async with connect(access_from(merge([kubeconfig]))) as client:
        waiting = (await client.list(PODS, Pod, Scope(SPACE))).objects
        names = [PodName(SPACE, one.metadata.name, one.metadata.uid) for one in waiting]
        width = len(str(-(-len(names) // 8)))
        await asyncio.gather(*(bind(client, one, f"gpu-{index // 8 + 1:0{width}}") for index, one in enumerate(names)))
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_bind_all(Path(sys.argv[1])))
