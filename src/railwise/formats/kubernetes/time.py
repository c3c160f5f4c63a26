"""Time stamps of objects as microseconds before the newest of them: a snapshot has no other clock.

Decisions know no wall clock. What counts is who came first and how long something has run, so the newest time stamp
in the input is taken for now, and everything else lies before it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from railwise.model.errors import Fault

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(stamp: object) -> int:
    """Return a time stamp (RFC 3339 text, or datetime) in µs since 1970; ValueError or TypeError if it is none."""
    if isinstance(stamp, str):
        return _of_text(stamp)
    if not isinstance(stamp, datetime):
        raise TypeError("expected a time stamp")
    return ((stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=4096)
def _of_text(text: str) -> int:
    """Return the µs of a time stamp as text; objects that are made together have the same one."""
    return microseconds(datetime.fromisoformat(text))


class Clock:
    """The time stamps of an input: the newest is 0."""

    def __init__(self) -> None:
        """Start without any."""
        self._newest: int | None = None

    def see(self, stamp: object, where: str, faults: list[Fault]) -> None:
        """Take a time stamp into account; None is no time stamp, anything unreadable a fault."""
        if stamp is None:
            return
        try:
            value = microseconds(stamp)
        except (TypeError, ValueError):
            faults.append(Fault(where, f"expected a time stamp as in 2026-01-31T12:00:00Z, not '{stamp}'"))
            return
        self._newest = value if self._newest is None else max(self._newest, value)

    def since(self, stamp: object) -> int:
        """Return µs from the newest time stamp to this one, never positive; 0 for none."""
        if stamp is None or self._newest is None:
            return 0
        try:
            return microseconds(stamp) - self._newest
        except (TypeError, ValueError):
            return 0
