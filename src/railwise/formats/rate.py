"""Bandwidths as data sheets write them, in bits or in bytes: ``400Gbps``, ``900GBps``, ``50 GB/s``, ``1.6Tbit/s``.

A capital B is a byte. Scenario files know bits only (``quantity.parse_bandwidth``); a command line is typed from data
sheets, where NVLink comes in bytes and a NIC in bits.
"""

from __future__ import annotations

import re
from typing import Final

from railwise.model.quantity import MOST, MOST_DIGITS

EXPECTED_RATE: Final = "expected a bandwidth such as 400Gbps (bits) or 900GBps (bytes)"
_RATE: Final = re.compile(r"([0-9]+)(?:\.([0-9]+))? ?([MGT])(bps|bit/s|b/s|Bps|B/s)", re.ASCII)
_POWER: Final = {"M": 6, "G": 9, "T": 12}


def parse_rate(text: str) -> int:
    """Return bits per second, rounded down; ValueError with what was expected, also for nothing at all."""
    match = _RATE.fullmatch(text)
    if match is None or len(text) > MOST_DIGITS:
        raise ValueError(EXPECTED_RATE)
    fraction = match[2] or ""
    bits = 8 if match[4].startswith("B") else 1
    value: int = int(match[1] + fraction) * bits * 10 ** _POWER[match[3]] // 10 ** len(fraction)
    if not 0 < value <= MOST:
        raise ValueError(EXPECTED_RATE)
    return value
