"""The choice of racks for a gang of whole nodes, against every split of every choice of as few racks."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product

import pytest

from railwise.engine.cluster.potential import Potential
from railwise.engine.indexed.whole_racks import WholeRacks

CARDS = 8
MIXES = [(), ((1, 40), (8, 60)), ((8, 1), (16, 5), (24, 3), (40, 1))]


def _least_loss(potential: Potential, racks: tuple[int, ...], pods: int, number: int) -> int:
    """Return the least potential lost by taking ``pods`` whole nodes out of ``number`` of the racks."""
    losses = [
        [potential.whole_worth(CARDS, whole) - potential.whole_worth(CARDS, whole - take) for take in range(whole + 1)]
        for whole in racks
    ]
    return min(
        sum(losses[rack][take] for rack, take in zip(chosen, split, strict=True))
        for chosen in combinations(range(len(racks)), number)
        if sum(racks[rack] for rack in chosen) >= pods
        for split in product(*(range(1, racks[rack] + 1) for rack in chosen))
        if sum(split) == pods
    )


@pytest.mark.parametrize("mix", MIXES)
def test_taking_all_racks_whole_but_one_destroys_least(mix: tuple[tuple[int, int], ...]) -> None:
    potential = Potential(CARDS, mix)
    answers = WholeRacks(potential, CARDS)
    for racks in combinations_with_replacement(range(1, 7), 4):
        for pods in range(max(racks) + 1, sum(racks) + 1):
            number = answers.fewest(answers.multiset(tuple(racks)), pods)
            found = answers.choose(range(len(racks)), racks, [CARDS * whole for whole in racks], pods, number)
            assert found is not None
            assert len(found.racks) == number
            assert sum(take for _, take in found.racks) == pods
            assert sum(take < racks[rack] for rack, take in found.racks) <= 1
            assert found.loss == _least_loss(potential, racks, pods, number), (racks, pods)
