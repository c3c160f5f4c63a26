"""Fitting the terms to measured tables: three numbers a system, found by least squares on the relative error.

A relative error, because a table spans nine powers of ten: absolute squares would fit the last row and nothing else.
Floats live here and in ``profiles``, and nowhere else in the room. What comes out is rounded to whole nanoseconds,
megabits per second and picoseconds per √byte, so that the last digits of a machine's arithmetic do not show.

A fit that has seen every row flatters itself. So each error comes in three kinds: on the rows that were fitted, on each
row by a fit without it, and (where the √S term is one number for all systems) on each system with the number that the
other systems gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, sqrt
from typing import Final, NamedTuple

from railwise.traffic.links import NANOSECONDS, transfer_time

MEGA: Final = 1_000_000
PICO: Final = 1000
"""Picoseconds in a nanosecond."""

ROUNDS: Final = 40
"""Steps of the search for two numbers with a given √S share; it stands still long before."""

RAMPS: Final = range(0, 2001, 20)
"""The shares of the √S term that are tried, in thousandths."""


class Sample(NamedTuple):
    """One row of a measured table: bytes and nanoseconds."""

    size: int
    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Fit:
    """t = α + S/β + γ√S: ``latency`` in ns, ``bits_per_second`` of the algorithm, ``root`` in ps per √byte."""

    latency: int
    bits_per_second: int
    root: int

    def nanoseconds(self, size: int) -> int:
        """Return the predicted time of a message of ``size`` bytes."""
        return self.latency + transfer_time(size, self.bits_per_second) + self.root * isqrt(size * MEGA) // MEGA


def fit_terms(samples: Sequence[Sample], *, root: bool = True) -> Fit:
    """Return the least-squares fit of the relative error, no term below zero; ``root`` asks for the √S term too.

    Raises ValueError for fewer rows than terms.
    """
    columns = [_terms(sample) if root else _terms(sample)[:2] for sample in samples]
    if len(columns) < (3 if root else 2):
        raise ValueError(f"{len(columns)} rows cannot tell {3 if root else 2} terms apart")
    kept = list(range(len(columns[0])))
    while True:
        found = _least_squares([[row[index] for index in kept] for row in columns])
        if min(found) >= 0 or len(kept) == 1:
            break
        kept.remove(kept[found.index(min(found))])
    terms = [0.0, 0.0, 0.0]
    for index, value in zip(kept, found, strict=True):
        terms[index] = value
    return _rounded(terms[0], terms[1], terms[2])


def fit_with_ramp(samples: Sequence[Sample], ramp: int) -> Fit:
    """Return the best α and β where the √S term is 2κ√(α·S/β), κ = ``ramp`` thousandths (see ``links.ramp_time``)."""
    kappa = ramp / 1000
    start = fit_terms(samples, root=False)
    u, v = sqrt(max(start.latency, 1)), sqrt(8 * NANOSECONDS / start.bits_per_second)
    for _ in range(ROUNDS):
        rows = []
        for size, time in samples:
            s = sqrt(size)
            miss = 1 - (u * u + v * v * size + 2 * kappa * u * v * s) / time
            rows.append(((2 * u + 2 * kappa * v * s) / time, (2 * v * size + 2 * kappa * u * s) / time, miss))
        a = sum(x * x for x, _, _ in rows)
        b = sum(x * y for x, y, _ in rows)
        c = sum(y * y for _, y, _ in rows)
        d = sum(x * miss for x, _, miss in rows)
        e = sum(y * miss for _, y, miss in rows)
        bottom = a * c - b * b
        u = max(u / 2, u + (d * c - b * e) / bottom)
        v = max(v / 2, v + (a * e - b * d) / bottom)
    return _rounded(u * u, v * v, 2 * kappa * u * v)


def mean_error(fit: Fit, samples: Sequence[Sample]) -> float:
    """Return the mean of |predicted / measured - 1|."""
    return sum(abs(fit.nanoseconds(size) / time - 1) for size, time in samples) / len(samples)


def error_without_own_row(samples: Sequence[Sample], *, root: bool = True) -> float:
    """Return the mean error of every row as predicted by a fit to all the others (leave one size out)."""
    errors = []
    for index, sample in enumerate(samples):
        others = [*samples[:index], *samples[index + 1 :]]
        errors.append(mean_error(fit_terms(others, root=root), [sample]))
    return sum(errors) / len(errors)


class Shared(NamedTuple):
    """One system under a √S share common to all: its error, and its error with the share that the others gave."""

    error: float
    blind_error: float
    blind_ramp: int


def shared_ramp(tables: Sequence[Sequence[Sample]]) -> tuple[int, list[Shared]]:
    """Return the √S share (thousandths) with the least mean error over all tables, and what it means for each.

    Every table keeps its own α and β. For ``blind_error`` the share comes from the other tables alone (leave one
    system out). Ties go to the smaller share.
    """
    errors = [[mean_error(fit_with_ramp(table, ramp), table) for ramp in RAMPS] for table in tables]
    places = range(len(RAMPS))
    totals = [sum(row[place] for row in errors) for place in places]
    best = min(places, key=lambda place: totals[place])
    shared = []
    for row in errors:
        blind = min(places, key=lambda place: totals[place] - row[place])
        shared.append(Shared(row[best], row[blind], RAMPS[blind]))
    return RAMPS[best], shared


def _terms(sample: Sample) -> tuple[float, float, float]:
    """Return the three terms of a row, each divided by the measured time."""
    size, time = sample
    return (1 / time, size / time, sqrt(size) / time)


def _least_squares(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return x with the least Σ(row·x - 1)², by the normal equations and elimination with pivots."""
    n = len(rows[0])
    scale = [sqrt(sum(row[i] ** 2 for row in rows)) or 1.0 for i in range(n)]
    scaled = [[row[i] / scale[i] for i in range(n)] for row in rows]
    table = [
        [sum(row[i] * row[j] for row in scaled) for j in range(n)] + [sum(row[i] for row in scaled)] for i in range(n)
    ]
    return [value / size for value, size in zip(solved(table), scale, strict=True)]


def solved(table: list[list[float]]) -> list[float]:
    """Return x of A·x = b by elimination with pivots; ``table`` holds the rows of A with b behind, and is used up."""
    n = len(table)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(table[r][i]))
        table[i], table[pivot] = table[pivot], table[i]
        for r in range(n):
            if r != i:
                factor = table[r][i] / table[i][i]
                table[r] = [x - factor * y for x, y in zip(table[r], table[i], strict=True)]
    return [table[i][n] / table[i][i] for i in range(n)]


def _rounded(latency: float, per_byte: float, per_root: float) -> Fit:
    """Return the terms (ns, ns per byte, ns per √byte) as whole numbers in the units of ``Fit``."""
    bits = round(8 * NANOSECONDS / per_byte / MEGA) * MEGA if per_byte > 0 else 1 << 62
    return Fit(round(latency), max(MEGA, bits), round(per_root * PICO))
