"""Published tables as they come: CSV, plain or gzip, bounded, with every fault named by its line.

A table from somewhere else is input like any other: it may be cut off, renamed or a compressed bomb, and the answer
must say what was expected of which file.
"""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from railwise.model.errors import Fault, InputError

LARGEST_TABLE = 64 * 1024 * 1024
"""Bytes a table may have once unpacked."""

LARGEST_ROWS = 1_000_000
"""Rows a table may have."""

_GZIP = b"\x1f\x8b"
_FORM = "give the table as published: CSV with a header line, plain or gzip"


class Row(NamedTuple):
    """One row: its line in the file, and the wanted columns without blanks around them."""

    line: int
    values: dict[str, str]


def unpacked(data: bytes, source: str) -> bytes:
    """Return the bytes of a plain or gzip file; InputError if damaged or beyond ``LARGEST_TABLE`` bytes."""
    if not data.startswith(_GZIP):
        content, more = data[: LARGEST_TABLE + 1], b""
    else:
        inflate = zlib.decompressobj(wbits=31)
        try:
            content = inflate.decompress(data, LARGEST_TABLE + 1)
        except zlib.error as error:
            raise InputError([Fault(source, f"damaged gzip file ({error})", _FORM)], source) from None
        more = b"" if inflate.eof else b"cut"
    if len(content) > LARGEST_TABLE:
        raise InputError([Fault(source, f"more than {LARGEST_TABLE} bytes unpacked", _FORM)], source)
    if more:
        raise InputError([Fault(source, "the gzip file ends early", "fetch it again")], source)
    return content


def read_table(data: bytes, source: str, columns: Sequence[str]) -> list[Row]:
    """Return the rows of a CSV table, reduced to the given columns; further columns are ignored.

    Raises InputError if the file is no such table: not UTF-8, a column missing, a row that is too short, no rows.
    """
    try:
        text = unpacked(data, source).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError([Fault(source, "not UTF-8 text", _FORM)], source) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        header = reader.fieldnames or []
        missing = [column for column in columns if column not in header]
        if missing:
            expected = f"expected the columns {', '.join(columns)}; missing: {', '.join(missing)}"
            raise InputError([Fault(f"{source}:1", expected, _FORM)], source)
        rows = _rows(reader, source, columns)
    except csv.Error as error:
        raise InputError([Fault(f"{source}:{reader.line_num}", str(error), _FORM)], source) from None
    if not rows:
        raise InputError([Fault(source, "no rows below the header", _FORM)], source)
    return rows


def _rows(reader: csv.DictReader[str], source: str, columns: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    faults = []
    for record in reader:
        if len(rows) >= LARGEST_ROWS:
            raise InputError([Fault(source, f"more than {LARGEST_ROWS} rows", _FORM)], source)
        values = {column: (record[column] or "").strip() for column in columns}
        empty = [column for column in columns if not values[column]]
        if empty:
            faults.append(Fault(f"{source}:{reader.line_num}", f"no value in column {', '.join(empty)}", _FORM))
        rows.append(Row(reader.line_num, values))
    if faults:
        raise InputError(faults, source)
    return rows
