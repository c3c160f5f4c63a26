"""The two clocks of a controller: time stamps of objects as the engine's µs, and a time that never jumps."""

from __future__ import annotations

import time

from railwise.formats.kubernetes.time import Clock, microseconds

MICROSECOND = 1_000_000


class LiveClock(Clock):
    """Time stamps as µs since this process began: what was there before lies below zero."""

    def __init__(self) -> None:
        """Begin now."""
        super().__init__()
        self._epoch = time.time_ns() // 1000
        self._started = time.monotonic_ns()

    def now(self) -> int:
        """Return the µs since the beginning; a change of the system's time does not change it."""
        return (time.monotonic_ns() - self._started) // 1000

    def since(self, stamp: object) -> int:
        """Return the µs from the beginning to a time stamp; 0 for none or an unreadable one."""
        if stamp is None:
            return 0
        try:
            return microseconds(stamp) - self._epoch
        except (TypeError, ValueError):
            return 0
