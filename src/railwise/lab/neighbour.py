"""What a port hears by LLDP about the device at the other end of its cable, and how a port stands."""

from __future__ import annotations

from typing import NamedTuple

CHASSIS_MAC = "mac"
"""The only kind of chassis id that virtual devices use, as nearly all real ones do."""

PORT_IDS = ("ifname", "mac", "local", "alias")
"""How a device may name the port it speaks from."""


class Neighbour(NamedTuple):
    """One LLDP neighbour as its frames tell; ``port_id_kind`` is one of ``PORT_IDS``, ``number`` the hearer's own."""

    chassis_id: str
    port_id: str
    port_id_kind: str = "ifname"
    port_description: str = ""
    system_name: str = ""
    system_description: str = ""
    management: str = ""
    capabilities: tuple[str, ...] = ()
    number: int = 1


class PortState(NamedTuple):
    """A port of a virtual device: whether the link is up, its speed in Mbit/s, and whom it hears."""

    up: bool = True
    speed: int = 400_000
    neighbours: tuple[Neighbour, ...] = ()
