"""A demand as nested blocks for the bounded search: what must lie together, largest and narrowest first."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part
from railwise.engine.search.problem import runs_of


class Block:
    """Pods (as (leaf number, ranks, shape)) and narrower blocks that lie in one domain of ``level`` of ``tree``.

    ``level`` NOT_GIVEN: anywhere in the surroundings. ``apart`` is a level of which no two pods (no two inner blocks)
    may share a domain; ``home`` are nodes where pods of the block already run.
    """

    def __init__(self, tree: int, level: int, part: Part) -> None:
        """Start empty."""
        self.tree: Final = tree
        self.level: Final = level
        self.part: Final = part
        self.pods: list[tuple[int, list[int], Shape]] = []
        self.inner: list[Block] = []
        self.apart = NOT_GIVEN
        self.home: list[int] = []

    def size(self) -> int:
        """Return the demand of all pods in thousandths of a card, at least one a pod."""
        own = sum(len(ranks) * max(shape.gpu_thousandths(), 1) for _, ranks, shape in self.pods)
        return own + sum(block.size() for block in self.inner)

    def shapes(self) -> dict[Shape, int]:
        """Return how many pods of each shape the block holds."""
        counts: dict[Shape, int] = {}
        for _, ranks, shape in self.pods:
            counts[shape] = counts.get(shape, 0) + len(ranks)
        for block in self.inner:
            for shape, count in block.shapes().items():
                counts[shape] = counts.get(shape, 0) + count
        return counts


def read_blocks(demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Block:
    """Return the root block of the chosen parts with the ranks to place."""
    numbers = {leaf.index: number for number, leaf in enumerate(demand.leaves)}
    root = Block(demand.root.tree, NOT_GIVEN, demand.root)
    _fill(root, demand.root, ranks, chosen, numbers)
    return root


def _fill(block: Block, part: Part, ranks: dict[int, list[int]], chosen: set[int], numbers: dict[int, int]) -> None:
    if part.distinct != NOT_GIVEN:
        block.apart = part.distinct
    block.home = [node for leaf in part.leaves() for node in leaf.fixed.values()]
    if part.shape is not None:
        wanted = ranks.get(part.index, [])
        if part.segment_size and part.segment_required >= 0:
            for ranks_of_run, home in runs_of(part, wanted):
                run = Block(part.tree, part.segment_required, part)
                run.pods.append((numbers[part.index], ranks_of_run, part.shape))
                run.home = list(home)
                block.inner.append(run)
        elif wanted:
            block.pods.append((numbers[part.index], wanted, part.shape))
        return
    for child in part.children:
        if child.index in chosen:
            inner = Block(child.tree, child.required, child)
            _fill(inner, child, ranks, chosen, numbers)
            block.inner.append(inner)
    block.inner.sort(key=lambda inner: (-inner.level, -inner.size()))
