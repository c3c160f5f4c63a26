"""The indexes of one state: made when first asked for, brought up to date whenever they are asked.

Each follows the journal of the state from where it last stopped. Those that were not used for longest go when there
are too many.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import ONE_CARD
from railwise.engine.indexed.cost import Curves
from railwise.engine.indexed.domains import FreeIndex
from railwise.engine.indexed.elsewhere import Elsewhere
from railwise.engine.indexed.one_pod import OnePod
from railwise.engine.indexed.racks import RackIndex
from railwise.engine.indexed.room_sets import MOST_KINDS, RoomSets
from railwise.engine.indexed.single import SingleIndex
from railwise.engine.indexed.spread import Spread
from railwise.engine.indexed.whole_gang import NO_CLASS, WholeGang, class_taken

ANYWHERE: Final = -1

MOST_KEPT_NODES: Final = 4_000_000
"""How many nodes all indexes together may describe."""

FEWEST_KEPT: Final = 16
"""So many indexes are kept however large the cluster."""

MOST_CURVES: Final = 4096


class Indexes:
    """The indexes of one state, made when first asked for."""

    def __init__(self, state: ClusterState) -> None:
        """Start empty."""
        self.state: Final = state
        self.generation = state.generation
        self._clock = 0
        self._used: Final[dict[tuple[int, ...], int]] = {}
        self._free: Final[dict[int, FreeIndex]] = {}
        self._curves: Final[dict[tuple[int, bool, bool], Curves]] = {}
        self._singles: Final[dict[tuple[int, ...], SingleIndex]] = {}
        self._racks: Final[dict[tuple[int, ...], tuple[RackIndex, Spread]]] = {}
        self._named: Final[dict[tuple[int, int, bool], int]] = {}
        self._sets: Final[dict[int, RoomSets | None]] = {}
        self._one_pods: Final[dict[tuple[int, int, bool], OnePod]] = {}
        self._whole_gangs: Final[dict[tuple[int, int], WholeGang]] = {}

    def _follow(self) -> None:
        """Start again if the state has forgotten what the indexes were made of."""
        if self.generation != self.state.generation:
            self.generation = self.state.generation
            for table in (self._free, self._curves, self._singles, self._racks, self._named, self._used):
                table.clear()
            self._sets.clear()
            self._one_pods.clear()
            self._whole_gangs.clear()

    def _keep(self, key: tuple[int, ...]) -> None:
        """Note the use of an index; the one that was not used for longest goes when there are too many."""
        self._clock += 1
        self._used[key] = self._clock
        if len(self._used) > max(FEWEST_KEPT, MOST_KEPT_NODES // max(len(self.state.nodes), 1)):
            oldest = min(self._used, key=lambda other: self._used[other])
            del self._used[oldest]
            self._singles.pop(oldest, None)
            self._racks.pop(oldest, None)

    def free(self, tree: int) -> FreeIndex:
        """Return the up-to-date index of free slots of a tree."""
        self._follow()
        index = self._free.get(tree)
        if index is None:
            index = FreeIndex(self.state, self.state.trees[tree])
            self._free[tree] = index
        index.refresh()
        return index

    def curves(self, shape: Shape, *, by_cpu: bool, nodes_first: bool = False) -> Curves:
        """Return the cost curves of a shape."""
        self._follow()
        if len(self._curves) > MOST_CURVES:
            self._curves.clear()
        curves = self._curves.get((shape.index, by_cpu, nodes_first))
        if curves is None:
            curves = Curves(self.state.rooms, shape, by_cpu=by_cpu, nodes_first=nodes_first)
            self._curves[shape.index, by_cpu, nodes_first] = curves
        return curves

    def sets(self, tree: int) -> RoomSets | None:
        """Return the up-to-date racks of a tree by kind of room, None where there are too many kinds or more counts.

        Once there were too many kinds, the sets are given up until the state forgets what is out of use.
        """
        self._follow()
        if tree not in self._sets:
            depth = self.state.trees[tree].tree.depth
            usable = depth > 0 and not Elsewhere(self.state, tree).active
            self._sets[tree] = RoomSets(self.state, self.state.trees[tree]) if usable and self._few_kinds() else None
        sets = self._sets[tree]
        if sets is not None and not self._few_kinds():
            sets = self._sets[tree] = None
        if sets is not None:
            sets.refresh()
        return sets

    def _few_kinds(self) -> bool:
        return len(self.state.room_count) <= MOST_KINDS

    def one_pod(self, tree: int, shape: Shape, *, by_cpu: bool) -> OnePod | None:
        """Return the search for one pod of a shape among the racks by kind of room, None where it cannot be used."""
        sets = self.sets(tree) if self.state.allowed(shape) is None else None
        if sets is None:
            return None
        free = self.free(tree)
        key = (tree, shape.index, by_cpu)
        found = self._one_pods.get(key)
        if found is None or found.sets is not sets:
            if len(self._one_pods) > MOST_CURVES:
                self._one_pods.clear()
            found = OnePod(self.state, sets, self.curves(shape, by_cpu=by_cpu), free)
            self._one_pods[key] = found
        return found

    def whole_gang(self, tree: int, shape: Shape) -> WholeGang | None:
        """Return the search for pods that take a whole free node each, None where the shape is not so."""
        if self.state.any_dead_rail or self.state.allowed(shape) is not None:
            return None
        sets = self.sets(tree)
        kind = class_taken(self.state, sets, self.curves(shape, by_cpu=False)) if sets is not None else NO_CLASS
        if sets is None or kind == NO_CLASS:
            return None
        free = self.free(tree)
        found = self._whole_gangs.get((tree, kind))
        if found is None:
            found = WholeGang(self.state, sets, free, kind)
            self._whole_gangs[tree, kind] = found
        return found

    def single(self, tree: int, shape: Shape, *, by_cpu: bool) -> SingleIndex:
        """Return the up-to-date index for one pod of a shape."""
        free = self.free(tree)
        key = (tree, shape.index, int(by_cpu))
        index = self._singles.get(key)
        if index is None:
            index = SingleIndex(self.state, tree, self.curves(shape, by_cpu=by_cpu), free)
            self._singles[key] = index
        self._keep(key)
        index.refresh()
        return index

    def racks(self, tree: int, shape: Shape, pods: int, *, by_cpu: bool, nodes_first: bool) -> tuple[RackIndex, Spread]:
        """Return the up-to-date racks for a gang of ``pods`` pods of a shape."""
        free = self.free(tree)
        most = 8
        while most < pods:
            most *= 2
        most = min(most, self._most_per_node(shape, most))
        key = (tree, shape.index, int(by_cpu), int(nodes_first), most)
        pair = self._racks.get(key)
        if pair is None:
            tree_state = self.state.trees[tree]
            index = RackIndex(self.state, tree, self.curves(shape, by_cpu=by_cpu, nodes_first=nodes_first), free, most)
            pair = (index, Spread(self.state, tree_state, index))
            self._racks[key] = pair
        self._keep(key)
        pair[0].refresh()
        return pair

    def _most_per_node(self, shape: Shape, most: int) -> int:
        """Return a bound on the pods of a shape that any node can hold, so that gangs of all sizes share one index."""
        if shape.wants_cards() and shape.cards and shape.gpu_thousandths() >= ONE_CARD:
            cards = max((spec.cards for spec in self.state.specs_in_use()), default=0)
            return max(cards * ONE_CARD // shape.gpu_thousandths(), 1)
        return most

    def named(self, tree: int, level: int, index: SingleIndex | None) -> int:
        """Return the racks (or blocks of ``index``) below a named domain of a level, -1 where that is all."""
        if level < 0:
            return ANYWHERE
        key = (tree, level, index is not None)
        known = self._named.get(key)
        if known is None:
            tiers = self.state.trees[tree].tree.tiers
            level_named = tiers[level].named
            known = ANYWHERE if all(level_named) else self._named_below(tree, level, index)
            self._named[key] = known
        return known

    def _named_below(self, tree: int, level: int, index: SingleIndex | None) -> int:
        shape = self.state.trees[tree].tree
        racks = range(len(shape.tiers[-1].names))
        units = list(racks) if index is None else index.domain
        mask = 0
        for unit, rack in enumerate(units):
            domain = rack
            for step in range(shape.depth - 1, level, -1):
                domain = shape.tiers[step].parent[domain]
            if shape.tiers[level].named[domain]:
                mask |= 1 << unit
        return mask
