from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.formats.traces.zhejianglab import read_zhejianglab
from railwise.model.errors import InputError

HEADER = "server,leaf,switch_port\n"
NICS = b"server_ip,nic_netdev_name\n10.0.0.1,ens10\n10.0.0.1,ens11\n10.0.0.2,ens18\n10.0.0.2,ens19\n10.0.0.3,ens18\n"


def links(**leaves: tuple[str, ...]) -> bytes:
    rows = [f"{server.upper()},{leaf},{server}" for server, names in leaves.items() for leaf in names]
    return (HEADER + "\n".join(rows) + "\n").encode()


def test_servers_on_the_same_leaves_are_a_group_whatever_their_nics_are_called() -> None:
    scenario = read_zhejianglab(links(s2=("Leaf-3", "Leaf-4"), s10=("Leaf-1", "Leaf-2"), s9=("Leaf-2", "Leaf-1")), NICS)
    assert [(node.name, node.places["fabric"]["leaf-group"]) for node in scenario.nodes] == [
        ("s9", "leaf-1-2"),
        ("s10", "leaf-1-2"),
        ("s2", "leaf-3-4"),
    ]
    assert scenario.topologies[0].node_uplink == 400_000
    assert scenario.warnings == ()


def test_a_server_without_a_link_stays_in_its_group_with_a_dead_rail() -> None:
    scenario = read_zhejianglab(links(a=("Leaf-1", "Leaf-2"), b=("Leaf-2",)), NICS)
    dead = {node.name: node.dead_rails for node in scenario.nodes}
    assert dead == {"a": frozenset(), "b": frozenset({0})}
    assert {node.places["fabric"]["leaf-group"] for node in scenario.nodes} == {"leaf-1-2"}


def test_a_group_whose_leaves_are_not_numbered_in_a_row_is_named_by_all_of_them() -> None:
    scenario = read_zhejianglab(links(a=("Leaf-1", "Leaf-3"), b=("east", "west")), NICS)
    assert {node.places["fabric"]["leaf-group"] for node in scenario.nodes} == {"leaf-1.leaf-3", "east.west"}


def test_leaves_that_do_not_match_the_nics_are_told() -> None:
    scenario = read_zhejianglab(links(a=("Leaf-1", "Leaf-2", "Leaf-3")), NICS)
    assert scenario.warnings == ("a: its leaves carry 3 rails, while servers have 2 NICs",)


def test_names_are_shortened_where_their_ends_tell_servers_apart() -> None:
    def names(*servers: str) -> list[str]:
        rows = [f"{server},Leaf-1,{server}" for server in servers]
        return [node.name for node in read_zhejianglab((HEADER + "\n".join(rows) + "\n").encode(), NICS).nodes]

    assert names("R1-A01-28U-GPU-10", "R1-A02-28U-GPU-9") == ["gpu-9", "gpu-10"]
    assert names("R1-A01-GPU-1", "R2-A01-GPU-1") == ["r1-a01-gpu-1", "r2-a01-gpu-1"]
    assert names("R1-A01-GPU-1", "R1-A01-CPU-2") == ["r1-a01-cpu-2", "r1-a01-gpu-1"]


def test_two_links_in_one_port_are_refused() -> None:
    data = (HEADER + "a,Leaf-1,p1\nb,Leaf-1,p1\nb c,Leaf-2,p1\n").encode()
    with pytest.raises(InputError) as caught:
        read_zhejianglab(data, NICS)
    assert [fault.path for fault in caught.value.faults] == ["cluster_topology.csv:3", "cluster_topology.csv:4"]
    assert "taken by line 2" in caught.value.faults[0].message


def test_the_published_map_has_five_rail_groups(shared: Callable[[str], Path]) -> None:
    folder = shared("traces/zhejianglab-a100-2000")
    scenario = read_zhejianglab(
        (folder / "cluster_topology.csv.gz").read_bytes(), (folder / "gpu_nic_info.csv.gz").read_bytes()
    )
    groups = Counter(node.places["fabric"]["leaf-group"] for node in scenario.nodes)
    assert groups == {"leaf-1-4": 60, "leaf-5-8": 60, "leaf-9-12": 49, "leaf-13-16": 60, "leaf-17-20": 24}
    assert scenario.topologies[0].node_uplink == 4 * 200_000
    assert sum(node.card_count() for node in scenario.nodes) == 2024
    assert not any(node.dead_rails for node in scenario.nodes)
    assert scenario.warnings == ()
