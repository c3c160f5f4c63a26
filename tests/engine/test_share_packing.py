"""Different shares on one node, against every way to hand out its cards."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shares import choices
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import read_demand
from railwise.engine.search.problem import Problem
from railwise.engine.search.share_packing import OverBudgetError, packed_shares
from railwise.model.node import Cards, Node
from railwise.model.workload import Group, Request, Workload
from tests.engine.small import asks_share, request, state_of, submitted
from tests.engine.small import engine as engine_of


class Budget:
    """So many steps."""

    def __init__(self, left: int) -> None:
        """Start with all of them."""
        self.left = left

    def spend(self, steps: int) -> None:
        """Count."""
        self.left -= steps
        if self.left < 0:
            raise OverBudgetError


def _problem(state: ClusterState, asks: list[tuple[Request, int]]) -> Problem:
    groups = tuple(Group(f"g{number}", pods, pods, one) for number, (one, pods) in enumerate(asks))
    workload = Workload("a", Group(groups=groups, min_groups=len(groups)))
    demand = read_demand(workload, workload.root, state)
    ranks = {leaf.index: list(range(leaf.group.pods)) for leaf in demand.leaves}
    return Problem(demand, ranks, {0, *ranks})


def _options(state: ClusterState, asks: list[tuple[Request, int]], budget: int = 10**9) -> dict[tuple[int, ...], Room]:
    problem = _problem(state, asks)
    mask = (1 << len(problem.kinds)) - 1
    most = problem.vector(problem.view(-1))
    found = packed_shares(state.rooms, problem.kinds, most, mask, state.room_of[0], Budget(budget))
    order = sorted(problem.kinds, key=lambda kind: kind.leaf.index)
    return {tuple(vector[kind.item] for kind in order): room for vector, room, _ in found}


def _brute(state: ClusterState, asks: list[tuple[Request, int]]) -> dict[tuple[int, ...], int]:
    """Return the most slots that can be left for every number of pods of each kind that fits."""
    shapes = [kind.shape for kind in sorted(_problem(state, asks).kinds, key=lambda kind: kind.leaf.index)]
    best: dict[tuple[int, ...], int] = {}
    seen: set[tuple[tuple[int, ...], int]] = set()

    def go(counts: tuple[int, ...], room: Room) -> None:
        if (counts, room.index) in seen:
            return
        seen.add((counts, room.index))
        best[counts] = max(best.get(counts, -1), room.slots)
        for number, shape in enumerate(shapes):
            if counts[number] < asks[number][1]:
                for chosen in choices(shape, room):
                    after = state.rooms.put_on(shape, room, chosen)
                    if after is not None:
                        go((*counts[:number], counts[number] + 1, *counts[number + 1 :]), after)

    go((0,) * len(shapes), state.room_of[0])
    return best


def _node(*cards: Cards) -> ClusterState:
    return state_of([Node("n", cards=cards)])


@given(st.integers(0, 2**32 - 1))
def test_every_number_of_pods_that_fits_is_found_with_most_slots_left(seed: int) -> None:
    random = Random(seed)
    state = _node(Cards(random.randint(2, 3), memory=1000), Cards(random.randint(0, 1), memory=2000))
    pool = [
        asks_share(part=random.choice([300, 400, 500])),
        asks_share(memory=random.choice([250, 600])),
        asks_share(2, percent=random.choice([30, 60])),
        asks_share(percent=20, compute=random.choice([40, 80])),
        request(1),
    ]
    asks = [(one, random.randint(1, 2)) for one in random.sample(pool, random.randint(2, 3))]
    assert {counts: room.slots for counts, room in _options(state, asks).items()} == _brute(state, asks)


def test_shares_that_each_go_to_the_tightest_card_would_block_one_another() -> None:
    """Tightest first, both shares of 45 % meet on one card; apart, each leaves room for 30 + 25 or 25 + 25."""
    state = _node(Cards(2, memory=1000))
    asks = [(asks_share(percent=45), 2), (asks_share(percent=30), 1), (asks_share(percent=25), 3)]
    room: Room | None = state.room_of[0]
    for kind in _problem(state, asks).kinds:
        for _ in range(dict(zip((45, 30, 25), (2, 1, 3), strict=True))[kind.shape.share_percent]):
            room = None if room is None else state.rooms.fits(kind.shape, room)
    assert room is None
    assert (2, 1, 3) in _options(state, asks)
    groups = tuple(Group(f"g{number}", pods, pods, one) for number, (one, pods) in enumerate(asks))
    lived = engine_of([Node("n", cards=(Cards(2, memory=1000),))])
    assert len(submitted(lived, Workload("a", Group(groups=groups, min_groups=3))).pods) == 6


def test_a_search_beyond_its_budget_says_so() -> None:
    state = _node(Cards(3, memory=1000))
    with pytest.raises(OverBudgetError):
        _options(state, [(asks_share(percent=30), 3), (asks_share(percent=20), 3)], budget=5)
