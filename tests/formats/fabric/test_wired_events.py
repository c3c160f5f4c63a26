"""What cables and switches that change mean for nodes: rails, uplinks, closed room, moved places."""

from __future__ import annotations

from dataclasses import replace

from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.model.policy import Change
from tests.fabric.fabrics import small
from tests.formats.fabric.test_wired import read

SECOND = 1_000_000
UNIT = [f"gpu-{number}" for number in range(1, 5)]
"""The servers of the first unit; each of their four rails hangs on a leaf of its own, two spines join the units."""


def effects(events: str, fabric: Fabric | None = None, nodes: str = "") -> tuple[Change, ...]:
    return read(f"spec: {{fabric: fabric.yaml, {nodes}events: [{events}]}}", fabric or small("rail-optimised")).effects


def of_nodes(changes: tuple[Change, ...]) -> list[tuple[int, str, dict[str, object]]]:
    return [(change.at // SECOND, change.names[0], change.values) for change in changes if change.target == "node"]


def uplinks(changes: tuple[Change, ...]) -> list[tuple[int, tuple[str, ...], object]]:
    return [(c.at // SECOND, c.names, c.values["megabits"]) for c in changes if c.target == "uplink"]


def test_without_events_nothing_follows() -> None:
    assert effects("") == ()
    assert effects("{at: 1s, node: gpu-1, set: {ready: false}}") == ()


def test_a_cable_takes_one_rail_of_one_server_until_it_is_back() -> None:
    found = effects(
        "{at: 10s, cable: [gpu-1/rail2, leaf-3], set: {up: false}}, {at: 20s, cable: [leaf-3, gpu-1], set: {up: true}}"
    )
    assert of_nodes(found) == [
        (10, "gpu-1", {"rails.down": frozenset({2})}),
        (20, "gpu-1", {"rails.down": frozenset()}),
    ]
    assert len(found) == 2


def test_what_the_document_says_of_rails_stands() -> None:
    found = effects(
        "{at: 1s, cable: [gpu-1/rail2, leaf-3], set: {up: false}}, {at: 2s, cable: [gpu-1, leaf-3], set: {up: true}}",
        nodes="nodes: [{name: gpu-1, gpus: 8, rails: {down: [0]}}], ",
    )
    assert [values["rails.down"] for _, _, values in of_nodes(found)] == [{0, 2}, {0}]


def test_a_leaf_takes_its_rail_from_all_servers_below_and_a_quarter_of_the_uplink() -> None:
    found = effects("{at: 5s, switch: leaf-2, set: {up: false}}, {at: 9s, switch: leaf-2, set: {up: true}}")
    down: list[object] = [(5, name, {"rails.down": frozenset({1})}) for name in UNIT]
    up: list[object] = [(9, name, {"rails.down": frozenset()}) for name in UNIT]
    assert of_nodes(found) == [*down, *up]
    whole = 4 * 2 * 400_000
    here = ("fabric", "leaf-group", "gpu-1")
    assert uplinks(found) == [(5, here, whole * 3 // 4), (9, here, whole)]


def test_a_spine_takes_half_of_every_uplink_and_no_rail() -> None:
    found = effects("{at: 5s, switch: spine-1, set: {up: false}}")
    assert of_nodes(found) == []
    assert [names[2] for _, names, _ in uplinks(found)] == ["gpu-1", "gpu-5"]
    assert {left for _, _, left in uplinks(found)} == {4 * 400_000}


def test_maintenance_closes_what_lies_below_a_leaf_and_only_for_so_long() -> None:
    found = effects(
        "{at: 5s, switch: leaf-2, set: {maintenance: true}}, {at: 9s, switch: leaf-2, set: {maintenance: false}}"
    )
    assert of_nodes(found) == [(at, name, {"unschedulable": at == 5}) for at in (5, 9) for name in UNIT]


def test_one_spine_of_two_in_maintenance_closes_nobody_both_close_all() -> None:
    one = "{at: 5s, switch: spine-1, set: {maintenance: true}}"
    assert effects(one) == ()
    both = effects(f"{one}, {{at: 6s, switch: spine-2, set: {{maintenance: true}}}}")
    assert [(at, name) for at, name, _ in of_nodes(both)] == [(6, f"gpu-{number}") for number in range(1, 9)]


def test_a_cordon_outlives_maintenance_and_nobody_opens_a_node_meanwhile() -> None:
    found = effects(
        "{at: 5s, switch: leaf-2, set: {maintenance: true}}, {at: 9s, switch: leaf-2, set: {maintenance: false}}, "
        "{at: 1s, node: gpu-1, set: {unschedulable: true}}, {at: 6s, node: gpu-2, set: {unschedulable: false}}"
    )
    mine = [(at, name, values["unschedulable"]) for at, name, values in of_nodes(found) if name in {"gpu-1", "gpu-2"}]
    assert mine == [
        (5, "gpu-1", True),
        (5, "gpu-2", True),
        (6, "gpu-2", True),
        (9, "gpu-1", True),
        (9, "gpu-2", False),
    ]


def test_what_is_wrong_at_the_start_stands_in_the_nodes() -> None:
    faults = (
        Event(0, Action.SWITCH, on=False, device="leaf-2"),
        Event(0, Action.MAINTENANCE, on=True, device="leaf-5"),
    )
    fabric = replace(small("rail-optimised"), actual=faults)
    scenario = read("spec: {fabric: fabric.yaml}", fabric)
    assert [node.dead_rails for node in scenario.nodes] == [frozenset({1})] * 4 + [frozenset()] * 4
    assert [node.unschedulable for node in scenario.nodes] == [False] * 4 + [True] * 4
    assert {node.rails for node in scenario.nodes} == {4}
    back = read(
        "spec: {fabric: fabric.yaml, events: [{at: 1s, switch: leaf-2, set: {up: true}}, "
        "{at: 2s, switch: leaf-5, set: {maintenance: false}}]}",
        fabric,
    )
    assert of_nodes(back.effects)[0] == (1, "gpu-1", {"rails.down": frozenset()})
    assert of_nodes(back.effects)[-1] == (2, "gpu-8", {"unschedulable": False})


def test_the_timeline_of_the_fabric_happens_too() -> None:
    """A server is off, a NIC is dead, a flapping cable goes down and up twice."""
    fabric = small("rail-optimised")
    cable = next(at for at, cable in enumerate(fabric.cables) if cable.a == Port("gpu-3", "eth0"))
    timeline = (
        Event(1 * SECOND, Action.SERVER, on=False, device="gpu-2"),
        Event(2 * SECOND, Action.NIC, on=False, ports=(Port("gpu-1", "eth3"),)),
        Event(3 * SECOND, Action.CABLE, cable=cable, every=2 * SECOND, times=2),
    )
    found = of_nodes(effects("", replace(fabric, timeline=timeline)))
    assert (1, "gpu-2", {"ready": False}) in found
    assert (2, "gpu-1", {"rails.down": frozenset({3})}) in found
    flaps = [(at, values["rails.down"]) for at, name, values in found if name == "gpu-3"]
    assert flaps == [(3, {0}), (4, set()), (5, {0}), (6, set())]


def test_servers_that_are_plugged_elsewhere_have_another_place() -> None:
    """All four cables of gpu-4 change places with those of gpu-8."""
    fabric = small("rail-optimised")
    swaps = tuple(
        Event(7 * SECOND, Action.REPLUG, ports=(Port("gpu-4", f"eth{rail}"), Port("gpu-8", f"eth{rail}")))
        for rail in range(4)
    )
    moved = [change for change in effects("", replace(fabric, timeline=swaps)) if change.target == "place"]
    assert [(change.at // SECOND, change.names[0]) for change in moved] == [(7, "gpu-4"), (7, "gpu-8")]
    assert moved[0].values["places"] == {"fabric": {"spine-group": "spine-1-2", "leaf-group": "su-2"}}


def test_a_fabric_without_rails_has_a_dead_rail_only_when_nothing_is_left() -> None:
    fabric = small("two-tier-ethernet")
    server = fabric.servers[0]
    leaves = sorted({c.b.device for c in fabric.cables if c.a.device == server.name})
    events = ", ".join(f"{{at: {at + 1}s, switch: {leaf}, set: {{up: false}}}}" for at, leaf in enumerate(leaves))
    found = [(at, values) for at, name, values in of_nodes(effects(events, fabric)) if name == server.name]
    assert [at for at, _ in found] == list(range(1, len(leaves) + 1))
    assert len(found[-1][1]["rails.down"]) == len(leaves)  # type: ignore[arg-type]
