"""A demand reduced to what the exact search counts: kinds of pods, and units that must stay together.

Pods that nothing tells apart are one kind, however many groups they come from, and parts that must lie in one
domain of a level are a unit there: outside such a domain only whole units are counted, inside it their contents.
Segments are units too. So eight equal groups are one number between 0 and 8 and not eight questions.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import KIND_SHARE, Shape
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part

Vector = tuple[int, ...]
Token = tuple[int, int]
"""One pod to place: (index into ``Demand.leaves``, rank)."""


class Unit:
    """A kind of indivisible part: one domain of ``level`` holds all of its ``contents`` (counts by item).

    ``home`` are the nodes where other pods of the part already run: their domain is the only one that will do.
    ``copies`` lists, per copy, what it contains: for each item the tokens or copies of narrower units, in order.
    """

    def __init__(self, item: int, level: int, home: tuple[int, ...]) -> None:
        """Start empty."""
        self.item: Final = item
        self.level: Final = level
        self.home: Final = home
        self.contents: dict[int, int] = {}
        self.copies: list[dict[int, list[object]]] = []


class PodKind:
    """A kind of equal pods: their shape, and the parts that need to know where theirs are (``tracked``)."""

    def __init__(self, item: int, shape: Shape, tracked: tuple[tuple[int, int], ...], leaf: Part) -> None:
        """Keep the facts; ``leaf`` is the first leaf of this kind."""
        self.item: Final = item
        self.shape: Final = shape
        self.tracked: Final = tracked
        self.leaf: Final = leaf


class Problem:
    """What to place: items (kinds of pods and units), how many of each at the top, and which parts are tracked.

    ``counts`` maps a leaf's index to the ranks to place. ``tracked`` lists parts with a preference of their own, a
    ``distinct`` rule, a preferred segment or a rule about another topology than the workload's.
    """

    def __init__(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> None:
        """Reduce a demand to items; ``chosen`` holds the indices of the parts that take part (K of N)."""
        self.demand: Final = demand
        self.tree: Final = demand.root.tree
        self.chosen: Final = chosen
        self.ranks: Final = ranks
        self.kinds: Final[list[PodKind]] = []
        self.units: Final[list[Unit]] = []
        self.pod_kind: Final[dict[int, PodKind]] = {}
        self.unit_of: Final[dict[int, Unit]] = {}
        self.tracked: Final[list[Part]] = []
        self.top_members: Final[dict[int, list[object]]] = {}
        self._items = 0
        self._kind_by_key: dict[tuple[object, ...], PodKind] = {}
        self._unit_by_key: dict[tuple[object, ...], Unit] = {}
        self._leaf_number: Final = {leaf.index: number for number, leaf in enumerate(demand.leaves)}
        self._runs: Final[dict[int, tuple[int, ...]]] = {}
        self._number_runs(demand.root, ())
        contents = self._collect(demand.root, ranks, NOT_GIVEN, ())
        self.size: Final = self._items
        self.kinds.sort(key=_put_order)
        self.hard_shares: Final = self._hard_shares()
        for item, members in contents.items():
            self.top_members[item] = members

    def _number_runs(self, part: Part, path: tuple[int, ...]) -> None:
        """Number the runs of groups that are alike and stand next to each other: these may change places.

        Equal groups with others between them are told apart, so that a tie finds the earlier group.
        """
        self._runs[part.index] = path
        number, before = 0, None
        for child in part.children:
            if child.index in self.chosen:
                alike = _alike(child, self.ranks)
                number += alike != before
                before = alike
                self._number_runs(child, (*path, number))

    def _hard_shares(self) -> bool:
        """Return whether the choice of cards for one pod may stand in the way of another on the same node."""
        shapes = {kind.shape for kind in self.kinds if kind.shape.wants_cards()}
        if len(shapes) > 1 and any(not shape.any_card for shape in shapes):
            return True
        shares = [kind.shape for kind in self.kinds if kind.shape.kind == KIND_SHARE]
        several = any(shape.cards > 1 for shape in shares) and sum(len(ranks) for ranks in self.ranks.values()) > 1
        return len(shares) > 1 or several

    def levels_asked(self, level: int) -> set[int]:
        """Return the levels, no narrower than ``level``, at which a rule asks for a domain with a name."""
        asked = {unit.level for unit in self.units}
        for leaf in self.demand.leaves:
            part: Part | None = leaf if leaf.index in self.chosen else None
            while part is not None:
                if part.tree == self.tree:
                    asked.update((part.required, part.distinct))
                part = part.parent
        return {wanted for wanted in asked if 0 <= wanted <= level}

    def vector(self, counts: dict[int, int]) -> Vector:
        """Return a count per item."""
        return tuple(counts.get(item, 0) for item in range(self.size))

    def view(self, level: int) -> dict[int, int]:
        """Return how many of each item there are in all, with every unit of this level or a wider one unpacked."""
        counts = {item: len(members) for item, members in self.top_members.items()}
        while True:
            unpack = [
                item
                for item, count in counts.items()
                if count and item in self.unit_of and self.unit_of[item].level <= level
            ]
            if not unpack:
                return counts
            for item in unpack:
                copies = counts.pop(item)
                for inner, count in self.unit_of[item].contents.items():
                    counts[inner] = counts.get(inner, 0) + copies * count

    def _collect(
        self, part: Part, ranks: dict[int, list[int]], within: int, tracked: tuple[tuple[int, int], ...]
    ) -> dict[int, list[object]]:
        """Return the members of a part by item; ``within`` is the level its surroundings already keep together."""
        foreign = part.tree != self.tree
        if _needs_tracking(part, foreign=foreign):
            self.tracked.append(part)
            tracked = (*tracked, (part.index, 0))
        together = part.required if not foreign and part.required > within and part.parent is not None else NOT_GIVEN
        inner_within = max(within, together)
        if part.parent is None and not foreign and part.required > within:
            inner_within = part.required
        contents: dict[int, list[object]] = {}
        if part.shape is not None:
            contents = self._leaf(part, ranks.get(part.index, []), inner_within, tracked, foreign=foreign)
        for number, child in enumerate(part.children):
            if child.index in self.chosen:
                mine = (*tracked, (part.index, number + 1)) if part.distinct != NOT_GIVEN else tracked
                for item, members in self._collect(child, ranks, inner_within, mine).items():
                    contents.setdefault(item, []).extend(members)
        if together == NOT_GIVEN or not contents:
            return contents
        return self._wrap(part, together, contents)

    def _wrap(self, part: Part, level: int, contents: dict[int, list[object]]) -> dict[int, list[object]]:
        home = tuple(node for leaf in part.leaves() for node in leaf.fixed.values())
        unit = self._unit(level, home, {item: len(members) for item, members in contents.items()})
        unit.copies.append(contents)
        return {unit.item: [unit.copies[-1]]}

    def _unit(self, level: int, home: tuple[int, ...], contents: dict[int, int]) -> Unit:
        key = (level, home, tuple(sorted(contents.items())))
        unit = self._unit_by_key.get(key)
        if unit is None:
            unit = Unit(self._items, level, home)
            unit.contents = contents
            self._items += 1
            self.units.append(unit)
            self.unit_of[unit.item] = unit
            self._unit_by_key[key] = unit
        return unit

    def _leaf(
        self, leaf: Part, ranks: list[int], within: int, tracked: tuple[tuple[int, int], ...], *, foreign: bool
    ) -> dict[int, list[object]]:
        if not ranks or leaf.shape is None:
            return {}
        item = self._pod_item(leaf, leaf.shape, tracked, self._runs[leaf.index])
        number = self._leaf_number[leaf.index]
        tokens: list[object] = [(number, rank) for rank in ranks]
        size = leaf.segment_size
        if not size or foreign or leaf.segment_required <= within:
            return {item: tokens}
        contents: dict[int, list[object]] = {}
        for run, home in runs_of(leaf, ranks):
            unit = self._unit(leaf.segment_required, home, {item: len(run)})
            copy: dict[int, list[object]] = {item: [(number, rank) for rank in run]}
            unit.copies.append(copy)
            contents.setdefault(unit.item, []).append(copy)
        return contents

    def _pod_item(self, leaf: Part, shape: Shape, tracked: tuple[tuple[int, int], ...], around: tuple[int, ...]) -> int:
        key = (shape.index, tracked, around)
        kind = self._kind_by_key.get(key)
        if kind is None:
            kind = PodKind(self._items, shape, tracked, leaf)
            self._items += 1
            self.kinds.append(kind)
            self.pod_kind[kind.item] = kind
            self._kind_by_key[key] = kind
        return kind.item


def _needs_tracking(part: Part, *, foreign: bool) -> bool:
    own_preference = part.parent is not None and part.preferred >= 0
    foreign_rule = foreign and (part.required >= 0 or part.segment_size > 0)
    segments = part.segment_preferred >= 0
    return own_preference or foreign_rule or segments or part.distinct >= 0 or (foreign and part.preferred >= 0)


def _alike(part: Part, ranks: dict[int, list[int]]) -> tuple[object, ...]:
    """Return what makes two groups interchangeable; groups with running pods are like no other."""
    return (
        part.shape.index if part.shape is not None else -1,
        len(ranks.get(part.index, [])),
        (part.tree, part.required, part.preferred, part.distinct, part.even),
        (part.segment_size, part.segment_required, part.segment_preferred),
        part.index if part.running() else -1,
        tuple(_alike(child, ranks) for child in part.children),
    )


def _put_order(kind: PodKind) -> tuple[bool, bool, int, int, int]:
    """Return in which order pods are put on one node: those with the narrowest wishes first."""
    shape = kind.shape
    size = max(shape.fraction, shape.share_memory, shape.share_percent)
    return not shape.rule.island, shape.any_card, -shape.cards, -size, kind.item


def with_count(vector: Vector, item: int, count: int) -> Vector:
    """Return the vector with another count of one item."""
    return (*vector[:item], count, *vector[item + 1 :])


def runs_of(leaf: Part, ranks: list[int]) -> list[tuple[list[int], tuple[int, ...]]]:
    """Return the ranks to place by segment, each with the nodes where other ranks of the segment already run."""
    size = leaf.segment_size
    runs: dict[int, list[int]] = {}
    for rank in ranks:
        runs.setdefault(rank // size, []).append(rank)
    homes: dict[int, list[int]] = {}
    for rank, node in leaf.fixed.items():
        homes.setdefault(rank // size, []).append(node)
    return [(run, tuple(sorted(homes.get(number, ())))) for number, run in sorted(runs.items())]
