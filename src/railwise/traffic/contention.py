"""Who gets how much of a link that several flows share: max-min fairness.

Nobody can get more without someone who has no more getting less. Water filling finds that division: all flows rise
together until a link is full, those that cross it stop, the rest go on rising (Bertsekas and Gallager, Data Networks,
the chapter on flow control). Everything is counted in whole numbers, each link in parts of its own, so that the answer
is exact; at the seam rates are whole bits per second, rounded down.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Generic, NamedTuple, TypeVar

Name = TypeVar("Name", bound=Hashable)
"""What links are called by."""


class Flow(NamedTuple, Generic[Name]):
    """A flow: the links it crosses, the most it wants in bits/s (0: all it can get), and its weight.

    A flow of weight w rises w times as fast: it stands for w equal streams. A link that is named twice is crossed
    twice and carries the flow twice. ``carried`` tells, link by link, how many bytes of a step each carries (empty:
    all the same): the rate is that on the link with most of them, and the others carry it in proportion.
    """

    name: str
    links: tuple[Name, ...]
    wants: int = 0
    weight: int = 1
    carried: tuple[int, ...] = ()

    def parts(self) -> dict[Name, Fraction]:
        """Return how much of the flow's rate each of its links carries."""
        most = max(self.carried, default=1)
        found: dict[Name, Fraction] = {}
        for link, carried in zip(self.links, self.carried or (1,) * len(self.links), strict=True):
            found[link] = found.get(link, Fraction(0)) + Fraction(carried, most)
        return found


Ratio = tuple[int, int]
"""A fraction in lowest terms, the denominator positive: so equal ones are equal tuples."""


class _Link:
    """What flows pull at one link while they rise, in whole parts of 1/``scale``, and the bits/s that are ``left``."""

    def __init__(self, capacity: int, pulls: Sequence[tuple[int, Fraction]]) -> None:
        self.scale = lcm(*[pull.denominator for _, pull in pulls])
        self.users: dict[int, int] = {}
        for number, pull in pulls:
            self.users[number] = pull.numerator * (self.scale // pull.denominator)
        self.pull = sum(self.users.values())
        self.left: Ratio = (capacity, 1)
        self.level = self._level()

    def _level(self) -> Ratio:
        """Return the rate a unit of weight has when the link is full; of no meaning where nobody pulls any more."""
        return _reduced(self.left[0] * self.scale, self.left[1] * (self.pull or 1))

    def stop(self, numbers: Iterable[int], level: Ratio) -> None:
        """Let flows stop rising at a level."""
        gone = sum(self.users[number] for number in numbers)
        self.pull -= gone
        below = level[1] * self.scale
        self.left = _reduced(self.left[0] * below - self.left[1] * level[0] * gone, self.left[1] * below)
        self.level = self._level()


def fair_rates(capacity: Mapping[Name, int], flows: Sequence[Flow[Name]]) -> list[Fraction]:
    """Return the max-min fair rate of each flow in bits/s, exactly.

    Args:
        capacity: bits/s of each link, one direction; a link that is not named carries everything.
        flows: each crosses a named link or wants a bounded rate, else ValueError.
    """
    over: dict[Name, list[tuple[int, Fraction]]] = {}
    for number, flow in enumerate(flows):
        parts = [(link, part * flow.weight) for link, part in flow.parts().items() if link in capacity and part]
        if not parts and not flow.wants:
            raise ValueError(f"flow {flow.name} is bounded by nothing")
        for link, pull in parts:
            over.setdefault(link, []).append((number, pull))
    links = [_Link(capacity[link], pulls) for link, pulls in over.items()]
    crossed: list[list[_Link]] = [[] for _ in flows]
    for one in links:
        for number in one.users:
            crossed[number].append(one)
    wants = {number: _reduced(flow.wants, flow.weight) for number, flow in enumerate(flows) if flow.wants}
    rates: list[Ratio] = [(0, 1)] * len(flows)
    rising = set(range(len(flows)))
    while rising:
        level = _least([*(one.level for one in links if one.pull), *wants.values()])
        stopped = {number for number, wanted in wants.items() if wanted == level}
        for one in links:
            if one.pull and one.level == level:
                stopped.update(number for number in one.users if number in rising)
        _stop(stopped, level, crossed)
        for number in stopped:
            rates[number] = level
            wants.pop(number, None)
        rising -= stopped
    return [Fraction(*rate) * flow.weight for rate, flow in zip(rates, flows, strict=True)]


def _stop(stopped: set[int], level: Ratio, crossed: Sequence[Sequence[_Link]]) -> None:
    """Let flows stop at a level on all links that they cross."""
    touched: dict[_Link, list[int]] = {}
    for number in stopped:
        for link in crossed[number]:
            touched.setdefault(link, []).append(number)
    for link, numbers in touched.items():
        link.stop(numbers, level)


def _least(ratios: Iterable[Ratio]) -> Ratio:
    """Return the smallest of some fractions."""
    best: Ratio = (0, 0)
    for ratio in ratios:
        if not best[1] or ratio[0] * best[1] < best[0] * ratio[1]:
            best = ratio
    return best


def _reduced(above: int, below: int) -> Ratio:
    """Return a fraction in lowest terms."""
    common = gcd(above, below)
    return above // common, below // common


def fair_bits(capacity: Mapping[Name, int], flows: Sequence[Flow[Name]]) -> list[int]:
    """Return the max-min fair rates in whole bits/s, rounded down."""
    return [int(rate) for rate in fair_rates(capacity, flows)]


def newcomer_share(capacity: int, wanted: Iterable[int]) -> int:
    """Return the bits/s of one link that a newcomer gets who wants all he can get, rounded down.

    ``wanted`` is what the others want of it, each in bits/s: who wants less than an equal share gets what he wants, and
    the rest is divided equally. It is the division of ``fair_rates`` on a link that is everybody's narrowest.
    """
    left, count = capacity, 1
    others = sorted(wanted)
    count += len(others)
    for wants in others:
        if wants * count > left:
            break
        left -= wants
        count -= 1
    return max(left, 0) // count
