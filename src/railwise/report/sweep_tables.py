"""The results of a sweep as tables: a row a variant and policy, and one a comparison and measure.

A mean stands with half the width of its 95 % interval. A comparison says "better" or "worse" only where the whole
interval of the differences, seed by seed, lies on one side of zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from railwise.model.quantity import HOUR, MINUTE
from railwise.report.table import BAD, GOOD, STRONG, Cell, Column, Table, row, table
from railwise.report.wording import SECOND, span, thousandths

TIME, SHARE, COUNT, GPU_HOURS = "time", "share", "count", "GPU-hours"
SHOWN_EFFECT: Final = 100
"""Larger effects are told as more than this: the seeds hardly differ."""


class Measure(NamedTuple):
    """One number of a run: its name there, its heading, what rows call it, and its unit.

    ``better`` is 1 where more of it is better, -1 where less is, and 0 where neither can be said.
    """

    name: str
    heading: str
    about: str
    unit: str
    better: int


MEASURES: Final = (
    Measure("wait_mean", "WAIT MEAN", "mean wait", TIME, -1),
    Measure("wait_median", "MEDIAN", "median wait", TIME, -1),
    Measure("wait_95", "95 %", "95 % wait", TIME, -1),
    Measure("completion", "COMPLETION", "completion", TIME, -1),
    Measure("makespan", "MAKESPAN", "makespan", TIME, -1),
    Measure("held", "GPUS HELD", "GPUs held", SHARE, 0),
    Measure("close", "CLOSE", "close", SHARE, 1),
    Measure("evictions", "EVICTED", "evicted", COUNT, -1),
    Measure("lost", "LOST GPU-HOURS", "lost GPU-hours", GPU_HOURS, -1),
)
"""What is shown, in this order."""


class Mean(Protocol):
    """A mean with half its interval."""

    @property
    def mean(self) -> float:
        """The mean in the unit of the number: µs, thousandths, pieces or GPU-seconds."""
        ...

    @property
    def half(self) -> float | None:
        """Half the interval's width; None where one value alone has none."""
        ...

    def sign(self) -> int:
        """Return -1 or 1 where the interval lies below or above zero, else 0."""
        ...


class Pair(Protocol):
    """A difference seed by seed."""

    @property
    def difference(self) -> Mean:
        """The mean difference."""
        ...

    @property
    def relative(self) -> float | None:
        """The mean difference over the other's mean."""
        ...

    @property
    def effect(self) -> float | None:
        """The mean difference over the standard deviation of the differences."""
        ...

    @property
    def lower(self) -> int:
        """Seeds with a difference below zero."""
        ...

    @property
    def equal(self) -> int:
        """Seeds without a difference."""
        ...

    @property
    def higher(self) -> int:
        """Seeds with a difference above zero."""
        ...


Labels = Sequence[tuple[str, str]]


def means_table(axes: Sequence[str], rows: Sequence[tuple[Labels, str, int, Mapping[str, Mean]]]) -> Table:
    """Return a row per (labels, policy, number of seeds, means by name); only the named axes are columns."""
    measures = [one for one in MEASURES if any(_says(means.get(one.name), one) for _, _, _, means in rows)]
    columns: list[Column | str] = [
        *_headings(axes),
        "POLICY",
        Column("SEEDS", right=True),
        Column("FINISHED", right=True),
        *(Column(one.heading, right=True, wide=one.name == "wait_median") for one in measures),
    ]
    return table(
        columns,
        [
            row(
                *(dict(labels)[axis] for axis in axes),
                Cell(policy, STRONG),
                str(seeds),
                _finished(means),
                *(mean_text(means.get(one.name), one.unit) for one in measures),
            )
            for labels, policy, seeds, means in rows
        ],
    )


def differences_table(axes: Sequence[str], rows: Sequence[tuple[Labels, str, Mapping[str, Pair]]]) -> Table:
    """Return a row per measure that differs, of each (labels, the other policy, differences by name)."""
    columns: list[Column | str] = [
        *_headings(axes),
        "AGAINST",
        "MEASURE",
        Column("DIFFERENCE", right=True),
        Column("RELATIVE", right=True),
        Column("EFFECT", right=True),
        Column("LOWER/EQUAL/HIGHER", right=True),
        "VERDICT",
    ]
    return table(
        columns,
        [
            row(*(dict(labels)[axis] for axis in axes), other, *_pair_cells(one, pairs[one.name]))
            for labels, other, pairs in rows
            for one in MEASURES
            if one.name in pairs and (pairs[one.name].lower or pairs[one.name].higher)
        ],
    )


def _headings(axes: Sequence[str]) -> list[str]:
    """Return the axes' last words where these tell them apart, else their whole names."""
    words = [axis.rpartition(".")[2] for axis in axes]
    return [(word if words.count(word) == 1 else axis).upper() for word, axis in zip(words, axes, strict=True)]


def _says(mean: Mean | None, measure: Measure) -> bool:
    """Return whether a column for this is worth its room: counts of what never happened are not."""
    return mean is not None and (bool(mean.mean) or measure.unit in (TIME, SHARE))


def _pair_cells(measure: Measure, pair: Pair) -> list[str | Cell]:
    return [
        measure.about,
        mean_text(pair.difference, measure.unit, signed=True),
        "" if pair.relative is None else f"{100 * pair.relative:+.1f} %".replace("-", "−"),
        _effect(pair.effect),
        f"{pair.lower}/{pair.equal}/{pair.higher}",
        verdict(pair.difference, measure.better),
    ]


def verdict(difference: Mean, better: int) -> Cell:
    """Return whether a difference is for the better, for the worse, or not to be told from none."""
    sign = difference.sign()
    if sign and not better:
        return Cell("higher" if sign > 0 else "lower")
    side = sign * better
    if side > 0:
        return Cell("better", GOOD)
    if side < 0:
        return Cell("worse", BAD)
    return Cell("one seed says nothing" if difference.half is None else "no difference seen")


def mean_text(mean: Mean | None, unit: str, *, signed: bool = False) -> str:
    """Return ``2h4m ± 48m``, ``77.5 ± 1.2 %``, ``3.2 ± 0.4``; empty for no mean."""
    if mean is None:
        return ""
    step = _step(mean.half)
    middle = _amount(mean.mean, unit, step)
    if signed and not middle.startswith("−"):
        middle = f"+{middle}"
    around = "" if mean.half is None else f" ± {_amount(mean.half, unit, step)}"
    return f"{middle}{around}" + ((" points" if signed else " %") if unit == SHARE else "")


def _step(half: float | None) -> int:
    """Return to what a time is rounded, µs: digits that its interval does not know would only look exact."""
    if half is None or half < 10 * MINUTE:
        return SECOND
    return MINUTE if half < 20 * HOUR else HOUR


def _amount(value: float, unit: str, step: int = SECOND) -> str:
    sign = "−" if value < 0 else ""
    size = abs(value)
    if unit == TIME:
        text = span(round(size / step) * step)
    elif unit == SHARE:
        text = f"{size / 10:.1f}"
    elif unit == GPU_HOURS:
        text = f"{size / 3600:,.1f}"
    else:
        text = thousandths(round(size * 10) * 100)
    return sign + text if text.strip("0.s") else text


def _finished(means: Mapping[str, Mean]) -> str:
    """Return how many of how many workloads ended, on average over the seeds."""
    if "finished" not in means or "workloads" not in means:
        return ""
    return f"{_amount(means['finished'].mean, COUNT)}/{_amount(means['workloads'].mean, COUNT)}"


def _effect(effect: float | None) -> str:
    if effect is None:
        return ""
    if abs(effect) > SHOWN_EFFECT:
        return f"> {SHOWN_EFFECT}" if effect > 0 else f"< −{SHOWN_EFFECT}"
    return f"{effect:+.2f}".replace("-", "−")
