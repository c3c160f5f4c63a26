"""Where a workload's pods go: the one entrance to all searches, on the live state, changing nothing.

Equal pods with one rule go to the indexes; everything else, and what the indexes cannot prove, goes to the exact search
as long as its step budget lasts; what is too large for it goes to the bounded search. "Impossible" is only said when a
search was exhaustive or a bound shows it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.bounded import place_bounded
from railwise.engine.demand import NO_LOCALITY, Demand
from railwise.engine.even import best_even
from railwise.engine.exact import Entry, ExactSearch, OverBudgetError
from railwise.engine.gang import Indexes, ladder, place_gang, place_one
from railwise.engine.layout import lay_out
from railwise.engine.problem import Problem
from railwise.engine.ranks import in_runs
from railwise.engine.state import ClusterState

EXACT_STEPS: Final = 400_000
"""The budget of one exact search, in combinations of partial answers."""

EXACT_FIRST: Final = 200
"""Up to so many nodes the exact search is tried before the bounded one."""

EXACT_NODES: Final = 1200
"""The exact search is not tried on larger clusters."""

REFINE_NODES: Final = 64
"""Up to so many nodes an answer of the indexes that is not proven best is searched again exactly."""


class Found(NamedTuple):
    """Pods and their nodes: (leaf number, rank, node index), ordered; preference met; proven best under the rules."""

    pods: list[tuple[int, int, int]]
    met: bool
    exact: bool


class Refused(NamedTuple):
    """No placement was found; ``proven``: there is none."""

    proven: bool


class Placer:
    """The searches over one state."""

    def __init__(self, state: ClusterState) -> None:
        """Share the indexes between all decisions on this state."""
        self.state: Final = state
        self.indexes: Final = Indexes(state)
        self.plain: Final = len(state.trees) == 1 and state.policy.largest_gang == 0

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts."""
        if demand.simple:
            found = self._place_simple(demand, ranks[demand.root.index])
            if isinstance(found, Refused) or found.exact or len(self.state.nodes) > REFINE_NODES:
                return found
            better = self._place_exactly(demand, ranks, chosen)
            return better if isinstance(better, Found) else found
        small = len(self.state.nodes) <= EXACT_FIRST or demand.root.even
        if small:
            answer = self._place_exactly(demand, ranks, chosen)
            if answer is not None:
                return answer
        bounded = place_bounded(demand, ranks, chosen, self.state, self.indexes)
        if bounded is not None:
            pods, level = bounded
            problem = Problem(demand, ranks, chosen)
            met = demand.preferred == NO_LOCALITY or level >= demand.preferred
            return Found(arrange(problem, pods, self.state), met, exact=False)
        if not small and len(self.state.nodes) <= EXACT_NODES:
            answer = self._place_exactly(demand, ranks, chosen)
            if answer is not None:
                return answer
        return Refused(proven=False)

    def _place_simple(self, demand: Demand, ranks: list[int]) -> Found | Refused:
        shape = demand.root.shape
        if shape is None or not ranks:
            return Refused(proven=True)
        if len(ranks) == 1:
            spots = place_one(demand, shape, self.indexes)
        else:
            spots = place_gang(demand, shape, len(ranks), self.indexes)
        if spots is None:
            return Refused(proven=True)
        order = self.state.trees[demand.root.tree].tree.order
        pods: list[tuple[int, int, int]] = []
        number = 0
        for place, here in spots.places:
            node = order[place]
            for _ in range(here):
                pods.append((0, ranks[number], node))
                number += 1
        return Found(pods, spots.met, spots.exact and self.plain)

    def _place_exactly(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused | None:
        """Search exactly; None where the budget ran out."""
        problem = Problem(demand, ranks, chosen)
        try:
            answer = self._climb(problem)
        except OverBudgetError:
            return None
        if answer is None:
            return Refused(proven=True)
        level, entry = answer
        depth = self.state.trees[problem.tree].tree.depth
        pods = arrange(problem, lay_out(problem, entry[3], level, depth), self.state)
        met = demand.preferred == NO_LOCALITY or level >= demand.preferred
        return Found(pods, met, exact=True)

    def _climb(self, problem: Problem) -> tuple[int, Entry] | None:
        demand = problem.demand
        tree = self.state.trees[problem.tree].tree
        fixed = [tree.position[node] for leaf in demand.leaves for node in leaf.fixed.values()]
        search = ExactSearch(problem, self.state, EXACT_STEPS)
        for level in ladder(demand, tree.depth):
            best: Entry | None = None
            best_domain = 0
            for domain in _domains(search, level, fixed):
                entry = search.best(level, domain)
                if entry is not None and (best is None or entry[:3] < best[:3]):
                    best, best_domain = entry, domain
            if best is not None:
                if demand.root.even:
                    best = best_even(problem, self.state, level, best_domain, best, _domains(search, level, fixed))
                return level, best
        return None


def _domains(search: ExactSearch, level: int, fixed: list[int]) -> list[int]:
    """Return the named domains of a level that hold every running pod of the workload."""
    tree = search.tree
    if level < 0:
        return [0]
    if level == tree.depth:
        return [place for place in range(len(tree.order)) if all(place == other for other in fixed)]
    tier = tree.tiers[level]
    return [
        domain
        for domain in range(len(tier.names))
        if tier.named[domain] and all(tier.start[domain] <= place < tier.end[domain] for place in fixed)
    ]


def arrange(problem: Problem, pods: list[tuple[int, int, int]], state: ClusterState) -> list[tuple[int, int, int]]:
    """Give the places of each leaf to its ranks: in tree order, whole runs first where runs would like one domain."""
    result: list[tuple[int, int, int]] = []
    by_leaf: dict[int, list[tuple[int, int]]] = {}
    for number, rank, node in pods:
        by_leaf.setdefault(number, []).append((rank, node))
    for number, placed in sorted(by_leaf.items()):
        leaf = problem.demand.leaves[number]
        tree = state.trees[problem.tree].tree
        own = state.trees[leaf.tree].tree
        if leaf.segment_size and leaf.segment_preferred >= 0 and leaf.segment_required < leaf.segment_preferred:
            level = leaf.segment_required
            pools: dict[int, list[tuple[int, int]]] = {}
            for rank, node in placed:
                pools.setdefault(own.domain_of[level][node] if level >= 0 else 0, []).append((rank, node))
            for members in pools.values():
                places = sorted(own.position[node] for _, node in members)
                ranks = sorted(rank for rank, _ in members)
                wanted = leaf.segment_preferred
                given = in_runs(
                    ranks,
                    places,
                    leaf.segment_size,
                    lambda place: place if wanted >= own.depth else own.domain_of[wanted][own.order[place]],
                )
                result.extend((number, rank, own.order[place]) for rank, place in given.items())
        elif leaf.segment_size and leaf.segment_required >= 0:
            result.extend((number, rank, node) for rank, node in placed)
        else:
            nodes = sorted((tree.position[node] for _, node in placed))
            ranks = sorted(rank for rank, _ in placed)
            result.extend((number, rank, tree.order[place]) for rank, place in zip(ranks, nodes, strict=True))
    result.sort()
    return result
