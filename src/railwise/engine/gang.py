"""Equal pods with one rule about the whole: the common case, answered from the indexes at any cluster size.

Criterion 1 is a ladder: from the preferred level upwards, the first level with a domain that holds everything. Up
to the narrowest declared level the answer is exact; a gang that needs several racks goes to ``spread``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cost import Curves
from railwise.engine.demand import NO_LOCALITY, ONE_CARD, Demand
from railwise.engine.domains import FreeIndex
from railwise.engine.racks import RackIndex
from railwise.engine.shapes import Shape
from railwise.engine.single import SingleIndex
from railwise.engine.spread import Spread
from railwise.engine.state import ClusterState

ANYWHERE: Final = -1

MOST_KEPT_NODES: Final = 4_000_000
"""How many nodes all indexes together may describe."""

FEWEST_KEPT: Final = 16
"""So many indexes are kept however large the cluster."""

MOST_CURVES: Final = 4096


class Spots(NamedTuple):
    """Where pods go: (tree position, pods there) in tree order; whether the preference is met; whether proven best."""

    places: list[tuple[int, int]]
    met: bool
    exact: bool


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

    def _follow(self) -> None:
        """Start again if the state has forgotten what the indexes were made of."""
        if self.generation != self.state.generation:
            self.generation = self.state.generation
            for table in (self._free, self._curves, self._singles, self._racks, self._named, self._used):
                table.clear()

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


def ladder(demand: Demand, depth: int) -> list[int]:
    """Return the levels at which one domain may hold the whole, best first (-1: the whole cluster)."""
    required, preferred = demand.root.required, demand.preferred
    if preferred == NO_LOCALITY:
        return [required if required >= 0 else -1]
    if required >= preferred:
        return [required]
    last = required if required >= 0 else -1
    return list(range(min(preferred, depth), last - 1, -1))


def _asked(demand: Demand, depth: int) -> int:
    """Return the level at which a domain must have a name, -1 where none must (a node always has one)."""
    return demand.root.required if demand.root.required < depth else -1


def place_one(demand: Demand, shape: Shape, indexes: Indexes) -> Spots | None:
    """Place a single pod: exact at any size."""
    tree = demand.root.tree
    index = indexes.single(tree, shape, by_cpu=not demand.uses_cards)
    depth = index.depth
    for level in ladder(demand, depth):
        within = indexes.named(tree, _asked(demand, depth), index)
        found = index.cheapest(within)
        if found is not None:
            return Spots([(found[0], 1)], level >= demand.preferred or demand.preferred == NO_LOCALITY, exact=True)
    return None


def place_gang(demand: Demand, shape: Shape, pods: int, indexes: Indexes) -> Spots | None:
    """Place a gang of equal pods; exact where one domain of the narrowest level holds it."""
    tree = demand.root.tree
    nodes_first = demand.preferred == indexes.state.trees[tree].tree.depth
    racks, spread = indexes.racks(tree, shape, pods, by_cpu=not demand.uses_cards, nodes_first=nodes_first)
    depth = racks.depth
    none_wanted = demand.preferred == NO_LOCALITY
    within = indexes.named(tree, _asked(demand, depth), None)
    for level in ladder(demand, depth):
        met = none_wanted or level >= demand.preferred
        if level == depth:
            found_node = racks.cheapest_node(pods, within)
            if found_node is not None:
                return Spots([(found_node[0], pods)], met, exact=True)
            continue
        if level == depth - 1 or depth == 0:
            found = racks.cheapest(pods, within)
            if found is not None:
                return Spots(racks.positions(found[0], pods), met, exact=racks.elsewhere.exact)
            continue
        answer = spread.best(
            level, pods, demand.root.required, count_racks=not none_wanted and demand.preferred >= depth - 1 > level
        )
        if answer is not None and answer[0]:
            places = [spot for rack, here in answer[0] for spot in racks.positions(rack, here)]
            return Spots(places, met, exact=answer[1] and demand.preferred == depth - 1 and not racks.elsewhere.active)
    return None
