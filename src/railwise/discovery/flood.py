"""How much a switch may say: enough for any honest one, and a limit for one that is broken or hostile.

A stream has no end, so a switch that sends a hundred thousand rows a second would take the process that maps all the
others. What it sends is therefore paid for from a budget that refills slowly. A whole table of the largest switch, leaf
by leaf, fits into it at once; a flood empties it within a second, and is then left alone for a while.
"""

from __future__ import annotations

from typing import Final

from railwise.gnmi.gnmi_pb2 import Notification

BURST: Final = 1 << 16
"""Units that may come at once: 4,096 ports with eight leaves each, twice over."""

EACH_SECOND: Final = 2048
"""Units that are added each second: far above all ports of a switch that get a new time mark every ten seconds."""

UNIT: Final = 1024
"""Bytes that cost as much as one row."""

PAUSE: Final = 60.0
"""Seconds for which a switch that floods is left alone."""


class FloodError(Exception):
    """More came than any switch has to say; the message says so."""


class Budget:
    """What one stream may still send. Times are seconds of one clock that only the caller knows."""

    def __init__(self, now: float) -> None:
        """Start with a full budget."""
        self._burst: Final = BURST
        self._left = float(BURST)
        self._at = now

    def spend(self, said: Notification, now: float) -> None:
        """Pay for a notification before it is read. Raises FloodError where that is more than is left."""
        self._left = min(self._left + (now - self._at) * EACH_SECOND, self._burst)
        self._at = now
        self._left -= 1 + len(said.update) + len(said.delete) + said.ByteSize() // UNIT
        if self._left < 0:
            message = f"it floods: more than {self._burst:,} rows at once and {EACH_SECOND:,} a second from then on"
            raise FloodError(message)
