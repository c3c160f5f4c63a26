"""One LLDP neighbour of one port, whoever reported it, with nothing in it that could do harm.

What a neighbour says of itself travelled unauthenticated over a cable: names may hold control bytes, be of any length,
or be missing. So text is made printable and short the moment it is read, and a port keeps so many neighbours at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from sys import intern
from typing import Any, Final, NamedTuple

LONGEST_TEXT: Final = 255
"""Characters kept of one value, as many as a frame can carry."""

MOST_NEIGHBOURS: Final = 64
"""Neighbours kept of one port."""

MOST_PORTS: Final = 4096
"""Ports kept of one device."""


class LldpRecord(NamedTuple):
    """Who is heard at ``port``. ``…_kind`` is ``mac``, ``ifname``, ``local``, ``alias``, ``ip`` or empty (unknown)."""

    port: str
    chassis_id: str = ""
    chassis_id_kind: str = ""
    port_id: str = ""
    port_id_kind: str = ""
    port_description: str = ""
    system_name: str = ""
    system_description: str = ""
    management: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()

    def empty(self) -> bool:
        """Return whether the neighbour has not said who it is (yet)."""
        return not (self.chassis_id or self.system_name or self.port_id)


CHASSIS_KINDS: Final[Mapping[str, str]] = {"4": "mac", "5": "ip", "6": "ifname", "7": "local"}
"""Subtypes of chassis ids (IEEE 802.1AB, table 8-2)."""

PORT_KINDS: Final[Mapping[str, str]] = {"1": "alias", "3": "mac", "4": "ip", "5": "ifname", "7": "local"}
"""Subtypes of port ids (IEEE 802.1AB, table 8-3)."""

OPENCONFIG_KINDS: Final[Mapping[str, str]] = {
    "INTERFACE_ALIAS": "alias",
    "INTERFACE_NAME": "ifname",
    "LOCAL": "local",
    "MAC_ADDRESS": "mac",
    "NETWORK_ADDRESS": "ip",
}


def clean(value: object) -> str:
    """Return printable text of at most ``LONGEST_TEXT`` characters; empty for what is no text or number.

    Equal texts are one object: a fabric says the same few thousand names hundreds of thousands of times.
    """
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and value.isascii() and value.isprintable():
        return intern(value.strip() if "  " not in value else " ".join(value.split()))
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = "".join(letter for letter in str(value)[: 2 * LONGEST_TEXT] if letter.isprintable() or letter.isspace())
    return " ".join(text.split())[:LONGEST_TEXT].rstrip()


def mapping(value: object) -> Mapping[str, Any]:
    """Return a mapping with text as keys, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return a list as it is, nothing for nothing, anything else as its only member."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def ordered(records: list[LldpRecord]) -> tuple[LldpRecord, ...]:
    """Return at most ``MOST_NEIGHBOURS`` different records, in an order that does not depend on the source's."""
    return tuple(sorted(set(records))[:MOST_NEIGHBOURS])
