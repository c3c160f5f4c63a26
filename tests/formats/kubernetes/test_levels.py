from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.kubernetes.levels import find_topologies, parse_levels, places, unused_levels
from railwise.model.errors import InputError
from railwise.model.topology import Level

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"


def names(labels: list[dict[str, str]], levels: str = "") -> dict[str, tuple[str, ...]]:
    return {topology.name: topology.level_names() for topology in find_topologies(labels, levels)}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["network.topology.nvidia.com/leaf", "network.topology.nvidia.com/core"], ("core", "leaf")),
        (["fabric.topograph.run/tier-0", "fabric.topograph.run/tier-2"], ("tier-2", "tier-0")),
        (["topology.k8s.aws/network-node-layer-3", "topology.k8s.aws/network-node-layer-1"], ("layer-1", "layer-3")),
        (["cloud.google.com/gce-topology-subblock", "cloud.google.com/gce-topology-block"], ("block", "subblock")),
        (["oci.oraclecloud.com/host.rack_id", "oci.oraclecloud.com/host.network_block_id"], ("block", "rack")),
        (["unifabric.io/scale-out-leaf", "unifabric.io/scale-out-spine"], ("spine", "leaf")),
        (["volcano.sh/hypernode", "volcano.sh/hypercluster"], ("hypercluster", "hypernode")),
        (["cloud.provider.com/topology-rack", "cloud.provider.com/topology-block"], ("block", "rack")),
        (["topology.kubernetes.io/rack", ZONE, REGION], ("region", "zone", "rack")),
        (["failure-domain.beta.kubernetes.io/zone"], ("zone",)),
        (["crusoe.ai/pod.id"], ("unit",)),
    ],
)
def test_the_labels_of_each_provider_become_levels_from_widest_to_narrowest(
    labels: list[str], expected: tuple[str, ...]
) -> None:
    assert names([dict.fromkeys(labels, "x"), {}]) == {"fabric": expected}


def test_region_and_zone_stand_before_the_levels_of_the_fabric() -> None:
    labels = {ZONE: "a", REGION: "eu", "network.topology.nvidia.com/leaf": "l1"}
    assert names([labels]) == {"fabric": ("region", "zone", "leaf")}


def test_the_family_that_labels_most_nodes_wins_and_the_first_of_equals() -> None:
    old = {"network.topology.nvidia.com/leaf": "l1"}
    new = {"fabric.topograph.run/tier-0": "t1"}
    assert names([old, old, new]) == {"fabric": ("leaf",)}
    assert names([old, new]) == {"fabric": ("tier-0",)}


def test_own_labels_are_ordered_by_how_many_domains_they_have() -> None:
    nodes = [
        {"fabric.railwise.dev/leaf": f"l{index // 2}", "fabric.railwise.dev/unit": f"u{index // 4}"}
        for index in range(8)
    ]
    assert names(nodes) == {"fabric": ("unit", "leaf")}
    assert names([{"fabric.railwise.dev/b": "x", "fabric.railwise.dev/a": "y"}]) == {"fabric": ("a", "b")}


def test_nvlink_domains_are_a_topology_of_their_own() -> None:
    labels = {ZONE: "a", "nvidia.com/gpu.clique": "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.0"}
    assert names([labels]) == {"fabric": ("zone",), "nvlink": ("clique",)}
    found = places(find_topologies([labels]), labels)
    assert found["nvlink"] == {"clique": "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.0"}


def test_a_clique_without_a_fabric_is_no_domain() -> None:
    nodes = [{"nvidia.com/gpu.clique": "00000000-0000-0000-0000-000000000000.0"} for _ in range(2)]
    assert names(nodes) == {}


def test_a_host_label_counts_only_where_nodes_share_it() -> None:
    def on(host: str) -> dict[str, str]:
        return {"cloud.google.com/gce-topology-block": "b", "cloud.google.com/gce-topology-host": host}

    assert names([on("h1"), on("h2")]) == {"fabric": ("block",)}
    assert names([on("h1"), on("h1")]) == {"fabric": ("block", "host")}


def test_a_node_without_the_label_names_no_domain() -> None:
    topologies = find_topologies([{ZONE: "a"}, {}])
    assert places(topologies, {}) == {}
    assert places(topologies, {ZONE: ""}) == {}
    assert places(topologies, {ZONE: "a"}) == {"fabric": {"zone": "a"}}


def test_named_levels_replace_what_would_be_found() -> None:
    labels = {ZONE: "a", "example.com/rack": "r1", "network.topology.nvidia.com/leaf": "l1"}
    assert names([labels], "zone=topology.kubernetes.io/zone, example.com/rack") == {"fabric": ("zone", "rack")}
    assert parse_levels(f"z={ZONE},kubernetes.io/hostname") == (Level("z", ZONE),)


def test_no_labels_make_a_flat_cluster() -> None:
    assert find_topologies([]) == ()
    assert find_topologies([{"kubernetes.io/hostname": "n1"}]) == ()


def test_a_named_level_that_no_node_has_is_told() -> None:
    topologies = find_topologies([{ZONE: "a"}], "zone=topology.kubernetes.io/zone,rack=example.com/rck")
    assert unused_levels(topologies, [{ZONE: "a"}]) == [
        "no node has the label example.com/rck: level 'rack' of topology 'fabric' is empty"
    ]


@pytest.mark.parametrize(
    ("text", "path", "word"),
    [
        ("zone=", "levels[0]", "no label key"),
        ("zone=a b", "levels[0]", "no label key"),
        ("Zone=example.com/zone", "levels[0]", "no name for a level"),
        ("node=example.com/host", "levels[0]", "no name for a level"),
        ("none=example.com/host", "levels[0]", "no name for a level"),
        ("a=x/zone,a=x/rack", "levels[1]", "second level"),
        ("a=x/zone,,b=x/rack", "levels[1]", "no label key"),
    ],
)
def test_levels_that_cannot_be_read_are_refused_with_their_place(text: str, path: str, word: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_levels(text)
    (fault,) = caught.value.faults
    assert fault.path == path
    assert word in fault.message


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from(["x", "y"]))),
)
def test_the_answer_does_not_depend_on_the_order_of_the_nodes(pairs: list[tuple[str, str]]) -> None:
    nodes = [{f"fabric.railwise.dev/{level}": domain, ZONE: domain} for level, domain in pairs]
    assert find_topologies(nodes) == find_topologies(list(reversed(nodes)))
    assert find_topologies(nodes) == find_topologies(sorted(nodes, key=repr))
