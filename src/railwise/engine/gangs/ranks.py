"""Which rank takes which of the chosen places.

Ranks follow tree order, so that a ring crosses as few domain borders as possible. Where runs of ranks would like to
lie in one domain each, as many runs as possible are kept whole first, and the runs then follow the tree by their
first place.
"""

from __future__ import annotations

from collections.abc import Callable

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree import Tree
from railwise.engine.gangs.demand import Demand, Part
from railwise.engine.gangs.spot import Spot


def in_runs(ranks: list[int], places: list[int], size: int, domain_of: Callable[[int], int]) -> dict[int, int]:
    """Return the place of every rank; ``ranks`` and ``places`` (tree positions) are ascending and equally many.

    Runs of ``size`` ranks are kept inside one domain as often as possible; the last run may be shorter.
    """
    pools: dict[int, list[int]] = {}
    for place in places:
        pools.setdefault(domain_of(place), []).append(place)
    short = len(ranks) % size
    last: list[int] = []
    if short:
        for domain in reversed(list(pools)):
            if len(pools[domain]) % size >= short:
                last = pools[domain][-short:]
                pools[domain] = pools[domain][:-short]
                break
    runs: list[list[int]] = []
    loose: list[int] = []
    for pool in pools.values():
        whole = len(pool) // size * size
        runs.extend(pool[start : start + size] for start in range(0, whole, size))
        loose.extend(pool[whole:])
    loose.sort()
    if short and not last:
        last = loose[len(loose) - short :]
        loose = loose[: len(loose) - short]
    runs.extend(loose[start : start + size] for start in range(0, len(loose), size))
    runs.sort()
    ordered = [place for run in runs for place in run] + last
    return dict(zip(ranks, ordered, strict=True))


def arrange(demand: Demand, spots: list[Spot], state: ClusterState) -> list[Spot]:
    """Give the places of each leaf to its ranks: in tree order, whole runs first where runs would like one domain.

    The order in which pods are put is kept.
    """
    tree = state.trees[demand.root.tree].tree
    given: dict[tuple[int, int], int] = {}
    by_leaf: dict[int, list[tuple[int, int]]] = {}
    for index, spot in enumerate(spots):
        by_leaf.setdefault(spot.leaf, []).append((spot.rank, index))
    for number, members in by_leaf.items():
        leaf = demand.leaves[number]
        own = state.trees[leaf.tree].tree
        if leaf.segment_size and leaf.segment_preferred > leaf.segment_required:
            for pool in _pools(leaf, members, spots, own).values():
                _whole_runs(leaf, pool, spots, own, given, number)
        elif leaf.segment_size and leaf.segment_required >= 0:
            given.update(((number, rank), index) for rank, index in members)
        else:
            indices = sorted((tree.position[spots[index].node], index) for _, index in members)
            ranks = sorted(rank for rank, _ in members)
            given.update(((number, rank), index) for rank, (_, index) in zip(ranks, indices, strict=True))
    rank_of = {index: key for key, index in given.items()}
    return [Spot(*rank_of[index], spot.node, spot.chosen) for index, spot in enumerate(spots)]


def _pools(
    leaf: Part, members: list[tuple[int, int]], spots: list[Spot], own: Tree
) -> dict[int, list[tuple[int, int]]]:
    """Return the members per domain of the level that runs must keep to (all in one where there is none)."""
    pools: dict[int, list[tuple[int, int]]] = {}
    for rank, index in members:
        level = leaf.segment_required
        pools.setdefault(own.domain_of[level][spots[index].node] if level >= 0 else 0, []).append((rank, index))
    return pools


def _whole_runs(
    leaf: Part,
    pool: list[tuple[int, int]],
    spots: list[Spot],
    own: Tree,
    given: dict[tuple[int, int], int],
    number: int,
) -> None:
    at: dict[int, list[int]] = {}
    for _, index in pool:
        at.setdefault(own.position[spots[index].node], []).append(index)
    places = sorted(place for place, indices in at.items() for _ in indices)
    ranks = sorted(rank for rank, _ in pool)
    level = leaf.segment_preferred

    def domain_of(place: int) -> int:
        return place if level >= own.depth else own.domain_of[level][own.order[place]]

    for rank, place in in_runs(ranks, places, leaf.segment_size, domain_of).items():
        given[number, rank] = at[place].pop(0)
