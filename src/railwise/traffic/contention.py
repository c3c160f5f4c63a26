"""Who gets how much of a link that several flows share: max-min fairness.

Nobody can get more without someone who has no more getting less. Water filling finds that division: all flows rise
together until a link is full, those that cross it stop, the rest go on rising (Bertsekas and Gallager, Data Networks,
the chapter on flow control). Rates are fractions inside, so that the answer is exact; at the seam they are whole bits
per second, rounded down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple


class Flow(NamedTuple):
    """A flow: the links it crosses, the most it wants in bits/s (0: all it can get), and its weight.

    A flow of weight w rises w times as fast: it stands for w equal streams. A link that is named twice is crossed
    twice and carries the flow twice.
    """

    name: str
    links: tuple[str, ...]
    wants: int = 0
    weight: int = 1


def fair_rates(capacity: Mapping[str, int], flows: Sequence[Flow]) -> list[Fraction]:
    """Return the max-min fair rate of each flow in bits/s, exactly.

    Args:
        capacity: bits/s of each link, one direction; a link that is not named carries everything.
        flows: each crosses a named link or wants a bounded rate, else ValueError.
    """
    for flow in flows:
        if not flow.wants and not any(link in capacity for link in flow.links):
            raise ValueError(f"flow {flow.name} is bounded by nothing")
    rates = [Fraction(0)] * len(flows)
    rising = set(range(len(flows)))
    left = {link: Fraction(bits) for link, bits in capacity.items()}
    while rising:
        pull: dict[str, int] = {}
        for index in rising:
            for link in flows[index].links:
                if link in left:
                    pull[link] = pull.get(link, 0) + flows[index].weight
        steps = [left[link] / weight for link, weight in pull.items()]
        steps += [(flows[i].wants - rates[i]) / flows[i].weight for i in rising if flows[i].wants]
        step = min(steps)
        for index in rising:
            rates[index] += step * flows[index].weight
        for link, weight in pull.items():
            left[link] -= step * weight
        full = {link for link in pull if left[link] == 0}
        rising = {i for i in rising if not full.intersection(flows[i].links) and rates[i] != (flows[i].wants or -1)}
    return rates


def fair_bits(capacity: Mapping[str, int], flows: Sequence[Flow]) -> list[int]:
    """Return the max-min fair rates in whole bits/s, rounded down."""
    return [int(rate) for rate in fair_rates(capacity, flows)]
