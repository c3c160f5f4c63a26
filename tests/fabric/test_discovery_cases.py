"""Situations from real networks, each with the one right answer. The numbers are those of the list they come from."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.findings import Finding, Kind
from railwise.fabric.mapper import Mapper, build
from railwise.fabric.observations import SERVER, SWITCH, Inventory, Observation, Report, ScaleUp, SeenPort, Speaker
from railwise.fabric.telling import SERVERS, SWITCHES
from railwise.fabric.topologies import labels
from tests.fabric.fabrics import small
from tests.fabric.told import SECOND, server, switch, told

LEAF_GROUP = "fabric.railwise.dev/leaf-group"


def units(count: int = 2, servers: int = 4, rails: int = 8) -> Fabric:
    return small("rail-optimised", units=count, servers=servers, rails=rails)


def move(source: str, target: str) -> Event:
    """Return the event that moves a plug from one port to another, or swaps two."""
    ends = [Port(*end.split("/", 1)) for end in (source, target)]
    return Event(0, Action.REPLUG, on=True, ports=(ends[0], ends[1]))


def port_of(fabric: Fabric, nic: str) -> str:
    """Return the port that a NIC is meant to be plugged into."""
    return next(cable.b.text() for cable in fabric.cables if cable.a.text() == nic)


def groups(found: Map) -> dict[str, str]:
    return {name: place["leaf-group"] for name, place in found.places.items()}


def only(found: Map, *kinds: Kind) -> list[Finding]:
    return [finding for finding in found.findings if finding.kind in kinds]


def test_1_a_rail_optimised_unit_is_one_group_with_a_rail_a_leaf() -> None:
    found = build(told(units(1)))
    assert set(groups(found).values()) == {"su-1"}
    assert [(rail.rail, rail.leaf) for rail in found.rails["su-1"]] == [(at, f"leaf-{at + 1}") for at in range(8)]
    assert found.findings == ()


def test_2_a_dead_nic_is_told_and_splits_nothing() -> None:
    fabric = units(1)
    found = build(told(fabric, Event(0, Action.NIC, ports=(Port("gpu-3", "eth5"),))))
    assert set(groups(found).values()) == {"su-1"}
    (degraded,) = found.findings
    assert (degraded.kind, degraded.subject) == (Kind.DEGRADED, "gpu-3")
    assert (degraded.fact("have"), degraded.fact("of"), degraded.fact("rails")) == ("7", "8", "5")
    assert found.dead_rails == {"gpu-3": frozenset({5})}


@pytest.mark.parametrize("with_intent", [True, False])
def test_3_a_wrong_cable_changes_no_group_and_is_told_with_both_ports(with_intent: bool) -> None:
    fabric = units()
    right = port_of(fabric, "gpu-1/eth2")
    found = build(told(fabric, move(right, "leaf-11/Ethernet60")), None, fabric if with_intent else None)
    assert groups(found) == groups(build(told(fabric)))
    (wrong,) = only(found, Kind.MISWIRED)
    assert wrong.ports == ("gpu-1/eth2", "leaf-11/Ethernet60")
    assert wrong.expected == (right, "")
    assert wrong.inferred is not with_intent


@pytest.mark.parametrize("with_intent", [True, False])
def test_4_two_swapped_cables_of_a_server_change_no_label_and_are_a_swap_of_rails(with_intent: bool) -> None:
    fabric = units()
    second, third = port_of(fabric, "gpu-2/eth2"), port_of(fabric, "gpu-2/eth3")
    found = build(told(fabric, move(second, third)), None, fabric if with_intent else None)
    assert labels(found) == labels(build(told(fabric)))
    swapped = only(found, Kind.RAIL_SWAPPED)
    assert {finding.ports for finding in swapped} == {("gpu-2/eth2", third), ("gpu-2/eth3", second)}
    assert {finding.expected[0] for finding in swapped} == {second, third}
    assert not only(found, Kind.MISWIRED)


def test_5_a_storage_network_over_all_servers_plays_no_part() -> None:
    fabric = small("rail-optimised", storage=2)
    silent = replace(fabric, planes=(), switches=tuple(replace(one, plane="", role="") for one in fabric.switches))  # type: ignore[arg-type] # nobody says roles
    found = build(told(silent))
    assert sorted(set(groups(found).values())) == ["su-1", "su-2"]
    (ignored,) = only(found, Kind.PLANE_IGNORED)
    assert "by its name" in ignored.fact("reason")


def test_5_a_storage_network_is_known_by_what_it_carries_where_its_name_says_nothing() -> None:
    def leaf(name: str, above: str, nodes: range) -> Report:
        down = [(f"p{at}", f"n{at}", name) for at in nodes]
        return switch(name, *down, Observation("up", above, remote_port=name, kind=SWITCH))

    reports = [leaf(f"leaf-{at}", "spine", range(6)) for at in range(4)]
    reports += [leaf(f"blue-{at}", "top", range(at * 3, at * 3 + 3)) for at in range(2)]
    found = build(reports)
    assert len(set(groups(found).values())) == 1
    (ignored,) = only(found, Kind.PLANE_IGNORED)
    assert ignored.fact("reason") == "carries 6 links of servers that have 24 elsewhere"


def test_6_a_silent_leaf_changes_no_label_and_is_told_once_it_is_old() -> None:
    fabric = units()
    mapper = Mapper()
    for report in told(fabric, sources=(SWITCHES,)):
        mapper.hear(report)
    before = mapper.map(0)
    for report in told(fabric, time=120 * SECOND, sources=(SWITCHES,)):
        if report.speaker.name != "leaf-03":
            mapper.hear(report)
    for now in (60 * SECOND, 120 * SECOND):
        found = mapper.map(now)
        assert labels(found) == labels(before)
    assert [(one.subject, one.fact("seconds")) for one in only(found, Kind.STALE)] == [("leaf-03", "120")]


def test_7_a_source_that_comes_back_with_the_same_table_is_healthy_at_once() -> None:
    fabric = units()
    mapper = Mapper()
    reports = told(fabric, sources=(SWITCHES,))
    for report in reports:
        mapper.hear(report)
    mapper.map(0)
    assert len(only(mapper.map(200 * SECOND), Kind.STALE)) == len(reports)
    for report in reports:
        mapper.hear(replace(report, time=201 * SECOND))
    assert mapper.map(201 * SECOND).findings == ()


def test_8_a_server_whose_cables_all_move_follows_within_the_hold() -> None:
    fabric = small("two-tier-ethernet")
    mapper = Mapper()
    for report in told(fabric):
        mapper.hear(report)
    assert groups(mapper.map(0))["gpu-01"] == "rack-1"
    moves = [
        move(port_of(fabric, "gpu-01/eth0"), "rack-3-a/Ethernet44"),
        move(port_of(fabric, "gpu-01/eth1"), "rack-3-b/Ethernet44"),
    ]
    for report in told(fabric, *moves, time=10 * SECOND):
        mapper.hear(report)
    assert groups(mapper.map(11 * SECOND))["gpu-01"] == "rack-1", "not before it has lasted"
    assert mapper.next_due() == 12 * SECOND
    after = mapper.map(12 * SECOND)
    assert groups(after)["gpu-01"] == "rack-3"
    rest = {name: group for name, group in groups(after).items() if name != "gpu-01"}
    assert rest == {name: group for name, group in groups(build(told(fabric))).items() if name != "gpu-01"}


def test_9_a_lost_tier_takes_its_label_away() -> None:
    fabric = small("fat-tree")
    before = build(told(fabric))
    assert before.levels == ("core-group", "spine-group", "leaf-group")
    rows = [report for report in told(fabric) if not report.speaker.name.startswith("core")]
    bare = [
        replace(report, observations=tuple(row for row in report.observations if not row.name.startswith("core")))
        for report in rows
    ]
    forgotten = replace(before, edges={}, heard={})
    after = build(bare, forgotten)
    assert after.levels == ("spine-group", "leaf-group")
    assert all("fabric.railwise.dev/core-group" not in mine for mine in labels(after).values())


def test_19_a_server_without_links_is_kept_counted_and_not_labelled() -> None:
    found = build([switch("leaf-1", ("p1", "n1", "eth0"))], inventory=Inventory(("n1", "n2")))
    assert labels(found) == {"n1": {LEAF_GROUP: "leaf-1"}, "n2": {}}
    assert [one.subject for one in only(found, Kind.UNPLACED)] == ["n2"]


def test_19_an_island_is_a_group_and_a_switch_stands_on_the_tier_of_most_of_its_links() -> None:
    fabric = small("dgx-superpod")
    wrong = move("core-1/Ethernet0", "core-1/Ethernet0")
    bent = told(fabric, wrong)
    islands = [switch("island", ("p1", "far", "eth0"))]
    extra = switch("leaf-01", ("Ethernet200", "core-1", "Ethernet200"), source="other")
    found = build([*bent, *islands, extra])
    assert groups(found)["far"] == "island"
    assert {device.tier for name, device in found.devices.items() if name.startswith("core")} == {2}
    assert {place.get("spine-group") for place in found.places.values()} == {"spine-1-4", "spine-5-8", None}


def test_20_a_table_that_drops_to_nothing_and_comes_back_flips_no_label() -> None:
    fabric = units()
    mapper = Mapper()
    reports = told(fabric, sources=(SWITCHES,))
    for report in reports:
        mapper.hear(report)
    before = mapper.map(0)
    leaf = next(report for report in reports if report.speaker.name == "leaf-03")
    mapper.hear(replace(leaf, observations=(), time=10 * SECOND))
    during = mapper.map(30 * SECOND)
    assert labels(during) == labels(before)
    assert [(one.kind, one.subject) for one in during.findings] == [(Kind.QUARANTINED, "leaf-03")]
    mapper.hear(replace(leaf, time=40 * SECOND))
    assert mapper.map(40 * SECOND).findings == ()


def test_20_an_entry_that_is_deleted_and_written_again_is_no_event() -> None:
    mapper = Mapper()
    leaf = switch("leaf-1", *((f"p{at}", f"n{at}", "eth0") for at in range(8)))
    mapper.hear(leaf)
    before = mapper.map(0)
    mapper.hear(replace(leaf, observations=leaf.observations[1:], time=SECOND))
    mapper.hear(replace(leaf, time=SECOND + 1))
    assert mapper.next_due() is None
    assert mapper.map(5 * SECOND).edges == before.edges


def test_22_a_neighbour_that_is_gone_is_removed_once_it_has_stayed_away() -> None:
    mapper = Mapper()
    leaf = switch("leaf-1", *((f"p{at}", f"n{at}", "eth0") for at in range(8)))
    mapper.hear(leaf)
    mapper.map(0)
    mapper.hear(replace(leaf, observations=leaf.observations[1:], time=SECOND))
    assert Port("n0", "eth0") in mapper.map(2 * SECOND).edges
    found = mapper.map(3 * SECOND)
    assert Port("n0", "eth0") not in found.edges
    assert groups(found)["n0"] == "leaf-1", "where it stands is remembered"
    assert [one.subject for one in only(found, Kind.REMEMBERED)] == ["n0"]


def scale_up(name: str, domain: str, chassis: str = "", health: str = "", source: str = "nvml") -> Report:
    said = ScaleUp(domain, gpus=4, chassis=chassis, health=health)
    return Report(source, Speaker(name, SERVER), scale_up=(said,), links=False)


def test_24_a_tray_in_the_wrong_rack_belongs_to_the_domain_its_gpus_report() -> None:
    trays = [scale_up(f"r1-n{at}", "uuid-1.0", "serial-1") for at in range(17)]
    strange = scale_up("r2-n5", "uuid-1.0", "serial-2", "incorrect chassis serial")
    found = build([*trays, strange])
    (domain,) = found.scale_up
    assert "r2-n5" in domain.servers
    assert domain.name == "nvlink-serial-1"
    (conflict,) = only(found, Kind.SCALE_UP_CONFLICT)
    assert (conflict.subject, conflict.fact("chassis"), conflict.fact("usual")) == ("r2-n5", "serial-2", "serial-1")
    (sick,) = only(found, Kind.SCALE_UP_UNHEALTHY)
    assert sick.fact("health") == "incorrect chassis serial"


def test_24_sources_that_disagree_about_a_domain_put_the_server_into_none() -> None:
    found = build([scale_up("n1", "uuid-1.0"), scale_up("n1", "uuid-2.0", source="nmx"), scale_up("n2", "uuid-1.0")])
    assert [domain.servers for domain in found.scale_up] == [("n2",)]
    assert [one.fact("domains") for one in only(found, Kind.SCALE_UP_CONFLICT)] == ["uuid-1.0 uuid-2.0"]


def test_26_the_alias_of_one_port_may_be_the_name_of_another() -> None:
    ports = (SeenPort("Ethernet4", aliases=("Ethernet8",)), SeenPort("Ethernet8", aliases=("Ethernet12",)))
    leaf = Report("gnmi", Speaker("leaf-1", SWITCH), ports=ports)
    by_name = server("a", Observation("eth0", "leaf-1", remote_port="Ethernet8", port_kind="ifname"))
    by_alias = server("b", Observation("eth0", "leaf-1", remote_port="Ethernet8", port_kind="alias"))
    unclear = server("c", Observation("eth0", "leaf-1", remote_port="Ethernet8"))
    found = build([leaf, by_name, by_alias, unclear])
    assert found.edges[Port("a", "eth0")].other(Port("a", "eth0")) == Port("leaf-1", "Ethernet8")
    assert found.edges[Port("b", "eth0")].other(Port("b", "eth0")) == Port("leaf-1", "Ethernet4")
    assert Port("c", "eth0") not in found.edges
    assert [one.ports for one in only(found, Kind.PORT_NAME_CLASH)] == [("c/eth0", "leaf-1/Ethernet8")]


def test_27_the_order_of_reports_changes_nothing() -> None:
    fabric = small("irregular", seed=3)
    reports = told(fabric)
    first = build(reports, None, fabric)
    shuffle = random.Random(1)
    for _ in range(20):
        shuffle.shuffle(reports)
        again = build([replace(one, observations=one.observations[::-1]) for one in reports], None, fabric)
        assert again == first
        assert list(again.places) == list(first.places)


def test_a_one_sided_link_is_told_where_the_other_end_hears_others() -> None:
    leaf = switch("leaf-1", ("p1", "n1", "eth0"), ("p2", "n1", "eth1"))
    found = build([leaf, server("n1", ("eth0", "leaf-1", "p1"))])
    assert found.edges[Port("n1", "eth1")].sides() == 1
    (one_sided,) = only(found, Kind.ONE_SIDED)
    assert (one_sided.subject, one_sided.fact("denied")) == ("leaf-1/p2", "n1/eth1")


def test_two_switches_that_claim_one_nic_are_a_conflict_and_the_agreed_link_stands() -> None:
    reports = [switch("leaf-1", ("p1", "n1", "eth0")), switch("leaf-2", ("p1", "n1", "eth0"))]
    found = build([*reports, server("n1", ("eth0", "leaf-2", "p1"))])
    assert found.edges[Port("n1", "eth0")].other(Port("n1", "eth0")).device == "leaf-2"
    assert {one.subject for one in only(found, Kind.CONFLICT)} == {"leaf-1/p1", "n1/eth0"} - {"leaf-1/p1"}


def test_a_login_node_on_a_spine_makes_it_no_leaf() -> None:
    fabric = units()
    extra = switch("spine-1", ("Ethernet200", "login", "eth0"), source="other")
    found = build([*told(fabric), extra])
    assert found.devices["spine-1"].tier == 1
    assert {name: group for name, group in groups(found).items() if name != "login"} == groups(build(told(fabric)))


def test_a_unit_whose_name_cannot_be_a_label_gets_one_that_can_and_it_is_told() -> None:
    leaf = Report("gnmi", Speaker("leaf-1", SWITCH, unit="hall 2: row B"), observations=(Observation("p1", "n1"),))
    found = build([leaf])
    (changed,) = only(found, Kind.NAME_CHANGED)
    assert changed.subject == "hall 2: row B"
    assert set(groups(found).values()) == {changed.fact("label")}
    assert changed.fact("label").startswith("hall-2-row-B-")


def test_loss_of_a_source_leaves_every_label() -> None:
    fabric = small("nvl72")
    everything = told(fabric)
    before = build(everything)
    for source in (SWITCHES, SERVERS, "gpus"):
        rest = [report for report in everything if report.source != source]
        after = build(rest, before)
        assert labels(after) == labels(before)
