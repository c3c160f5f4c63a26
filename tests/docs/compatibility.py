"""The page that says field by field what becomes of other systems' objects: made of the table the readers use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from railwise.formats.kubernetes.dialects.compatibility import TABLES
from railwise.formats.kubernetes.dialects.speaking import DIALECTS

MARKS = {name: marks for name, marks, _ in DIALECTS}


def fields_of(dialect: str) -> Iterator[str]:
    """Return a section for each kind of a dialect, and one for what stands on pods and templates."""
    for table in TABLES:
        if table.kind.dialect != dialect:
            continue
        versions = ", ".join(table.kind.versions)
        yield f"### {table.kind.kind} ({table.kind.group}, {versions})\n"
        yield "| field | is | how |"
        yield "|---|---|---|"
        yield from (f"| `{row.path}` | {row.verdict} | {row.how or '–'} |" for row in table.rows)
        yield ""
    if dialect in MARKS:
        yield "### On pods, templates and what makes them\n"
        yield "| key | is | how |"
        yield "|---|---|---|"
        yield from (f"| {one.form} `{one.key}` | {one.verdict} | {one.how or '–'} |" for one in MARKS[dialect])
        yield ""


PARTS = {f"compatibility-{dialect}": partial(fields_of, dialect) for dialect in ("kueue", "kai", "volcano", "upstream")}
