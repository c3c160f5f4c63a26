"""All of ``deploy/`` as an API server sees it: every object is known, every field of it, and every value allowed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from railwise.devcluster.cluster import Cluster
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.errors import StatusError
from tests.conftest import ROOT
from tests.deploy.cluster import applied
from tests.deploy.kustomize import built

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

DEPLOY = ROOT / "deploy"


async def test_every_object_is_accepted_field_by_field(admin: Access) -> None:
    objects = built(DEPLOY)
    async with connect(admin) as client:
        await applied(client, [one for one in objects if one["kind"] == "Namespace"])
        await applied(client, objects, dry_run=True)
        (agents,) = [one for one in objects if one["kind"] == "DaemonSet"]
        agents["spec"]["template"]["spec"]["readOnlyRoot"] = True
        with pytest.raises(StatusError, match="readOnlyRoot"):  # or this test would see nothing
            await applied(client, [agents], dry_run=True)


async def test_kubectl_applies_it(admin: Access, control_plane: Cluster) -> None:
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not installed")
    async with connect(admin) as client:
        await applied(client, [one for one in built(DEPLOY) if one["kind"] == "Namespace"])
    command = [program, "--kubeconfig", str(control_plane.kubeconfig), "apply", "--server-side", "--force-conflicts"]
    command += ["--dry-run=server", "--validate=strict", "-k", str(DEPLOY)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: ASYNC221 -- nobody waits
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("serverside-applied (server dry run)") == len(built(DEPLOY))
