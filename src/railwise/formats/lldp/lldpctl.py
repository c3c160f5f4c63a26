"""What ``lldpctl`` prints on a host, in each of its JSON forms.

``json0`` is regular: every member is a list, every text an object with a ``value``. ``json`` is not: one interface is
an object and two are a list, a chassis with a name is keyed by it and one without is not, an address is a text or a
list of them. Both are read into the same records. A host also hears itself, through virtual functions and bridges on
its own ports: those are dropped where the host's own chassis is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec.json

from railwise.formats.lldp.record import (
    MOST_PORTS,
    LldpRecord,
    clean,
    items,
    mapping,
    ordered,
)
from railwise.model.errors import Fault, InputError


def read_lldpctl(document: bytes, source: str = "", own_chassis: frozenset[str] = frozenset()) -> list[LldpRecord]:
    """Return the neighbours of all interfaces, sorted; those with one of the host's own chassis ids are left out.

    Raises InputError for what is no output of ``lldpctl -f json0`` or ``-f json``.
    """
    try:
        content = msgspec.json.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "expected the output of `lldpctl -f json0`"
        raise InputError([Fault("", f"no JSON: {error}", hint)], source) from None
    if not isinstance(content, dict) or "lldp" not in content:
        raise InputError([Fault("lldp", "no such member", "expected the output of `lldpctl -f json0`")], source)
    local = {clean(one.get("value")) for one in _values(_first(content.get("lldp_loc_chassis")))}
    by_port: dict[str, list[LldpRecord]] = {}
    for port, interface in _interfaces(content["lldp"]):
        record = _record(port, interface)
        if len(by_port) < MOST_PORTS and not record.empty() and record.chassis_id not in own_chassis | (local - {""}):
            by_port.setdefault(port, []).append(record)
    return [record for port in sorted(by_port) for record in ordered(by_port[port])]


class Self(NamedTuple):
    """What a host's lldpd tells others of the host: its chassis ids and its system name."""

    chassis: frozenset[str]
    name: str


def read_self(document: bytes, source: str = "") -> Self:
    """Return who a host is to its neighbours, from ``lldpcli -f json0 show chassis``. Raises InputError."""
    try:
        content = msgspec.json.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Fault("", f"no JSON: {error}", "expected `lldpcli -f json0 show chassis`")], source) from None
    local = mapping(_first(mapping(content).get("local-chassis")))
    name, _ = _chassis(local.get("chassis"))
    return Self(frozenset({clean(one.get("value")) for one in _values(local)} - {""}), name)


def _interfaces(lldp: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, body) of each interface, in whatever form they stand."""
    for part in items(lldp):
        for one in items(mapping(part).get("interface")):
            body = mapping(one)
            if isinstance(body.get("name"), str):
                yield clean(body["name"]), dict(body)
            else:
                yield from ((clean(name), dict(mapping(inner))) for name, inner in body.items())


def _record(port: str, interface: dict[str, Any]) -> LldpRecord:
    name, chassis = _chassis(interface.get("chassis"))
    far = mapping(_first(interface.get("port")))
    chassis_id, port_id = mapping(_first(chassis.get("id"))), mapping(_first(far.get("id")))
    return LldpRecord(
        port=port,
        chassis_id=clean(chassis_id.get("value")),
        chassis_id_kind=clean(chassis_id.get("type")),
        port_id=clean(port_id.get("value")),
        port_id_kind=clean(port_id.get("type")),
        port_description=_text(far.get("descr")),
        system_name=name,
        system_description=_text(chassis.get("descr")),
        management=tuple(filter(None, (_text(one) for one in items(chassis.get("mgmt-ip"))))),
        capabilities=tuple(
            sorted(
                clean(mapping(one).get("type")).lower()
                for one in items(chassis.get("capability"))
                if mapping(one).get("enabled") is True
            )
        ),
    )


def _chassis(value: object) -> tuple[str, dict[str, Any]]:
    """Return (system name, body): keyed by the name, or with a name inside, or without any."""
    body = dict(mapping(_first(value)))
    if "id" in body or not body:
        return _text(body.get("name")), body
    name, inner = next(iter(body.items()))
    return clean(name), dict(mapping(inner))


def _text(value: object) -> str:
    """Return a text that stands bare or as ``value`` in an object, alone or first of a list."""
    first = _first(value)
    return clean(mapping(first).get("value") if isinstance(first, dict) else first)


def _first(value: object) -> object:
    return next(iter(items(value)), None)


def _values(value: object) -> Iterator[dict[str, Any]]:
    """Yield every ``id`` object below the local chassis."""
    body = mapping(value)
    for name, inner in body.items():
        if name == "id":
            yield from (dict(mapping(one)) for one in items(inner))
        elif name in ("local-chassis", "chassis") or "id" in mapping(_first(inner)):
            for one in items(inner):
                yield from _values(one)
