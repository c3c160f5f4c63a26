"""A fabric comes to life: who hears whom, and what is heard as cables are pulled and devices die."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from grpc.aio import insecure_channel

from railwise.fabric.elements import Action, Cable, Dialect, Domain, Event, Fabric, Nic, Port, Role, Server, Switch
from railwise.fabric.ports import port_names
from railwise.gnmi import gnmi_pb2 as gnmi
from railwise.gnmi.service import Stub
from railwise.lab.laboratory import Laboratory
from railwise.lab.orders import OrderError, Orders
from railwise.lab.serving import Switchboard


def fabric(timeline: tuple[Event, ...] = (), below: Dialect = Dialect.SONIC) -> Fabric:
    """Return two leaves below a spine; two servers with two rails each, joined by fast links."""
    ports = port_names(below, 3)
    leaves = tuple(Switch(f"leaf-{n}", ports=port_names(below, 3), dialect=below, rail=n) for n in range(2))
    spine = Switch("spine-0", Role.SPINE, Dialect.CUMULUS, ports=("swp1", "swp2"))
    servers = tuple(Server(f"gpu-{n}", tuple(Nic(f"eth{r}", r) for r in range(2)), gpus=8) for n in range(2))
    down = tuple(Cable(Port(f"gpu-{n}", f"eth{r}"), Port(f"leaf-{r}", ports[n])) for n in range(2) for r in range(2))
    up = tuple(Cable(Port(f"leaf-{r}", ports[2]), Port("spine-0", f"swp{r + 1}")) for r in range(2))
    domains = (Domain("rack-1", ("gpu-0",), chassis="SN1"), Domain("hive-1", ("gpu-1",), kind="xgmi"))
    return Fabric("small", (*leaves, spine), servers, down + up, domains, timeline=timeline)


def names(laboratory: Laboratory, switch: str) -> dict[str, str]:
    ports = laboratory.devices[switch].ports
    return {port: state.neighbours[0].system_name for port, state in ports.items() if state.neighbours}


def answering(laboratory: Laboratory) -> list[str]:
    return [name for name, device in laboratory.devices.items() if device.reachable]


def test_each_switch_hears_what_is_cabled_to_it() -> None:
    laboratory = Laboratory(fabric())
    assert names(laboratory, "leaf-0") == {"Ethernet0": "gpu-0", "Ethernet4": "gpu-1", "Ethernet8": "spine-0"}
    assert names(laboratory, "spine-0") == {"swp1": "leaf-0", "swp2": "leaf-1"}
    heard = laboratory.devices["leaf-1"].ports["Ethernet4"].neighbours[0]
    assert (heard.port_id_kind, heard.port_description) == ("mac", "eth1")


def test_a_pulled_cable_silences_both_ends_and_nothing_else() -> None:
    laboratory = Laboratory(fabric())
    changed = laboratory.apply(Event(0, Action.CABLE, on=False, cable=0))
    assert changed == {Port("gpu-0", "eth0"), Port("leaf-0", "Ethernet0")}
    assert names(laboratory, "leaf-0") == {"Ethernet4": "gpu-1", "Ethernet8": "spine-0"}
    assert not laboratory.devices["leaf-0"].ports["Ethernet0"].up


def test_swapped_plugs_are_heard_crosswise() -> None:
    laboratory = Laboratory(fabric())
    laboratory.apply(Event(0, Action.REPLUG, on=True, ports=(Port("leaf-0", "Ethernet0"), Port("leaf-1", "Ethernet0"))))
    heard = laboratory.devices["leaf-0"].ports["Ethernet0"].neighbours[0]
    assert (heard.system_name, heard.port_description) == ("gpu-0", "eth1")


def test_a_dead_switch_is_neither_heard_nor_heard_from() -> None:
    laboratory = Laboratory(fabric())
    laboratory.apply(Event(0, Action.SWITCH, on=False, device="leaf-0"))
    assert names(laboratory, "spine-0") == {"swp2": "leaf-1"}
    assert answering(laboratory) == ["leaf-1", "spine-0"]
    laboratory.apply(Event(0, Action.SWITCH, on=True, device="leaf-0"))
    assert answering(laboratory) == ["leaf-0", "leaf-1", "spine-0"]
    assert names(laboratory, "spine-0") == {"swp1": "leaf-0", "swp2": "leaf-1"}


def test_silence_of_a_switch_is_no_dead_link() -> None:
    laboratory = Laboratory(fabric())
    laboratory.apply(Event(0, Action.TELEMETRY, on=False, device="leaf-0"))
    assert answering(laboratory) == ["leaf-1", "spine-0"]
    assert names(laboratory, "spine-0") == {"swp1": "leaf-0", "swp2": "leaf-1"}


async def test_every_switch_listens_on_a_port_of_its_own() -> None:
    laboratory = Laboratory(fabric())
    board = Switchboard(laboratory)
    await board.start()
    try:
        assert list(board.ports) == ["leaf-0", "leaf-1", "spine-0"]
        for port in board.ports.values():
            async with insecure_channel(f"127.0.0.1:{port}") as channel:
                assert (await Stub(channel).capabilities(gnmi.CapabilityRequest())).gNMI_version == "0.10.0"
    finally:
        await board.stop()
    async with insecure_channel(f"127.0.0.1:{board.ports['leaf-0']}") as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await Stub(channel).capabilities(gnmi.CapabilityRequest(), timeout=2)


@pytest.mark.parametrize(
    ("order", "event"),
    [
        ({"do": "cable", "ends": ["gpu-0/rail1", "leaf-1"]}, Event(0, Action.CABLE, cable=1)),
        ({"do": "cable", "ends": ["leaf-0", "spine-0"], "up": True}, Event(0, Action.CABLE, on=True, cable=4)),
        (
            {"do": "cable", "ends": ["leaf-0", "spine-0"], "times": 3, "every": 0.5},
            Event(0, Action.CABLE, cable=4, times=3, every=500_000),
        ),
        ({"do": "switch", "name": "leaf-1"}, Event(0, Action.SWITCH, device="leaf-1")),
        ({"do": "maintenance", "name": "leaf-1", "up": True}, Event(0, Action.MAINTENANCE, on=True, device="leaf-1")),
        ({"do": "server", "name": "gpu-1"}, Event(0, Action.SERVER, device="gpu-1")),
        (
            {"do": "replug", "ends": ["leaf-0/Ethernet0", "gpu-1/rail1"]},
            Event(0, Action.REPLUG, on=True, ports=(Port("leaf-0", "Ethernet0"), Port("gpu-1", "eth1"))),
        ),
    ],
)
def test_orders_become_events(order: dict[str, Any], event: Event) -> None:
    assert Orders(fabric()).event(order) == event


@pytest.mark.parametrize(
    "order",
    [
        {},
        {"do": "explode"},
        {"do": "cable", "ends": ["gpu-0", "spine-0"]},
        {"do": "cable", "ends": ["gpu-0"]},
        {"do": "cable", "ends": ["gpu-0/eth0", "leaf-0"], "times": 10**9},
        {"do": "cable", "ends": ["gpu-0/eth0", "leaf-0"], "every": -1},
        {"do": "cable", "ends": ["gpu-0/eth0", "leaf-0"], "up": "yes"},
        {"do": "replug", "ends": ["leaf-0/Ethernet99", "leaf-1/Ethernet0"]},
        {"do": "switch", "name": "leaf-9"},
        {"do": "switch", "name": "x" * 1000},
        {"do": "server", "name": 7},
    ],
)
def test_orders_that_make_no_sense_are_refused(order: dict[str, Any]) -> None:
    with pytest.raises(OrderError):
        Orders(fabric()).event(order)
