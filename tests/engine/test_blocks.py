"""A demand as nested blocks: what must lie together, largest and narrowest first."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.gangs.demand import NOT_GIVEN, Demand, read_demand
from railwise.engine.search.blocks import Block, read_blocks
from railwise.model.workload import Group, Running, Workload
from tests.engine.small import FABRIC, apart, gang, group, grouped, racks, request, segmented, state_of


def _blocks(workload: Workload, ranks: dict[int, list[int]] | None = None) -> tuple[Demand, Block]:
    demand = read_demand(workload, workload.root, state_of(racks(2, 2), FABRIC))
    parts = {0}
    for leaf in demand.leaves:
        part = leaf
        while part.parent is not None:
            parts.add(part.index)
            part = part.parent
    wanted = ranks or {leaf.index: list(range(leaf.group.pods)) for leaf in demand.leaves}
    return demand, read_blocks(demand, wanted, parts)


def test_loose_pods_lie_in_the_block_itself() -> None:
    _, block = _blocks(gang("a", 3, request(2)))
    assert [(number, ranks) for number, ranks, _ in block.pods] == [(0, [0, 1, 2])]
    assert (block.level, block.inner, block.size()) == (NOT_GIVEN, [], 6000)


def test_runs_of_ranks_are_blocks_of_their_own() -> None:
    _, block = _blocks(segmented(gang("a", 5, request(2)), 2, "rack"))
    assert block.pods == []
    assert [run.level for run in block.inner] == [1, 1, 1]
    assert sorted(ranks for run in block.inner for _, ranks, _ in run.pods) == [[0, 1], [2, 3], [4]]


def test_a_rank_that_comes_back_joins_the_rest_of_its_run() -> None:
    workload = segmented(gang("a", 6, request(2)), 2, "rack")
    running = Running(("n0", None, None, "n2"))
    demand, block = _blocks(replace(workload, root=replace(workload.root, running=running)), {0: [1, 2, 4, 5]})
    assert demand.root.fixed == {0: 0, 3: 2}
    found = sorted((ranks, run.home) for run in block.inner for _, ranks, _ in run.pods)
    assert found == [([1], [0]), ([2], [2]), ([4, 5], [])]


def test_the_narrowest_and_largest_blocks_come_first() -> None:
    workload = grouped(
        "a",
        group("loose", 9, request(8)),
        group("wide", 1, request(8), required="superpod"),
        group("small", 1, request(8), required="rack"),
        group("large", 2, request(8), required="rack"),
    )
    _, block = _blocks(workload)
    assert [inner.part.path for inner in block.inner] == ["large", "small", "wide", "loose"]
    assert {shape.cards: pods for shape, pods in block.shapes().items()} == {8: 13}


def test_what_must_lie_apart_and_where_pods_run_is_noted() -> None:
    _, block = _blocks(apart(gang("a", 2, request(8)), "rack"))
    assert block.apart == 1
    inner = Group("in", groups=(group("x", 1, request(8)), group("y", 1, request(8))), min_groups=2)
    running = replace(inner.groups[0], running=Running(("n3",)))
    _, block = _blocks(grouped("a", replace(inner, groups=(running, inner.groups[1])), distinct="node"))
    assert (block.apart, block.home) == (2, [3])
    assert block.inner[0].home == [3]
