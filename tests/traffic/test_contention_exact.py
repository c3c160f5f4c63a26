"""The division of links in whole numbers is the one that fractions give, flow by flow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random

import pytest

from railwise.traffic.contention import Flow, fair_rates


def by_fractions(capacity: Mapping[str, int], flows: Sequence[Flow[str]]) -> list[Fraction]:
    """Return the max-min fair rates, everything added up anew at each level."""
    pulls = [
        {link: part * flow.weight for link, part in flow.parts().items() if link in capacity and part} for flow in flows
    ]
    rates = [Fraction(0)] * len(flows)
    rising = set(range(len(flows)))
    while rising:
        full: dict[str, Fraction] = {}
        for link, most in capacity.items():
            pull = sum((pulls[n].get(link, Fraction(0)) for n in rising), Fraction(0))
            held = sum(pulls[n].get(link, Fraction(0)) * rates[n] for n in range(len(flows)) if n not in rising)
            if pull:
                full[link] = (most - held) / pull
        wants = {n: Fraction(flows[n].wants, flows[n].weight) for n in rising if flows[n].wants}
        level = min([*full.values(), *wants.values()])
        stopped = {n for n in rising if wants.get(n) == level or any(full.get(link) == level for link in pulls[n])}
        for number in stopped:
            rates[number] = level
        rising -= stopped
    return [rate * flow.weight for rate, flow in zip(rates, flows, strict=True)]


def drawn(random: Random) -> tuple[dict[str, int], list[Flow[str]]]:
    """Return links and flows, some of which cross a link twice, want little, or carry unevenly."""
    capacity = {f"l{number}": random.choice([1, 7, 100, 10**9, 4 * 10**11]) for number in range(random.randint(1, 6))}
    flows = []
    for number in range(random.randint(1, 9)):
        links = tuple(random.choice([*capacity, "free"]) for _ in range(random.randint(0, 4)))
        wants = random.choice([0, 0, 1, 13, 5 * 10**8])
        if not any(link in capacity for link in links):
            wants = wants or 3
        carried = tuple(random.randint(1, 12) for _ in links) if random.random() < 0.5 else ()
        flows.append(Flow(f"f{number}", links, wants, random.choice([1, 1, 2, 7]), carried))
    return capacity, flows


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_whole_numbers_divide_as_fractions_do(first: int) -> None:
    for seed in range(first, first + 100):
        capacity, flows = drawn(Random(seed))
        assert fair_rates(capacity, flows) == by_fractions(capacity, flows), seed
