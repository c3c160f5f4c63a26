"""Parquet tables of a published data set, a batch of rows at a time and only the columns that are read.

The reader is an extra (``pip install railwise[parquet]``), because it is larger than everything else together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from railwise.formats.faults import guess
from railwise.model.errors import Fault, InputError, MissingExtraError

MOST_ROWS = 50_000_000
"""Rows that one file may have."""

BATCH = 64 * 1024

FORM = "give the Parquet files as published"


def read_parquet(data: bytes, source: str, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row number from 1, values by column) of a Parquet file; missing values are None.

    Raises:
        InputError: the file is damaged, or a column is missing.
        MissingExtraError: the extra is not installed.
    """
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("Parquet files need the extra: pip install 'railwise[parquet]'") from None
    try:
        file = parquet.ParquetFile(arrow.BufferReader(data))
        names = file.schema_arrow.names
        missing = [column for column in columns if column not in names]
        if missing:
            expected = f"expected the columns {', '.join(columns)}; missing: {', '.join(missing)}"
            raise InputError([Fault(source, expected + guess(missing[0], names), FORM)])
        if file.metadata.num_rows > MOST_ROWS:
            raise InputError([Fault(source, f"more than {MOST_ROWS} rows", FORM)])
        number = 0
        for batch in file.iter_batches(batch_size=BATCH, columns=list(columns)):
            for values in batch.to_pylist():
                number += 1
                yield number, values
    except (arrow.ArrowException, OSError) as error:
        told = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError([Fault(source, f"no readable Parquet file ({told})", FORM)]) from None
