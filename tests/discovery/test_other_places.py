"""Maps as files, and as objects of other schedulers whose kinds the cluster knows; what is not ours is left alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from railwise.discovery.file_source import FileSource
from railwise.discovery.hearing import Failed, Hearing, Told
from railwise.discovery.publishing.drivers import drivers, needs_cluster, publish
from railwise.discovery.publishing.files import file_writer
from railwise.discovery.publishing.objects import HYPERNODES, KUEUE_TOPOLOGIES, PlainObject, hypernodes, kueue
from railwise.formats.discovery.settings import HostFiles
from railwise.formats.fabric.slurm import read_slurm
from railwise.formats.fabric.slurm_yaml import read_slurm_yaml
from railwise.formats.fabric.topograph import read_topograph
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.lab.infiniband import InfinibandView
from railwise.lab.laboratory import Laboratory
from railwise.model.errors import InputError
from tests.conftest import SHARED
from tests.controllers.resources import defined
from tests.discovery.test_collector import units
from tests.discovery.test_map_document import SWAP, drawn


@pytest.mark.parametrize(
    ("name", "file", "reader"),
    [
        ("slurm", "topology.yaml", read_slurm_yaml),
        ("slurm", "topology.conf", read_slurm),
        ("topograph", "model.yaml", read_topograph),
    ],
)
async def test_a_file_says_what_the_map_says_and_is_not_touched_again(
    tmp_path: Path, name: str, file: str, reader: object
) -> None:
    driver = file_writer(name, tmp_path / file)
    one = drawn(units())
    assert (await driver.publish(one, dry_run=True)).changed
    assert not (tmp_path / file).exists()  # a test
    assert (await driver.publish(one)).changed == [f"file {tmp_path / file}"]
    tree = reader((tmp_path / file).read_bytes(), file)  # type: ignore[operator] # one of three
    assert list(tree.nodes) == [f"gpu-{number}" for number in range(1, 9)]
    assert (await driver.publish(drawn(units(), SWAP))).changed == []
    (tmp_path / file).write_text("by hand")
    assert (await driver.publish(one)).changed


async def test_a_folder_that_is_not_there_is_a_failure_of_that_place_alone(tmp_path: Path) -> None:
    places = drivers(["slurm=/no/such/folder/topology.yaml", f"topograph={tmp_path / 'model.yaml'}"], None, "")
    results = dict(await publish(drawn(units()), places))
    assert results["slurm"].failed
    assert results["topograph"].changed


@pytest.mark.parametrize("name", ["labels=x", "slurm", "slurm=", "nonsense", "topograph"])
def test_places_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        drivers([name], None, "")


def test_only_places_in_a_cluster_need_one() -> None:
    assert needs_cluster(["slurm=x", "labels"])
    assert not needs_cluster(["slurm=x"])


async def test_ibnetdiscover_is_a_source(tmp_path: Path) -> None:
    text = InfinibandView(Laboratory(units("infiniband"))).text()
    (tmp_path / "ib.txt").write_text(text)
    heard: list[Hearing] = []
    await FileSource(HostFiles("ibnetdiscover", "ib.txt"), tmp_path).once(heard.append)
    assert all(isinstance(one, Told) for one in heard)
    assert {one.device for one in heard} >= {"gpu-1", "gpu-8"}
    (tmp_path / "ib.txt").write_text(text[: len(text) // 2])
    heard.clear()
    await FileSource(HostFiles("ibnetdiscover", "ib.txt"), tmp_path).once(heard.append)
    assert [type(one) for one in heard] == [Failed]


@asynccontextmanager
async def known(client: Client, file: str) -> AsyncIterator[None]:
    """Let the server know a kind of somebody else's for a while, or skip."""
    path = SHARED / "crds" / file
    if not path.exists():  # a test
        pytest.skip("no definitions of other schedulers beside the checkout")
    async with defined(client, [yaml.safe_load(path.read_text())]):  # likewise
        yield


@pytest.mark.slow
@pytest.mark.cluster
async def test_hypernodes_follow_the_map_and_strangers_stay(admin: Access) -> None:
    async with connect(admin) as client, known(client, "topology.volcano.sh_hypernodes.yaml"):
        spec = {"tier": 1, "members": [{"type": "Node", "selector": {"exactMatch": {"name": "x"}}}]}
        await client.apply(HYPERNODES, "", "of-somebody-else", {"spec": spec}, manager="somebody")
        driver = hypernodes(client)
        made = await driver.publish(drawn(units()))
        assert made.failed == []
        assert len(made.changed) == 3
        assert (await driver.publish(drawn(units()))).changed == []
        names = {one.metadata.name for one in (await client.list(HYPERNODES, PlainObject)).objects}
        assert "of-somebody-else" in names
        fewer = await driver.publish(drawn(units().__class__("fabric")))
        assert sum("deleted" in line for line in fewer.changed) == 3
        left = {one.metadata.name for one in (await client.list(HYPERNODES, PlainObject)).objects}
        assert left == {"of-somebody-else"}


@pytest.mark.slow
@pytest.mark.cluster
async def test_kueues_topology_lists_the_labels_of_the_levels(admin: Access) -> None:
    async with connect(admin) as client, known(client, "kueue.x-k8s.io_topologies.yaml"):
        driver = kueue(client)
        assert (await driver.publish(drawn(units()))).changed == ["Topology railwise: made"]
        assert (await driver.publish(drawn(units()))).changed == []
        stored = await client.get(KUEUE_TOPOLOGIES, PlainObject, "", "railwise")
        assert stored.spec is not None
        assert [level["nodeLabel"] for level in stored.spec["levels"]] == [
            "fabric.railwise.dev/spine-group", "fabric.railwise.dev/leaf-group", "kubernetes.io/hostname",
        ]  # fmt: skip
