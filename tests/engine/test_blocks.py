"""A demand as nested blocks: what must lie together, alike blocks side by side."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part, read_demand
from railwise.engine.search.apart import ALONE
from railwise.engine.search.blocks import Block, Pods, items_of, read_blocks
from railwise.model.workload import Group, Running, Workload
from tests.engine.small import FABRIC, apart, gang, group, grouped, racks, request, segmented, state_of


def _blocks(workload: Workload, ranks: dict[int, list[int]] | None = None) -> tuple[Demand, Block]:
    state = state_of(racks(2, 2), FABRIC)
    demand = read_demand(workload, workload.root, state)
    parts = {0}
    for leaf in demand.leaves:
        part: Part | None = leaf
        while part is not None:
            parts.add(part.index)
            part = part.parent
    wanted = ranks or {leaf.index: list(range(leaf.group.pods)) for leaf in demand.leaves}
    return demand, read_blocks(demand, wanted, parts, state)


def _tokens(block: Block) -> list[tuple[int, int]]:
    return [token for pods in block.pods for token in pods.tokens]


def test_loose_pods_lie_in_the_block_itself() -> None:
    _, block = _blocks(gang("a", 3, request(2)))
    assert _tokens(block) == [(0, 0), (0, 1), (0, 2)]
    assert (block.levels, block.batches, block.size()) == ((NOT_GIVEN,), [], 6000)


def test_groups_without_a_rule_of_their_own_are_loose_pods_of_the_whole() -> None:
    inner = Group("in", groups=(group("x", 1, request(8)), group("y", 2, request(2))), min_groups=2)
    _, block = _blocks(grouped("a", inner, group("z", 1, request(8))))
    assert block.batches == []
    assert {pods.shape.cards: pods.tokens for pods in block.pods} == {8: [(0, 0), (2, 0)], 2: [(1, 0), (1, 1)]}


def test_runs_of_ranks_are_blocks_of_their_own_and_the_short_one_is_not_alike() -> None:
    _, block = _blocks(segmented(gang("a", 5, request(2)), 2, "rack"))
    assert block.pods == []
    assert [[_tokens(run) for run in batch] for batch in block.batches] == [
        [[(0, 0), (0, 1)], [(0, 2), (0, 3)]],
        [[(0, 4)]],
    ]
    assert {run.levels for batch in block.batches for run in batch} == {(1,)}


def test_a_rank_that_comes_back_joins_the_rest_of_its_run() -> None:
    workload = segmented(gang("a", 6, request(2)), 2, "rack")
    running = Running(("n0", None, None, "n2"))
    demand, block = _blocks(replace(workload, root=replace(workload.root, running=running)), {0: [1, 2, 4, 5]})
    assert demand.root.fixed == {0: 0, 3: 2}
    found = [(_tokens(run), run.home) for batch in block.batches for run in batch]
    assert found == [([(0, 1)], [0]), ([(0, 2)], [2]), ([(0, 4), (0, 5)], [])]


def test_the_narrowest_and_largest_blocks_come_first_and_loose_pods_last() -> None:
    workload = grouped(
        "a",
        group("loose", 9, request(8)),
        group("wide", 1, request(8), required="superpod"),
        group("small", 1, request(8), required="rack"),
        group("large", 2, request(8), required="rack"),
        group("small too", 1, request(8), required="rack"),
    )
    _, block = _blocks(workload)
    items = items_of(block)
    names = [[other.part.path for other in item] for item in items if not isinstance(item, Pods)]
    assert names == [["large"], ["small", "small too"], ["wide"]]
    assert isinstance(items[-1], Pods)
    assert {shape.cards: pods for shape, pods in block.shapes.items()} == {8: 14}


def test_a_group_that_prefers_a_level_is_tried_there_first() -> None:
    _, block = _blocks(
        grouped("a", group("x", 1, request(8), preferred="rack"), group("y", 1, request(8), required="superpod"))
    )
    assert {other.part.path: other.levels for batch in block.batches for other in batch} == {
        "x": (1, 0, NOT_GIVEN),
        "y": (0,),
    }


def test_pods_apart_ask_for_themselves_and_groups_apart_for_their_group() -> None:
    _, block = _blocks(apart(gang("a", 2, request(8)), "rack"))
    ((apart_at, holder),) = block.pods[0].guards
    assert (apart_at.level, holder) == (1, ALONE)
    inner = Group("in", groups=(group("x", 1, request(8)), group("y", 1, request(8))), min_groups=2)
    runs = replace(inner.groups[0], running=Running(("n3",)))
    demand, block = _blocks(
        grouped("a", replace(inner, groups=(runs, inner.groups[1])), group("z", 1, request(8)), distinct="node"),
        {3: [0], 4: [0]},
    )
    assert demand.leaves[0].fixed == {0: 3}
    (first,), (second,) = block.batches
    assert [(other.part.path, other.home) for other in (first, second)] == [("in", [3]), ("z", [])]
    apart_at, holder = second.guards[0]
    assert (holder, apart_at.held) == (1, {3: (0, 1)})
    assert not apart_at.allows(3, 1)
    assert apart_at.allows(3, 0)
