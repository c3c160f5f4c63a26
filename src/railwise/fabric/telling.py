"""What the devices of a fabric would say: its wiring as reports, as perfect sources would give them.

A fabric file stands for a cluster whose topology is asked for without any device: the same code that groups what real
switches tell groups what these tell. Switches that are silent or dead make no report.
"""

from __future__ import annotations

from collections.abc import Iterator

from railwise.fabric.addresses import derived_mac
from railwise.fabric.elements import Fabric, Port, Server, Switch
from railwise.fabric.observations import (
    IFNAME,
    SERVER,
    SWITCH,
    Observation,
    Report,
    ScaleUp,
    SeenPort,
    Speaker,
)
from railwise.fabric.wires import Wires

SWITCHES = "switches"
SERVERS = "servers"
GPUS = "gpus"


def tell(wires: Wires, time: int = 0, sources: tuple[str, ...] = (SWITCHES, SERVERS, GPUS)) -> Iterator[Report]:
    """Yield what switches, servers and GPUs tell of a fabric as it is plugged now."""
    fabric = wires.fabric
    kinds = {switch.name: SWITCH for switch in fabric.switches} | {server.name: SERVER for server in fabric.servers}
    macs = {Port(server.name, nic.name): nic.mac for server in fabric.servers for nic in server.nics}
    chassis = {switch.name: switch.chassis or derived_mac(switch.name) for switch in fabric.switches}
    chassis |= {server.name: server.nics[0].mac for server in fabric.servers if server.nics}
    plugged: dict[str, list[str]] = {}
    for cable in range(len(fabric.cables)):
        for port in wires.ends(cable):
            if port is not None:
                plugged.setdefault(port.device, []).append(port.name)

    def heard(device: str) -> tuple[Observation, ...]:
        rows = []
        for name in sorted(plugged.get(device, ())):
            there = wires.neighbour(Port(device, name))
            if there is not None:
                far, mac = there.device, macs.get(there, "")
                kind = kinds[far]
                rows.append(Observation(name, far, chassis.get(far, ""), there.name, IFNAME, mac=mac, kind=kind))
        return tuple(rows)

    if SWITCHES in sources:
        for switch in fabric.switches:
            if wires.tells(switch.name):
                speaker = _switch(switch, chassis[switch.name], maintenance=wires.maintained(switch.name))
                yield Report(SWITCHES, speaker, time, heard(switch.name))
    for server in fabric.servers:
        if SERVERS in sources and wires.runs(server.name):
            yield Report(SERVERS, _server(server), time, heard(server.name), _nics(server))
    if GPUS in sources:
        yield from _domains(fabric, wires, time)


def _switch(switch: Switch, chassis: str, *, maintenance: bool) -> Speaker:
    return Speaker(
        switch.name,
        SWITCH,
        chassis=(chassis,),
        role=switch.role,
        unit=switch.unit,
        rack=switch.rack,
        rail=switch.rail,
        plane=switch.plane,
        maintenance=maintenance,
    )


def _server(server: Server) -> Speaker:
    macs = tuple(nic.mac for nic in server.nics[:1])
    return Speaker(server.name, SERVER, chassis=macs, unit=server.unit, rack=server.rack)


def _nics(server: Server) -> tuple[SeenPort, ...]:
    return tuple(
        SeenPort(nic.name, nic.mac, rail=nic.rail, gpus=nic.gpus, speed=nic.speed, pci=nic.pci) for nic in server.nics
    )


def _domains(fabric: Fabric, wires: Wires, time: int) -> Iterator[Report]:
    gpus = {server.name: server.gpus for server in fabric.servers}
    for domain in fabric.domains:
        identity = f"{domain.cluster_uuid}.{domain.clique}"
        for name in domain.servers:
            if wires.runs(name):
                said = ScaleUp(identity, domain.kind, gpus[name], domain.chassis, name=domain.name)
                yield Report(GPUS, Speaker(name, SERVER), time, scale_up=(said,), links=False)
