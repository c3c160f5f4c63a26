"""What several runs come to side by side: a figure for each policy and measure, and how it differs from the first.

The statistics are made elsewhere; here are the values that tables, pages and documents share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from railwise.report.measures import BY_NAME, LESS, MICROS, MORE, SHARE, Measure, value_text
from railwise.report.run_data import Key
from railwise.report.wording import SECOND

FINE = 0.0005
"""Relative differences below this are none."""

_MINUTES_FROM = 600 * SECOND
_HOURS_FROM = 72_000 * SECOND
"""Times whose interval is half so wide or wider are rounded to minutes, and to hours."""

MANY = 9.0
"""Relative differences from this on are told as a factor: ten times as much is easier read than 900 % more."""


class Figure(NamedTuple):
    """The mean of a measure over ``seeds`` runs, and half the width of its interval (None: one run)."""

    mean: float
    half: float | None
    seeds: int


class Difference(NamedTuple):
    """One policy minus the first, seed by seed: mean, half of its interval (None: one run), mean against the first's.

    ``sign`` is -1 or 1 where the interval leaves out zero (one run: where they differ), else 0.
    """

    mean: float
    half: float | None
    relative: float | None
    sign: int


@dataclass(frozen=True)
class Summary:
    """All figures of all policies; ``policies[0]`` is the one that others are compared with."""

    policies: tuple[str, ...]
    seeds: tuple[int, ...]
    keys: tuple[Key, ...]
    figures: Mapping[tuple[str, Key], Figure]
    differences: Mapping[tuple[str, Key], Difference]

    def figure(self, policy: str, key: Key) -> Figure | None:
        """Return a figure; None where no run of the policy has one."""
        return self.figures.get((policy, key))

    def parts(self, name: str) -> list[str]:
        """Return the parts that a measure is given for, the whole run (empty) first."""
        return [part for measure, part in self.keys if measure == name]


def title_of(key: Key) -> str:
    """Return what a row of a measure is called."""
    name, part = key
    title = BY_NAME[name].title
    if not part:
        return title
    if name == "close":
        return f"inside one {part}"
    if name == "slots_left":
        level, size = part.rsplit("/", 1)
        return f"slots left: {size} in one {level}" if level != "cluster" else f"slots left: {size} anywhere"
    return f"{title}: {part}"


def figure_text(measure: Measure, figure: Figure | None) -> str:
    """Return a figure with its interval, as people read it; empty where there is none.

    A time is rounded to what its interval knows; an interval without width is not told.
    """
    if figure is None:
        return ""
    step = _step(measure, figure.half)
    text = value_text(measure, round(figure.mean / step) * step)
    if not figure.half:
        return text
    half = value_text(measure, round(figure.half / step) * step)
    for unit in (" %", " ×", " GPU-hours"):
        if text.endswith(unit) and half.endswith(unit):
            text = text.removesuffix(unit)
    return f"{text} ± {half}"


def _step(measure: Measure, half: float | None) -> int:
    """Return to what a figure is rounded."""
    if measure.unit != MICROS or not half or half < _MINUTES_FROM:
        return 1
    return 60 * SECOND if half < _HOURS_FROM else 3600 * SECOND


def brief_difference(measure: Measure, difference: Difference | None) -> str:
    """Return a difference without its interval; a question mark stands behind what the seeds do not bear out."""
    if difference is None or difference.half is None:
        return difference_text(measure, difference)
    text = difference_text(measure, difference._replace(half=None))
    return text if difference.sign or text == "=" else f"{text} ?"


def difference_text(measure: Measure, difference: Difference | None) -> str:
    """Return how much a figure differs from the first policy's: points for shares, per cent for the rest."""
    if difference is None:
        return ""
    if measure.unit == SHARE:
        points = difference.mean / 10
        return "=" if not round(points, 1) else f"{_signed(points, 1)} pt{_about(difference, 10)}"
    if difference.relative is None:
        return (
            "=" if not difference.mean else f"{'+' if difference.mean > 0 else '−'}{_plain(measure, difference.mean)}"
        )
    if abs(difference.relative) < FINE:
        return "="
    if difference.relative >= MANY:
        return f"× {difference.relative + 1:.0f}"
    digits = 1 if abs(difference.relative) < 0.0995 else 0  # noqa: PLR2004 -- below ten per cent one digit more
    base = difference.mean / difference.relative / 100
    return f"{_signed(100 * difference.relative, digits)} %{_about(difference, abs(base), digits)}"


def _plain(measure: Measure, value: float) -> str:
    return value_text(measure, round(abs(value)))


def _about(difference: Difference, unit: float, digits: int = 1) -> str:
    return "" if difference.half is None else f" ± {difference.half / unit:.{digits}f}"


def _signed(value: float, digits: int) -> str:
    return f"{'+' if value > 0 else '−'}{abs(value):.{digits}f}"


def verdict(measure: Measure, difference: Difference | None) -> int:
    """Return 1 where a policy is better than the first, -1 where it is worse, 0 where nothing can be said."""
    if difference is None or not difference.sign or measure.better not in (LESS, MORE):
        return 0
    return difference.sign if measure.better == MORE else -difference.sign
