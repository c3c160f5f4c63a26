"""Discovery with exactly the rights of ``deploy/discovery``, from what agents and labels tell to labels of nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from railwise.devcluster.cluster import Cluster
from railwise.discovery.agent import NODE_REPORTS
from railwise.discovery.permissions import DISCOVERY
from railwise.discovery.publishing.node_labels import LabelledNode
from railwise.discovery.publishing.objects import HYPERNODES, KAI_TOPOLOGIES, KUEUE_TOPOLOGIES
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.resources import NODES
from railwise.kubeapi.watching import Scope
from tests.conftest import ROOT, SHARED
from tests.control_plane import node
from tests.controllers.resources import defined
from tests.controllers.test_cluster_scheduler import until
from tests.deploy.cluster import applied, deeds, kubeconfig, running, token_of, unused
from tests.deploy.generate import NAMESPACE
from tests.deploy.kustomize import built

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

ACCOUNT = "railwise-discovery"
CLIQUE = "4f1a0c1e-0000-4000-8000-0123456789ab"
LEAF_GROUP = "fabric.railwise.dev/leaf-group"
PLACES = {"kueue": KUEUE_TOPOLOGIES, "kai": KAI_TOPOLOGIES, "hypernode": HYPERNODES}
NVLINK = "nvlink.railwise.dev/domain"


def others_kinds() -> dict[str, dict[str, Any]]:
    """Return the definitions of kinds that maps are published as, by group, as far as they are here."""
    files = [SHARED / "crds" / f"{one.group}_{one.plural}.yaml" for one in PLACES.values()]
    found = [yaml.safe_load(file.read_text()) for file in files if file.is_file()]
    return {one["spec"]["group"]: one for one in found}


async def heard(client: Client, name: str, leaf: str) -> None:
    """Report, as the agent of a node would, that both of its NICs hear a unit's leaves."""
    neighbours = [
        {"port": f"eth{rail}", "name": f"{leaf}{rail}", "remotePort": name, "kind": "switch"} for rail in range(2)
    ]
    said = {"name": "lldpd", "links": True, "neighbours": neighbours}
    spec = {"everySeconds": 600, "beat": "2026-01-01T00:00:00Z", "sources": [said]}
    await client.apply(NODE_REPORTS, "", name, {"spec": spec}, force=True)


async def installed(boss: Client) -> None:
    """Bring the kind of reports, and the account of discovery with its rights."""
    namespace = yaml.safe_load((ROOT / "deploy" / "namespace.yaml").read_text())
    kinds = [one for one in built(ROOT / "deploy" / "agent") if one["kind"] == "CustomResourceDefinition"]
    rights = [one for one in built(ROOT / "deploy" / "discovery") if one["kind"] != "Deployment"]
    await applied(boss, [namespace, *kinds, *rights])

    async def known() -> bool:
        return await boss.serves(NODE_REPORTS)

    await until(known)


async def arrives(client: Client, space: str, name: str, unit: int) -> None:
    """Make a node of a unit, as NVIDIA's feature discovery labels it, with an agent that hears the unit's leaves."""
    body = node(name, space=space)
    body["metadata"]["labels"] |= {"nvidia.com/gpu.clique": f"{CLIQUE}.{unit}", "nvidia.com/gpu.count": "8"}
    await client.create(NODES, "", body)
    await heard(client, name, f"{space}-u{unit}-leaf")


def command(config: Path, access: Path) -> list[str]:
    """Write down whom to ask, as it ships but for the hold-down, and return how discovery is run with it."""
    document = yaml.safe_load((ROOT / "deploy" / "discovery" / "discover.yaml").read_text())
    document["spec"]["patience"] = {"holdDown": "100ms"}
    config.write_text(yaml.safe_dump(document))
    arguments = ["discovery", "--config", str(config), "--kubeconfig", str(access)]
    arguments += ["--namespace", NAMESPACE, "--lease", f"{NAMESPACE}/{ACCOUNT}"]
    return arguments + [word for place in ("labels", "configmap", *PLACES) for word in ("--publish", place)]


async def test_the_rights_are_enough_and_each_is_used(
    admin: Access, control_plane: Cluster, space: str, tmp_path: Path
) -> None:
    others = others_kinds()
    async with connect(admin) as boss, defined(boss, others.values()):
        await installed(boss)
        names = [f"{space}-{index}" for index in range(4)]
        for index, name in enumerate(names):
            await arrives(boss, space, name, index // 2)
        access = kubeconfig(tmp_path, admin, await token_of(boss, ACCOUNT))
        arguments = command(tmp_path / "discover.yaml", access)
        with running(*arguments, log=tmp_path / "log") as process:

            async def placed() -> dict[str, tuple[str, str]]:
                found = (await boss.list(NODES, LabelledNode, Scope(labels=f"space={space}"))).objects
                every = {one.metadata.name: one.metadata.labels or {} for one in found}
                return {name: (every[name].get(LEAF_GROUP, ""), every[name].get(NVLINK, "")) for name in names}

            async def process_labelled() -> bool:
                assert process.poll() is None
                return all(all(pair) for pair in (await placed()).values())

            try:
                await until(process_labelled)
                first = await placed()
                assert first[names[0]] == first[names[1]] != first[names[2]] == first[names[3]]
                for number in range(2, 4):  # two servers are recabled: only their labels follow
                    await heard(boss, names[number], f"{space}-u0-leaf")

                async def follows() -> bool:
                    return (await placed())[names[3]][0] == first[names[0]][0]

                await until(follows)
                assert (await placed())[names[0]] == first[names[0]]

                async def renewed() -> bool:
                    return ("leases", "update") in {(one.resource, one.verb) for one in deeds(control_plane, ACCOUNT)}

                await until(renewed)

                async def gone() -> bool:
                    verbs = {one.verb for one in deeds(control_plane, ACCOUNT) if one.group == HYPERNODES.group}
                    return HYPERNODES.group not in others or "delete" in verbs  # a unit that is no more goes

                await until(gone)
            except TimeoutError:
                pytest.fail((tmp_path / "log").read_text()[-3000:])
        for name in names:
            await boss.delete(NODES, "", name)
            await boss.delete(NODE_REPORTS, "", name)
    done = deeds(control_plane, ACCOUNT)
    assert [one for one in done if one.code in (401, 403)] == []
    assert unused(DISCOVERY, done) == [], sorted(done)
    for group in others:
        used = {one.verb for one in done if one.group == group and one.code < 300}
        assert used >= {"list", "patch"}, group
