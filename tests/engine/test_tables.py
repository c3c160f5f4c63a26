"""Cost tables over nodes and pods, against every way to deal the pods out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.indexed.cost import LOSS
from railwise.engine.indexed.tables import MOST_WAYS, NEVER, Joined, Kind, OneKind, Tables, Way

PODS = 5


def _kind(random: Random, index: int, whole: int = -1) -> Kind:
    steps = [random.randint(1, 4) for _ in range(random.randint(1, 4))]
    return Kind(index, tuple(sum(steps[: count + 1]) for count in range(len(steps))), whole, lame=False)


def _deals(nodes: list[Kind], pods: int) -> Iterator[Way]:
    """Yield every way to put pods on nodes, as (kind, pods there) of the nodes used."""
    if not nodes:
        if pods == 0:
            yield ()
        return
    for here in range(min(nodes[0].capacity, pods) + 1):
        for rest in _deals(nodes[1:], pods - here):
            yield (((nodes[0].index, here),) if here else ()) + rest


def _cheapest(members: list[tuple[Kind, int]], loss: list[int], used: int, pods: int) -> tuple[int, set[Way]]:
    """Return the least cost of pods on just ``used`` nodes, and every way that has it, nodes in any order."""
    costs = {kind.index: kind.costs for kind, _ in members}
    nodes = [kind for kind, count in members for _ in range(count)]
    best: tuple[int, set[Way]] = (NEVER, set())
    for way in _deals(nodes, pods):
        if len(way) != used:
            continue
        cost = sum(costs[kind][here - 1] for kind, here in way) + (LOSS * loss[used] if loss else 0)
        if best[0] == NEVER or cost < best[0]:
            best = (cost, set())
        if cost == best[0]:
            best[1].add(tuple(sorted(way)))
    return best


@given(st.integers(0, 2**32 - 1))
def test_one_kind_of_node_costs_what_the_best_deal_does(seed: int) -> None:
    random = Random(seed)
    kind, count = _kind(random, 7), random.randint(1, 4)
    table = OneKind(kind, count, PODS)
    assert len(table.table) == min(count, PODS) + 1
    for used in range(len(table.table)):
        for pods in range(PODS + 1):
            cost, ways = _cheapest([(kind, count)], [], used, pods)
            assert table.table[used][pods] == cost
            assert {tuple(sorted(way)) for way in table.ways(used, pods)} == ways


@given(st.integers(0, 2**32 - 1))
def test_several_kinds_together_cost_what_the_best_deal_does(seed: int) -> None:
    random = Random(seed)
    members = [(_kind(random, index), random.randint(1, 2)) for index in range(random.randint(1, 3))]
    nodes = sum(count for _, count in members)
    loss = random.choice([[], sorted(random.randint(0, 3) for _ in range(nodes + 1))])
    joined = Tables().joined(members, loss, PODS)
    for pods in range(PODS + 1):
        answers = [_cheapest(members, loss, used, pods) for used in range(nodes + 1)]
        for used in range(len(joined.table)):
            assert joined.table[used][pods] == answers[used][0]
            assert {tuple(sorted(way)) for way in joined.ways(used, pods)} == answers[used][1]
        possible = [cost for cost, _ in answers if cost != NEVER]
        assert joined.best[pods] == min(possible, default=NEVER)
        expected = set[Way]().union(*(ways for cost, ways in answers if cost == joined.best[pods] != NEVER))
        assert {tuple(sorted(way)) for way in joined.cheapest_ways(pods)} == expected


def test_losses_are_added_once_for_all_nodes_used() -> None:
    kind = Kind(0, (10,), 0, lame=False)
    joined = Joined([OneKind(kind, 3, 3)], [0, 5, 7, 20], 3)
    assert joined.table == [
        [0, NEVER, NEVER, NEVER],
        [NEVER, 10 + 5 * LOSS, NEVER, NEVER],
        [NEVER, NEVER, 20 + 7 * LOSS, NEVER],
        [NEVER, NEVER, NEVER, 30 + 20 * LOSS],
    ]


def test_no_more_ways_are_kept_than_can_be_compared() -> None:
    kinds = [(Kind(index, (1, 2, 3, 4), -1, lame=False), 4) for index in range(6)]
    ways = Tables().joined(kinds, [], 8).cheapest_ways(8)
    assert len(ways) == MOST_WAYS
    assert all(sum(here for _, here in way) == 8 for way in ways)


@pytest.mark.parametrize("loss", [[], [0, 1, 2, 3, 4]])
def test_tables_of_the_same_nodes_are_made_once(loss: list[int]) -> None:
    tables = Tables()
    kinds = [(Kind(0, (3, 5), -1, lame=False), 2), (Kind(1, (4,), -1, lame=False), 2)]
    first = tables.joined(kinds, loss, 4)
    assert tables.joined(list(kinds), list(loss), 4) is first
    assert tables.joined(kinds, loss, 3) is not first
    assert Counter(map(len, first.cheapest_ways(4))) == Counter({2: 1})
