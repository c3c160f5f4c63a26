"""Cumulus Linux: OpenConfig paths, subscribed to only, one leaf an update.

There is no Get. Values are typed, not JSON, and a record has to be put together from its leaves. A neighbour that is
gone is a deleted path. Ages are told with a sample and never count as a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from railwise.gnmi.gnmi_pb2 import JSON, PROTO, ModelData, Path, TypedValue, Update
from railwise.gnmi.paths import parse_path, path_text
from railwise.lab.dialects.dialect import Area, Change, RefusedError, whole_path
from railwise.lab.dialects.openconfig import PORT_ID_TYPES
from railwise.lab.neighbour import Neighbour
from railwise.lab.virtual_switch import ITSELF, VirtualSwitch

NEIGHBOURS = "neighbours"
CHASSIS = "chassis"
TTL = 120


class Cumulus:
    """LLDP neighbours, and the switch's own chassis."""

    models = (ModelData(name="openconfig-lldp", organization="OpenConfig working group", version="0.2.1"),)
    encodings = (JSON, PROTO)
    gets = False
    rewrites = 0.0

    def area(self, path: Path, prefix: Path) -> Area:
        """Return neighbours (of a port or all) or the chassis; a path may end anywhere above the leaves."""
        match whole_path(path, prefix):
            case [] | [("lldp", _)]:
                return Area("", "", path)
            case [("lldp", _), ("state", _), *_]:
                return Area(CHASSIS, "", path)
            case [("lldp", _), ("interfaces", _)]:
                return Area(NEIGHBOURS, "", path)
            case [("lldp", _), ("interfaces", _), ("interface", keys), *_]:
                port = keys.get("name", "")
                return Area(NEIGHBOURS, "" if port == "*" else port, path)
            case _:
                raise RefusedError("INVALID_ARGUMENT", f"path {path_text(path, prefix)[:80]!r} is not supported")

    def can_stream(self, area: Area, *, on_change: bool) -> None:
        """Stream everything in both modes."""

    def everything(self, switch: VirtualSwitch, area: Area, clock: int) -> list[Change]:
        """Return a notification a neighbour, each with all its leaves."""
        found = [_chassis(switch)] if area.kind in ("", CHASSIS) else []
        if area.kind in ("", NEIGHBOURS):
            for name in [area.port] if area.port else switch.ports:
                found += self._of_port(switch, name, clock)
        return found

    def changed(self, switch: VirtualSwitch, area: Area, ports: Iterable[str], clock: int) -> list[Change]:
        """Return for each port the subtree that is gone and the leaves that hold now."""
        if area.kind == CHASSIS:
            return []
        found = []
        for name in (port for port in ports if port != ITSELF):
            if area.port in ("", name):
                gone = parse_path("/lldp/interfaces/interface/neighbors")
                gone.elem[2].key["name"] = name
                found += [Change((), (gone,)), *self._of_port(switch, name, clock)]
        return found

    def rewritten(self, switch: VirtualSwitch, area: Area, clock: int) -> list[Change]:
        """Tell nothing again."""
        del switch, area, clock
        return []

    def since(self, before: list[Change], now: list[Change]) -> list[Change]:
        """Return everything again, and a deleted path for each leaf that is no longer there."""
        there = {path_text(one.path) for change in now for one in change.updates}
        gone = [one.path for change in before for one in change.updates if path_text(one.path) not in there]
        return [*now, Change((), tuple(gone))] if gone else now

    def _of_port(self, switch: VirtualSwitch, name: str, clock: int) -> list[Change]:
        state = switch.ports.get(name)
        if state is None or not state.up:
            return []
        return [Change(tuple(_leaves(name, one, clock))) for one in state.neighbours]


def _chassis(switch: VirtualSwitch) -> Change:
    values = {"chassis-id": switch.chassis_id, "chassis-id-type": "MAC_ADDRESS", "system-name": switch.name}
    return Change(
        tuple(
            Update(path=parse_path(f"/lldp/state/{leaf}"), val=TypedValue(string_val=value))
            for leaf, value in values.items()
        )
    )


def _leaves(port: str, one: Neighbour, clock: int) -> Iterator[Update]:
    words = {
        "chassis-id": one.chassis_id,
        "chassis-id-type": "MAC_ADDRESS",
        "id": str(one.number),
        "port-description": one.port_description,
        "port-id": one.port_id,
        "port-id-type": PORT_ID_TYPES[one.port_id_kind],
        "system-description": one.system_description,
        "system-name": one.system_name,
    }
    for leaf, value in words.items():
        yield Update(path=_leaf(port, one.number, leaf), val=TypedValue(string_val=value))
    yield Update(path=_leaf(port, one.number, "age"), val=TypedValue(uint_val=clock))
    yield Update(path=_leaf(port, one.number, "ttl"), val=TypedValue(uint_val=TTL))


def _leaf(port: str, index: int, leaf: str) -> Path:
    path = parse_path(f"/lldp/interfaces/interface/neighbors/neighbor/state/{leaf}")
    path.elem[2].key["name"] = port
    path.elem[4].key["id"] = str(index)
    return path
