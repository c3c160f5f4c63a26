"""Who is heard? Situations from real networks about names and ids; the numbers are those of the list they come from."""

from __future__ import annotations

import pytest

from railwise.fabric.elements import Port
from railwise.fabric.findings import Kind
from railwise.fabric.mapper import build
from railwise.fabric.observations import SWITCH, Inventory, Observation, Report, SeenPort, Speaker
from railwise.fabric.topologies import labels
from tests.fabric.test_discovery_cases import groups, only
from tests.fabric.told import server, switch


def test_10_two_devices_of_one_chassis_id_are_told_apart_by_name_and_address() -> None:
    twin = ("02:00:00:00:00:01",)
    one = Report("gnmi", Speaker("leaf-1", SWITCH, addresses=("10.0.0.1",), chassis=twin), 0, (Observation("p1", "a"),))
    two = Report("gnmi", Speaker("leaf-2", SWITCH, addresses=("10.0.0.2",), chassis=twin), 0, (Observation("p1", "b"),))
    seen = "02:00:00:00:00:01"
    host_a = server("a", Observation("eth0", "leaf-1", seen, "p1", "ifname"))
    host_b = server("b", Observation("eth0", "", seen, "p1", "ifname", addresses=("10.0.0.2",)))
    found = build([one, two, host_a, host_b])
    assert found.edges[Port("a", "eth0")].other(Port("a", "eth0")).device == "leaf-1"
    assert found.edges[Port("b", "eth0")].other(Port("b", "eth0")).device == "leaf-2"
    (shared,) = only(found, Kind.DUPLICATE_CHASSIS)
    assert shared.fact("devices") == "leaf-1 leaf-2"


def test_10_a_chassis_id_that_fits_two_and_nothing_more_is_refused() -> None:
    twin = ("02:00:00:00:00:01",)
    reports = [Report("gnmi", Speaker(name, SWITCH, chassis=twin)) for name in ("leaf-1", "leaf-2")]
    found = build([*reports, server("a", Observation("eth0", "", "02:00:00:00:00:01", "p1"))])
    (refused,) = only(found, Kind.AMBIGUOUS_NAME)
    assert (refused.subject, refused.fact("fits")) == ("a/eth0", "leaf-1 leaf-2")


def test_11_a_chassis_without_a_name_is_known_by_its_id() -> None:
    leaf = switch("leaf-1", ("p1", "n1", "eth0"))
    found = build([leaf, server("n1", Observation("eth0", "", "chassis-leaf-1", "p1", "ifname"))])
    assert found.edges[Port("n1", "eth0")].ports() == ("leaf-1/p1", "n1/eth0")
    assert found.edges[Port("n1", "eth0")].sides() == 2


def test_12_of_two_neighbours_on_a_port_the_physical_one_counts_and_both_are_told() -> None:
    both = (Observation("p1", "n1", remote_port="eth0", port_kind="ifname"), Observation("p1", "vm-17", "aa", "tap3"))
    found = build([switch("leaf-1", *both), server("n1", ("eth0", "leaf-1", "p1"))])
    assert found.edges[Port("leaf-1", "p1")].ports() == ("leaf-1/p1", "n1/eth0")
    (several,) = only(found, Kind.SEVERAL_NEIGHBOURS)
    assert (several.subject, several.fact("others")) == ("leaf-1/p1", "vm-17/tap3")


def test_13_a_host_that_hears_itself_has_no_link_to_itself() -> None:
    rows = [Observation(f"vf{at}", "n1", "chassis-n1", f"rep{at}") for at in range(16)]
    found = build([server("n1", ("eth0", "leaf-1", "p1"), *rows)])
    assert list(found.edges) == [Port("leaf-1", "p1"), Port("n1", "eth0")]


@pytest.mark.parametrize(
    "row",
    [
        Observation("swp5s1", "n1", remote_port="94:6d:ae:ac:1c:75", port_kind="mac", description="enp161s0f1np1"),
        Observation("swp5s1", "n1", remote_port="946d.aeac.1c75"),
        Observation("swp5s1", "n1", remote_port="enp161s0f1np1", port_kind="ifname"),
        Observation("swp5s1", "n1", remote_port="3", port_kind="local", description="enp161s0f1np1"),
        Observation("swp5s1", "", mac="94-6D-AE-AC-1C-75"),
    ],
)
def test_14_a_nic_is_found_by_address_name_or_description(row: Observation) -> None:
    nics = (SeenPort("enp161s0f1np1", "94:6d:ae:ac:1c:75"), SeenPort("enp162s0", "94:6d:ae:ac:1c:76"))
    found = build([switch("leaf-1", row), server("n1", nics=nics)])
    assert found.edges[Port("leaf-1", "swp5s1")].other(Port("leaf-1", "swp5s1")) == Port("n1", "enp161s0f1np1")


@pytest.mark.parametrize("heard", ["n1", "N1", "n1.site.example", "worker-one", "WORKER-ONE.site.example"])
def test_15_a_server_is_found_by_ordered_rules(heard: str) -> None:
    nodes = Inventory(("n1", "n2"), aliases={"n1": ("worker-one",)})
    found = build([switch("leaf-1", ("p1", heard, "eth0"))], inventory=nodes)
    assert groups(found) == {"n1": "leaf-1"}


def test_15_a_name_that_fits_two_nodes_is_refused() -> None:
    nodes = Inventory(("n1.east.example", "n1.west.example"))
    found = build([switch("leaf-1", ("p1", "n1", "eth0"))], inventory=nodes)
    assert groups(found) == {}
    (refused,) = only(found, Kind.AMBIGUOUS_NAME)
    assert refused.fact("fits") == "n1.east.example n1.west.example"


def test_15_a_name_of_another_domain_is_somebody_else() -> None:
    nodes = Inventory(("n1.east.example",))
    found = build([switch("leaf-1", ("p1", "n1.west.example", "eth0"))], inventory=nodes)
    assert [name for name, mine in labels(found).items() if mine] == []
    assert [one.subject for one in only(found, Kind.UNKNOWN_NEIGHBOUR)] == ["n1.west.example"]


@pytest.mark.parametrize("name", ["localhost", "ubuntu", "MT4129 ConnectX7 Mellanox Technologies", "(none)", ""])
def test_16_a_name_that_says_nothing_is_never_a_node(name: str) -> None:
    rows = [Observation(f"p{at}", name, f"02:00:00:00:00:0{at}", "eth0") for at in range(3)]
    found = build([switch("leaf-1", *rows)])
    assert labels(found) == {}
    unknown = only(found, Kind.UNKNOWN_NEIGHBOUR)
    assert len(unknown) == 3, "three devices of one factory name are three"


def test_16_a_nameless_neighbour_is_known_by_the_address_of_its_nic() -> None:
    rows = [Observation("p1", "localhost", remote_port="02:00:00:00:00:01", port_kind="mac")]
    found = build([switch("leaf-1", *rows), server("n1", nics=(SeenPort("eth0", "02:00:00:00:00:01"),))])
    assert groups(found) == {"n1": "leaf-1"}
    assert not only(found, Kind.UNKNOWN_NEIGHBOUR)
