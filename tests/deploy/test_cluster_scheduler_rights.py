"""The scheduler with exactly the rights of ``deploy/scheduler``, on a real API server: none missing, none too many."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from railwise.controllers.permissions import SCHEDULER
from railwise.devcluster.cluster import Cluster
from railwise.formats.kubernetes.dialects.crds import crds
from railwise.formats.kubernetes.dialects.sources import Kind
from railwise.formats.kubernetes.rbac import Permission
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.resources import NODES, PODS
from railwise.kubeapi.watching import Scope
from tests.conftest import ROOT
from tests.controllers.resources import defined, shared_definition
from tests.controllers.test_cluster_scheduler import Stage, until
from tests.deploy.cluster import applied, deeds, kubeconfig, running, token_of, unused
from tests.deploy.generate import NAMESPACE
from tests.deploy.kustomize import built

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

ACCOUNT = "railwise-scheduler"


@pytest.fixture
async def stage(admin: Access, space: str) -> AsyncIterator[Stage]:
    async with connect(admin) as client:
        namespace = yaml.safe_load((ROOT / "deploy" / "namespace.yaml").read_text())
        rights = [one for one in built(ROOT / "deploy" / "scheduler") if one["kind"] != "Deployment"]
        await applied(client, [namespace, *rights])
        yield Stage(client, space)


async def test_the_rights_are_enough_and_each_is_used(
    stage: Stage, admin: Access, control_plane: Cluster, tmp_path: Path
) -> None:
    await stage.nodes(2)
    token = await token_of(stage.client, ACCOUNT)
    arguments = ["scheduler", "--kubeconfig", str(kubeconfig(tmp_path, admin, token))]
    arguments += ["--lease", f"{NAMESPACE}/{ACCOUNT}", "--scheduler-name", stage.name]
    for index in range(2):
        await stage.pod(f"low-{index}", 8)
    with running(*arguments, log=tmp_path / "log") as process:

        async def placed() -> bool:
            assert process.poll() is None, (tmp_path / "log").read_text()[-3000:]
            return len(await stage.places()) == 2

        await until(placed)
        await stage.pod("waits", 8)

        async def said(code: str) -> None:
            word = ""

            async def so() -> bool:
                nonlocal word
                word = (await stage.word("waits")).message
                return word.startswith(code)

            try:
                await until(so)
            except TimeoutError:
                pytest.fail(f"{word!r} does not become {code}")

        await said("NotEnoughFree")
        for cordoned in (True, False):  # another answer, and the first one again: a series of events
            for index in range(2):
                await stage.client.patch(NODES, "", f"{stage.space}-{index}", {"spec": {"unschedulable": cordoned}})
            await said("NodesExcluded" if cordoned else "NotEnoughFree")
        await stage.pod("high", 8, {"kind": "training"}, priority=None, priorityClassName="system-cluster-critical")

        async def urgent() -> bool:
            for one in (await stage.client.list(PODS, Pod, Scope(stage.space))).objects:
                if one.metadata.deletion_timestamp:  # no kubelet ends a pod here
                    await stage.client.delete(PODS, stage.space, one.metadata.name, grace=0)
            return "high" in await stage.places()

        await until(urgent)

        async def renewed() -> bool:
            return any((one.resource, one.verb) == ("leases", "update") for one in deeds(control_plane, ACCOUNT))

        await until(renewed)
    done = deeds(control_plane, ACCOUNT)
    assert [one for one in done if one.code in (401, 403)] == []
    assert unused(SCHEDULER, done) == [], sorted(done)


async def test_kinds_of_add_ons_are_followed_under_the_same_rights(
    stage: Stage, admin: Access, control_plane: Cluster, tmp_path: Path
) -> None:
    """Every kind that the scheduler reads where it is there: with its definition on the server, none is refused."""
    kinds = {(one.group, one.resource): _definition(one) for one in SCHEDULER if one.expected() == ()}
    known = {kind: definition for kind, definition in kinds.items() if definition is not None}
    if not known:
        pytest.skip("no definition of an add-on is here: ../shared/crds")
    log = tmp_path / "log"
    arguments = ["scheduler", "--kubeconfig", str(kubeconfig(tmp_path, admin, await token_of(stage.client, ACCOUNT)))]
    arguments += ["--lease", f"{NAMESPACE}/{ACCOUNT}", "--scheduler-name", stage.name]
    async with defined(stage.client, known.values()):
        with running(*arguments, log=log) as process:

            async def followed() -> bool:
                assert process.poll() is None, log.read_text()[-3000:]
                done = deeds(control_plane, ACCOUNT)
                return known.keys() <= {(one.group, one.resource) for one in done if one.verb == "watch"}

            await until(followed)
    assert [one for one in deeds(control_plane, ACCOUNT) if one.code in (401, 403)] == []


def _definition(one: Permission) -> dict[str, Any] | None:
    """Return the definition of an add-on's kind, where it is at hand; those of sub-resources are not asked for."""
    own = {definition["metadata"]["name"]: definition for definition in crds()}
    found = own.get(f"{one.resource}.{one.group}")
    return found or shared_definition(Kind("", "", one.group, (), one.resource))
