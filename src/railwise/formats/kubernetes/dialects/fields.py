"""What becomes of each field of other systems' objects: one table, from which warnings, refusals and the docs come.

A field that is read and quietly dropped is the worst of all: its owner believes in a rule that nobody keeps. So every
field of every kind that is read stands in a table of its dialect with one of four verdicts. The warnings about ignored
fields and the refusals are made by walking an object along this table, and so is the compatibility page; tests hold it
against the published schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from railwise.formats.kubernetes.dialects.sources import IGNORED, REFUSED, Finding, Kind, Source

HONOURED: Final = "honoured"
APPROXIMATED: Final = "approximated"
"""The other two verdicts are the grades of findings, ``REFUSED`` and ``IGNORED``."""

IDLE: Final = ("decides nothing", "for people", "left to Volcano's job controller", "follows from")
"""How the reason of a field begins that is no rule of placement, so that nothing changes with it."""


class Row(NamedTuple):
    """One field: its path (``[]`` for each item of a list, ``*`` for each key of a mapping), its verdict, and how.

    Values in ``plain`` are what the system takes where nothing is said, so that nothing has to be said of them either.
    """

    path: str
    verdict: str
    how: str = ""
    plain: tuple[object, ...] = ()


class Table(NamedTuple):
    """The fields of one kind."""

    kind: Kind
    rows: tuple[Row, ...]


def walked(source: Source, rows: Sequence[Row]) -> list[Finding]:
    """Return what is to be said of an object's fields that are refused or ignored."""
    whole = {"spec": source.object.spec, "value": source.object.value}
    found = []
    for row in rows:
        if row.verdict not in (REFUSED, IGNORED):
            continue
        for path, value in values_at(whole, row.path.split("."), ""):
            if value not in (None, "", *row.plain) and value not in ({}, []):
                verb = "is not supported" if row.verdict == REFUSED else "is ignored"
                text = f"{_shown(value)} {verb}{f': {row.how}' if row.how else ''}"
                found.append(Finding(source, row.verdict, path, text))
    return found


def values_at(value: object, path: Sequence[str], where: str) -> Iterator[tuple[str, object]]:
    """Yield each value that a path leads to, with where exactly it stands."""
    if not path:
        yield where, value
        return
    step, rest = path[0], path[1:]
    listed = step.endswith("[]")
    key = step.removesuffix("[]")
    if not isinstance(value, dict):
        return
    for name in value if key == "*" else (key,):
        if name not in value:
            continue
        inner, place = value[name], f"{where}.{name}"
        if not listed:
            yield from values_at(inner, rest, place)
            continue
        for index, item in enumerate(inner if isinstance(inner, list) else ()):
            yield from values_at(item, rest, f"{place}[{index}]")


def _shown(value: object) -> str:
    text = str(value)
    return text if isinstance(value, str | int | float | bool) and len(text) <= len("a" * 48) else "what is said here"
