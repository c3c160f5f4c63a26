"""What several seeds say together: means with confidence intervals, and differences between policies on equal seeds.

One run is an anecdote. Several runs that differ in nothing but their seed give a mean, and their scatter says how far
that mean can be trusted (Student's t). Two policies are compared seed by seed, because both saw the same arrivals and
the same failures: what a hard seed costs both of them cancels, and a small difference shows that two separate
intervals would hide.

Sums are exactly rounded (``math.fsum``), so a result does not depend on the order of the seeds. The distribution of t
is the finite series in Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4: all its terms are
positive, so nothing cancels, and whole degrees of freedom are all that a number of seeds can give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import atan, cos, fsum, pi, sin, sqrt, tan
from typing import Final, NamedTuple

LEVEL: Final = 0.95
"""The confidence of an interval unless another is asked for."""

MOST_DEGREES: Final = 10_000
"""Above so many degrees of freedom the quantile of this many is taken, which is too wide by less than 0.02 %."""

_NEGLIGIBLE: Final = 2.0**-60
_HALVINGS: Final = 200


class Estimate(NamedTuple):
    """A mean over ``size`` values, their standard deviation (n - 1), and half the width of the mean's interval.

    All are in the unit of the values. One value alone says nothing of its scatter: then the last two are None.
    """

    size: int
    mean: float
    deviation: float | None
    half: float | None

    def low(self) -> float | None:
        """Return the lower end of the interval; None where there is none."""
        return None if self.half is None else self.mean - self.half

    def high(self) -> float | None:
        """Return the upper end of the interval; None where there is none."""
        return None if self.half is None else self.mean + self.half

    def sign(self) -> int:
        """Return -1 or 1 where the whole interval lies below or above zero, else 0: nothing can be said."""
        if self.half is None or abs(self.mean) <= self.half:
            return 0
        return -1 if self.mean < 0 else 1


class Paired(NamedTuple):
    """One policy minus another on the same seeds.

    ``difference`` is the mean of the differences with its interval, ``relative`` that mean over the other policy's mean
    (None where that is 0), ``effect`` that mean over the standard deviation of the differences (Cohen's d of pairs;
    None where they do not scatter). ``lower``, ``equal`` and ``higher`` count seeds.
    """

    difference: Estimate
    relative: float | None
    effect: float | None
    lower: int
    equal: int
    higher: int


def estimate(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """Return mean, standard deviation and interval of independent values.

    Raises ValueError for no value, and for a level that is not between 0 and 1.
    """
    count = len(values)
    if not count:
        raise ValueError("there is no mean of no values")
    if count == 1:
        return Estimate(1, float(values[0]), None, None)
    if min(values) == max(values):
        return Estimate(count, float(values[0]), 0.0, 0.0)
    mean = fsum(values) / count
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (count - 1))
    return Estimate(count, mean, deviation, t_quantile(count - 1, level) * deviation / sqrt(count))


def paired(ours: Mapping[int, float], theirs: Mapping[int, float], level: float = LEVEL) -> Paired | None:
    """Return ours minus theirs over the seeds that both have; None where there is no such seed.

    A mapping is from seed to value; a seed whose run has no such value is simply not in it.
    """
    seeds = sorted(ours.keys() & theirs.keys())
    if not seeds:
        return None
    differences = [ours[seed] - theirs[seed] for seed in seeds]
    difference = estimate(differences, level)
    base = fsum(theirs[seed] for seed in seeds) / len(seeds)
    return Paired(
        difference,
        difference.mean / abs(base) if base else None,
        difference.mean / difference.deviation if difference.deviation else None,
        sum(value < 0 for value in differences),
        sum(value == 0 for value in differences),
        sum(value > 0 for value in differences),
    )


@lru_cache(maxsize=1024)
def t_quantile(degrees: int, level: float = LEVEL) -> float:
    """Return the t with which |T| ≤ t has probability ``level`` for whole degrees of freedom.

    Halves an interval of θ = atan(t / √ν), in which the probability rises from 0 to 1, until no number is left between
    its ends. Raises ValueError for degrees below 1 and for a level that is not between 0 and 1.
    """
    if degrees < 1:
        raise ValueError(f"expected at least 1 degree of freedom, not {degrees}")
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1, not {level!r}")
    degrees = min(degrees, MOST_DEGREES)
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _within(middle, degrees) < level:
            low = middle
        else:
            high = middle
    return tan(high) * sqrt(degrees)


def t_within(t: float, degrees: int) -> float:
    """Return the probability of |T| ≤ t for whole degrees of freedom."""
    return _within(atan(abs(t) / sqrt(degrees)), degrees)


def _within(theta: float, degrees: int) -> float:
    """Return the series at the angle: odd degrees begin with cos θ, even ones with 1; each term has two powers more."""
    square = cos(theta) ** 2
    odd = degrees % 2
    term = cos(theta) if odd else 1.0
    terms = [term] if degrees > 1 else []
    for power in range(3 if odd else 2, degrees - 1, 2):
        term *= square * (power - 1) / power
        terms.append(term)
        if term < _NEGLIGIBLE:
            break
    total = sin(theta) * fsum(terms)
    return 2 / pi * (theta + total) if odd else total
