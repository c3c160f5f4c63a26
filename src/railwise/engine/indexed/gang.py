"""Equal pods with one rule about the whole: the common case, answered from the indexes at any cluster size.

Criterion 1 is a ladder: from the preferred level upwards, the first level with a domain that holds everything. Up
to the narrowest declared level the answer is exact; a gang that needs several racks goes to ``spread``.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.gangs.demand import NO_LOCALITY, Demand
from railwise.engine.indexed.indexes import ANYWHERE, Indexes
from railwise.engine.indexed.whole_gang import WholeGang

NOWHERE: Final = -1


class Spots:
    """Where pods go: (tree position, pods there) in tree order; whether the preference is met; whether proven best."""

    __slots__ = ("exact", "met", "places")

    def __init__(self, places: list[tuple[int, int]], *, met: bool, exact: bool) -> None:
        """Keep the answer."""
        self.places: Final = places
        self.met: Final = met
        self.exact: Final = exact


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


def names_matter(demand: Demand, indexes: Indexes) -> bool:
    """Return whether some node is out for a single pod because it names no domain at the required level."""
    depth = indexes.state.trees[demand.root.tree].tree.depth
    return indexes.named(demand.root.tree, _asked(demand, depth), None) != ANYWHERE


def place_one(demand: Demand, shape: Shape, indexes: Indexes) -> Spots | None:
    """Place a single pod: exact at any size."""
    tree = demand.root.tree
    quick = indexes.one_pod(tree, shape, by_cpu=not demand.uses_cards)
    if quick is not None:
        depth = quick.sets.tree_state.tree.depth
        place = quick.cheapest(indexes.named(tree, _asked(demand, depth), None))
        return Spots([(place, 1)], met=True, exact=True) if place != NOWHERE else None
    index = indexes.single(tree, shape, by_cpu=not demand.uses_cards)
    depth = index.depth
    none_wanted = demand.preferred == NO_LOCALITY
    for level in ladder(demand, depth):
        within = indexes.named(tree, _asked(demand, depth), index)
        found = index.cheapest(within)
        if found is not None:
            return Spots([(found[0], 1)], met=none_wanted or level >= demand.preferred, exact=True)
    return None


def place_gang(demand: Demand, shape: Shape, pods: int, indexes: Indexes) -> Spots | None:
    """Place a gang of equal pods; exact where one domain of the narrowest level holds it."""
    tree = demand.root.tree
    if demand.preferred >= indexes.state.trees[tree].tree.depth - 1 >= 0:
        whole = indexes.whole_gang(tree, shape)
        if whole is not None:
            return _place_whole(demand, whole, pods, indexes)
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
                return Spots([(found_node[0], pods)], met=met, exact=True)
            continue
        if level == depth - 1 or depth == 0:
            found = racks.cheapest(pods, within)
            if found is not None:
                return Spots(racks.positions(found[0], pods), met=met, exact=racks.elsewhere.exact)
            continue
        answer = spread.best(
            level, pods, demand.root.required, count_racks=not none_wanted and demand.preferred >= depth - 1 > level
        )
        if answer is not None and answer[0]:
            places = [spot for rack, here in answer[0] for spot in racks.positions(rack, here)]
            return Spots(
                places, met=met, exact=answer[1] and demand.preferred == depth - 1 and not racks.elsewhere.active
            )
    return None


def _place_whole(demand: Demand, whole: WholeGang, pods: int, indexes: Indexes) -> Spots | None:
    """Place pods that take a whole free node each and would like one rack (or one node, which cannot be)."""
    depth = whole.sets.tree_state.tree.depth
    for level in ladder(demand, depth):
        met = level >= demand.preferred
        if level == depth - 1:
            rack = whole.cheapest(pods, indexes.named(demand.root.tree, _asked(demand, depth), None))
            if rack != NOWHERE:
                return Spots(whole.positions(rack, pods), met=met, exact=True)
        elif level < depth:
            answer = whole.spread_out(level, pods, demand.root.required)
            if answer is not None and answer[0]:
                return Spots(answer[0], met=met, exact=answer[1] and demand.preferred == depth - 1)
    return None
