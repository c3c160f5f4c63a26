"""A fabric while it is drawn: devices are added, ports are handed out in order, cables are laid."""

from __future__ import annotations

from dataclasses import replace

from railwise.fabric.addresses import derived_mac
from railwise.fabric.elements import (
    NO_RAIL,
    Cable,
    Dialect,
    Domain,
    Event,
    Fabric,
    Nic,
    Plane,
    Port,
    Role,
    Server,
    Switch,
)
from railwise.fabric.ports import port_name, port_names


class Drawing:
    """A growing fabric."""

    def __init__(self, name: str, dialect: Dialect, speed: int) -> None:
        """Start empty; ``speed`` is that of every port in Mbit/s."""
        self.name = name
        self.dialect = dialect
        self.speed = speed
        self.switches: list[Switch] = []
        self.servers: list[Server] = []
        self.cables: list[Cable] = []
        self.domains: list[Domain] = []
        self.planes: list[Plane] = []
        self.actual: list[Event] = []
        self._used: dict[str, int] = {}

    def switch(
        self, name: str, role: Role, *, unit: str = "", rail: int = NO_RAIL, plane: str = "", rack: str = ""
    ) -> str:
        """Add a switch and return its name; its ports are those that get a cable."""
        mac = derived_mac(name)
        self.switches.append(Switch(name, role, self.dialect, (), self.speed, mac, unit, rail, plane, rack))
        self._used[name] = 0
        return name

    def server(self, server: Server) -> None:
        """Add a server; NICs without an address get theirs."""
        nics = tuple(replace(nic, mac=nic.mac or derived_mac(f"{server.name}/{nic.name}")) for nic in server.nics)
        self.servers.append(replace(server, nics=nics))

    def free_port(self, switch: str) -> Port:
        """Return the next port of a switch that has no cable."""
        index = self._used[switch]
        self._used[switch] = index + 1
        return Port(switch, port_name(self.dialect, index))

    def cable(self, lower: str, upper: str) -> None:
        """Lay a cable between the next free ports of two switches."""
        self.cables.append(Cable(self.free_port(lower), self.free_port(upper)))

    def plug(self, server: str, nic: str, switch: str) -> None:
        """Lay a cable from a NIC to the next free port of a switch."""
        self.cables.append(Cable(Port(server, nic), self.free_port(switch)))

    def finished(self) -> Fabric:
        """Return the fabric; every switch has the ports it uses, up to the next power of two."""
        switches = []
        for switch in self.switches:
            count = 1 << max(self._used[switch.name] - 1, 1).bit_length()
            switches.append(replace(switch, ports=port_names(self.dialect, count)))
        return Fabric(
            self.name,
            tuple(switches),
            tuple(self.servers),
            tuple(self.cables),
            tuple(self.domains),
            tuple(self.planes),
            tuple(self.actual),
        )


def rail_nics(rails: int, gpus: int, speed: int, prefix: str = "eth", plane: str = "") -> tuple[Nic, ...]:
    """Return a NIC a rail, the cards shared out among them in order."""
    nics = []
    for rail in range(rails):
        near = tuple(range(rail * gpus // rails, (rail + 1) * gpus // rails)) if gpus >= rails else ()
        nics.append(Nic(f"{prefix}{rail}", rail, near, speed=speed, plane=plane))
    return tuple(nics)


def numbered(prefix: str, count: int) -> list[str]:
    """Return ``gpu-001`` to ``gpu-128``: as many digits as the last one needs, at least two above nine."""
    width = len(str(count))
    return [f"{prefix}{number:0{width}d}" for number in range(1, count + 1)]
