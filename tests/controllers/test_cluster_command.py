"""Everything together, as a newcomer would: a cluster with all its parts, the scheduler as a process, Jobs that end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from railwise.devcluster.cluster import Cluster, Wish, programs_of
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.nodes import default_scenario, node_objects
from railwise.devcluster.population import create_nodes, describe
from railwise.devcluster.programs import find_programs
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.resources import JOBS, PODS
from railwise.kubeapi.transport import Call
from tests.conftest import ROOT

PARTS = ("scheduler", "controllers", "kwok")
PATIENCE = 60.0


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    try:
        programs = find_programs(programs_of(PARTS))
    except NoControlPlaneError as error:
        pytest.skip(str(error))
    if programs is None:
        pytest.skip("no whole control plane: `make control-plane` builds one")
    cluster = Cluster(tmp_path_factory.mktemp("clusters") / "whole")
    cluster.up(programs, Wish(PARTS), lambda _line: None, patience=180)
    try:
        assert create_nodes(cluster.kubeconfig, node_objects(default_scenario(16))) == 16
        yield cluster
    finally:
        cluster.down()


def job(name: str, scheduler: str, pods: int, **notes: str) -> dict[str, Any]:
    annotations = {f"railwise.dev/{key.replace('_', '-')}": value for key, value in notes.items()}
    container = {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    spec = {"schedulerName": scheduler, "restartPolicy": "Never", "containers": [container]}
    template = {"metadata": {"annotations": annotations}, "spec": spec}
    return {"metadata": {"name": name}, "spec": {"parallelism": pods, "completions": pods, "template": template}}


async def objects(client: Client, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.json.decode(await client.transport.request(Call("GET", path)))["items"]
    return found


async def finished(client: Client, name: str) -> None:
    """Wait for the end of a Job."""
    async with asyncio.timeout(PATIENCE):
        while True:
            for one in await objects(client, JOBS.path("default")):
                if one["metadata"]["name"] == name and one["status"].get("succeeded", 0) == one["spec"]["completions"]:
                    return
            await asyncio.sleep(0.1)


async def use(kubeconfig: Path) -> dict[str, set[str]]:
    """Run a Job of each scheduler to its end and return on which nodes each ran."""
    async with connect(access_from(merge([kubeconfig]))) as client:
        await client.create(JOBS, "default", job("theirs", "default-scheduler", 3, run_time="1s"))
        await client.create(JOBS, "default", job("ours", "railwise", 4, run_time="1s", required="rack"))
        await finished(client, "theirs")
        await finished(client, "ours")
        nodes: dict[str, set[str]] = {}
        for pod in await objects(client, PODS.path("default")):
            owner = pod["metadata"]["ownerReferences"][0]["name"]
            nodes.setdefault(owner, set()).add(pod["spec"]["nodeName"])
        return nodes


@pytest.mark.slow
@pytest.mark.cluster
def test_jobs_of_both_schedulers_run_and_end(whole: Cluster) -> None:
    assert describe(whole.kubeconfig)[1] == 16
    command = [sys.executable, "-m", "railwise", "run", "scheduler", "--kubeconfig", str(whole.kubeconfig)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            nodes = asyncio.run(use(whole.kubeconfig))
        finally:
            process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in err) == (0, False), err
    assert "leads as" in err
    assert {owner: len(found) for owner, found in nodes.items()} == {"theirs": 3, "ours": 4}
    assert len({int(name.removeprefix("gpu-")) > 8 for name in nodes["ours"]}) == 1, "one rack holds the gang"
