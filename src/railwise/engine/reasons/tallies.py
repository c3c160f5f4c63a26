"""The figures behind all refusals on one state, made when first asked for and shared between equal questions."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import ONE_CARD, Demand
from railwise.engine.reasons.census import Census
from railwise.engine.reasons.domain_room import DomainRoom
from railwise.engine.reasons.free_sums import FreeSums, boundless, cards_asked
from railwise.engine.reasons.node_counts import NodeCounts
from railwise.model.reason import LevelCount

EVERYWHERE: Final = -1
"""Stands for all selections that leave out no node."""

MOST_KEPT_NODES: Final = 4_000_000
"""How many nodes all censuses, and how many domains all counts of room, may describe."""

MOST_KEPT: Final = 4096
"""How many tables of the other kinds are kept."""

FIRST_MOST: Final = 8


class Tallies:
    """Counts, sums and room per domain, following the state."""

    def __init__(self, state: ClusterState) -> None:
        """Start empty."""
        self.state: Final = state
        self._generation = state.generation
        self._selections: Final[dict[tuple[object, ...], int]] = {}
        self._censuses: Final[dict[tuple[int, ...], Census]] = {}
        self._counts: Final[dict[int, NodeCounts]] = {}
        self._sums: Final[dict[tuple[object, ...], FreeSums]] = {}
        self._rooms: Final[dict[tuple[int, int, int], DomainRoom]] = {}

    def look_at(self, node: int) -> None:
        """Take note that facts about a node changed."""
        for census in self._censuses.values():
            census.look_at(node)

    def counts(self, shape: Shape) -> dict[str, int]:
        """Count every node once, under the first filter that keeps one pod of the shape away (``fits``: none does)."""
        self._follow()
        found = self._counts.get(shape.index)
        if found is None:
            found = NodeCounts(self._census([shape]), shape)
            if len(self._counts) >= MOST_KEPT:
                self._counts.clear()
            self._counts[shape.index] = found
        return found.now()

    def levels(self, tree: int, shape: Shape, pods: int) -> tuple[LevelCount, ...]:
        """Return, per declared level of a tree from the narrowest, the domain with room for most of some pods."""
        self._follow()
        tree_of = self.state.trees[tree].tree
        if not tree_of.depth:
            return ()
        key = (tree, shape.index, self._most(shape, pods))
        found = self._rooms.get(key)
        if found is None:
            found = DomainRoom(self._census([shape]), shape, tree_of, key[2])
            if (len(self._rooms) + 1) * len(tree_of.tiers[-1].names) > MOST_KEPT_NODES:
                self._rooms.clear()
            self._rooms[key] = found
        return found.levels(pods)

    def cover(self, demand: Demand) -> bool:
        """Return whether what is free on the nodes that may be used adds up to the minimum, resource by resource."""
        self._follow()
        shapes = [leaf.shape for leaf in demand.leaves if leaf.shape is not None]
        asked = {cards_asked(shape): None for shape in shapes}
        key = (self._selected(shapes), frozenset(asked), boundless(shapes))
        found = self._sums.get(key)
        if found is None:
            found = FreeSums(self._census(shapes), shapes)
            if len(self._sums) >= MOST_KEPT:
                self._sums.clear()
            self._sums[key] = found
        return found.covers(demand)

    def _follow(self) -> None:
        """Start again if the state has forgotten what the figures were made of."""
        if self._generation != self.state.generation:
            self._generation = self.state.generation
            self._forget()

    def _forget(self) -> None:
        self._censuses.clear()
        self._counts.clear()
        self._sums.clear()
        self._rooms.clear()

    def _census(self, shapes: list[Shape]) -> Census:
        key = self._selected(shapes)
        census = self._censuses.get(key)
        if census is None:
            if (len(self._censuses) + 1) * len(self.state.nodes) > MOST_KEPT_NODES:
                self._forget()
            census = Census(self.state, shapes)
            self._censuses[key] = census
        return census

    def _selected(self, shapes: list[Shape]) -> tuple[int, ...]:
        """Return the distinct selections of shapes, ``EVERYWHERE`` alone where one of them leaves out no node."""
        found: set[int] = set()
        for shape in shapes:
            if self.state.allowed(shape) is None:
                return (EVERYWHERE,)
            chosen = shape.selection
            key = (chosen.labels, chosen.terms, chosen.tolerations)
            found.add(self._selections.setdefault(key, len(self._selections)))
        return tuple(sorted(found))

    def _most(self, shape: Shape, pods: int) -> int:
        """Return how many pods a node is asked to hold at most: gangs of similar size share their counts."""
        most = FIRST_MOST
        while most < pods:
            most *= 2
        if shape.wants_cards() and shape.gpu_thousandths() >= ONE_CARD:
            cards = max((spec.cards for spec in self.state.specs_in_use()), default=0)
            most = min(most, max(cards * ONE_CARD // shape.gpu_thousandths(), 1))
        return most
