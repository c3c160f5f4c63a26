"""The OpenConfig view of an enterprise switch system, as SONiC's management framework translates it.

Neighbours stand in one JSON document a subtree, and are served on two paths only, never on change: who wants to hear of
changes there has to sample. The list key of a neighbour is the local port, not what the neighbour says of itself, and
there is no age. A port's state does stream on change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec.json

from railwise.gnmi.gnmi_pb2 import ModelData, Path, TypedValue, Update
from railwise.gnmi.paths import parse_path
from railwise.lab.dialects.dialect import JSON_ENCODINGS, Area, Change, RefusedError, json_update, whole_path
from railwise.lab.neighbour import Neighbour, PortState
from railwise.lab.virtual_switch import VirtualSwitch

NEIGHBOURS = "neighbours"
STATUS = "oper-status"
PORT_ID_TYPES = {"alias": "INTERFACE_ALIAS", "mac": "MAC_ADDRESS", "ifname": "INTERFACE_NAME", "local": "LOCAL"}
CAPABILITIES = {"bridge": "MAC_BRIDGE", "repeater": "REPEATER", "router": "ROUTER", "station": "STATION_ONLY"}


class OpenConfig:
    """LLDP neighbours and the state of ports."""

    models = (
        ModelData(name="openconfig-lldp", organization="OpenConfig working group", version="0.2.1"),
        ModelData(name="openconfig-interfaces", organization="OpenConfig working group", version="2.5.0"),
    )
    encodings = JSON_ENCODINGS
    gets = True
    rewrites = 0.0

    def area(self, path: Path, prefix: Path) -> Area:
        """Return neighbours or the state of ports, of one port or of all."""
        match whole_path(path, prefix):
            case [("lldp", _), ("interfaces", _)]:
                kind, port = NEIGHBOURS, ""
            case [("lldp", _), ("interfaces", _), ("interface", keys)]:
                kind, port = NEIGHBOURS, keys.get("name", "")
            case [("interfaces", _), ("interface", keys), ("state", _), ("oper-status", _)]:
                kind, port = STATUS, keys.get("name", "")
            case _:
                raise RefusedError("NOT_FOUND", "resource not found")
        return Area(kind, "" if port == "*" else port, path)

    def can_stream(self, area: Area, *, on_change: bool) -> None:
        """Refuse neighbours on change."""
        if on_change and area.kind == NEIGHBOURS:
            raise RefusedError("INVALID_ARGUMENT", "subscribe on change is not supported for openconfig-lldp")

    def everything(self, switch: VirtualSwitch, area: Area, clock: int) -> list[Change]:
        """Return one document for neighbours, one value a port for states."""
        del clock
        known = {
            name: switch.ports[name] for name in ([area.port] if area.port else switch.ports) if name in switch.ports
        }
        if area.kind == STATUS:
            return [_status(name, state) for name, state in known.items()]
        found = [_interface(name, state) for name, state in known.items() if state.up and state.neighbours]
        body = (
            {"openconfig-lldp:interface": found} if area.port else {"openconfig-lldp:interfaces": {"interface": found}}
        )
        return [Change((json_update(area.path, msgspec.json.encode(body)),))]

    def changed(self, switch: VirtualSwitch, area: Area, ports: Iterable[str], clock: int) -> list[Change]:
        """Return the states of ports that have changed."""
        del clock
        return [_status(name, switch.ports[name]) for name in ports if name in switch.ports and area.port in ("", name)]

    def rewritten(self, switch: VirtualSwitch, area: Area, clock: int) -> list[Change]:
        """Tell nothing again."""
        del switch, area, clock
        return []

    def since(self, before: list[Change], now: list[Change]) -> list[Change]:
        """Return everything again: a sample is the whole document."""
        del before
        return now


def _status(name: str, state: PortState) -> Change:
    path = parse_path("/openconfig-interfaces:interfaces/interface/state/oper-status")
    path.elem[1].key["name"] = name
    return Change((Update(path=path, val=TypedValue(json_ietf_val=b'"UP"' if state.up else b'"DOWN"')),))


def _interface(name: str, state: PortState) -> dict[str, Any]:
    return {"name": name, "neighbors": {"neighbor": [_neighbour(name, one) for one in state.neighbours]}}


def _neighbour(port: str, one: Neighbour) -> dict[str, Any]:
    names = [f"openconfig-lldp-types:{CAPABILITIES[name]}" for name in one.capabilities if name in CAPABILITIES]
    return {
        "capabilities": {"capability": [{"name": name, "state": {"enabled": True, "name": name}} for name in names]},
        "id": port,
        "state": {
            "chassis-id": one.chassis_id,
            "chassis-id-type": "MAC_ADDRESS",
            "id": str(one.number),
            "management-address": one.management,
            "port-description": one.port_description,
            "port-id": one.port_id,
            "port-id-type": PORT_ID_TYPES[one.port_id_kind],
            "system-description": one.system_description,
            "system-name": one.system_name,
        },
    }
