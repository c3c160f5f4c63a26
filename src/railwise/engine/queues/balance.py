"""Whether clean domains cover what all promise holders need of them: bounds first, the exact sum only between them.

Each holder has a set of vectors to choose from (see ``supply``): what he gives away of clean domains per level, or,
negative, needs. Weighted sums of the best choice of each bound what can be had at most; two obvious choices (as many
wide domains as possible; most in all, wider domains counted as so many narrow ones as they hold) show that it can be
had. On trees of equal domains one of the two nearly always decides. These figures are sums over holders and are kept
as such, so a check after one change costs the change.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.queues.supply import Levels, Vector, maximal, plus


class Need(NamedTuple):
    """What one holder may choose: ``net`` per level; ``passed``: the same with what is left for the holder above.

    ``best`` is the largest sum of a choice under each of the weights, ``picks`` are the two obvious choices.
    """

    net: list[Vector]
    passed: list[Vector]
    best: Levels
    picks: tuple[Vector, Vector]


class Balance:
    """The sums over all holders that stand below no other."""

    def __init__(self, worth: Levels) -> None:
        """Start without holders; ``worth`` is about how many of the narrowest domains one of each level holds."""
        depth = len(worth)
        self.depth: Final = depth
        units = [tuple([int(level == other) for other in range(depth)]) for level in range(depth)]
        self.weights: Final[list[Levels]] = units if depth == 1 else [*units, worth]
        self.best: Final = [0] * len(self.weights)
        self.picks: Final = [[0] * depth, [0] * depth]
        self.needs: Final[dict[int, Need]] = {}
        self.open: Final[set[int]] = set()

    def need_of(self, have: list[Vector], wanted: Levels) -> Need:
        """Return what a holder needs who is promised this and has these vectors to choose from."""
        depth = self.depth
        passed: list[Vector] = []
        for vector in have:
            net = list(vector)
            for level in range(depth):
                left = vector[depth + level] - wanted[level]
                net[level] += min(left, 0)
                net[depth + level] = max(left, 0)
            passed.append(tuple(net))
        if len(passed) > 1:
            passed = maximal(passed)
        net_only = [vector[:depth] for vector in passed]
        if len(net_only) > 1:
            net_only = maximal(net_only)
        best = tuple([max([weighed(vector, weight) for vector in net_only]) for weight in self.weights])
        most = net_only[0]
        if len(net_only) > 1:
            most = max(net_only, key=lambda vector: (weighed(vector, self.weights[-1]), vector))
        return Need(net_only, passed, best, (net_only[0], most))

    def replace(self, holder: int, need: Need) -> None:
        """Count a holder's need instead of what it was."""
        before = self.needs.get(holder)
        if before is not None:
            self._count(before, -1)
        self._count(need, 1)
        self.needs[holder] = need
        if len(need.net) > 1:
            self.open.add(holder)
        else:
            self.open.discard(holder)

    def _count(self, need: Need, step: int) -> None:
        for index, amount in enumerate(need.best):
            self.best[index] += step * amount
        for total, pick in zip(self.picks, need.picks, strict=True):
            for level, amount in enumerate(pick):
                total[level] += step * amount

    def covered_by(self, clean: list[Vector], most: Levels) -> bool:
        """Return whether clean domains cover some choice of all holders at every level; ``most`` caps the sums."""
        for best, weight in zip(self.best, self.weights, strict=True):
            if best < 0 and best + max([weighed(vector, weight) for vector in clean]) < 0:
                return False
        for pick in self.picks:
            if any(covers(vector, pick) for vector in clean):
                return True
        if not self.open:
            return False
        return self._exactly([vector[: self.depth] for vector in clean], most)

    def _exactly(self, total: list[Vector], most: Levels) -> bool:
        """Add up the choices of all holders, leaving out sums that what is still to come cannot make good."""
        rest = list(self.best)
        fixed = [0] * self.depth
        for holder, need in self.needs.items():
            if holder not in self.open:
                for level, amount in enumerate(need.net[0]):
                    fixed[level] += amount
                for index, amount in enumerate(need.best):
                    rest[index] -= amount
        total = maximal([tuple([mine + other for mine, other in zip(vector, fixed, strict=True)]) for vector in total])
        for holder in sorted(self.open):
            need = self.needs[holder]
            for index, amount in enumerate(need.best):
                rest[index] -= amount
            total = plus(total, need.net, most)
            total = [
                vector
                for vector in total
                if all(weighed(vector, weight) + more >= 0 for weight, more in zip(self.weights, rest, strict=True))
            ]
            if not total:
                return False
        return any(min(vector) >= 0 for vector in total)


def weighed(vector: Vector, weight: Levels) -> int:
    """Return the weighted sum of a vector's first numbers."""
    return sum([mine * much for mine, much in zip(vector, weight, strict=False)])


def covers(vector: Vector, need: list[int]) -> bool:
    """Return whether what a vector gives is enough for what is needed (negative) at every level."""
    return all(mine + other >= 0 for mine, other in zip(vector, need, strict=False))
