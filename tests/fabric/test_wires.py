from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.wires import Wires, expanded
from tests.fabric.fabrics import drawn, small

NIC = Port("gpu-1", "eth0")
LEAF = Port("leaf-1", "Ethernet0")


def test_at_first_everything_is_as_intended() -> None:
    wires = Wires(small("rail-optimised"))
    assert wires.neighbour(NIC) == LEAF
    assert wires.neighbour(LEAF) == NIC
    assert all(link.up for link in wires.links())


def test_a_dark_cable_keeps_its_plugs() -> None:
    wires = Wires(small("rail-optimised"))
    assert wires.apply(Event(0, Action.CABLE, cable=0)) == {NIC, LEAF}
    assert wires.apply(Event(0, Action.CABLE, cable=0)) == frozenset(), "it is dark already"
    assert (wires.peer(NIC), wires.neighbour(NIC)) == (LEAF, None)
    assert wires.apply(Event(0, Action.CABLE, on=True, cable=0)) == {NIC, LEAF}
    assert wires.neighbour(NIC) == LEAF


def test_a_cable_moves_to_an_empty_port() -> None:
    wires = Wires(small("rail-optimised"))
    free = Port("leaf-6", "Ethernet28")
    assert wires.apply(Event(0, Action.REPLUG, ports=(LEAF, free))) == {NIC, LEAF, free}
    assert (wires.neighbour(NIC), wires.neighbour(LEAF), wires.neighbour(free)) == (free, None, NIC)
    assert wires.cable_at(free) == 0


def test_two_cables_change_places() -> None:
    wires = Wires(small("rail-optimised"))
    other = Port("leaf-2", "Ethernet0")
    wires.apply(Event(0, Action.REPLUG, ports=(LEAF, other)))
    assert wires.neighbour(NIC) == other
    assert wires.neighbour(Port("gpu-1", "eth1")) == LEAF


def test_both_ends_of_a_cable_may_change_places() -> None:
    wires = Wires(small("rail-optimised"))
    assert wires.apply(Event(0, Action.REPLUG, ports=(NIC, LEAF))) == {NIC, LEAF}
    assert (wires.neighbour(NIC), wires.neighbour(LEAF)) == (LEAF, NIC)
    assert wires.apply(Event(0, Action.REPLUG, ports=(LEAF, LEAF))) == frozenset()
    assert wires.neighbour(NIC) == LEAF


def test_a_dead_switch_takes_its_links_with_it() -> None:
    wires = Wires(small("rail-optimised"))
    changed = wires.apply(Event(0, Action.SWITCH, device="leaf-1"))
    assert {port.device for port in changed} == {"leaf-1", "gpu-1", "gpu-2", "gpu-3", "gpu-4", "spine-1", "spine-2"}
    assert (wires.runs("leaf-1"), wires.tells("leaf-1"), wires.up(NIC)) == (False, False, False)
    wires.apply(Event(0, Action.SWITCH, on=True, device="leaf-1"))
    assert wires.up(NIC)


def test_silence_and_maintenance_leave_links_alone() -> None:
    wires = Wires(small("rail-optimised"))
    assert wires.apply(Event(0, Action.TELEMETRY, device="leaf-1")) == frozenset()
    assert wires.apply(Event(0, Action.MAINTENANCE, on=True, device="leaf-2")) == frozenset()
    assert (wires.tells("leaf-1"), wires.maintained("leaf-2"), wires.up(NIC)) == (False, True, True)


def test_a_dead_nic_is_one_dead_link() -> None:
    wires = Wires(small("rail-optimised"))
    wires.apply(Event(0, Action.NIC, ports=(NIC,)))
    assert [link.cable for link in wires.links() if not link.up] == [0]


def test_flaps_are_written_out_in_order_of_time() -> None:
    flap = Event(1_000_000, Action.CABLE, cable=0, every=2_000_000, times=2)
    other = Event(2_000_000, Action.SWITCH, device="leaf-1")
    plain = expanded((flap, other))
    assert [(event.at, event.on) for event in plain] == [
        (1_000_000, False),
        (2_000_000, True),
        (2_000_000, False),
        (3_000_000, False),
        (4_000_000, True),
    ]


@given(drawn())
def test_a_port_and_its_peer_always_agree(fabric: Fabric) -> None:
    wires = Wires(fabric)
    for event in expanded(fabric.timeline):
        before = {port: wires.neighbour(port) for cable in fabric.cables for port in (cable.a, cable.b)}
        changed = wires.apply(event)
        for link in wires.links():
            assert link.a is not None
            assert link.b is not None
            assert (wires.peer(link.a), wires.peer(link.b)) == (link.b, link.a)
        for port, neighbour in before.items():
            assert port in changed or wires.neighbour(port) == neighbour, "whatever changed is named"


@given(drawn(), st.integers(0, 3))
def test_every_replug_can_be_undone(fabric: Fabric, turns: int) -> None:
    wires, untouched = Wires(fabric), Wires(fabric)
    done = [event for event in fabric.timeline if event.action is Action.REPLUG][:turns]
    for event in (*done, *reversed(done)):
        wires.apply(replace(event))
    assert list(wires.links()) == list(untouched.links())
