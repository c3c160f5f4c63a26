"""How arrivals are drawn anew, as it is written: ``shuffle``, ``jobs``, ``blocks`` or ``blocks:6h``."""

from __future__ import annotations

from typing import Final

from railwise.model.errors import Fault, InputError
from railwise.model.quantity import DAY, parse_duration

__all__ = ["DAY", "WAYS", "parse_way"]

WAYS: Final = ("shuffle", "jobs", "blocks")
"""The ways to draw; ``twin/resample.py`` tells what each does."""


def parse_way(text: str, path: str = "--resample") -> tuple[str, int]:
    """Return a way and the length of its blocks in µs from ``shuffle``, ``jobs``, ``blocks`` or ``blocks:6h``.

    Raises InputError that names ``path``.
    """
    way, colon, length = text.partition(":")
    hint = f"one of {', '.join(WAYS)}, or blocks:6h for another length than a day"
    if way not in WAYS or (colon and way != "blocks"):
        raise InputError([Fault(path, f"there is no way '{text}' to draw arrivals", hint)])
    if not colon:
        return way, DAY
    try:
        micros = parse_duration(length)
    except ValueError as error:
        raise InputError([Fault(path, f"blocks:{length}: {error}", hint)]) from None
    if not micros:
        raise InputError([Fault(path, "blocks:0s: a block needs a length above 0", hint)])
    return way, micros
