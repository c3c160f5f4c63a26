"""Gangs over several racks: as few as will do, filled in a sensible order."""

from __future__ import annotations

from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.indexed.spread import Spread, fill_racks
from railwise.model.node import Node
from tests.engine.small import FABRIC, engine, gang, racks, request, shape_of, state_of, submitted

seeds = st.integers(0, 2**32 - 1)


def _spread(nodes: list[Node], gpus: int, pods: int) -> tuple[ClusterState, Shape, Spread]:
    state = state_of(nodes, FABRIC)
    shape = shape_of(state, request(gpus))
    return state, shape, Indexes(state).racks(0, shape, pods, by_cpu=False, nodes_first=False)[1]


def test_the_roomiest_racks_are_filled_and_the_rest_goes_to_the_snuggest() -> None:
    _, _, spread = _spread(racks(3, 5, 2, 4, 2), 8, 16)
    members = range(5)
    assert fill_racks(spread.racks, members, 5) == [(1, 5)]
    assert fill_racks(spread.racks, members, 7) == [(1, 5), (2, 2)]
    assert fill_racks(spread.racks, members, 8) == [(1, 5), (0, 3)]
    assert fill_racks(spread.racks, members, 11) == [(1, 5), (3, 4), (2, 2)]
    assert fill_racks(spread.racks, [0, 2], 9) == [(0, 3), (2, 2)]  # as many as there is room for


@given(seeds)
def test_filling_uses_as_few_racks_as_can_be(seed: int) -> None:
    random = Random(seed)
    sizes = [random.randint(1, 5) for _ in range(random.randint(1, 6))]
    pods = random.randint(1, sum(sizes))
    _, _, spread = _spread(racks(*sizes), 8, pods)
    shares = fill_racks(spread.racks, range(len(sizes)), pods)
    assert sum(here for _, here in shares) == pods
    assert len({rack for rack, _ in shares}) == len(shares)
    assert all(0 < here <= sizes[rack] for rack, here in shares)
    number = next(
        count
        for count in range(1, len(sizes) + 1)
        if any(sum(sizes[rack] for rack in chosen) >= pods for chosen in combinations(range(len(sizes)), count))
    )
    assert len(shares) == number


@given(seeds)
def test_the_best_domain_holds_all_pods_within_its_room(seed: int) -> None:
    random = Random(seed)
    sizes = [random.randint(1, 4) for _ in range(random.randint(2, 7))]
    gpus, pods = random.choice([8, 8, 4, 3]), random.randint(2, 9)
    state, shape, _ = _spread(racks(*sizes), gpus, pods)
    for _ in range(random.randint(0, 6)):
        state.put(shape_of(state, request(random.choice([1, 8]))), random.randrange(len(state.nodes)))
    spread = Indexes(state).racks(0, shape, pods, by_cpu=False, nodes_first=False)[1]
    tree = state.trees[0].tree
    for level in (-1, 0):
        room = [spread.capacity(level, domain) for domain in range(1 if level < 0 else len(tree.tiers[0].names))]
        expected = [
            sum(spread.racks.of_rack[rack].capacity for rack in range(*tree.racks_in(level, domain)))
            for domain in range(len(room))
        ]
        assert room == expected
        answer = spread.best(level, pods, -1, count_racks=True)
        assert (answer is None) == (max(room) < pods)
        if answer is not None:
            shares, _ = answer
            assert sum(here for _, here in shares) == pods
            assert all(here <= spread.racks.of_rack[rack].capacity for rack, here in shares)
            assert len({tree.tiers[1].parent[rack] for rack, _ in shares}) == 1 or level < 0


def test_many_superpods_of_unequal_size_are_no_reason_to_try_every_set() -> None:
    """Twenty of forty superpods hold the gang, and no other twenty do."""
    sizes = [2] * 40 + [1] * 40
    nodes = racks(*(sizes[number] for number in range(80)))
    plan = submitted(engine(nodes), gang("a", 80, request(8)))
    assert len(plan.pods) == 80
    assert len(plan.domains["superpod"]) == 20
