"""Who gets how much of a link that several flows share: max-min fairness.

Nobody can get more without someone who has no more getting less. Water filling finds that division: all flows rise
together until a link is full, those that cross it stop, the rest go on rising (Bertsekas and Gallager, Data Networks,
the chapter on flow control). Rates are fractions inside, so that the answer is exact; at the seam they are whole bits
per second, rounded down.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
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
    rates = [Fraction(0)] * len(flows)
    rising = dict.fromkeys(range(len(flows)))
    while rising:
        full: dict[Name, Fraction] = {}
        for link, users in over.items():
            pull = sum((part for number, part in users if number in rising), Fraction(0))
            if pull:
                held = sum((part * rates[number] for number, part in users if number not in rising), Fraction(0))
                full[link] = (capacity[link] - held) / pull
        levels = [*full.values(), *(Fraction(flows[n].wants, flows[n].weight) for n in rising if flows[n].wants)]
        level = min(levels)
        stopped = {number for link, at in full.items() if at == level for number, _ in over[link] if number in rising}
        stopped |= {n for n in rising if flows[n].wants and Fraction(flows[n].wants, flows[n].weight) == level}
        for number in stopped:
            rates[number] = level
            del rising[number]
    return [rate * flow.weight for rate, flow in zip(rates, flows, strict=True)]


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
