"""Measured step times by placement: what a fit to them knows of places that were measured, and of those that were not.

On a fabric that somebody profiled there are rows (cards on each node, batch size, time of a step). Two things can be
learned from them for one model on one fabric. A *table* knows each placement by what it showed at other batch sizes:
the ratio to the middle of all placements of as many cards. *Terms* know only the shape of a placement: host shared by
the cards of a node, two nodes, several nodes. The table is for placements that were measured, the terms for the rest.

A fit that has seen a row flatters itself, so ``blind_table`` predicts each row from other batch sizes alone, and
``blind_terms`` each placement from other placements alone. As in ``calibration`` floats stay inside, and fits are by
least squares on the relative error.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import median
from typing import Final, NamedTuple

from railwise.traffic.calibration import solved

Places = tuple[int, ...]
"""Cards on each node."""

SEVERAL: Final = 3
"""From so many nodes on NCCL runs two trees with different neighbours: more flows leave each node."""

RIDGE: Final = 1e-6
"""Added to each term's weight, so that terms that no row tells apart share what they explain."""


class Row(NamedTuple):
    """One measurement: cards on each node, samples a card in a step, nanoseconds of a step."""

    places: Places
    batch: int
    nanoseconds: int


Predicted = dict[tuple[Places, int], float]
"""A figure for each placement and batch size."""


def blind_table(rows: Sequence[Row]) -> Predicted:
    """Return each row's predicted time as a multiple of the middle of all placements of as many cards.

    It is the mean (of logarithms) of that multiple at all *other* batch sizes, each weighted by the smaller over the
    larger of the two sizes. A placement that was measured at one batch size only is taken to be in the middle.
    """
    found: Predicted = {}
    for places, known in _effects(rows).items():
        for batch in known:
            others = [(min(batch, size) / max(batch, size), effect) for size, effect in known.items() if size != batch]
            whole = sum(weight for weight, _ in others)
            found[places, batch] = exp(sum(weight * effect for weight, effect in others) / whole) if others else 1.0
    return found


def measured_again(rows: Sequence[Row]) -> Predicted:
    """Return for each row the same multiple as measured at the nearest other batch size.

    That is what measuring once more would tell, and so how well any prediction can be expected to do.
    """
    found: Predicted = {}
    for places, known in _effects(rows).items():
        for batch in known:
            near = sorted((max(batch, size) / min(batch, size), size) for size in known if size != batch)
            found[places, batch] = exp(known[near[0][1]]) if near else 1.0
    return found


def _effects(rows: Sequence[Row]) -> dict[Places, dict[int, float]]:
    """Return the logarithm of each row's time over the middle of all placements of as many cards, by batch size."""
    effects: dict[Places, dict[int, float]] = {}
    for group in _groups(rows):
        middle = median([log(row.nanoseconds) for row in group])
        for row in group:
            effects.setdefault(row.places, {})[row.batch] = log(row.nanoseconds) - middle
    return effects


def _groups(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of as many cards at one batch size."""
    groups: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((sum(row.places), row.batch), []).append(row)
    return list(groups.values())


def terms(places: Places, batch: int) -> tuple[float, ...]:
    """Return what a step is made of.

    A launch, and each sample; the host that a node's cards share, per step and per sample; crossing between two nodes,
    between several, and for each of several.
    """
    fullest, nodes = max(places), len(places)
    several = nodes >= SEVERAL
    return (1.0, batch, fullest, batch * fullest, float(nodes + 1 == SEVERAL), float(several), nodes * several)


def blind_terms(rows: Sequence[Row]) -> Predicted:
    """Return each row's predicted ns by a fit of ``terms`` to all rows of *other* placements."""
    scaled = [(row, [term / row.nanoseconds for term in terms(row.places, row.batch)]) for row in rows]
    whole = _Normal()
    own: dict[Places, _Normal] = {}
    for row, columns in scaled:
        whole.add(columns, 1)
        own.setdefault(row.places, _Normal()).add(columns, 1)
    fits = {places: whole.without(normal).solve() for places, normal in own.items()}
    found: Predicted = {}
    for row in rows:
        parts = zip(fits[row.places], terms(row.places, row.batch), strict=True)
        found[row.places, row.batch] = sum(weight * term for weight, term in parts)
    return found


def order_kept(rows: Sequence[Row], predicted: Predicted, least: float = 1.1) -> tuple[int, int]:
    """Return how many pairs of placements a prediction orders as measured, and of how many.

    Pairs are of as many cards at one batch size, with measured times that differ by more than a factor ``least``. Equal
    predictions are wrong.
    """
    right = pairs = 0
    for group in _groups(rows):
        ordered = sorted(group, key=lambda row: row.nanoseconds)
        for number, quick in enumerate(ordered):
            for slow in ordered[number + 1 :]:
                if slow.nanoseconds > least * quick.nanoseconds:
                    pairs += 1
                    right += predicted[quick.places, quick.batch] < predicted[slow.places, slow.batch]
    return right, pairs


class _Normal:
    """The normal equations of a least-squares fit of 1 by columns, from which rows can be taken out again."""

    def __init__(self) -> None:
        """Start without rows."""
        self.table: list[list[float]] = []
        self.right: list[float] = []

    def add(self, columns: Sequence[float], sign: int) -> None:
        if not self.table:
            self.table = [[0.0] * len(columns) for _ in columns]
            self.right = [0.0] * len(columns)
        for i, one in enumerate(columns):
            self.right[i] += sign * one
            row = self.table[i]
            for j, other in enumerate(columns):
                row[j] += sign * one * other

    def without(self, other: _Normal) -> _Normal:
        left = _Normal()
        left.table = [
            [a - b for a, b in zip(row, gone, strict=True)] for row, gone in zip(self.table, other.table, strict=True)
        ]
        left.right = [a - b for a, b in zip(self.right, other.right, strict=True)]
        return left

    def solve(self) -> list[float]:
        """Return the coefficients; a column without any weight gets none."""
        scale = [max(self.table[i][i], 0.0) ** 0.5 or 1.0 for i in range(len(self.right))]
        rows = [
            [self.table[i][j] / scale[i] / scale[j] + (RIDGE if i == j else 0.0) for j in range(len(scale))]
            + [self.right[i] / scale[i]]
            for i in range(len(scale))
        ]
        return [value / size for value, size in zip(solved(rows), scale, strict=True)]
