"""How many whole domains a part of the tree can give at once, exactly, for trees of any shape.

A *kind* is what matters of a promised level's domain: whether it is whole, whose work it holds, and the kinds of the
promised domains below it. Domains of one kind are interchangeable, so a cluster of thousands of racks has few of them.

What a kind can give is a set of vectors: numbers of domains per promised level (widest first), once for those that
hold nobody's work (*clean*: good for every promise), once for those that hold work of one queue (*own*: good for the
promises to that queue and to those above it). A domain is either given whole, or it is opened and gives what its
parts give; so its vectors are the unit vector of its level, if it is whole and of one holder at most, and all sums of
one vector of each part. Nothing is lost by keeping only vectors that no other one dominates, by capping each number
at what is promised of it in all, or by taking equal parts together. With one promised level every set has one vector.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

CLEAN: Final = -1
"""The holder of a domain without protected work."""

SPOILT: Final = -2
"""The holder of a domain with protected work of several promise holders, or of a queue without a promise."""

MOST_VECTORS: Final = 1000
"""So many vectors of a set are kept; beyond that a promise may count as broken that could still be kept."""

Levels = tuple[int, ...]
"""A number of domains per promised level, widest first."""

Vector = tuple[int, ...]
"""``Levels`` of clean domains, then ``Levels`` of own ones."""

Counts = tuple[tuple[int, int], ...]
"""Pairs of a kind and how often it occurs, sorted."""

MOST_KINDS: Final = 20_000
"""So many kinds and sums are remembered before those out of use are forgotten."""


class Kind(NamedTuple):
    """What matters of a domain; ``usable``: it can be given whole to whoever may have it."""

    level: int
    usable: bool
    holder: int
    below: Counts


class Kinds:
    """The kinds of domains there are, each known by a number, with what each can give."""

    def __init__(self, most: Levels) -> None:
        """Start without kinds; ``most`` caps the domains counted per level."""
        self.most: Final = most
        self.cap: Final[Vector] = most + most
        self.nothing: Final[list[Vector]] = [(0,) * len(self.cap)]
        self.all: Final[list[Kind]] = []
        self._numbers: Final[dict[Kind, int]] = {}
        self._supply: Final[dict[int, list[Vector]]] = {}
        self._roots: Final[dict[int, Counts]] = {}
        self._sums: Final[dict[Counts, list[Vector]]] = {}

    def overgrown(self) -> bool:
        """Return whether ``clear`` is due."""
        return len(self.all) > MOST_KINDS

    def clear(self) -> None:
        """Forget all kinds; whoever kept a number must start again."""
        self.all.clear()
        self._numbers.clear()
        self._supply.clear()
        self._roots.clear()
        self._sums.clear()

    def of_unit(self, level: int, holder: int, *, whole: bool) -> int:
        """Return the kind of a domain of the narrowest promised level."""
        return self._intern(Kind(level, whole and holder != SPOILT, holder, ()))

    def of_wider(self, level: int, below: dict[int, int], *, whole: bool) -> int:
        """Return the kind of a domain with these kinds below it."""
        holder = CLEAN
        for kind in below:
            other = self.all[kind].holder
            if other not in {CLEAN, holder}:
                holder = other if holder == CLEAN else SPOILT
        return self._intern(Kind(level, whole and holder != SPOILT, holder, tuple(sorted(below.items()))))

    def _intern(self, kind: Kind) -> int:
        number = self._numbers.get(kind)
        if number is None:
            number = len(self.all)
            self._numbers[kind] = number
            self.all.append(kind)
        return number

    def roots(self, number: int) -> Counts:
        """Return the usable domains at or below a domain that lie in no wider usable one: all it can give from."""
        known = self._roots.get(number)
        if known is None:
            kind = self.all[number]
            known = ((number, 1),) if kind.usable else self._roots_below(kind)
            self._roots[number] = known
        return known

    def _roots_below(self, kind: Kind) -> Counts:
        total: dict[int, int] = {}
        for part, count in kind.below:
            for root, times in self.roots(part):
                total[root] = total.get(root, 0) + count * times
        return tuple(sorted(total.items()))

    def supply(self, number: int) -> list[Vector]:
        """Return what a root can give."""
        known = self._supply.get(number)
        if known is None:
            kind = self.all[number]
            place = kind.level + (0 if kind.holder == CLEAN else len(self.most))
            whole = tuple([int(index == place) for index in range(len(self.cap))])
            known = maximal([whole, *self.sum_of(self._roots_below(kind))])
            self._supply[number] = known
        return known

    def sum_of(self, roots: Counts) -> list[Vector]:
        """Return what some roots can give together."""
        known = self._sums.get(roots)
        if known is None:
            if len(self._sums) > MOST_KINDS:
                self._sums.clear()
            known = self.nothing
            for root, count in roots:
                known = plus(known, times_over(self.supply(root), count, self.cap), self.cap)
            self._sums[roots] = known
        return known


def maximal(vectors: Iterable[Vector]) -> list[Vector]:
    """Return the vectors that no other one dominates, largest first; at most ``MOST_VECTORS``."""
    found: list[Vector] = []
    for vector in sorted(set(vectors), reverse=True):
        if not (found and (dominates(found[-1], vector) or any(dominates(other, vector) for other in found))):
            found.append(vector)
            if len(found) == MOST_VECTORS:
                break
    return found


def dominates(one: Vector, other: Vector) -> bool:
    """Return whether a vector gives at least as much of everything."""
    for mine, theirs in zip(one, other, strict=True):  # noqa: SIM110 a loop is quicker than a generator here
        if mine < theirs:
            return False
    return True


def capped_sum(one: Vector, other: Vector, cap: Vector) -> Vector:
    """Return the sum of two vectors, each number at most its cap."""
    total: list[int] = []
    for mine, theirs, most in zip(one, other, cap, strict=True):
        both = mine + theirs
        total.append(both if both < most else most)
    return tuple(total)


def plus(one: list[Vector], other: list[Vector], cap: Vector) -> list[Vector]:
    """Return the maximal sums of a vector of each set."""
    if len(one) == 1 and len(other) == 1:
        return [capped_sum(one[0], other[0], cap)]
    return maximal([capped_sum(mine, theirs, cap) for mine in one for theirs in other])


def times(vector: Vector, count: int) -> Vector:
    """Return a vector so many times."""
    return tuple([count * number for number in vector])


def times_over(vectors: list[Vector], count: int, cap: Vector) -> list[Vector]:
    """Return the maximal sums of ``count`` vectors of one set."""
    zero = (0,) * len(cap)
    if len(vectors) == 1:
        return [capped_sum(times(vectors[0], count), zero, cap)]
    if len(vectors) == 2:  # noqa: PLR2004 whole or opened: so many of the one, the others of the other
        one, other = vectors
        return maximal([capped_sum(times(one, many), times(other, count - many), cap) for many in range(count + 1)])
    total = [zero]
    while count:
        if count & 1:
            total = plus(total, vectors, cap)
        count >>= 1
        if count:
            vectors = plus(vectors, vectors, cap)
    return total
