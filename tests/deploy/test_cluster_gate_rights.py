"""The gate with exactly the rights of ``deploy/gate``, on a real API server: none missing, none too many."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from railwise.controllers.permissions import GATE
from railwise.devcluster.cluster import Cluster
from railwise.formats.kubernetes.gate_marks import GATE as LABEL
from railwise.formats.kubernetes.kinds import Job
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.resources import JOBS, NAMESPACES, NODES, PODS
from tests.conftest import ROOT
from tests.control_plane import pod
from tests.controllers.gate_stage import GateStage
from tests.controllers.test_cluster_scheduler import until
from tests.deploy.cluster import applied, deeds, kubeconfig, running, token_of, unused
from tests.deploy.generate import NAMESPACE
from tests.deploy.kustomize import built

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

ACCOUNT = "railwise-gate"


@pytest.fixture
async def stage(admin: Access, space: str) -> AsyncIterator[GateStage]:
    async with connect(admin) as client:
        namespace = yaml.safe_load((ROOT / "deploy" / "namespace.yaml").read_text())
        objects = [one for one in built(ROOT / "deploy" / "gate") if one["kind"] != "Deployment"]
        await applied(client, [namespace, *objects])
        one = GateStage(client, space)
        await one.hold()
        yield one
        await client.label(NAMESPACES, "", space, {LABEL: None})


async def test_the_rights_are_enough_and_each_is_used(
    stage: GateStage, admin: Access, control_plane: Cluster, tmp_path: Path
) -> None:
    await stage.nodes(3)
    token = await token_of(stage.client, ACCOUNT)
    arguments = ["gate", "--admission=none", "--kubeconfig", str(kubeconfig(tmp_path, admin, token))]
    arguments += ["--lease", f"{NAMESPACE}/{ACCOUNT}"]
    await stage.run("job", 1, held=True)
    for index in range(2):
        await stage.pod(f"low-{index}", 8)
    with running(*arguments, log=tmp_path / "log") as process:

        async def let_through() -> bool:
            assert process.poll() is None, (tmp_path / "log").read_text()[-3000:]
            job = await stage.client.get(JOBS, Job, stage.space, "job")
            return not job.spec.suspend and not await stage.gates("low-0") and not await stage.gates("low-1")

        await until(let_through)
        await stage.pod("waits", 8)

        async def said(code: str) -> None:
            async def so() -> bool:
                return (await stage.word("waits")).message.startswith(code)

            await until(so)

        await said("NotEnoughFree")
        for cordoned in (True, False):  # another answer, and the first one again: a series of events
            for index in range(3):
                await stage.client.patch(NODES, "", f"{stage.space}-{index}", {"spec": {"unschedulable": cordoned}})
            await said("NodesExcluded" if cordoned else "NotEnoughFree")
        more: dict[str, Any] = {"priority": None, "priorityClassName": "system-cluster-critical"}
        for index in range(2):  # one for the room of the Job, one for that of a pod
            await stage.client.create(PODS, stage.space, _urgent(stage, f"high-{index}", more))

        async def urgent() -> bool:
            return not await stage.gates("high-0") and not await stage.gates("high-1")

        await until(urgent)

        async def renewed() -> bool:
            return any((one.resource, one.verb) == ("leases", "update") for one in deeds(control_plane, ACCOUNT))

        await until(renewed)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0, (tmp_path / "log").read_text()[-3000:]
    done = deeds(control_plane, ACCOUNT)
    assert [one for one in done if one.code in (401, 403)] == []
    assert unused(GATE, done) == [], sorted(done)


def _urgent(stage: GateStage, name: str, more: dict[str, Any]) -> dict[str, Any]:
    container = {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    rules = {"schedulerName": stage.name, "containers": [container], "nodeSelector": {"space": stage.space}}
    return pod(name, **{**rules, **more})
