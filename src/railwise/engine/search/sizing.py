"""How many pods of which groups: minima first, then as much surplus as fits.

A workload with groups of which only some are needed is tried with every choice of groups, as many as asked for and
those listed first before others. Once all searches have used up the patience of the decision, groups are added as they
fit. Surplus goes to the lowest ranks first and obeys every rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from railwise.engine.gangs.demand import Demand, Part
from railwise.engine.gangs.record import Record
from railwise.engine.search.choosing import Growth, choices
from railwise.engine.search.placement import Found, Refused

MOST_LEAVES: Final = 32
"""With more groups than that surplus goes to the groups in order, without a look at other distributions."""

MOST_SIZES: Final = 256
"""How many distributions of surplus over several groups are tried."""

PATIENCE: Final = 800_000
"""The steps of the exact search that all searches of one decision share."""

A_SEARCH: Final = 1000
"""What each search costs of them at least."""

Counts = dict[int, int]
"""Pods per leaf, by part index."""

Search = Callable[[Demand, dict[int, list[int]], set[int]], Found | Refused]


def ranks_for(demand: Demand, counts: Counts) -> dict[int, list[int]]:
    """Return the ranks to place so that each leaf has that many pods: the lowest ranks that do not run."""
    ranks: dict[int, list[int]] = {}
    for leaf in demand.leaves:
        missing = counts.get(leaf.index, 0) - len(leaf.fixed)
        if missing > 0 and not leaf.fixed:
            ranks[leaf.index] = list(range(min(missing, leaf.group.pods)))
        elif missing > 0:
            ranks[leaf.index] = [rank for rank in range(leaf.group.pods) if rank not in leaf.fixed][:missing]
    return ranks


def least_counts(demand: Demand, chosen: set[int]) -> Counts:
    """Return the minimum of every chosen leaf, or what runs where that is more."""
    return {leaf.index: max(leaf.group.min_pods, len(leaf.fixed)) for leaf in demand.leaves if leaf.index in chosen}


def find_minimum(demand: Demand, search: Search) -> Found | Refused:
    """Place the minimum of a workload: the first feasible choice of groups."""
    if demand.root.shape is not None:
        counts = {demand.root.index: max(demand.root.group.min_pods, len(demand.root.fixed))}
        return search(demand, ranks_for(demand, counts), {demand.root.index})
    proven = True
    before = demand.patience
    demand.patience = PATIENCE if before is None else before
    try:
        for chosen in choices(demand.root, full=False):
            if demand.patience <= 0:
                growth = Growth(_attempt(demand, search), full=False)
                grown = growth.grow(demand.root, set())
                return Refused(proven=False) if grown is None or growth.found is None else growth.found
            demand.patience -= A_SEARCH
            found = search(demand, ranks_for(demand, least_counts(demand, chosen)), chosen)
            if isinstance(found, Found):
                return found
            proven = proven and found.proven
        return Refused(proven)
    finally:
        demand.patience = None if before is None else demand.patience


def _attempt(demand: Demand, search: Search) -> Callable[[set[int]], Found | None]:
    """Return a search for the minimum of the parts that take part; nothing to place is found at once."""

    def attempt(chosen: set[int]) -> Found | None:
        ranks = ranks_for(demand, least_counts(demand, chosen))
        if not ranks:
            return Found([], met=True, exact=True)
        found = search(demand, ranks, chosen)
        return found if isinstance(found, Found) else None

    return attempt


def find_lost(record: Record, search: Search) -> Found | Refused:
    """Replace the pods that a workload lost, and only these, where all of its parts that run stay as they are."""
    demand = record.demand
    ranks: dict[int, list[int]] = {}
    for number, rank in sorted(record.lost):
        ranks.setdefault(demand.leaves[number].index, []).append(rank)
    return search(demand, ranks, taking_part(demand, ranks)) if ranks else Refused(proven=True)


def taking_part(demand: Demand, ranks: dict[int, list[int]]) -> set[int]:
    """Return the parts that run or are to run when these ranks (per leaf, by part index) are placed."""
    chosen: set[int] = set()
    for leaf in demand.leaves:
        part: Part | None = leaf if leaf.fixed or leaf.index in ranks else None
        while part is not None:
            chosen.add(part.index)
            part = part.parent
    return chosen


def find_most(demand: Demand, search: Search) -> Found | None:
    """Place a workload with as many groups and as much surplus as fits; None where not even its minimum does."""
    before = demand.patience
    demand.patience = PATIENCE if before is None else before
    try:
        for chosen in choices(demand.root, full=True):
            if demand.patience <= 0:
                grown = Growth(_attempt(demand, search), full=True).grow(demand.root, set())
                return None if grown is None else _most(demand, grown, least_counts(demand, grown), search)
            demand.patience -= A_SEARCH
            found = _most(demand, chosen, least_counts(demand, chosen), search)
            if found is not None:
                return found
        return None
    finally:
        demand.patience = None if before is None else demand.patience


def _most(demand: Demand, chosen: set[int], counts: Counts, search: Search) -> Found | None:
    leaves = [leaf for leaf in demand.leaves if leaf.index in chosen]

    def attempt(wanted: Counts) -> Found | None:
        ranks = ranks_for(demand, wanted)
        if not ranks:
            return Found([], met=True, exact=True)
        found = search(demand, ranks, chosen)
        return found if isinstance(found, Found) else None

    best = attempt(counts)
    if best is None:
        return None
    everything = {leaf.index: leaf.group.pods for leaf in leaves}
    if everything == counts:
        return best
    whole = attempt(everything)
    if whole is not None:
        return whole
    for leaf in leaves:
        low, high = counts[leaf.index], leaf.group.pods
        while low < high:
            middle = (low + high + 1) // 2
            found = attempt({**counts, leaf.index: middle})
            if found is None:
                high = middle - 1
            else:
                low, best = middle, found
        counts = {**counts, leaf.index: low}
    if 1 < len(leaves) <= MOST_LEAVES:
        return _best_distribution(demand, leaves, sum(counts.values()), attempt) or best
    return best


def _best_distribution(
    demand: Demand, leaves: list[Part], total: int, attempt: Callable[[Counts], Found | None]
) -> Found | None:
    """Return the best answer with most pods in all, found at least ``total`` of them; bounded."""
    tried = 0
    for pods in range(sum(leaf.group.pods for leaf in leaves) - 1, total - 1, -1):
        best: Found | None = None
        for wanted in _split(leaves, pods, {}):
            tried += 1
            if tried > MOST_SIZES or (demand.patience is not None and demand.patience <= 0):
                return best
            found = attempt(wanted)
            if found is not None and (best is None or found.key < best.key):
                best = found
        if best is not None:
            return best
    return None


def _split(leaves: list[Part], total: int, given: Counts) -> Iterator[Counts]:
    if not leaves:
        if total == 0:
            yield given
        return
    leaf, rest = leaves[0], leaves[1:]
    least = max(leaf.group.min_pods, len(leaf.fixed))
    room = sum(max(other.group.min_pods, len(other.fixed)) for other in rest)
    for pods in range(min(leaf.group.pods, total - room), least - 1, -1):
        yield from _split(rest, total - pods, {**given, leaf.index: pods})
