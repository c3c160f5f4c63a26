"""Where a workload's pods go: the one entrance to all searches, on the live state, changing nothing.

Equal pods with one rule go to the indexes; everything else, and what the indexes cannot prove, goes to the exact search
as long as its step budget lasts; what is too large for it goes to the bounded search. "Impossible" is only said when a
search was exhaustive or a bound shows it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import KIND_SHARE, KIND_WHOLE
from railwise.engine.cluster.state import ClusterState, Shut
from railwise.engine.gangs.demand import NO_LOCALITY, Demand, read_demand
from railwise.engine.gangs.ranks import arrange
from railwise.engine.gangs.spot import Spot, spot_on
from railwise.engine.indexed.by_mix import ByMix
from railwise.engine.indexed.gang import ladder, names_matter, place_gang, place_one
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.bounded import place_bounded
from railwise.engine.search.bounds import Bounds, most_pods
from railwise.engine.search.closeness import closeness, cut_segments
from railwise.engine.search.even import best_even
from railwise.engine.search.exact import Entry, ExactSearch
from railwise.engine.search.layout import lay_out
from railwise.engine.search.problem import Problem
from railwise.engine.search.share_packing import OverBudgetError
from railwise.engine.search.step_time import StepTime, quickest

EXACT_STEPS: Final = 400_000
"""The budget of one exact search, in combinations of partial answers."""

EXACT_LEAST: Final = 10_000
"""So much of it is left to each search of a decision that has used up its patience."""

EXACT_FIRST: Final = 200
"""Up to so many nodes the exact search is tried before the bounded one."""

EXACT_NODES: Final = 1200
"""The exact search is not tried on larger clusters."""

MOST_CELLS: Final = 200_000
"""Equal pods times the pods that one node may hold: with more the bounded search is asked instead of the indexes."""

MOST_DETOURS: Final = 4
"""So many searches keep off links that others fill."""

REFINE_NODES: Final = 64
"""Up to so many nodes an answer of the indexes that is not proven best is searched again exactly."""


class Found(NamedTuple):
    """Where pods go, in the order in which they must be put; preference met; proven best under the rules.

    ``key`` compares answers of the exact search to demands of one workload that differ in their numbers of pods.
    """

    pods: list[Spot]
    met: bool
    exact: bool
    key: tuple[int, int, int, int] = (0, 0, 0, 0)


class Refused(NamedTuple):
    """No placement was found; ``proven``: there is none."""

    proven: bool


class Placer:
    """The searches over one state."""

    def __init__(self, state: ClusterState, step_time: StepTime | None = None) -> None:
        """Share the indexes between all decisions on this state; ``step_time`` fills criterion 3 where it is known."""
        self.state: Final = state
        self.step_time: Final = step_time
        self.indexes: Final = Indexes(state)
        self._by_mix: Final = ByMix(state) if state.policy.mix else None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts."""
        timed = self._timed(demand)
        found = self._search(demand, ranks, chosen, timed=timed)
        if not timed or isinstance(found, Refused) or demand.root.even:
            return found
        return self._off_crowds(demand, ranks, chosen, found)

    def _search(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int], *, timed: bool) -> Found | Refused:
        if demand.simple and not demand.root.fixed and (not timed or len(self.state.nodes) > REFINE_NODES):
            if self._many_small(demand, ranks[demand.root.index]):
                bounded = self._place_bounded(demand, ranks, chosen)
                return bounded or Refused(proven=Bounds(demand, ranks, self.state, self.indexes).impossible())
            found = self._place_simple(demand, ranks[demand.root.index])
            if timed and isinstance(found, Found):
                return self._quicker(demand, ranks[demand.root.index], found)
            settled = found.exact if isinstance(found, Found) else found.proven
            if settled or len(self.state.nodes) > REFINE_NODES:
                return found
            return self._place_exactly(demand, ranks, chosen) or found
        if Bounds(demand, ranks, self.state, self.indexes).impossible():
            return Refused(proven=True)
        small = len(self.state.nodes) <= (EXACT_NODES if demand.root.even else EXACT_FIRST)
        if small:
            answer = self._place_exactly(demand, ranks, chosen)
            if answer is not None:
                return answer
        bounded = self._place_bounded(demand, ranks, chosen)
        if bounded is not None:
            return bounded
        if not small and len(self.state.nodes) <= EXACT_NODES:
            answer = self._place_exactly(demand, ranks, chosen)
            if answer is not None:
                return answer
        return Refused(proven=False)

    def _many_small(self, demand: Demand, ranks: list[int]) -> bool:
        """Return whether there are too many pods for the indexes, whose tables grow with pods times pods a node."""
        shape = demand.root.shape
        pods = len(ranks)
        if shape is None or pods * pods <= MOST_CELLS:
            return False
        curves = self.indexes.curves(shape, by_cpu=not demand.uses_cards)
        most = MOST_CELLS // pods + 1
        return any(curves.curve(room, most)[:most][-1] >= 0 for room in self.state.room_count)

    def _place_bounded(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | None:
        bounded = place_bounded(demand, ranks, chosen, self.state, self.indexes)
        if bounded is None:
            return None
        pods, level = bounded
        return Found(pods, met=demand.preferred == NO_LOCALITY or level >= demand.preferred, exact=False)

    def _place_simple(self, demand: Demand, ranks: list[int]) -> Found | Refused:
        shape = demand.root.shape
        if shape is None or not ranks:
            return Refused(proven=True)
        if len(ranks) > 1 and shape.kind == KIND_WHOLE and most_pods(shape, self.state) < len(ranks):
            return Refused(proven=True)
        hard = shape.kind == KIND_SHARE and shape.cards > 1 and len(ranks) > 1
        if len(ranks) == 1:
            if self._by_mix is not None and not names_matter(demand, self.indexes):
                found = self._by_mix.place(shape)
                if found is None:
                    return Refused(proven=True)
                return Found([Spot(0, ranks[0], *found)], met=True, exact=True)
            spots = place_one(demand, shape, self.indexes)
        else:
            spots = place_gang(demand, shape, len(ranks), self.indexes)
        if spots is None:
            return Refused(proven=not hard)
        order = self.state.trees[demand.root.tree].tree.order
        pods: list[Spot] = []
        number = 0
        for place, here in spots.places:
            node = order[place]
            for _ in range(here):
                pods.append(spot_on(0, ranks[number], node))
                number += 1
        return Found(pods, met=spots.met, exact=spots.exact and not hard)

    def _place_exactly(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused | None:
        """Search exactly; None where the budget ran out."""
        problem = Problem(demand, ranks, chosen)
        steps = EXACT_STEPS if demand.patience is None else max(min(EXACT_STEPS, demand.patience), EXACT_LEAST)
        search = ExactSearch(problem, self.state, steps)
        try:
            answer = self._climb(problem, search)
        except OverBudgetError:
            return None
        finally:
            if demand.patience is not None:
                demand.patience -= steps - search.steps
        if answer is None:
            return Refused(proven=True)
        level, entry = answer
        pods = arrange(demand, lay_out(problem, entry[3], level), self.state)
        met = demand.preferred == NO_LOCALITY or level >= demand.preferred
        return Found(pods, met=met, exact=True, key=(-level, *entry[:3]))

    def _quicker(self, demand: Demand, ranks: list[int], found: Found) -> Found:
        """Return the answer of the indexes, or the quickest inside one narrower domain where that is quicker.

        A place inside one narrower domain is as good in all that counts before the time of a step. Places inside equal
        domains are not compared with each other.
        """
        tree = self.state.trees[demand.root.tree].tree
        if self.step_time is None or not found.met:
            return found
        candidates = [found]
        group = demand.root.group
        for level in range(max(demand.preferred, -1) + 1, tree.depth):
            rule = replace(group.topology, preferred=tree.levels[level])
            narrower = read_demand(demand.workload, replace(group, topology=rule), self.state, demand.alternative)
            inside = self._place_simple(narrower, ranks)
            if isinstance(inside, Found) and inside.met:
                candidates.append(inside)
        if len(candidates) == 1:
            return found._replace(exact=False)
        times = [self.step_time.nanoseconds(demand, candidate.pods) for candidate in candidates]
        return candidates[quickest(times)[0]]._replace(exact=False)

    def _off_crowds(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int], found: Found) -> Found:
        """Return an answer, or one just as close that is quicker because it keeps off links that others fill.

        Domains below such links are closed one after the other, and the search is asked again.
        """
        timing, state = self.step_time, self.state
        crowded = [] if timing is None else timing.crowded(demand, found.pods)
        if timing is None or not crowded:
            return found
        near = closeness(demand, found.pods, state), cut_segments(demand, found.pods, state)
        candidates = [found]
        undo: list[Shut] = []
        while crowded and len(undo) < MOST_DETOURS:
            undo.append(state.shut(crowded))
            other = self._search(demand, ranks, chosen, timed=True)
            if isinstance(other, Refused):
                break
            if (closeness(demand, other.pods, state), cut_segments(demand, other.pods, state)) != near:
                break
            candidates.append(other._replace(exact=False))
            crowded = timing.crowded(demand, other.pods)
        while undo:
            state.open_again(undo.pop())
        times = [timing.nanoseconds(demand, candidate.pods) for candidate in candidates]
        return candidates[quickest(times)[0]]

    def _timed(self, demand: Demand) -> bool:
        return self.step_time is not None and self.step_time.known(demand)

    def _quickest(self, search: ExactSearch, level: int, found: list[tuple[int, Entry]]) -> tuple[int, Entry]:
        """Return (level, entry) of the best answer by criterion 3; narrower domains are candidates too."""
        demand = search.problem.demand
        rank = min(entry[0] for _, entry in found) >> search.fields.rank_shift
        candidates = [(level, entry) for _, entry in found]
        for narrower in range(level + 1, search.depth + 1):
            for domain in _domains(search, narrower, []):
                entry = search.best(narrower, domain)
                if entry is not None:
                    candidates.append((narrower, entry))
        candidates = [pair for pair in candidates if pair[1][0] >> search.fields.rank_shift <= rank]
        if self.step_time is None:
            return min(candidates, key=lambda pair: pair[1][:3])
        times = [
            self.step_time.nanoseconds(demand, arrange(demand, lay_out(search.problem, entry[3], where), self.state))
            for where, entry in candidates
        ]
        return min((candidates[index] for index in quickest(times)), key=lambda pair: pair[1][:3])

    def _climb(self, problem: Problem, search: ExactSearch) -> tuple[int, Entry] | None:
        demand = problem.demand
        tree = self.state.trees[problem.tree].tree
        fixed = [tree.position[node] for leaf in demand.leaves for node in leaf.fixed.values()]
        for level in ladder(demand, tree.depth):
            domains = _domains(search, level, fixed)
            entries = ((domain, search.best(level, domain)) for domain in domains)
            found = [(domain, entry) for domain, entry in entries if entry is not None]
            if not found:
                continue
            best = min((entry for _, entry in found), key=lambda entry: entry[:3])
            if demand.root.even:
                return level, best_even(problem, self.state, level, best, domains)
            if self._timed(demand):
                return self._quickest(search, level, found)
            return level, best
        return None


def _domains(search: ExactSearch, level: int, fixed: list[int]) -> list[int]:
    """Return the domains of a level that hold every running pod and have the names the rules ask for."""
    tree = search.tree
    if level < 0:
        return [0]
    asked = search.problem.levels_asked(level)
    if level == tree.depth:
        ranges = [(place, place + 1) for place in range(len(tree.order))]
    else:
        ranges = tree.tiers[level].ranges()
    return [
        domain
        for domain, (start, end) in enumerate(ranges)
        if all(tree.named_at(level, domain, wider) for wider in asked) and all(start <= place < end for place in fixed)
    ]
