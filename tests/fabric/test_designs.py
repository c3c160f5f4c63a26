from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Fabric, Role
from railwise.fabric.wires import Wires
from tests.fabric.fabrics import SMALL, small


def leaves_of(fabric: Fabric) -> dict[str, list[str]]:
    found = defaultdict(list)
    servers = {server.name for server in fabric.servers}
    for cable in fabric.cables:
        if cable.a.device in servers:
            found[cable.a.device].append(cable.b.device)
    return found


@pytest.mark.parametrize("design", sorted(DESIGNS))
def test_the_usual_size_of_each_design_is_sound(design: str) -> None:
    made = DESIGNS[design]
    fabric = made.draw(made.usual)
    ends = [port for cable in fabric.cables for port in (cable.a, cable.b)]
    assert len(ends) == len(set(ends)), "a port has one cable"
    names = [switch.name for switch in fabric.switches] + [server.name for server in fabric.servers]
    assert len(names) == len(set(names))
    ports = {(switch.name, port) for switch in fabric.switches for port in switch.ports}
    ports |= {(server.name, nic.name) for server in fabric.servers for nic in server.nics}
    assert all(tuple(end) in ports for end in ends)
    addresses = [nic.mac for server in fabric.servers for nic in server.nics]
    addresses += [switch.chassis for switch in fabric.switches]
    assert len(addresses) == len(set(addresses))


def test_nic_r_of_a_unit_lands_on_leaf_r() -> None:
    fabric = small("rail-optimised")
    leaves = leaves_of(fabric)
    assert leaves["gpu-1"] == leaves["gpu-4"] == ["leaf-1", "leaf-2", "leaf-3", "leaf-4"]
    assert leaves["gpu-5"] == ["leaf-5", "leaf-6", "leaf-7", "leaf-8"]
    assert [switch.rail for switch in fabric.switches[:8]] == [0, 1, 2, 3] * 2


def test_the_issue_asks_for_this_size() -> None:
    size = replace(DESIGNS["rail-optimised"].usual, units=4, servers=32, rails=8, spines=8)
    fabric = DESIGNS["rail-optimised"].draw(size)
    assert (len(fabric.servers), len(fabric.switches), len(fabric.cables)) == (128, 40, 128 * 8 + 32 * 8)


def test_a_rack_of_an_nvl72_is_one_domain() -> None:
    fabric = small("nvl72")
    assert [len(domain.servers) for domain in fabric.domains] == [18, 18]
    assert len({domain.cluster_uuid for domain in fabric.domains}) == 2
    assert {server.gpus for server in fabric.servers} == {4}


def test_a_superpod_of_more_than_four_units_has_cores() -> None:
    large = small("dgx-superpod")
    roles = Counter(switch.role for switch in large.switches)
    assert roles == {Role.LEAF: 24, Role.SPINE: 8, Role.CORE: 2}
    reach = defaultdict(set)
    for cable in large.cables:
        reach[cable.a.device].add(cable.b.device)
    assert not reach["leaf-01"] & reach["leaf-24"], "units of two pods share no spine"
    assert Role.CORE not in {switch.role for switch in small("dgx-superpod", units=4).switches}


def test_all_nics_of_a_server_of_a_fat_tree_land_on_one_leaf() -> None:
    fabric = small("fat-tree", rails=2)
    assert all(len(set(leaves)) == 1 for leaves in leaves_of(fabric).values())
    assert sum(switch.role == Role.CORE for switch in fabric.switches) == 4


def test_a_rack_of_the_ethernet_design_has_both_its_leaves() -> None:
    assert set(leaves_of(small("two-tier-ethernet"))["gpu-01"]) == {"rack-1-a", "rack-1-b"}


def test_storage_leaves_are_a_plane_of_their_own() -> None:
    fabric = small("rail-optimised", storage=2)
    assert [plane.role for plane in fabric.planes] == ["storage"]
    assert [leaves[-1] for leaves in leaves_of(fabric).values()] == ["stor-1"] * 4 + ["stor-2"] * 4


@pytest.mark.parametrize("seed", range(20))
def test_irregular_follows_its_seed(seed: int) -> None:
    fabric = small("irregular", seed=seed)
    assert fabric == small("irregular", seed=seed)
    assert fabric != small("irregular", seed=seed + 1)
    Wires(fabric)


def test_every_design_has_a_small_form() -> None:
    assert set(SMALL) == set(DESIGNS)
