"""Quantities as people write them (``500m``, ``64Gi``, ``1h30m``, ``400Gbps``), as exact whole numbers in base units.

Decisions are made in whole numbers, so a quantity is never a float on its way in: ten times ``0.1`` is one card. Every
bound is checked on the text, before a number is computed: ``1e999999999`` is twelve characters and a billion digits.
Requests round up and capacities down, so that rounding never gives away what is not there.

Base units: thousandths (cpu, cards, weights), MiB (memory), pieces, microseconds, Mbit/s.
"""

from __future__ import annotations

import re
from typing import Final

MOST: Final = (1 << 63) - 1
"""No quantity is larger, in its base unit."""

MOST_DIGITS: Final = 40
"""A number has at most this many digits before and after its point together."""

MOST_EXPONENT: Final = 60
"""The largest exponent of ten, either way."""

MIB: Final = 1 << 20

MICROSECOND: Final = 1
MILLISECOND: Final = 1000
SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MOST_DURATION: Final = 36_500 * DAY
"""A hundred years: no duration is longer."""

_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_QUANTITY: Final = re.compile(
    r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i)|[eE]([+-]?[0-9]+)|([numkMGTPE]?))", re.ASCII
)
_STEPS: Final = (("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", MILLISECOND), ("us", MICROSECOND))
_STEP_ORDER: Final = {unit: place for place, (unit, _) in enumerate(_STEPS)}
_DURATION: Final = re.compile(r"(-?)((?:[0-9]+(?:\.[0-9]+)?(?:d|h|ms|us|µs|m|s))+)", re.ASCII)
_DURATION_PART: Final = re.compile(r"([0-9]+)(?:\.([0-9]+))?(d|h|ms|us|µs|m|s)", re.ASCII)
_SIZES: Final = (("Pi", 1 << 30), ("Ti", 1 << 20), ("Gi", 1 << 10))
"""Units of a size in MiB, largest first."""

_BANDWIDTH: Final = re.compile(r"([0-9]+)(?:\.([0-9]+))?([MGT])(?:bps|bit/s|b/s)", re.ASCII)
_BANDWIDTH_POWER: Final = {"M": 0, "G": 3, "T": 6}

EXPECTED_COUNT: Final = "expected a whole number"
EXPECTED_CPU: Final = "expected a number of cores such as 500m or 64"
EXPECTED_MEMORY: Final = "expected a size such as 512Mi or 64Gi"
EXPECTED_THOUSANDTHS: Final = "expected a number such as 8, 0.5 or 500m"
EXPECTED_DURATION: Final = "expected a duration with its unit, such as 90s or 1h30m"
EXPECTED_BANDWIDTH: Final = "expected a bandwidth such as 400Gbps"


def parse_cpu(text: str, *, up: bool = True) -> int:
    """Return millicores; ValueError with what was expected."""
    return _scaled(text, 1000, 1, EXPECTED_CPU, up=up)


def parse_memory(text: str, *, up: bool = True) -> int:
    """Return MiB; ``up`` rounds up, as requests need, else down, as capacities do. ValueError if it is no size."""
    return _scaled(text, 1, MIB, EXPECTED_MEMORY, up=up)


def parse_bytes(text: str, *, up: bool = True) -> int:
    """Return bytes, for sums that are turned into MiB once; ValueError with what was expected."""
    return _scaled(text, 1, 1, EXPECTED_MEMORY, up=up)


def parse_thousandths(text: str, *, up: bool = True) -> int:
    """Return thousandths, of a card or of a weight; ValueError with what was expected."""
    return _scaled(text, 1000, 1, EXPECTED_THOUSANDTHS, up=up)


def parse_count(text: str) -> int:
    """Return a number of pieces; ValueError with what was expected, also where the quantity is not whole."""
    most = _scaled(text, 1, 1, EXPECTED_COUNT, up=True)
    if most != _scaled(text, 1, 1, EXPECTED_COUNT, up=False):
        raise ValueError(EXPECTED_COUNT)
    return most


def parse_duration(text: str) -> int:
    """Return µs, also negative ones (``-30m``). Units d, h, m, s, ms, us, each once and the largest first.

    Raises ValueError where a unit is missing, for parts of a microsecond and beyond ``MOST_DURATION``.
    """
    match = _DURATION.fullmatch(text)
    if match is None or len(text) > MOST_DIGITS:
        raise ValueError(EXPECTED_DURATION)
    total = 0
    last = -1
    for part in _DURATION_PART.finditer(match[2]):
        whole, fraction = part[1], part[2] or ""
        unit = part[3].replace("µ", "u")
        place = _STEP_ORDER[unit]
        value, rest = divmod(int(whole + fraction) * _STEPS[place][1], 10 ** len(fraction))
        if rest or place <= last:
            raise ValueError(EXPECTED_DURATION)
        last = place
        total += value
    if total > MOST_DURATION:
        raise ValueError(f"{EXPECTED_DURATION}, of at most 100 years")
    return -total if match[1] else total


def parse_bandwidth(text: str) -> int:
    """Return Mbit/s, rounded down (``400Gbps``, ``1.6Tbps``); ValueError with what was expected."""
    match = _BANDWIDTH.fullmatch(text)
    if match is None or len(text) > MOST_DIGITS:
        raise ValueError(EXPECTED_BANDWIDTH)
    fraction = match[2] or ""
    value: int = int(match[1] + fraction) * 10 ** _BANDWIDTH_POWER[match[3]] // 10 ** len(fraction)
    if value > MOST:
        raise ValueError(EXPECTED_BANDWIDTH)
    return value


def format_cpu(millicores: int) -> str:
    """Return ``64`` or ``500m``; ``parse_cpu`` gives the same number again."""
    return f"{millicores}m" if millicores % 1000 else str(millicores // 1000)


def format_memory(mebibytes: int) -> str:
    """Return the size in the largest unit that is exact: ``2Ti``, ``64Gi``, ``46068Mi``."""
    for unit, step in _SIZES:
        if mebibytes and mebibytes % step == 0:
            return f"{mebibytes // step}{unit}"
    return f"{mebibytes}Mi"


def format_thousandths(thousandths: int) -> str:
    """Return ``8``, ``0.5`` or ``0.334``; ``parse_thousandths`` gives the same number again."""
    whole, rest = divmod(thousandths, 1000)
    return f"{whole}.{rest:03d}".rstrip("0") if rest else str(whole)


def format_duration(microseconds: int) -> str:
    """Return ``1h30m``, ``-30m``, ``0s`` or ``1500us``; ``parse_duration`` gives the same number again."""
    if not microseconds:
        return "0s"
    left = abs(microseconds)
    pieces = []
    for unit, step in _STEPS:
        count, left = divmod(left, step)
        if count:
            pieces.append(f"{count}{unit}")
    return ("-" if microseconds < 0 else "") + "".join(pieces)


def format_bandwidth(megabits: int) -> str:
    """Return ``400Gbps``; ``parse_bandwidth`` gives the same number again."""
    return f"{megabits // 1000}Gbps" if megabits and megabits % 1000 == 0 else f"{megabits}Mbps"


def _scaled(text: str, times: int, by: int, expected: str, *, up: bool) -> int:
    """Return a quantity times ``times`` divided by ``by``, rounded; ValueError unless it is one from 0 to ``MOST``."""
    match = _QUANTITY.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise ValueError(expected)
    fraction = match[3] or ""
    digits = match[2] + fraction
    exponent = match[5] or "0"
    if len(digits) > MOST_DIGITS or len(exponent) > MOST_DIGITS or abs(int(exponent)) > MOST_EXPONENT:
        raise ValueError(f"{expected}, not a number of this length")
    numerator = int(digits) * times
    if match[1] == "-" and numerator:
        raise ValueError(f"{expected}, from 0 up")
    power = int(exponent) + _DECIMAL[match[6] or ""] - len(fraction)
    if match[4]:
        numerator <<= _BINARY[match[4]]
    if power > 0:
        numerator *= int(10**power)
    denominator: int = by * int(10**-power) if power < 0 else by
    value = -(-numerator // denominator) if up else numerator // denominator
    if value > MOST:
        raise ValueError(f"{expected}, at most {MOST}")
    return value
