"""Published tables as they come: CSV and its relatives, bounded, with every fault named by its line.

A table from somewhere else is input like any other: it may be cut off, renamed or damaged, and the answer must say what
was expected of which file. ``Table`` reads row by row and leaves it to the caller what a bad row means; ``read_table``
is for small tables that must be sound as a whole.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from railwise.formats.faults import guess
from railwise.formats.traces.cells import Cells
from railwise.formats.traces.lines import FORM, lines
from railwise.model.errors import Fault, InputError

LARGEST_ROWS = 10_000_000
"""Rows a table may have."""

TABLE_FORM = "give the table as published: CSV with a header line, plain or gzip"


class Table:
    """One table, read row by row; ``header`` holds the names of its columns.

    ``names`` are the columns of a table that is published without a header line; it may have one all the same.
    """

    def __init__(self, data: bytes, source: str, *, names: Sequence[str] = (), delimiter: str = ",") -> None:
        """Read the header; InputError if there is none."""
        self.source = source
        self._reader = csv.reader(lines(data, source), delimiter=delimiter)
        self._first: list[str] | None = None
        try:
            first = next((row for row in self._reader if row), [])
        except csv.Error as error:
            raise self._fault(str(error)) from None
        stripped = [cell.strip() for cell in first]
        if names and stripped[: len(names)] != list(names):
            self.header = list(names)
            self._first = first
        else:
            self.header = stripped
        self.index = {name: place for place, name in reversed(list(enumerate(self.header)))}

    def has(self, *columns: str) -> bool:
        """Return whether all these columns are there."""
        return all(column in self.index for column in columns)

    def need(self, columns: Sequence[str]) -> None:
        """Raise InputError, naming what is missing, unless all these columns are there."""
        missing = [column for column in columns if column not in self.index]
        if missing:
            near = guess(missing[0], self.header)
            expected = f"expected the columns {', '.join(columns)}; missing: {', '.join(missing)}{near}"
            raise InputError([Fault(f"{self.source}:1", expected, TABLE_FORM)])

    def rows(self) -> Iterator[Cells]:
        """Yield the rows; blank lines do not count. InputError where the file itself is damaged."""
        count = 0
        width = len(self.header)
        try:
            if self._first:
                yield Cells(self.index, self._first, self._reader.line_num)
            for cells in self._reader:
                if cells:
                    count += 1
                    if count > LARGEST_ROWS:
                        raise self._fault(f"more than {LARGEST_ROWS} rows")
                    yield Cells(self.index, cells, self._reader.line_num, width)
        except csv.Error as error:
            raise self._fault(str(error)) from None

    def _fault(self, message: str) -> InputError:
        return InputError([Fault(f"{self.source}:{max(self._reader.line_num, 1)}", message, FORM)])


class Row(NamedTuple):
    """One row: its line in the file, and the wanted columns without blanks around them."""

    line: int
    values: dict[str, str]


def read_table(data: bytes, source: str, columns: Sequence[str]) -> list[Row]:
    """Return the rows of a CSV table, reduced to the given columns; further columns are ignored.

    Raises InputError if the file is no such table: not UTF-8, a column missing, a row that is too short, no rows.
    """
    table = Table(data, source)
    table.need(columns)
    rows = []
    faults = []
    for cells in table.rows():
        values = {column: cells.optional(column) for column in columns}
        empty = [column for column in columns if not values[column]]
        if empty:
            faults.append(Fault(f"{source}:{cells.line}", f"no value in column {', '.join(empty)}", TABLE_FORM))
        rows.append(Row(cells.line, values))
    if faults:
        raise InputError(faults)
    if not rows:
        raise InputError([Fault(source, "no rows below the header", TABLE_FORM)])
    return rows
