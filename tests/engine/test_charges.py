"""What pods count in a queue, in thousandths of a card and base units."""

from __future__ import annotations

import pytest

from railwise.engine.cluster.occupy import occupy
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import Amounts, add, of_pod, of_ranks
from railwise.engine.gangs.demand import read_demand
from railwise.model.node import Cards, Node
from railwise.model.workload import CARDS_MIG, CardRequest, Request
from tests.engine.small import asks_share, group, grouped, request, shape_of, state_of


def _state() -> ClusterState:
    return state_of([Node("small", cards=(Cards(2, memory=1000),)), Node("large", cards=(Cards(2, memory=4000),))])


@pytest.mark.parametrize(
    ("asks", "waiting", "on_small"),
    [
        (request(2), 2000, 2000),
        (asks_share(part=334), 334, 334),
        (asks_share(memory=1000), 250, 1000),  # a quarter of the largest card, the whole of the small one
        (asks_share(memory=333), 84, 333),  # rounded up
        (asks_share(2, percent=40), 800, 800),
        (asks_share(memory=100, compute=70), 700, 700),  # the larger part counts
        (Request(CardRequest(CARDS_MIG)), 0, 0),
    ],
)
def test_cards_in_thousandths(asks: Request, waiting: int, on_small: int) -> None:
    state = _state()
    workload = grouped("a", group("x", 3, asks))
    demand = read_demand(workload, workload.root, state)
    expected: Amounts = {"gpu": 2 * waiting} if waiting else {}
    assert of_ranks(demand, {demand.leaves[0].index: [0, 2]}, state) == expected
    shape = shape_of(state, asks)
    grant = occupy(state, shape, 0, ("0", "1") if asks.cards.count == 2 else ("0",))
    assert of_pod(shape, 0, grant, state) == ({"gpu": on_small} if on_small else {})


def test_other_resources_count_in_base_units() -> None:
    state = _state()
    shape = shape_of(state, request(1, cpu=500, memory=64, **{"example.com/nic": 2}))
    grant = state.put(shape_of(state, request(1)), 0)
    assert grant is not None
    assert of_pod(shape, 0, grant, state) == {"gpu": 1000, "cpu": 500, "memory": 64, "example.com/nic": 2}


def test_what_falls_to_nothing_is_dropped() -> None:
    total: Amounts = {"gpu": 3000, "cpu": 1}
    add(total, {"gpu": 1000, "memory": 5})
    add(total, {"gpu": 4000, "cpu": 1}, -1)
    assert total == {"memory": 5}
