"""The OpenConfig model of LLDP: as one JSON document, or leaf by leaf.

The list keys of neighbours cannot be trusted (systems put the local port, a number or an address there), so a neighbour
is known by what it says of itself; keys only tell which leaves belong together while they arrive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec.json

from railwise.formats.lldp.record import (
    MOST_NEIGHBOURS,
    MOST_PORTS,
    OPENCONFIG_KINDS,
    LldpRecord,
    clean,
    items,
    mapping,
    ordered,
)
from railwise.model.errors import Fault, InputError

CAPABILITIES: Final = {"MAC_BRIDGE": "bridge", "REPEATER": "repeater", "ROUTER": "router", "STATION_ONLY": "station"}
_TYPES: Final = "openconfig-lldp-types:"


def read_document(document: bytes, source: str = "") -> dict[str, tuple[LldpRecord, ...]]:
    """Return the neighbours by port of a document that holds interfaces, or one interface, or a list of them.

    A port that the document names without neighbours has none. Raises InputError for what is no JSON object or list.
    """
    try:
        content = msgspec.json.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Fault("", f"no JSON: {error}")], source) from None
    if not isinstance(content, dict | list):
        raise InputError([Fault("", "expected interfaces as a JSON object")], source)
    found: dict[str, tuple[LldpRecord, ...]] = {}
    for interface in _interfaces(content):
        port = clean(interface.get("name"))
        if port and len(found) < MOST_PORTS:
            neighbours = items(_member(_member(interface, "neighbors"), "neighbor"))
            records = [_record(port, mapping(one)) for one in neighbours[:MOST_NEIGHBOURS]]
            found[port] = ordered([record for record in records if not record.empty()])
    return found


def _interfaces(content: object) -> Iterator[dict[str, Any]]:
    if isinstance(content, list):
        yield from (one for one in content if isinstance(one, dict))
        return
    document = mapping(content)
    if "name" in document:
        yield dict(document)
        return
    for name, value in document.items():
        plain = name.rpartition(":")[2]
        if plain in ("lldp", "interfaces"):
            yield from _interfaces(value)
        elif plain == "interface":
            yield from _interfaces(items(value))


def _member(document: object, name: str) -> object:
    for key, value in mapping(document).items():
        if key.rpartition(":")[2] == name:
            return value
    return None


def _record(port: str, neighbour: dict[str, Any] | Any) -> LldpRecord:  # noqa: ANN401 # decoded JSON
    said = mapping(_member(neighbour, "state"))
    enabled = [mapping(one) for one in items(_member(_member(neighbour, "capabilities"), "capability"))]
    names = [clean(one.get("name")) for one in enabled if mapping(_member(one, "state")).get("enabled", True) is True]
    return record_of(port, {**said, "capabilities": names})


def record_of(port: str, said: dict[str, Any]) -> LldpRecord:
    """Return the record of the leaves below a neighbour's ``state``; ``capabilities`` is a list of names."""
    names = {CAPABILITIES.get(clean(name).removeprefix(_TYPES), "") for name in items(said.get("capabilities"))}
    management = clean(said.get("management-address"))
    return LldpRecord(
        port=port,
        chassis_id=clean(said.get("chassis-id")),
        chassis_id_kind=OPENCONFIG_KINDS.get(clean(said.get("chassis-id-type")), ""),
        port_id=clean(said.get("port-id")),
        port_id_kind=OPENCONFIG_KINDS.get(clean(said.get("port-id-type")), ""),
        port_description=clean(said.get("port-description")),
        system_name=clean(said.get("system-name")),
        system_description=clean(said.get("system-description")),
        management=(management,) if management else (),
        capabilities=tuple(sorted(names - {""})),
    )


class Leaves:
    """Neighbours put together from single leaves, as they come and go."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._said: Final[dict[str, dict[str, dict[str, Any]]]] = {}

    def put(self, port: str, key: str, leaf: str, value: object) -> None:
        """Take one leaf of the neighbour with a list key; ages and other unknown leaves are not kept."""
        if leaf not in _LEAVES:
            return
        if port not in self._said and len(self._said) >= MOST_PORTS:
            return
        neighbours = self._said.setdefault(clean(port), {})
        if key in neighbours or len(neighbours) < MOST_NEIGHBOURS:
            neighbours.setdefault(clean(key), {})[leaf] = clean(value)

    def drop(self, port: str = "", key: str = "") -> None:
        """Forget a neighbour, all neighbours of a port, or everything."""
        if not port:
            self._said.clear()
        elif not key:
            self._said.pop(clean(port), None)
        else:
            self._said.get(clean(port), {}).pop(clean(key), None)

    def records(self, port: str) -> tuple[LldpRecord, ...]:
        """Return the neighbours of a port that have said who they are."""
        found = [record_of(clean(port), said) for said in self._said.get(clean(port), {}).values()]
        return ordered([record for record in found if not record.empty()])

    def ports(self) -> list[str]:
        """Return the ports of which anything was said."""
        return list(self._said)


_LEAVES: Final = frozenset(
    (
        "chassis-id",
        "chassis-id-type",
        "management-address",
        "port-description",
        "port-id",
        "port-id-type",
        "system-description",
        "system-name",
    )
)
