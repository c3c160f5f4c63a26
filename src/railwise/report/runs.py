"""Runs under several policies as a table: a row a measure, a column a policy, and how each differs from the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from railwise.report.measures import BY_NAME, CLASS, MEASURES, Measure, value_text
from railwise.report.run_data import Key
from railwise.report.summary import (
    Difference,
    Summary,
    brief_difference,
    difference_text,
    figure_text,
    title_of,
    verdict,
)
from railwise.report.table import BAD, DIM, GOOD, STRONG, Cell, Column, Table, row, table

MOST_COMPARED = 3
"""With more policies than this a narrow table has no room for differences."""

MOST_SPELLED = 4
"""With more policies than this it has no room for medians by size."""

Told = Callable[[Measure, Difference | None], str]
"""How a difference is written."""

_TONES = {1: GOOD, -1: BAD, 0: DIM}
_WAITS = ("wait_mean", "wait_median", "wait_95")


def runs_table(summary: Summary, *, wide: bool = False) -> Table:
    """Return the table of a comparison.

    Args:
        summary: its figures.
        wide: every measure for every part, and all differences; else those that are read first.
    """
    compared = wide or len(summary.policies) <= MOST_COMPARED
    columns: list[Column | str] = ["MEASURE"]
    for index, policy in enumerate(summary.policies):
        columns.append(Column(policy.upper(), right=True))
        if index and compared:
            columns.append(Column("DIFF", right=True))
    keys = summary.keys if wide else tuple(_brief(summary))
    told = difference_text if wide else brief_difference
    rows = [_row(summary, key, told if compared else None) for key in keys]
    if not wide:
        at = next((index for index, key in enumerate(keys) if key == ("wait_95", "")), len(keys) - 1)
        rows[at + 1 : at + 1] = _class_rows(summary, told if compared else None)
    return table(columns, rows)


def _brief(summary: Summary) -> Iterable[Key]:
    """Yield what a narrow table shows: whole runs, and parts of measures that have no figure for the whole."""
    for key in summary.keys:
        measure = BY_NAME[key[0]]
        if measure.brief and (not key[1] or measure.part != CLASS):
            yield key


def _row(summary: Summary, key: Key, told: Told | None) -> tuple[Cell, ...]:
    measure = BY_NAME[key[0]]
    cells = [Cell(title_of(key), STRONG)]
    for index, policy in enumerate(summary.policies):
        text = figure_text(measure, summary.figure(policy, key))
        if key == ("finished", "") and text:
            whole = summary.figure(policy, ("workloads", ""))
            text += f"/{round(whole.mean)}" if whole else ""
        cells.append(Cell(text or "–", "" if text else DIM))
        if index and told is not None:
            cells.append(_difference(summary, policy, key, told))
    return tuple(cells)


def _difference(summary: Summary, policy: str, key: Key, told: Told) -> Cell:
    measure = BY_NAME[key[0]]
    difference = summary.differences.get((policy, key))
    return Cell(told(measure, difference) or "–", _TONES[verdict(measure, difference)])


def _class_rows(summary: Summary, told: Told | None) -> list[tuple[Cell, ...]]:
    """Return a row a size class: mean, median and 95 % of the wait in one cell."""
    parts = [part for part in summary.parts("wait_mean") if part]
    if len(parts) < 2:  # noqa: PLR2004 -- one class is all of them
        return []
    blank = len(summary.policies) + (len(summary.policies) - 1 if told is not None else 0)
    spelled = len(summary.policies) <= MOST_SPELLED and len(summary.seeds) == 1
    names = _WAITS if spelled else _WAITS[:1]
    title = "wait by size: mean/median/95 %" if len(names) > 1 else "wait by size: mean"
    rows: list[tuple[Cell, ...]] = [(Cell(title, STRONG), *[Cell("")] * blank)]
    for part in parts:
        cells = [Cell(f"  {part}")]
        for index, policy in enumerate(summary.policies):
            figures = [summary.figure(policy, (name, part)) for name in names]
            texts = [value_text(BY_NAME["wait_mean"], round(figure.mean)) for figure in figures if figure]
            cells.append(Cell("/".join(texts) or "–"))
            if index and told is not None:
                cells.append(_difference(summary, policy, ("wait_mean", part), told))
        rows.append(row(*cells))
    return rows


def runs_document(summary: Summary) -> list[dict[str, object]]:
    """Return an item a policy: every measure by its name, parts as nested values, plain numbers in the measure's unit.

    With several seeds a value is its mean, and ``intervals`` holds half the width of the means' intervals.
    """
    return [_item(summary, policy) for policy in summary.policies]


def _item(summary: Summary, policy: str) -> dict[str, object]:
    item: dict[str, object] = {"policy": policy, "seeds": list(summary.seeds)}
    halves: dict[str, object] = {}
    changes: dict[str, object] = {}
    for measure in MEASURES:
        for part in summary.parts(measure.name):
            key = (measure.name, part)
            figure = summary.figure(policy, key)
            if figure is None:
                continue
            _put(item, key, _number(figure.mean, exact=figure.half is None))
            if figure.half is not None:
                _put(halves, key, round(figure.half, 3))
            difference = summary.differences.get((policy, key))
            if difference is not None:
                _put(changes, key, _number(difference.mean, exact=difference.half is None))
    return item | ({"intervals": halves} if halves else {}) | ({"differences": changes} if changes else {})


def _number(value: float, *, exact: bool) -> float:
    return round(value) if exact or value == round(value) else round(value, 3)


def _put(into: dict[str, object], key: Key, value: object) -> None:
    name, part = key
    if not part:
        into[camel(name)] = value
        return
    nested = into.setdefault("by" + _PART_NAMES[BY_NAME[name].part], {})
    if isinstance(nested, dict):
        nested.setdefault(part, {})[camel(name)] = value


_PART_NAMES = {"size class": "Class", "level": "Level", "queue": "Queue", "level and gang size": "Slot"}


def camel(name: str) -> str:
    """Return a name as our documents write it: ``wait_mean`` is ``waitMean``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
