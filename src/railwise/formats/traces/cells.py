"""One row of a published table, asked for values by column: what cannot be read is told with the column's name.

Numbers come as ``66.0``, ``1e3`` or ``1.000000`` where whole seconds are meant, times with and without a zone. All are
turned into whole numbers exactly, without a float on the way; a half of the last unit rounds up.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from railwise.formats.faults import shown
from railwise.model.quantity import DAY, MOST_DURATION, SECOND

MOST_GPUS: Final = 1_000_000
"""Cards that one job may ask for."""

NOTHING = frozenset({"", "None", "none", "NaN", "nan", "NULL", "null", "NA", "N/A", "Unknown", "-"})
"""How tables write that there is no value."""

_WHOLE = re.compile(r"[0-9]{1,15}", re.ASCII)
_STAMP = re.compile(
    r"([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})[ T]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?"
    r" ?(Z|UTC|[+-][0-9]{2}:?[0-9]{2})?",
    re.ASCII,
)
_EPOCH = date(1970, 1, 1)
_MICROSECOND_DIGITS = 6


class CellError(ValueError):
    """A value that cannot be used; the message names the column."""


class Cells:
    """One row: its cells by the names of their columns, and its line in the file."""

    __slots__ = ("_cells", "_index", "_width", "line")

    def __init__(self, index: dict[str, int], cells: list[str], line: int, width: int = 0) -> None:
        """Keep the row; ``width`` is the number of columns of the header (0: not known)."""
        self._index = index
        self._cells = cells
        self._width = width
        self.line = line

    def check(self) -> None:
        """Raise CellError unless the row has as many cells as the header, empty ones at its end aside."""
        found = len(self._cells)
        if self._width and (found < self._width or any(self._cells[self._width :])):
            raise CellError(f"{found} fields where the header has {self._width}")

    def optional(self, column: str) -> str:
        """Return the text of a column, stripped; empty where there is none."""
        place = self._index.get(column, -1)
        return self._cells[place].strip() if 0 <= place < len(self._cells) else ""

    def text(self, column: str) -> str:
        """Return the text of a column, which must not be empty."""
        value = self.optional(column)
        if not value:
            raise CellError(f"column {column}: no value")
        return value

    def empty(self, column: str) -> bool:
        """Return whether a column holds no value, however that is written."""
        return self.optional(column) in NOTHING

    def scaled(self, column: str, times: int, most: int) -> int:
        """Return a number of at least 0, times ``times``, rounded half up."""
        value = self.optional(column)
        number = int(value) * times if _WHOLE.fullmatch(value) else _scaled(value, times, column)
        if number > most:
            raise CellError(f"column {column}: {shown(value)} is more than {most // times}")
        return number

    def seconds(self, column: str, unit: int = SECOND) -> int:
        """Return a time span in µs; ``unit`` is the column's unit in µs."""
        return self.scaled(column, unit, MOST_DURATION)

    def count(self, column: str, most: int = MOST_GPUS) -> int:
        """Return a whole number, which may be written ``8.0``."""
        thousand = self.scaled(column, 1000, most * 1000)
        if thousand % 1000:
            raise CellError(f"column {column}: expected a whole number, found {shown(self.optional(column))}")
        return thousand // 1000

    def cards(self, column: str, unit: int = 1000) -> int:
        """Return thousandths of cards; ``unit`` is how many of them the column's unit is."""
        return self.scaled(column, unit, MOST_GPUS * 1000)

    def stamp(self, column: str) -> int:
        """Return a point in time in µs since 1970; one without a zone is taken as UTC."""
        return stamp(self.optional(column), column)


def stamp(value: str, column: str) -> int:
    """Return a point in time such as ``2020-06-09 18:41:01`` in µs since 1970; CellError if it is none."""
    match = _STAMP.fullmatch(value)
    if match is None:
        raise CellError(f"column {column}: expected a time such as 2020-06-09 18:41:01, found {shown(value)}")
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        total = _day(year, month, day) + _time(int(hour), int(minute), int(second or 0))
    except ValueError as error:
        raise CellError(f"column {column}: {shown(value)} is no time ({error})") from None
    micro = int((fraction + "000000")[:_MICROSECOND_DIGITS]) if fraction else 0
    return total + micro - (_offset(zone) if zone else 0)


@lru_cache(maxsize=4096)
def _day(year: str, month: str, day: str) -> int:
    """Return the beginning of a day in µs since 1970; ValueError if there is no such day."""
    return (date(int(year), int(month), int(day)) - _EPOCH).days * DAY


def _time(hour: int, minute: int, second: int) -> int:
    """Return a time of the day in µs; ValueError if a day has no such time."""
    if hour > 23 or minute > 59 or second > 60:  # noqa: PLR2004 -- the day's own numbers, with a leap second
        raise ValueError("a day ends at 23:59:59")
    return ((hour * 60 + minute) * 60 + second) * SECOND


def _offset(zone: str) -> int:
    if zone in {"Z", "UTC"}:
        return 0
    digits = zone.replace(":", "")
    minutes = int(digits[1:3]) * 60 + int(digits[3:5])
    return (-minutes if digits[0] == "-" else minutes) * 60 * SECOND


def _scaled(value: str, times: int, column: str) -> int:
    if value in NOTHING:
        raise CellError(f"column {column}: no value" if not value else f"column {column}: no number but {shown(value)}")
    try:
        number = Decimal(value) if len(value) <= 40 and value.isascii() and "_" not in value else None  # noqa: PLR2004 -- longer is no number
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or abs(number.adjusted()) > 60:  # noqa: PLR2004 -- far beyond any bound
        raise CellError(f"column {column}: expected a number, found {shown(value)}")
    if number < 0:
        raise CellError(f"column {column}: expected a number from 0 up, found {shown(value)}")
    twice = number * times * 2
    return (int(twice) + 1) // 2
