"""What ``lldpctl -f json0`` prints on a virtual server: whom it hears on each NIC, and itself."""

from __future__ import annotations

import json
from typing import Any, Final

from railwise.fabric.elements import Port, Server
from railwise.lab.laboratory import HOST_SYSTEM, Laboratory, server_chassis
from railwise.lab.neighbour import Neighbour

NAMES: Final = {"bridge": "Bridge", "router": "Router", "wlan": "Wlan", "station": "Station"}


def lldpctl(laboratory: Laboratory, server: Server) -> str:
    """Return the output, with the members and the nesting of lldpd's regular JSON form."""
    interfaces = []
    for number, nic in enumerate(server.nics, start=1):
        peer = laboratory.wires.neighbour(Port(server.name, nic.name))
        if peer is not None:
            interfaces.append(_interface(nic.name, number, laboratory.frames_of(peer)))
    local = {"id": [{"type": "mac", "value": server_chassis(server)}], "name": [{"value": server.name}]}
    document = {
        "lldp_loc_chassis": [{"local-chassis": [{"chassis": [local | {"descr": [{"value": HOST_SYSTEM}]}]}]}],
        "lldp": [{"interface": interfaces} if interfaces else {}],
    }
    return json.dumps(document, indent=2) + "\n"


def _interface(name: str, number: int, heard: Neighbour) -> dict[str, Any]:
    return {
        "name": name,
        "via": "LLDP",
        "rid": str(number),
        "age": "0 day, 00:00:30",
        "chassis": [
            {
                "id": [{"type": "mac", "value": heard.chassis_id}],
                "name": [{"value": heard.system_name}],
                "descr": [{"value": heard.system_description}],
                "mgmt-ip": [{"value": heard.management}] if heard.management else [],
                "capability": [
                    {"type": label, "enabled": capability in heard.capabilities} for capability, label in NAMES.items()
                ],
            }
        ],
        "port": [
            {
                "id": [{"type": heard.port_id_kind, "value": heard.port_id}],
                "descr": [{"value": heard.port_description}],
                "ttl": [{"value": "120"}],
            }
        ],
    }
