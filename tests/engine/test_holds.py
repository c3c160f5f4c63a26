"""How much each domain holds: never less than what goes there, and up to date."""

from __future__ import annotations

from random import Random

import pytest

from railwise.engine.gangs.demand import NOT_GIVEN, Part, read_demand
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.blocks import Block, read_blocks
from railwise.engine.search.holds import Holds
from railwise.model.workload import Group, TopologyRule, Workload
from tests.engine.small import FABRIC, apart, gang, group, grouped, racks, request, segmented, shape_of, state_of


def _copies(workload: Workload, level: int, *busy: tuple[int, int]) -> list[int]:
    """Return how many copies of the whole each domain of a level holds; ``busy``: (node, cards in use)."""
    state = state_of(racks(2, 2, 3, 1), FABRIC)
    demand = read_demand(workload, workload.root, state)
    for node, cards in busy:
        assert state.put(shape_of(state, request(cards)), node) is not None
    parts = {part.index for leaf in demand.leaves for part in _upwards(leaf)}
    root = read_blocks(demand, {leaf.index: list(range(leaf.group.pods)) for leaf in demand.leaves}, parts, state)
    holds = Holds(state, Indexes(state), root.shapes, by_cpu=False)
    domains = len(state.nodes) if level == 2 else len(state.trees[0].tree.tiers[level].names)
    return holds.copies(root, level, 0, domains, set())


def _upwards(leaf: Part) -> list[Part]:
    return [leaf] if leaf.parent is None else [leaf, *_upwards(leaf.parent)]


def test_pods_that_fit_by_themselves_are_counted() -> None:
    assert _copies(gang("a", 2, request(8)), 1) == [1, 1, 1, 0]
    assert _copies(gang("a", 2, request(4)), 1, (0, 5)) == [1, 2, 3, 1]
    assert _copies(gang("a", 2, request(4)), 2, (0, 5)) == [0, 1, 1, 1, 1, 1, 1, 1]
    assert _copies(gang("a", 3, request(8)), 0) == [1, 1]


def test_cards_are_counted_where_pods_differ() -> None:
    two = grouped("a", group("x", 1, request(8)), group("y", 4, request(2)))
    assert _copies(two, 1) == [1, 1, 1, 0]
    assert _copies(two, 1, (1, 1)) == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("workload", "copies"),
    [
        (segmented(gang("a", 4, request(4)), 2, "node"), [2, 2]),
        (segmented(gang("a", 4, request(8)), 3, "rack"), [0, 1]),
        (segmented(gang("a", 4, request(8)), 2, "rack"), [1, 0]),
        (apart(gang("a", 2, request(8)), "rack"), [1, 1]),
        (apart(gang("a", 3, request(1)), "rack"), [0, 0]),
        (apart(gang("a", 4, request(1)), "node"), [1, 1]),
        (grouped("a", group("x", 3, request(8), required="rack"), group("y", 1, request(8))), [0, 1]),
    ],
)
def test_what_lies_together_or_apart_inside_is_counted(workload: Workload, copies: list[int]) -> None:
    assert _copies(workload, 0) == copies


def test_counts_follow_the_state_and_leave_barred_nodes_out() -> None:
    state = state_of(racks(2, 2), FABRIC)
    shape = shape_of(state, request(2))
    holds = Holds(state, Indexes(state), {shape: 9}, by_cpu=False)
    random = Random(1)
    for _ in range(40):
        node = random.randrange(4)
        grant = state.put(shape, node)
        if grant is not None and random.random() < 0.4:
            state.take_away(shape, node, grant)
        free = [state.room_of[node].slots // 2 for node in range(4)]
        assert holds.of(shape).of_node == free
        assert holds.room({shape: 1}, 0, 1, 0, 2, set()) == [free[0] + free[1], free[2] + free[3]]
        assert holds.room({shape: 1}, 0, 1, 0, 2, {1, 2}) == [free[0], free[3]]
        assert holds.room({shape: 1}, 0, 2, 1, 3, set()) == free[1:3]


def test_a_block_without_a_level_is_bounded_by_what_it_holds() -> None:
    rule = TopologyRule(required="superpod")
    inner = Group("in", groups=(group("x", 2, request(8), required="rack"),), min_groups=1, topology=rule)
    workload = grouped("a", inner, group("y", 2, request(8)))
    state = state_of(racks(1, 1, 1, 1), FABRIC)
    demand = read_demand(workload, workload.root, state)
    root = read_blocks(demand, {2: [0, 1], 3: [0, 1]}, {0, 1, 2, 3}, state)
    assert root.levels == (NOT_GIVEN,)
    holds = Holds(state, Indexes(state), root.shapes, by_cpu=False)
    (block,) = (block for batch in root.batches for block in batch)
    assert isinstance(block, Block)
    assert holds.copies(block, 0, 0, 2, set()) == [0, 0]
