"""A gate that puts its own admission into force, with exactly the rights that takes, on a real API server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import yaml

from railwise.controllers.admission import NAME, VERSIONS, WEBHOOKS, drop_policy
from railwise.controllers.admission_keeper import SECRETS
from railwise.controllers.permissions import GATE, GATE_POLICY, GATE_WEBHOOK
from railwise.devcluster.cluster import Cluster, free_ports
from railwise.formats.kubernetes.gate_marks import GATE as LABEL
from railwise.formats.kubernetes.rbac import Permission, role_documents
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.errors import StatusError
from railwise.kubeapi.resources import NAMESPACES, PODS
from tests.conftest import ROOT
from tests.control_plane import pod
from tests.controllers.gate_stage import GateStage
from tests.controllers.test_cluster_scheduler import until
from tests.deploy.cluster import applied, deeds, kubeconfig, running, token_of, unused
from tests.deploy.generate import NAMESPACE

pytestmark = [pytest.mark.slow, pytest.mark.cluster]


@pytest.fixture
async def stage(admin: Access, space: str) -> AsyncIterator[GateStage]:
    async with connect(admin) as client:
        await applied(client, [yaml.safe_load((ROOT / "deploy" / "namespace.yaml").read_text())])
        await client.label(NAMESPACES, "", space, {LABEL: "enabled"})
        await drop_policy(client, VERSIONS[0])
        await client.delete(WEBHOOKS, "", NAME)
        await client.delete(SECRETS, NAMESPACE, "railwise-gate-webhook")
        yield GateStage(client, space)
        await client.label(NAMESPACES, "", space, {LABEL: None})
        await client.delete(WEBHOOKS, "", NAME)


@pytest.mark.parametrize(("kind", "more"), [("policy", GATE_POLICY), ("webhook", GATE_WEBHOOK)])
async def test_its_rights_are_enough_and_each_is_used(
    stage: GateStage, admin: Access, control_plane: Cluster, tmp_path: Path, kind: str, more: Sequence[Permission]
) -> None:
    account = f"railwise-gate-{kind}"
    await applied(stage.client, role_documents(account, [*GATE, *more], NAMESPACE))
    config = kubeconfig(tmp_path, admin, await token_of(stage.client, account))
    port = free_ports(["hook"])["hook"]
    hook = ["--webhook-listen", f"127.0.0.1:{port}", "--webhook-url", f"https://127.0.0.1:{port}"]
    hook += ["--webhook-secret", f"{NAMESPACE}/railwise-gate-webhook"]
    arguments = ["gate", f"--admission={kind}", "--kubeconfig", str(config), *(hook if kind == "webhook" else [])]
    with running(*arguments, "--no-leader-elect", log=tmp_path / "log") as process:

        async def held() -> bool:
            assert process.poll() is None, (tmp_path / "log").read_text()[-3000:]
            try:
                await stage.client.create(PODS, stage.space, pod("probe", schedulerName="default-scheduler"))
            except StatusError:  # asked before it answers
                return False
            gates = await stage.gates("probe")
            await stage.client.delete(PODS, stage.space, "probe", grace=0)
            return bool(gates) and unused(more, deeds(control_plane, account)) == []

        await until(held)
    done = deeds(control_plane, account)
    assert [one for one in done if one.code in (401, 403)] == []
    assert unused(more, done) == [], sorted(done)
