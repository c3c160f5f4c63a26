"""Hardware addresses for devices that nobody gave one: the same for the same name, on every machine, for ever.

A virtual NIC must have a MAC address, and a table of a thousand of them in a fabric file helps nobody. So an address
that is not written down follows from the name: 46 bits of a hash of it, marked as locally administered. Two names could
meet in one address; among 100,000 the chance is below 1 in 10,000, and whoever reads a fabric checks.
"""

from __future__ import annotations

import re
from hashlib import blake2s
from typing import Final
from uuid import UUID

_SEPARATED = re.compile(r"[0-9a-f]{2}([:-][0-9a-f]{2}){5}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}|[0-9a-f]{12}", re.IGNORECASE)
_OCTETS: Final = 6


def derived_mac(name: str) -> str:
    """Return the address that belongs to a name such as ``gpu-001/eth0``: ``0a:…``, locally administered, unicast."""
    octets = bytearray(blake2s(name.encode(), digest_size=_OCTETS).digest())
    octets[0] = octets[0] & 0xFC | 0x02
    return ":".join(f"{octet:02x}" for octet in octets)


def derived_uuid(name: str) -> str:
    """Return the UUID that belongs to the name of an NVLink or XGMI domain: version 8, of one's own making."""
    octets = bytearray(blake2s(f"domain:{name}".encode(), digest_size=16).digest())
    octets[6] = octets[6] & 0x0F | 0x80
    octets[8] = octets[8] & 0x3F | 0x80
    return str(UUID(bytes=bytes(octets)))


def plain_mac(text: str) -> str:
    """Return a MAC address in small letters with colons, however it was written; empty if it is none."""
    if not _SEPARATED.fullmatch(text):
        return ""
    digits = re.sub(r"[:.-]", "", text).lower()
    return ":".join(digits[place : place + 2] for place in range(0, 2 * _OCTETS, 2))


def guid_of(mac: str) -> str:
    """Return the 64-bit identifier that belongs to a MAC address, as EUI-64 widens it: 16 digits without colons."""
    digits = mac.replace(":", "")
    return f"{digits[:6]}fffe{digits[6:]}"
