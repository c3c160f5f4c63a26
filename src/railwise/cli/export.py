"""Tables for notebooks: CSV always, Parquet where its library is installed, and a document that says what they are.

The document ``run.json`` is written last and taken away first: a folder without it is not complete.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import railwise
from railwise.cli.errors import HintedError
from railwise.cli.whole_file import write_whole
from railwise.report.exports import EXPORTS, FLAG, INTEGER, NUMBER, TEXT, Field, Value
from railwise.report.run_data import Comparison
from railwise.report.runs import runs_document
from railwise.report.summary import Summary

INDEX = "run.json"

DECISION_FIELDS = (
    Field("policy", TEXT, "Who placed."),
    Field("seed", INTEGER, "The seed of the run."),
    Field("at_s", NUMBER, "When."),
    Field("workload", TEXT, "About whom; empty: about nodes."),
    Field("event", TEXT, "What was decided."),
    Field("nodes", TEXT, "On which nodes, as words."),
    Field("pods", TEXT, "Which pods, as words."),
    Field("beneficiary", TEXT, "In whose favour."),
    Field("facts", TEXT, "What changed about nodes, as JSON."),
)


def check_folder(folder: Path, form: str) -> None:
    """Complain before a long run about a folder or a format that could not be written after it; make the folder."""
    if form == "parquet":
        _arrow()
    if folder.exists() and not folder.is_dir():
        raise HintedError(f"--out {folder}: is a file", "name a directory")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HintedError(f"--out {folder}: {(error.strerror or str(error)).lower()}", "name another place") from None


def write_tables(
    folder: Path, form: str, comparison: Comparison, summary: Summary, decisions: Iterable[tuple[Value, ...]]
) -> list[str]:
    """Write all tables and the document, and return the names of the files."""
    (folder / INDEX).unlink(missing_ok=True)
    tables: dict[str, object] = {}
    names: list[str] = []
    contents = [(one.name, one.text, one.fields, one.rows(comparison)) for one in EXPORTS]
    contents.append(("decisions", "What was decided, in order.", DECISION_FIELDS, iter(decisions)))
    for name, text, fields, rows in contents:
        file = f"{name}.{form}"
        count = _write(folder / file, form, fields, rows)
        columns = [{"name": one.name, "type": one.kind, "text": one.text} for one in fields]
        tables[name] = {"file": file, "rows": count, "text": text, "columns": columns}
        names.append(file)
    index = {
        "apiVersion": "railwise.dev/v1alpha1",
        "kind": "SimulationResult",
        "scenario": comparison.scenario.name,
        "railwise": railwise.__version__,
        "runs": [
            {"policy": run.policy, "seed": run.seed, "end": run.end, "stopped": run.stopped} for run in comparison.runs
        ],
        "notes": list(comparison.notes),
        "tables": tables,
        "items": runs_document(summary),
    }
    write_whole(folder / INDEX, (json.dumps(index, indent=1, ensure_ascii=False) + "\n").encode())
    return [*names, INDEX]


def _write(path: Path, form: str, fields: Sequence[Field], rows: Iterable[tuple[Value, ...]]) -> int:
    if form == "csv":
        data, count = _csv(fields, rows)
    else:
        data, count = _parquet(fields, rows)
    write_whole(path, data)
    return count


def _csv(fields: Sequence[Field], rows: Iterable[tuple[Value, ...]]) -> tuple[bytes, int]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields)
    count = 0
    for row in rows:
        writer.writerow(_plain(value) for value in row)
        count += 1
    return text.getvalue().encode("utf-8", "replace"), count


def _plain(value: Value) -> str:
    """Return a value as CSV has it: nothing for none, whole numbers without a point."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.9f}".rstrip("0").rstrip(".")
    return str(value)


def _parquet(fields: Sequence[Field], rows: Iterable[tuple[Value, ...]]) -> tuple[bytes, int]:
    arrow, parquet = _arrow()
    types = {TEXT: arrow.string(), INTEGER: arrow.int64(), NUMBER: arrow.float64(), FLAG: arrow.bool_()}
    columns: list[list[Value]] = [[] for _ in fields]
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    arrays = [arrow.array(column, type=types[field.kind]) for column, field in zip(columns, fields, strict=True)]
    schema = arrow.schema(
        [arrow.field(field.name, types[field.kind], metadata={"text": field.text}) for field in fields]
    )
    data = arrow.BufferOutputStream()
    parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), data)
    return data.getvalue().to_pybytes(), len(columns[0])


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise HintedError("--format parquet: pyarrow is not installed", "pip install 'railwise[parquet]'") from None
    return pa, parquet
