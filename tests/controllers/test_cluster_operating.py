"""The scheduler as a process that is watched: probes, figures, logs for machines, files, and a farewell."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from railwise.devcluster.cluster import Cluster
from railwise.formats.decision_log import read_log
from tests.conftest import ROOT
from tests.controllers.test_cluster_scheduler import PATIENCE, Stage, stage, until

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

__all__ = ["stage"]


class Process:
    """A scheduler that was started as people start it, and what it says."""

    def __init__(self, cluster: Cluster, name: str, *options: str) -> None:
        command = [sys.executable, "-m", "railwise", "run", "scheduler", "--kubeconfig", str(cluster.kubeconfig)]
        command += ["--scheduler-name", name, "--log-format", "json", *options]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.said: list[dict[str, Any]] = []

    def lines(self) -> Iterator[dict[str, Any]]:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(json.loads(line))
            yield self.said[-1]

    async def hear(self, part: str) -> str:
        """Wait until something is said, and return it."""
        return await asyncio.to_thread(lambda: next(one["message"] for one in self.lines() if part in one["message"]))

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        list(self.lines())
        code = self.process.wait(PATIENCE)
        if self.process.stderr is not None:
            self.process.stderr.close()
        return code


def railwise(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "railwise", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, capture_output=True, check=False, text=True, env=environment)


def figures(port: int) -> dict[str, float]:
    """Return what is served, by name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return {
        one.name + "".join(f"/{value}" for value in one.labels.values()): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


async def test_a_scheduler_that_is_watched(control_plane: Cluster, stage: Stage, tmp_path: Path) -> None:
    await stage.nodes(4, racks=2)
    for index in range(3):
        await stage.job(f"g-{index}", 2, 8, {"required": "rack"})
    await stage.pod("huge", 16)
    log, recording = tmp_path / "decisions.jsonl", tmp_path / "recording.jsonl"
    files = ("--decisions", str(log), "--record", str(recording))
    lease = f"{stage.space}/scheduler"
    process = Process(control_plane, stage.name, "--metrics-address", "127.0.0.1:0", "--lease", lease, *files)
    try:
        port = int((await process.hear("serves /metrics")).rpartition(" ")[2])

        async def bound() -> bool:
            return len(await stage.places()) == 4

        await until(bound)

        async def counted() -> bool:
            return (await asyncio.to_thread(figures, port)).get("railwise_bound_pods_total") == 4

        await until(counted)
        found = await asyncio.to_thread(figures, port)
        with await asyncio.to_thread(urllib.request.urlopen, f"http://127.0.0.1:{port}/readyz") as ready:
            assert ready.status == 200
    finally:
        code = process.end()
    assert code == 0, process.said
    assert found["railwise_leader"] == 1
    assert found["railwise_decisions_total/placed"] == 2
    assert found["railwise_gang_wait_seconds_count"] == 2
    assert found["railwise_bind_seconds_count"] == 4
    assert found["railwise_refusals_total/NeverFits"] >= 1
    assert found["railwise_queue_waiting_workloads/default"] == 2
    assert found["railwise_queue_waiting_pods/default"] == 3
    assert found["railwise_slots_left/rack/1"] >= 0
    assert 1 <= found["railwise_decision_seconds_count"] <= found["railwise_rounds_total"], "idle rounds decide nothing"
    assert found["railwise_api_requests_total/201/pods/POST"] >= 4
    assert {one["level"] for one in process.said} <= {"info", "warning"}
    assert all(one["time"].endswith("Z") for one in process.said)
    decisions = read_log(log.read_bytes(), "log")
    assert sum(len(one.nodes) for one in decisions if one.event == "placed") == 4
    again = await asyncio.to_thread(railwise, "replay", str(recording), "--check", str(log))
    assert (again.returncode, again.stderr) == (0, f"note: {log}: the same {len(decisions)} decisions\n")


async def test_a_gang_on_its_way_is_bound_before_the_process_ends(control_plane: Cluster, stage: Stage) -> None:
    await stage.nodes(4)
    process = Process(control_plane, stage.name, "--no-leader-elect")
    try:
        await process.hear("plans for")
        await stage.job("gang", 32, 1)

        async def begun() -> bool:
            return bool(await stage.places())

        await until(begun)
    finally:
        code = process.end()
    assert code == 0
    assert len(await stage.places()) == 32, "what was decided is carried out, not left in part"


def test_files_that_cannot_be_written_are_named(control_plane: Cluster, tmp_path: Path) -> None:
    missing = tmp_path / "none" / "log"
    options = ("--kubeconfig", str(control_plane.kubeconfig), "--no-leader-elect", "--decisions", str(missing))
    done = railwise("run", "scheduler", *options)
    assert done.returncode == 2
    assert f"error: --decisions {missing}: no such file or directory" in done.stderr
    assert "hint: name a file in a directory that exists" in done.stderr
