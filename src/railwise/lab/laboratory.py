"""All virtual switches of one fabric, and what they hear as cables are pulled and devices die.

The wiring itself is kept by ``fabric.wires``, the same for every simulation; here each change of it becomes what the
switches at both ends see: a neighbour less, another one, a port down. A port hears whoever the frames come from: a
switch by name and port, a server's NIC as ``lldpd`` sends it, with the MAC address as port and the name in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from railwise.fabric.addresses import derived_mac
from railwise.fabric.elements import Dialect, Event, Fabric, Nic, Port, Server, Switch
from railwise.fabric.wires import Wires
from railwise.lab.neighbour import Neighbour, PortState
from railwise.lab.virtual_switch import VirtualSwitch

SPEED = 400_000
"""Mbit/s of a port that nobody gave a speed."""

HOST_SYSTEM = "Ubuntu 24.04 LTS Linux"
SYSTEMS = {
    Dialect.SONIC: "SONiC Software Version: SONiC.202505",
    Dialect.CUMULUS: "Cumulus Linux version 5.16.1",
    Dialect.OPENCONFIG: "Enterprise SONiC OS 4.5",
    Dialect.INFINIBAND: "Quantum switch",
}


class _Heard(Mapping[str, PortState]):
    """How the ports of one switch stand, as the wiring is at the moment."""

    __slots__ = ("_laboratory", "_switch")

    def __init__(self, laboratory: Laboratory, switch: Switch) -> None:
        self._laboratory: Final = laboratory
        self._switch: Final = switch

    def __getitem__(self, name: str) -> PortState:
        if name not in self._switch.ports:
            raise KeyError(name)
        return self._laboratory.heard(Port(self._switch.name, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._switch.ports)

    def __len__(self) -> int:
        return len(self._switch.ports)


class Laboratory:
    """The live fabric: ``wires`` and the switches that speak gNMI, by name, in the order of the fabric."""

    def __init__(self, fabric: Fabric) -> None:
        """Put everything together as the fabric says it is at the start."""
        self.fabric: Final = fabric
        self.wires: Final = Wires(fabric)
        self._switches: Final = {switch.name: switch for switch in fabric.switches}
        self._servers: Final = {server.name: server for server in fabric.servers}
        self._chassis: Final = {switch.name: chassis_of(switch) for switch in fabric.switches} | {
            server.name: server_chassis(server) for server in fabric.servers
        }
        self.devices: Final = {
            switch.name: VirtualSwitch(
                switch.name,
                self._chassis[switch.name],
                _Heard(self, switch),
                SYSTEMS[switch.dialect],
            )
            for switch in fabric.switches
            if switch.dialect is not Dialect.INFINIBAND
        }
        self._tell_states()

    def apply(self, event: Event) -> frozenset[Port]:
        """Let an event happen, let the switches see it, and return the ports that changed."""
        near = [port for port in sorted(self.wires.near(event)) if port.name in self._ports_of(port.device)]
        before = {port: self.heard(port) for port in near}
        changed = self.wires.apply(event)
        self._tell_states()
        for port, state in before.items():
            if self.heard(port) != state:
                self.devices[port.device].tell(port.name)
        return changed

    def heard(self, port: Port) -> PortState:
        """Return how a switch's port stands and whom it hears."""
        speed = self._switches[port.device].speed or SPEED
        peer = self.wires.neighbour(port)
        if peer is None:
            return PortState(up=self.wires.up(port), speed=speed)
        return PortState(up=True, speed=speed, neighbours=(self.frames_of(peer),))

    def frames_of(self, port: Port) -> Neighbour:
        """Return what the device at a port tells about itself in its frames."""
        if port.device in self._switches:
            switch = self._switches[port.device]
            return Neighbour(
                self._chassis[switch.name],
                port.name,
                "ifname",
                f"{switch.name} {port.name}",
                switch.name,
                SYSTEMS[switch.dialect],
                "",
                ("bridge", "router"),
            )
        server = self._servers[port.device]
        nic = next(nic for nic in server.nics if nic.name == port.name)
        return Neighbour(
            self._chassis[server.name], mac_of(server, nic), "mac", nic.name, server.name, HOST_SYSTEM, "", ("station",)
        )

    def _ports_of(self, device: str) -> tuple[str, ...]:
        """Return the ports of a device that speaks gNMI; none for all others."""
        return self._switches[device].ports if device in self.devices else ()

    def _tell_states(self) -> None:
        for name, device in self.devices.items():
            device.set_reachable(reachable=self.wires.tells(name))
            device.set_maintained(maintained=self.wires.maintained(name))


def chassis_of(switch: Switch) -> str:
    """Return the address by which a switch introduces itself."""
    return switch.chassis or derived_mac(switch.name)


def server_chassis(server: Server) -> str:
    """Return the address by which a server introduces itself: that of its first NIC, as ``lldpd`` takes it."""
    return mac_of(server, server.nics[0]) if server.nics else derived_mac(server.name)


def mac_of(server: Server, nic: Nic) -> str:
    """Return the MAC address of a NIC."""
    return nic.mac or derived_mac(f"{server.name}/{nic.name}")
