"""The results of a sweep as tables: a row a variant and policy, and one a comparison and measure.

A mean stands with half the width of its 95 % interval. A comparison says "better" or "worse" only where the whole
interval of the differences, seed by seed, lies on one side of zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from railwise.model.quantity import HOUR, MINUTE, SECOND
from railwise.report.measures import BY_NAME, FACTOR, GPU_SECONDS, LESS, MEAN, MEASURES, MICROS, MORE, SHARE, Measure
from railwise.report.run_data import Key
from railwise.report.summary import title_of
from railwise.report.table import BAD, GOOD, STRONG, Cell, Column, Table, row, table
from railwise.report.wording import span, thousandths

LARGEST_EFFECT: Final = 100
"""Larger effects are told as more than this: the seeds hardly differ."""

FIRST: Final = ("wait_mean", "completion", "used", "close", "stretch", "lost", "evictions")
"""The measures that a narrow table of means has room for."""

_HEADINGS: Final = {
    "wait_mean": "WAIT",
    "wait_median": "WAIT 50 %",
    "wait_95": "WAIT 95 %",
    "completion": "COMPLETION",
    "used": "USED",
    "held": "HELD",
    "step": "STEP",
    "lost": "LOST GPU-H",
}
_EVEN: Final = 1000
"""Steps and stretches of 100 % say that nothing was slowed."""

Labels = Sequence[tuple[str, str]]


class Mean(NamedTuple):
    """A mean in the unit of its measure, with half its interval (None: one value alone has none)."""

    mean: float
    half: float | None


class Gap(NamedTuple):
    """The difference to another policy, seed by seed: its mean, that over the other's mean, and over its scatter.

    ``lower``, ``equal`` and ``higher`` count seeds.
    """

    difference: Mean
    relative: float | None
    effect: float | None
    lower: int
    equal: int
    higher: int


class MeanRow(NamedTuple):
    """One variant under one policy."""

    labels: Labels
    policy: str
    seeds: int
    means: Mapping[Key, Mean]


class GapRow(NamedTuple):
    """One variant: a policy compared with another."""

    labels: Labels
    policy: str
    gaps: Mapping[Key, Gap]


def means_table(axes: Sequence[str], rows: Sequence[MeanRow], *, wide: bool = False) -> Table:
    """Return a row per variant and policy; only the named axes are columns."""
    keys = [
        key for key in shown_keys([one.means for one in rows], wide=wide) if any(_says(key, one.means) for one in rows)
    ]
    columns: list[Column | str] = [
        *_headings(axes),
        "POLICY",
        Column("SEEDS", right=True),
        Column("FINISHED", right=True),
        *(Column(_heading(key), right=True) for key in keys),
    ]
    return table(
        columns,
        [
            row(
                *(dict(one.labels)[axis] for axis in axes),
                Cell(one.policy, STRONG),
                str(one.seeds),
                _finished(one.means),
                *(mean_text(one.means.get(key), BY_NAME[key[0]]) for key in keys),
            )
            for one in rows
        ],
    )


def gaps_table(axes: Sequence[str], rows: Sequence[GapRow]) -> Table:
    """Return a row per comparison and measure that differs anywhere."""
    columns: list[Column | str] = [
        *_headings(axes),
        "POLICY",
        "MEASURE",
        Column("DIFFERENCE", right=True),
        Column("RELATIVE", right=True),
        Column("EFFECT", right=True),
        Column("LOWER/EQUAL/HIGHER", right=True),
        "VERDICT",
    ]
    keys = shown_keys([one.gaps for one in rows], wide=True)
    return table(
        columns,
        [
            row(*(dict(one.labels)[axis] for axis in axes), Cell(one.policy, STRONG), *_cells(key, one.gaps[key]))
            for one in rows
            for key in keys
            if key in one.gaps and (one.gaps[key].lower or one.gaps[key].higher)
        ],
    )


def shown_keys(rows: Sequence[Mapping[Key, object]], *, wide: bool) -> list[Key]:
    """Return what is shown of all that there is: whole runs and levels, of the narrowest level only where not wide."""
    there = list(dict.fromkeys(key for found in rows for key in found))
    keys: list[Key] = []
    for measure in MEASURES:
        parts = [part for name, part in there if name == measure.name]
        whole = [part for part in parts if not part]
        chosen = whole or parts
        if measure.name != "finished" and (measure.brief if wide else measure.name in FIRST):
            keys.extend((measure.name, part) for part in (chosen if wide else chosen[-1:]))
    return keys


def _headings(axes: Sequence[str]) -> list[str]:
    """Return the axes' last words where these tell them apart, else their whole names."""
    words = [axis.rpartition(".")[2] for axis in axes]
    return [(word if words.count(word) == 1 else axis).upper() for word, axis in zip(words, axes, strict=True)]


def _heading(key: Key) -> str:
    name, part = key
    return f"IN ONE {part}".upper() if name == "close" else _HEADINGS.get(name) or title_of(key).upper()


def _says(key: Key, means: Mapping[Key, Mean]) -> bool:
    """Return whether a column is worth its room: counts of what never happened and steps nobody slowed are not."""
    mean = means.get(key)
    if mean is None:
        return False
    if key[0] in ("step", "stretch"):
        return round(mean.mean) != _EVEN
    return bool(mean.mean) or BY_NAME[key[0]].unit in (MICROS, SHARE)


def _cells(key: Key, gap: Gap) -> list[str | Cell]:
    measure = BY_NAME[key[0]]
    return [
        title_of(key),
        mean_text(gap.difference, measure, signed=True),
        "" if gap.relative is None or measure.unit == SHARE else f"{100 * gap.relative:+.1f} %".replace("-", "−"),
        _effect(gap.effect),
        f"{gap.lower}/{gap.equal}/{gap.higher}",
        verdict(gap.difference, measure.better),
    ]


def verdict(difference: Mean, better: str) -> Cell:
    """Return whether a difference is for the better or worse, or just there, or not to be told from none."""
    if difference.half is None:
        return Cell("one seed says nothing")
    if abs(difference.mean) <= difference.half:
        return Cell("no difference seen")
    more = difference.mean > 0
    if better not in (LESS, MORE):
        return Cell("higher" if more else "lower")
    return Cell("better", GOOD) if more == (better == MORE) else Cell("worse", BAD)


def mean_text(mean: Mean | None, measure: Measure, *, signed: bool = False) -> str:
    """Return ``2h4m ± 48m``, ``77.5 ± 1.2 %``, ``3.2 ± 0.4``; empty for no mean. Lost work is in GPU-hours."""
    if mean is None:
        return ""
    step = _step(mean.half)
    middle = _amount(mean.mean, measure.unit, step)
    if signed and not middle.startswith("−"):
        middle = f"+{middle}"
    around = "" if mean.half is None else f" ± {_amount(mean.half, measure.unit, step)}"
    after = {SHARE: " points" if signed else " %", FACTOR: " ×", GPU_SECONDS: " GPU-hours" if signed else ""}
    return f"{middle}{around}{after.get(measure.unit, '')}"


def _step(half: float | None) -> int:
    """Return to what a time is rounded, µs: digits that its interval does not know would only look exact."""
    if half is None or half < 10 * MINUTE:
        return SECOND
    return MINUTE if half < 20 * HOUR else HOUR


def _amount(value: float, unit: str, step: int = SECOND) -> str:
    sign = "−" if value < 0 else ""
    size = abs(value)
    if unit == MICROS:
        text = span(round(size / step) * step)
    elif unit == SHARE:
        text = f"{size / 10:.1f}"
    elif unit == FACTOR:
        text = f"{size / 1000:.2f}"
    elif unit == GPU_SECONDS:
        text = f"{size / 3600:,.1f}"
    else:
        text = thousandths(round(size / 100 if unit == MEAN else size * 10) * 100)
    return sign + text if text.strip("0.s") else text


def _finished(means: Mapping[Key, Mean]) -> str:
    """Return how many of how many workloads ended, on average over the seeds."""
    ended, all_of_them = means.get(("finished", "")), means.get(("workloads", ""))
    if ended is None or all_of_them is None:
        return ""
    return f"{_amount(ended.mean, '')}/{_amount(all_of_them.mean, '')}"


def _effect(effect: float | None) -> str:
    if effect is None:
        return ""
    if abs(effect) > LARGEST_EFFECT:
        return f"> {LARGEST_EFFECT}" if effect > 0 else f"< −{LARGEST_EFFECT}"
    return f"{effect:+.2f}".replace("-", "−")
