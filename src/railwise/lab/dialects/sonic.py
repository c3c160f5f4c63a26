"""SONiC's native reader: tables of its databases, each a JSON object a table or a row.

Served are the neighbours, the ports and the switch's own chassis (target ``APPL_DB``), and whether traffic is shifted
away from the switch, as its operators do before they work on it (``BGP_DEVICE_GLOBAL`` of ``CONFIG_DB``).

Its documented ways are kept: a deleted row arrives as an update with an empty object, and not at all for who watches
that one row; a changed row is deleted and written again, so that a reader can see a hole; the time mark of every row is
rewritten every ten seconds, though nothing has changed; one neighbour a port; a sample is at least a second apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import msgspec.json

from railwise.gnmi.gnmi_pb2 import PROTO, ModelData, Path, PathElem
from railwise.lab.dialects.dialect import JSON_ENCODINGS, Area, Change, RefusedError, json_update, whole_path
from railwise.lab.neighbour import Neighbour
from railwise.lab.virtual_switch import ITSELF, VirtualSwitch

NEIGHBOURS = "LLDP_ENTRY_TABLE"
PORTS = "PORT_TABLE"
CHASSIS = "LLDP_LOC_CHASSIS"
DEVICE = "BGP_DEVICE_GLOBAL"
TABLES = {"APPL_DB": (NEIGHBOURS, PORTS, CHASSIS), "CONFIG_DB": (DEVICE,)}
SUBTYPES = {"alias": "1", "mac": "3", "ifname": "5", "local": "7"}
CAPABILITY_BITS = {"repeater": 0x4000, "bridge": 0x2000, "wlan": 0x1000, "router": 0x0800, "station": 0x0100}

Rows = dict[str, dict[str, str]]


class SonicDatabase:
    """The tables that matter for wiring."""

    models = (ModelData(name="sonic-db", organization="SONiC", version="0.1.0"),)
    encodings = (*JSON_ENCODINGS, PROTO)
    gets = True
    rewrites = 10.0

    def area(self, path: Path, prefix: Path) -> Area:
        """Return the table, and the row where one is named."""
        target = prefix.target or path.target
        parts = [name for name, _ in whole_path(path, prefix)]
        if target not in TABLES and parts and parts[0] in TABLES:
            target, parts = parts[0], parts[1:]
        if target not in TABLES:
            raise RefusedError("INVALID_ARGUMENT", f"unknown database target '{target[:40]}'")
        if not parts or parts[0] not in TABLES[target] or len(parts) > 2:  # noqa: PLR2004 # table, row
            raise RefusedError("NOT_FOUND", f"no valid entry found on {'/'.join(parts)[:80]!r}")
        return Area(parts[0], parts[1] if len(parts) > 1 else "", path)

    def can_stream(self, area: Area, *, on_change: bool) -> None:
        """Stream every table in both modes."""

    def everything(self, switch: VirtualSwitch, area: Area, clock: int) -> list[Change]:
        """Return a table, or one row of it, as one JSON value."""
        rows = _rows(switch, area.kind, [area.port] if area.port else switch.ports, clock)
        if area.port:
            return [_row(area.path, rows[area.port])] if rows.get(area.port) else []
        return [
            Change((json_update(area.path, msgspec.json.encode({name: row for name, row in rows.items() if row})),))
        ]

    def changed(self, switch: VirtualSwitch, area: Area, ports: Iterable[str], clock: int) -> list[Change]:
        """Return a value a row: an empty object where it is gone, before the new one where it is another."""
        if area.kind == DEVICE:
            return self.everything(switch, area, clock) if ITSELF in ports else []
        if area.port:
            row = _rows(switch, area.kind, [area.port], clock).get(area.port) if area.port in ports else None
            return [_row(area.path, row)] if row else []
        rows = _rows(switch, area.kind, ports, clock)
        gone = [_row(area.path, {port: {}}) for port in rows if area.kind == NEIGHBOURS]
        there = [_row(area.path, {port: row}) for port, row in rows.items() if row]
        return [*gone, *there] if area.kind == NEIGHBOURS else there

    def rewritten(self, switch: VirtualSwitch, area: Area, clock: int) -> Iterator[Change]:
        """Yield every row again with its new time mark, each when the one before has been sent."""
        if area.kind != NEIGHBOURS:
            return
        for port in [area.port] if area.port else list(switch.ports):
            row = _rows(switch, area.kind, [port], clock).get(port)
            if row:
                yield _row(area.path, row if area.port else {port: row})

    def since(self, before: list[Change], now: list[Change]) -> list[Change]:
        """Return the values as they are; a row that is gone as a deleted path, which only polls are told."""
        gone = tuple(Path(elem=[PathElem(name=port)]) for port in sorted(_ports(before) - _ports(now)))
        return [*now, Change((), gone)] if gone else now


def _ports(changes: list[Change]) -> set[str]:
    values = chain.from_iterable(change.updates for change in changes)
    return set(chain.from_iterable(msgspec.json.decode(one.val.json_ietf_val, type=dict) for one in values))


def _row(path: Path, row: Mapping[str, str | Mapping[str, str]]) -> Change:
    return Change((json_update(path, msgspec.json.encode(row)),))


def _rows(switch: VirtualSwitch, table: str, ports: Iterable[str], clock: int) -> Rows:
    """Return the rows of some ports; an empty one where the table has none."""
    if table == CHASSIS:
        return {"lldp_loc": {"lldp_loc_chassis_id": switch.chassis_id, "lldp_loc_sys_name": switch.name}}
    if table == DEVICE:
        return {"STATE": {"tsa_enabled": str(switch.maintained).lower()}}
    known = {port: switch.ports[port] for port in ports if port in switch.ports}
    if table == PORTS:
        return {
            port: {"oper_status": "up" if state.up else "down", "speed": str(state.speed), "alias": port}
            for port, state in known.items()
        }
    return {
        port: _entry(state.neighbours[0], clock) if state.up and state.neighbours else {}
        for port, state in known.items()
    }


def _entry(neighbour: Neighbour, clock: int) -> dict[str, str]:
    bits = sum(CAPABILITY_BITS.get(name, 0) for name in neighbour.capabilities)
    capabilities = f"{bits >> 8:02x} {bits & 255:02x}"
    return {
        "lldp_rem_chassis_id": neighbour.chassis_id,
        "lldp_rem_chassis_id_subtype": "4",
        "lldp_rem_port_id": neighbour.port_id,
        "lldp_rem_port_id_subtype": SUBTYPES[neighbour.port_id_kind],
        "lldp_rem_port_desc": neighbour.port_description,
        "lldp_rem_sys_name": neighbour.system_name,
        "lldp_rem_sys_desc": neighbour.system_description,
        "lldp_rem_man_addr": neighbour.management,
        "lldp_rem_time_mark": str(clock),
        "lldp_rem_index": str(neighbour.number),
        "lldp_rem_sys_cap_supported": capabilities,
        "lldp_rem_sys_cap_enabled": capabilities,
    }
