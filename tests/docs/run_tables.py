"""The parts of the reference about simulations: what each figure says, and the columns of the exported tables."""

from __future__ import annotations

from collections.abc import Iterator

from railwise.cli.export import DECISION_FIELDS
from railwise.report.exports import EXPORTS, Field
from railwise.report.measures import MEASURES, NEITHER
from railwise.report.runs import camel


def measures() -> Iterator[str]:
    """Return a row a figure."""
    yield "| figure | `metric` | in JSON | unit | for each | better | says |"
    yield "|---|---|---|---|---|---|---|"
    for one in MEASURES:
        better = "–" if one.better == NEITHER else one.better
        yield (
            f"| {one.title} | `{one.name}` | `{camel(one.name)}` | {one.unit} | {one.part or 'run'} | {better} | "
            f"{one.text} |"
        )


def exports() -> Iterator[str]:
    """Return a section a table, with a row a column."""
    for one in EXPORTS:
        yield from _table(one.name, one.text, one.fields)
    yield from _table("decisions", "What was decided, in order.", DECISION_FIELDS)


def _table(name: str, text: str, fields: tuple[Field, ...]) -> Iterator[str]:
    yield f"### {name}\n\n{text}\n"
    yield "| column | type | says |"
    yield "|---|---|---|"
    for field in fields:
        yield f"| `{field.name}` | {field.kind} | {field.text} |"
    yield ""
