"""A demand as nested blocks for the bounded search: what lies together, alike blocks side by side."""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part
from railwise.engine.search.apart import ALONE, Apart, Guard
from railwise.engine.search.problem import Token, runs_of


class Pods(NamedTuple):
    """Equal pods with nothing to keep together, as (leaf number, rank), and whom each must ask first."""

    tokens: list[Token]
    shape: Shape
    guards: tuple[Guard, ...]


class Block:
    """Pods and narrower blocks that lie in one domain of ``tree``, at the first of ``levels`` where there is room.

    The last level is the one that is required; NOT_GIVEN: anywhere in the surroundings. The domain at level ``asked``
    must have a name. ``home`` are nodes where pods of the block already run. ``guards`` hold for all of its pods.
    """

    def __init__(self, part: Part, levels: tuple[int, ...], asked: int, guards: tuple[Guard, ...]) -> None:
        """Start empty."""
        self.part: Final = part
        self.tree: Final = part.tree
        self.levels: Final = levels
        self.asked: Final = asked
        self.guards: Final = guards
        self.pods: list[Pods] = []
        self.batches: list[list[Block]] = []
        self.home: list[int] = []
        self.shapes: dict[Shape, int] = {}

    def size(self) -> int:
        """Return the demand of all pods in thousandths of a card, at least one a pod."""
        return sum(pods * max(shape.gpu_thousandths(), 1) for shape, pods in self.shapes.items())

    def at(self, level: int) -> Block:
        """Return the same contents for one level of the ladder."""
        block = Block(self.part, (level,), self.asked, self.guards)
        block.pods, block.batches, block.home, block.shapes = self.pods, self.batches, self.home, self.shapes
        return block


Item = list[Block] | Pods
"""What is placed in one go: alike blocks, or equal pods."""


def read_blocks(demand: Demand, ranks: dict[int, list[int]], chosen: set[int], state: ClusterState) -> Block:
    """Return the root block of the chosen parts with the ranks to place."""
    reader = _Reader(demand, ranks, chosen, state)
    return reader.read(demand.root, (NOT_GIVEN,), ())


def items_of(block: Block) -> list[Item]:
    """Return what a block holds, in the order in which it is placed: what must lie together before loose pods."""
    loose = sorted(block.pods, key=lambda pods: -pods.shape.gpu_thousandths())
    return [*block.batches, *loose]


class _Reader:
    def __init__(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int], state: ClusterState) -> None:
        self.ranks: Final = ranks
        self.chosen: Final = chosen
        self.state: Final = state
        self.numbers: Final = {leaf.index: number for number, leaf in enumerate(demand.leaves)}

    def read(self, part: Part, levels: tuple[int, ...], guards: tuple[Guard, ...]) -> Block:
        """Return the block of a part, its ladder being given."""
        block = Block(part, levels, part.required, guards)
        block.home = [node for leaf in part.leaves() for node in leaf.fixed.values()]
        inner: list[Block] = []
        loose: dict[tuple[Shape, tuple[Guard, ...]], list[Token]] = {}
        self._gather(part, guards, inner, loose)
        for (shape, asked), tokens in loose.items():
            block.pods.append(Pods(tokens, shape, asked))
            block.shapes[shape] = block.shapes.get(shape, 0) + len(tokens)
        for other in inner:
            for shape, count in other.shapes.items():
                block.shapes[shape] = block.shapes.get(shape, 0) + count
        inner.sort(key=lambda other: (not other.home, -other.levels[-1], -other.levels[0], -other.size()))
        alike: dict[tuple[object, ...], list[Block]] = {}
        for number, other in enumerate(inner):
            alike.setdefault(_key(other, number), []).append(other)
        block.batches = list(alike.values())
        return block

    def _gather(
        self,
        part: Part,
        guards: tuple[Guard, ...],
        inner: list[Block],
        loose: dict[tuple[Shape, tuple[Guard, ...]], list[Token]],
    ) -> None:
        """Add what a part holds: blocks that lie together, and loose pods by shape and guards.

        A group without a rule about itself adds its contents to those around it.
        """
        apart = Apart(part, self.state) if part.distinct != NOT_GIVEN else None
        if part.shape is not None:
            mine = guards if apart is None else (*guards, Guard(apart, ALONE))
            self._leaf(part, part.shape, mine, inner, loose)
        for holder, child in enumerate(part.children):
            if child.index not in self.chosen:
                continue
            levels = _ladder(child)
            if apart is None and levels[0] == NOT_GIVEN:
                self._gather(child, guards, inner, loose)
                continue
            block = self.read(child, levels, guards if apart is None else (*guards, Guard(apart, holder)))
            if block.shapes:
                inner.append(block)

    def _leaf(
        self,
        leaf: Part,
        shape: Shape,
        guards: tuple[Guard, ...],
        inner: list[Block],
        loose: dict[tuple[Shape, tuple[Guard, ...]], list[Token]],
    ) -> None:
        """Add a leaf's runs of ranks where they must lie together, else its pods."""
        wanted = self.ranks.get(leaf.index, [])
        number = self.numbers[leaf.index]
        if not leaf.segment_size or leaf.segment_required < 0:
            if wanted:
                loose.setdefault((shape, guards), []).extend([(number, rank) for rank in wanted])
            return
        for ranks, home in runs_of(leaf, wanted):
            run = Block(leaf, (leaf.segment_required,), leaf.segment_required, guards)
            run.pods.append(Pods([(number, rank) for rank in ranks], shape, guards))
            run.shapes[shape] = len(ranks)
            run.home = list(home)
            inner.append(run)


def _ladder(part: Part) -> tuple[int, ...]:
    """Return the levels at which one domain may hold a group: from the one it prefers up to the one it requires."""
    narrowest = max(part.preferred, part.required)
    if narrowest < 0:
        return (NOT_GIVEN,)
    return tuple(range(narrowest, max(part.required, NOT_GIVEN) - 1, -1))


def _key(block: Block, number: int) -> tuple[object, ...]:
    """Return what alike blocks have in common; a block of which pods run is like no other."""
    return (
        number if block.home else -1,
        block.tree,
        block.levels,
        block.asked,
        tuple((guard.apart.tree, guard.apart.level) for guard in block.guards),
        tuple((pods.shape.index, len(pods.tokens)) for pods in block.pods),
        tuple((len(batch), _key(batch[0], 0)) for batch in block.batches),
    )
