"""How many pods of which groups: minima first, then as much surplus as fits.

A workload with groups of which only some are needed is tried with every choice of groups, as many as asked for and
those listed first before others. Surplus goes to the lowest ranks first and obeys every rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Final

from railwise.engine.gangs.demand import Demand, Part
from railwise.engine.gangs.record import Record
from railwise.engine.search.placement import Found, Refused

MOST_CHOICES: Final = 512
"""How many choices of groups (K of N) are tried."""

MOST_LEAVES: Final = 32
"""With more groups than that surplus goes to the groups in order, without a look at other distributions."""

MOST_SIZES: Final = 256
"""How many distributions of surplus over several groups are tried."""

Counts = dict[int, int]
"""Pods per leaf, by part index."""

Search = Callable[[Demand, dict[int, list[int]], set[int]], Found | Refused]


def choices(part: Part, *, full: bool) -> Iterator[set[int]]:
    """Yield sets of parts that take part, best first; ``full``: as many groups as possible, else as few as needed."""
    if part.shape is not None:
        yield {part.index}
        return
    needed = [child for child in part.children if child.running()]
    free = [child for child in part.children if not child.running()]
    least = max(part.group.min_groups - len(needed), 0)
    sizes = range(len(free), least - 1, -1) if full else range(least, least + 1)
    for size in sizes:
        for extra in combinations(free, min(size, len(free))):
            members = [child for child in part.children if child in needed or child in extra]
            yield from _product(part, members, full=full)


def _product(part: Part, members: list[Part], *, full: bool) -> Iterator[set[int]]:
    if all(_one_choice(member) for member in members):
        yield {part.index}.union(*(next(choices(member, full=full)) for member in members))
        return
    for first in choices(members[0], full=full):
        for rest in _product(part, members[1:], full=full):
            yield first | rest


def _one_choice(part: Part) -> bool:
    """Return whether a part needs all of its groups, at every depth: there is nothing to choose."""
    return part.group.min_groups >= len(part.children) and all(_one_choice(child) for child in part.children)


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
    for chosen in islice(choices(demand.root, full=False), MOST_CHOICES):
        found = search(demand, ranks_for(demand, least_counts(demand, chosen)), chosen)
        if isinstance(found, Found):
            return found
        proven = proven and found.proven
    return Refused(proven)


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
    for chosen in islice(choices(demand.root, full=True), MOST_CHOICES):
        counts = least_counts(demand, chosen)
        found = _most(demand, chosen, counts, search)
        if found is not None:
            return found
    return None


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
        return _best_distribution(leaves, sum(counts.values()), attempt) or best
    return best


def _best_distribution(leaves: list[Part], total: int, attempt: Callable[[Counts], Found | None]) -> Found | None:
    """Return the best answer with most pods in all, found at least ``total`` of them; bounded."""
    tried = 0
    for pods in range(sum(leaf.group.pods for leaf in leaves) - 1, total - 1, -1):
        best: Found | None = None
        for wanted in _split(leaves, pods, {}):
            tried += 1
            if tried > MOST_SIZES:
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
