"""The cheapest ways into one rack, against every way to deal the pods out over its nodes."""

from __future__ import annotations

from itertools import product
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.indexed.cost import DEAD, LOSS
from railwise.engine.indexed.packing import Description, Losses
from railwise.engine.indexed.tables import NEVER, Kind, Tables, Way

PODS = 4


def _kinds(random: Random, groups: int) -> list[tuple[Kind, int]]:
    kinds = []
    for index in range(random.randint(1, 3)):
        lame = random.random() < 0.3
        steps = [random.randint(1, 4) for _ in range(random.randint(1, 3))]
        costs = tuple(sum(steps[: count + 1]) + DEAD * lame for count in range(len(steps)))
        whole = random.choice([-1, 0, 0, 1])
        group = random.randrange(groups) if whole >= 0 and groups else 0
        kinds.append((Kind(index, costs, whole, lame=lame, group=group), random.randint(1, 2)))
    return kinds


def _losses(random: Random, kinds: list[tuple[Kind, int]], groups: int) -> list[Losses]:
    """Return superadditive losses: each further node destroys at least as much as could be saved before."""
    result = []
    most = sum(count for _, count in kinds) + 1
    for whole in sorted({kind.whole for kind, _ in kinds if kind.whole >= 0}):
        rack = [0, *sorted(random.randint(0, 9) for _ in range(most))]
        others = [[0, *sorted(random.randint(0, 9) for _ in range(most))] for _ in range(groups)]
        result.append(Losses(whole, rack, others))
    return result


def _every_way(kinds: list[tuple[Kind, int]], losses: list[Losses], pods: int) -> dict[Way, int]:
    """Return the cost of every way to put ``pods`` pods on the nodes of a rack."""
    nodes = [kind for kind, count in kinds for _ in range(count)]
    found: dict[Way, int] = {}
    for deal in product(*(range(kind.capacity + 1) for kind in nodes)):
        if sum(deal) != pods:
            continue
        used = [(kind, here) for kind, here in zip(nodes, deal, strict=True) if here]
        cost = sum(kind.costs[here - 1] for kind, here in used)
        if len(used) == 1 and used[0][0].lame:
            cost -= DEAD
        for one in losses:
            mine = [kind for kind, _ in used if kind.whole == one.whole]
            cost += LOSS * one.rack[len(mine)]
            for group, loss in enumerate(one.groups):
                cost += LOSS * loss[sum(kind.group == group for kind in mine)]
        found[tuple(sorted(((kind.index, here) for kind, here in used), key=lambda pair: (pair[0], -pair[1])))] = cost
    return found


@given(st.integers(0, 2**32 - 1))
def test_the_cheapest_ways_of_a_rack(seed: int) -> None:
    random = Random(seed)
    groups = random.choice([0, 0, 2])
    kinds = _kinds(random, groups)
    losses = _losses(random, kinds, groups)
    description = Description(0, kinds, losses, Tables())
    assert description.capacity == sum(kind.capacity * count for kind, count in kinds)
    for pods in range(1, PODS + 1):
        ways = _every_way(kinds, losses, pods)
        least = min(ways.values(), default=NEVER)
        assert description.cost(pods) == least
        if least != NEVER:
            assert set(description.ways(pods)) == {way for way, cost in ways.items() if cost == least}
        alone = [cost for way, cost in ways.items() if len(way) == 1]
        assert description.one_node(pods) == min(alone, default=NEVER)


@given(st.integers(0, 2**32 - 1))
def test_the_curve_counts_a_dead_rail_for_each_node_it_would_share_a_gang_with(seed: int) -> None:
    random = Random(seed)
    kinds = _kinds(random, 0)
    losses = _losses(random, kinds, 0)
    curve = Description(0, kinds, losses, Tables()).curve(PODS)
    assert curve[0] == 0
    for pods in range(1, PODS + 1):
        lame = {kind.index for kind, _ in kinds if kind.lame}
        ways = _every_way(kinds, losses, pods)
        shared = [cost + DEAD * (len(way) == 1 and way[0][0] in lame) for way, cost in ways.items()]
        assert curve[pods] == min(shared, default=NEVER)
