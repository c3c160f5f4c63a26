"""A table as a value: columns, rows of cells, a tone for each cell. The command line decides how to draw it.

Keeping the figures apart from the drawing lets one table serve a terminal, a pipe, a page and a test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

GOOD = "good"
WARN = "warn"
BAD = "bad"
DIM = "dim"
STRONG = "strong"
NOTHING = "–"
"""What a cell shows where there is nothing to say."""


class Cell(NamedTuple):
    """A text and its tone: ``good``, ``warn``, ``bad``, ``dim``, ``strong`` or none. The tone never adds a meaning."""

    text: str
    tone: str = ""


class Column(NamedTuple):
    """A column: its heading, whether figures line up on the right, whether only a wide table shows it."""

    name: str
    right: bool = False
    wide: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns; every row has as many cells as there are columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def view(self, *, wide: bool) -> Table:
        """Return the table with or without the columns that only a wide one shows."""
        kept = [index for index, column in enumerate(self.columns) if wide or not column.wide]
        return Table(
            tuple(self.columns[index] for index in kept),
            tuple(tuple(row[index] for index in kept) for row in self.rows),
        )


def row(*cells: str | Cell) -> tuple[Cell, ...]:
    """Return a row; plain text has no tone, and an empty text becomes a dash."""
    return tuple(cell if isinstance(cell, Cell) else Cell(cell or NOTHING, "" if cell else DIM) for cell in cells)


def table(columns: Iterable[Column | str], rows: Iterable[tuple[Cell, ...]]) -> Table:
    """Return a table; a column given as text is a plain one."""
    return Table(tuple(Column(name) if isinstance(name, str) else name for name in columns), tuple(rows))
