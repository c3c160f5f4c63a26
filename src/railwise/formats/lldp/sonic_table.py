"""SONiC's table of neighbours, whole or a row at a time, as its database client sends it.

A row without fields says that the neighbour is gone. A row with nothing but its time mark is a row that is just being
written: it says nothing. Time marks change every few seconds by themselves and are not kept, so a row that only got a
new one equals the old one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec.json

from railwise.formats.lldp.record import CHASSIS_KINDS, MOST_PORTS, PORT_KINDS, LldpRecord, clean, mapping
from railwise.model.errors import Fault, InputError

PREFIX: Final = "LLDP_ENTRY_TABLE:"
CAPABILITIES: Final = (
    (0x0100, "station"),
    (0x0800, "router"),
    (0x1000, "wlan"),
    (0x2000, "bridge"),
    (0x4000, "repeater"),
)


class SonicRows(NamedTuple):
    """What a message says: the neighbour of each port, and the ports that hear nobody any more."""

    records: tuple[LldpRecord, ...] = ()
    gone: tuple[str, ...] = ()


def read_rows(document: bytes, source: str = "") -> SonicRows:
    """Return the rows of a JSON object ``{port: {field: text}}``, keys with or without the table's name.

    Raises InputError for what is no such object.
    """
    try:
        rows = msgspec.json.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Fault("", f"no JSON: {error}")], source) from None
    if not isinstance(rows, dict):
        raise InputError([Fault("", "expected an object with a member per port")], source)
    records, gone = [], []
    for name, fields in list(rows.items())[:MOST_PORTS]:
        port = clean(name.removeprefix(PREFIX))
        if not isinstance(fields, dict) or not port:
            continue
        if not fields:
            gone.append(port)
        elif not (record := read_row(port, fields)).empty():
            records.append(record)
    return SonicRows(tuple(records), tuple(gone))


def read_object(document: bytes) -> Mapping[str, Any]:
    """Return a JSON object; an empty one for what is none."""
    try:
        return mapping(msgspec.json.decode(document))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def read_row(port: str, fields: object) -> LldpRecord:
    """Return the record of one row; it is empty where the row does not say who the neighbour is."""
    said = mapping(fields).get
    management = clean(said("lldp_rem_man_addr"))
    return LldpRecord(
        port=port,
        chassis_id=clean(said("lldp_rem_chassis_id")),
        chassis_id_kind=CHASSIS_KINDS.get(clean(said("lldp_rem_chassis_id_subtype")), ""),
        port_id=clean(said("lldp_rem_port_id")),
        port_id_kind=PORT_KINDS.get(clean(said("lldp_rem_port_id_subtype")), ""),
        port_description=clean(said("lldp_rem_port_desc")),
        system_name=clean(said("lldp_rem_sys_name")),
        system_description=clean(said("lldp_rem_sys_desc")),
        management=tuple(part for part in management.split(",") if part) if management else (),
        capabilities=_capabilities(clean(said("lldp_rem_sys_cap_enabled"))),
    )


@lru_cache(maxsize=256)
def _capabilities(text: str) -> tuple[str, ...]:
    """Return the names of the bits in a text such as ``28 00``."""
    try:
        bits = int(text.replace(" ", "")[:4] or "0", 16)
    except ValueError:
        return ()
    return tuple(sorted(name for bit, name in CAPABILITIES if bits & bit))
