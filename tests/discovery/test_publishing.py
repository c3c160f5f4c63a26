"""A map reaches the nodes of a real API server: only what differs, only our own labels, and nothing on a bad day."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from dataclasses import replace

import pytest

from railwise.discovery.publishing.config_map import ConfigMapWriter, StoredMap, content
from railwise.discovery.publishing.node_labels import LabelledNode, NodeLabels, difference, own_labels
from railwise.fabric.fabric_map import Map
from railwise.fabric.topologies import labels
from railwise.formats.discovery.map_document import map_document
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.resources import CONFIG_MAPS, NODES
from tests.control_plane import node
from tests.discovery.test_collector import units
from tests.discovery.test_map_document import SWAP, drawn


def renamed(one: Map, prefix: str) -> Map:
    """Return a map whose servers have other names, for a test of its own on a shared server."""
    text = json.dumps(map_document(one)).replace('"gpu-', f'"{prefix}-')
    from railwise.formats.discovery.map_document import read_map  # noqa: PLC0415 # used here alone

    return read_map(text.encode(), "map")


async def labels_of(client: Client, name: str) -> dict[str, str]:
    return (await client.get(NODES, LabelledNode, "", name)).metadata.labels or {}


async def make(client: Client, prefix: str, **more: str) -> None:
    for number in range(1, 9):
        await client.create(NODES, "", node(f"{prefix}-{number}", **more))


def test_labels_to_set_and_to_remove() -> None:
    assert difference({"a": "1", "b": "2"}, {"a": "1", "c": "3"}) == {"c": "3", "b": None}
    assert difference({"a": "1"}, {"a": "1"}) == {}
    assert own_labels({"fabric.railwise.dev/x": "1", "x": "2", "nvlink.railwise.dev/domain": "3"}).keys() == {
        "fabric.railwise.dev/x", "nvlink.railwise.dev/domain",
    }  # fmt: skip


def test_a_configmap_is_the_same_for_the_same_map_and_small_enough() -> None:
    one = drawn(units(), SWAP)
    body = content(one)
    assert content(replace(one, time=99, heard={})) == body
    document = json.loads(gzip.decompress(b64decode(body["binaryData"]["map.json.gz"])))
    assert len(document["links"]) == 48
    assert body["data"]["complete"] == "true"


@pytest.mark.slow
@pytest.mark.cluster
async def test_only_differences_are_written_and_only_our_own_labels(admin: Access) -> None:
    prefix = "labelled"
    first, moved = (renamed(drawn(units(), *events), prefix) for events in ((), (SWAP,)))
    async with connect(admin) as client:
        await make(client, prefix, pool="gold")
        driver = NodeLabels(client)
        dry = await driver.publish(first, dry_run=True)
        assert await labels_of(client, f"{prefix}-1") == {"pool": "gold"}
        wrote = await driver.publish(first)
        assert (len(wrote.changed), wrote.failed) == (8, [])
        assert wrote.changed == dry.changed
        wanted = labels(first)[f"{prefix}-1"]
        assert wanted
        assert await labels_of(client, f"{prefix}-1") == {"pool": "gold"} | wanted
        assert (await driver.publish(first)).changed == []
        assert (await driver.publish(moved)).changed == []
        await client.label(NODES, "", f"{prefix}-2", {"fabric.railwise.dev/old-tier": "x"})
        mended = await driver.publish(first)
        assert mended.changed == [f"node {prefix}-2: fabric.railwise.dev/old-tier removed"]
        assert await labels_of(client, f"{prefix}-2") == {"pool": "gold"} | labels(first)[f"{prefix}-2"]


@pytest.mark.slow
@pytest.mark.cluster
async def test_nodes_that_the_map_does_not_know_keep_their_labels(admin: Access) -> None:
    prefix = "stranger"
    async with connect(admin) as client:
        await client.create(NODES, "", node(f"{prefix}-99", **{"fabric.railwise.dev/leaf-group": "x"}))
        await NodeLabels(client).publish(renamed(drawn(units()), prefix))
        assert await labels_of(client, f"{prefix}-99") == {"fabric.railwise.dev/leaf-group": "x"}


@pytest.mark.slow
@pytest.mark.cluster
async def test_a_map_that_would_unlabel_most_nodes_is_not_believed(admin: Access) -> None:
    prefix = "doubtful"
    one = renamed(drawn(units()), prefix)
    async with connect(admin) as client:
        await make(client, prefix)
        others = [
            one for one in (await client.list(NODES, LabelledNode)).objects if own_labels(one.metadata.labels or {})
        ]
        numbers = range(9, 30 + len(others))  # on a server that other tests have labelled nodes of, still most of all
        for number in numbers:
            await client.create(NODES, "", node(f"{prefix}-{number}", **{"fabric.railwise.dev/leaf-group": "x"}))
        known = one.devices[f"{prefix}-1"]
        more = {f"{prefix}-{number}": replace(known, name=f"{prefix}-{number}") for number in numbers}
        empty = replace(one, places={}, devices={**one.devices, **more})
        refused = await NodeLabels(client).publish(empty)
        assert (refused.changed, len(refused.passed_over)) == ([], 1)
        assert "would lose labels at once" in refused.passed_over[0]
        assert await labels_of(client, f"{prefix}-9") == {"fabric.railwise.dev/leaf-group": "x"}


@pytest.mark.slow
@pytest.mark.cluster
async def test_the_map_is_stored_and_rewritten_only_when_it_says_something_else(admin: Access, space: str) -> None:
    one = drawn(units())
    async with connect(admin) as client:
        driver = ConfigMapWriter(client, space)
        assert len((await driver.publish(one, dry_run=True)).changed) == 1
        assert await client.find(CONFIG_MAPS, StoredMap, space, "railwise-fabric") is None
        assert len((await driver.publish(one)).changed) == 1
        assert (await driver.publish(replace(one, time=one.time + 5))).changed == []
        assert len((await driver.publish(drawn(units(), SWAP))).changed) == 1
        stored = await client.get(CONFIG_MAPS, StoredMap, space, "railwise-fabric")
        assert stored.data is not None
        assert stored.data["summary"].startswith("8 servers, 10 switches, 48 links")
