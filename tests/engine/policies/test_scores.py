"""The formulas of kube-scheduler, worked out by hand."""

from __future__ import annotations

import math

import pytest

from railwise.engine.cluster.state import ClusterState
from railwise.engine.policies.scores import (
    Use,
    balance,
    balanced_allocation,
    card_use,
    cpu_use,
    least_allocated,
    logarithm,
    memory_use,
    most_allocated,
    spread_raw,
    spread_scores,
    taint_scores,
)
from railwise.model.node import Cards, Node
from railwise.model.policy import Policy
from railwise.model.workload import CardRule, Request, Selection
from tests.engine.policies.clusters import request


@pytest.mark.parametrize(
    ("uses", "score"),
    [
        ([(3000, 4000), (5000, 10000)], 37),  # (25 + 50) / 2
        ([(0, 4000), (0, 10000)], 100),
        ([(4000, 4000), (10000, 10000)], 0),
        ([(5000, 4000), (5000, 10000)], 25),  # asked for beyond the capacity: nothing
        ([(0, 0), (5000, 10000)], 50),  # no cpu is listed: memory alone
        ([(0, 0), (0, 0)], 0),
    ],
)
def test_least_allocated(uses: list[Use], score: int) -> None:
    assert least_allocated(uses) == score


@pytest.mark.parametrize(
    ("uses", "score"),
    [
        ([(6000, 8000), (1000, 10000), (0, 0)], 58),  # (3·75 + 10) / 4
        ([(4000, 8000), (9000, 10000), (0, 0)], 60),  # (3·50 + 90) / 4
        ([(8000, 8000), (20000, 10000), (1, 3)], 86),  # (3·100 + 100 + 33) / 5
        ([(0, 0), (0, 0), (0, 0)], 0),
    ],
)
def test_most_allocated(uses: list[Use], score: int) -> None:
    assert most_allocated(uses, [3, 1, 1]) == score


@pytest.mark.parametrize(
    ("cpu", "memory", "score"),
    [
        ((3000, 4000), (5000, 10000), 87),  # |0.75 - 0.5| / 2 = 0.125
        ((1000, 4000), (2500, 10000), 100),
        ((4000, 4000), (0, 10000), 50),
        ((9000, 4000), (10000, 10000), 100),  # no more than all of it is in use
        ((3000, 4000), (0, 0), 100),
    ],
)
def test_balance(cpu: Use, memory: Use, score: int) -> None:
    assert balance(cpu, memory) == score


@pytest.mark.parametrize(("before", "after", "score"), [(100, 100, 75), (100, 50, 50), (50, 100, 100), (80, 87, 78)])
def test_balanced_allocation_scores_the_change(before: int, after: int, score: int) -> None:
    assert balanced_allocation(before, after) == score


@pytest.mark.parametrize("number", [1, 2, 3, 4, 6, 10, 102, 5002, 99999, 10**6])
def test_logarithm(number: int) -> None:
    assert 0 <= math.log(number) * 1e6 - logarithm(number) < 1.01


@pytest.mark.parametrize(
    ("counts", "raw"),
    [
        ([(0, 2, 3)], 2),
        ([(1, 2, 3)], 3),  # ln 4 = 1.386, and 2
        ([(2, 4, 3), (3, 2, 5)], 14),  # 2·ln 6 + 2 = 5.584, 3·ln 4 + 4 = 8.159
    ],
)
def test_raw_spread(counts: list[tuple[int, int, int]], raw: int) -> None:
    assert spread_raw(counts) == raw


@pytest.mark.parametrize(("raw", "scores"), [([3, 2], [66, 100]), ([2, 2], [100, 100]), ([0, 0], [100, 100])])
def test_spread(raw: list[int], scores: list[int]) -> None:
    assert spread_scores(raw) == scores


@pytest.mark.parametrize(("counts", "scores"), [([0, 0], [100, 100]), ([0, 1, 3], [100, 67, 0])])
def test_soft_taints(counts: list[int], scores: list[int]) -> None:
    assert taint_scores(counts) == scores


@pytest.mark.parametrize(
    ("pods", "cards", "cpu", "memory"),
    [
        ([], 0, 0, 0),
        ([request(gpu=3, cpu=4000, memory=100)], 3000, 4000, 100),
        ([request(part=250), request(part=500)], 750, 0, 0),  # both on one card
        ([request(part=1000)], 1000, 0, 0),
        ([request(cpu=16000)], 0, 16000, 0),
    ],
)
def test_what_is_in_use_is_read_from_a_room(pods: list[Request], cards: int, cpu: int, memory: int) -> None:
    node = Node("n", cards=(Cards(8, memory=80_000),), unhealthy=frozenset({7}), resources={"cpu": 16000})
    state = ClusterState([node], (), Policy())
    for asks in pods:
        assert state.put(state.shapes.intern(asks, CardRule(), Selection()), 0) is not None
    assert card_use(state.room_of[0]) == (cards, 7000)
    assert cpu_use(state.room_of[0]) == (cpu, 16000)
    assert memory_use(state.room_of[0]) == (0, 0)

    limited = ClusterState([Node("n", cards=(Cards(8),), resources={"memory": 1000})], (), Policy())
    for asks in pods:
        assert limited.put(limited.shapes.intern(asks, CardRule(), Selection()), 0) is not None
    assert memory_use(limited.room_of[0]) == (memory, 1000)
    assert cpu_use(limited.room_of[0]) == (0, 0)
