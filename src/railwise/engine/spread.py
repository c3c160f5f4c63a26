"""A gang of equal pods over several racks of one wider domain: as few domains per level as will do, then least cost.

Gangs of whole nodes have an exact answer per set of domains (``whole_racks``). All others are combined from the racks'
cost curves; on large domains only the racks that can matter are tried, in a fixed order and number, so the answer is
feasible and good but not proven best.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from railwise.engine.racks import RackIndex
from railwise.engine.state import ClusterState
from railwise.engine.tables import NEVER
from railwise.engine.tree_state import TreeState
from railwise.engine.whole_racks import WholeRacks

MOST_SETS: Final = 24
"""How many sets of domains are compared at most."""

MOST_TRIED_SETS: Final = 1000
"""How many sets of domains are looked at to find these."""

MOST_RACKS: Final = 24
"""How many racks a combination of cost curves considers at most."""

MOST_CELLS: Final = 1500
"""Gangs with more pods times racks than that are filled rack by rack instead."""

MOST_DOMAINS: Final = 6

Spots = list[tuple[int, int]]
"""(rack, pods in it), in tree order."""


class Spread:
    """The racks of a tree for one shape, seen from the domains above them."""

    def __init__(self, state: ClusterState, tree_state: TreeState, racks: RackIndex) -> None:
        """Keep the parts; nothing is computed yet."""
        self.state: Final = state
        self.tree_state: Final = tree_state
        self.tree: Final = tree_state.tree
        self.racks: Final = racks
        self._whole: dict[int, WholeRacks] = {}
        self._named: Final[dict[tuple[int, int], list[int]]] = {}

    def racks_in(self, level: int, domain: int) -> tuple[int, int]:
        """Return the range of racks in a domain (level -1: all)."""
        if level < 0:
            return 0, len(self.racks.ranges)
        first, last = domain, domain + 1
        for tier in self.tree.tiers[level : self.tree.depth - 1]:
            first, last = tier.first_child[first], tier.last_child[last - 1]
        return first, last

    def capacity(self, level: int, domain: int) -> int:
        """Return how many pods a domain holds, each rack by itself."""
        return self.racks.capacity[level][domain] if level >= 0 else self.racks.total

    def best(self, level: int, pods: int, required: int, *, count_racks: bool) -> tuple[Spots, bool] | None:
        """Return (spots, proven best) for the best domain of a level that holds all pods, None where none does."""
        if level < 0:
            candidates = [0] if self.racks.total >= pods else []
        else:
            capacity = self.racks.capacity[level]
            candidates = [domain for domain in self._domains(level, required) if capacity[domain] >= pods]
        if not candidates:
            return None
        whole = self.racks.kinds.whole_class if count_racks and self.racks.kinds.lame is None else -1
        if whole >= 0:
            return self._best_whole(level, candidates, pods, whole)
        return self._best_any(level, candidates, pods, count_racks=count_racks)

    def _domains(self, level: int, required: int) -> list[int]:
        """Return the domains of a level that are named at the required level (at all, where nothing is required)."""
        known = self._named.get((level, required))
        if known is None:
            found = range(len(self.tree.tiers[level].names))
            known = [domain for domain in found if self.tree.named_at(level, domain, required)]
            self._named[level, required] = known
        return known

    def _best_whole(self, level: int, domains: list[int], pods: int, whole: int) -> tuple[Spots, bool]:
        answers = self._whole.get(whole)
        if answers is None:
            answers = WholeRacks(self.state.potential, self.state.classes[whole])
            self._whole[whole] = answers
        counts = self.tree_state.whole[whole]
        free = self.tree_state.free[self.tree.depth - 1]
        sets: list[tuple[tuple[int, ...], int, list[int], tuple[int, ...]]] = []
        proven = True
        for domain in domains:
            groups, complete = self._sets_of_racks(level, domain, pods)
            proven = proven and complete
            around = self._free_around(level, domain)
            for used, frees, members in groups:
                number = answers.fewest([counts[rack] for rack in members], pods)
                sets.append(((*used, number), number, members, (*reversed(frees), *around)))
        fewest = min(key for key, _, _, _ in sets)
        best: tuple[tuple[object, ...], tuple[tuple[int, int], ...]] | None = None
        for key, number, members, frees in sets:
            if key != fewest:
                continue
            choice = answers.choose([(rack, counts[rack], free[rack]) for rack in members], pods, number)
            if choice is not None:
                rank = (choice.loss, choice.left, frees, choice.racks)
                if best is None or rank < best[0]:
                    best = (rank, choice.racks)
        return (list(best[1]) if best is not None else []), proven

    def _free_around(self, level: int, domain: int) -> tuple[int, ...]:
        result: list[int] = []
        while level >= 0:
            result.append(self.tree_state.free[level][domain])
            domain = self.tree.tiers[level].parent[domain]
            level -= 1
        return tuple(result)

    def _sets_of_racks(
        self, level: int, domain: int, pods: int
    ) -> tuple[list[tuple[tuple[int, ...], tuple[int, ...], list[int]]], bool]:
        """Return (domains used, their free slots, racks) of the sets worth comparing, and whether these are all."""
        if level >= self.tree.depth - 2:
            first, last = self.racks_in(level, domain)
            return [((), (), list(range(first, last)))], True
        tier = self.tree.tiers[level] if level >= 0 else None
        below = (
            range(tier.first_child[domain], tier.last_child[domain]) if tier else range(len(self.tree.tiers[0].names))
        )
        sized = sorted(((self.capacity(level + 1, child), -child) for child in below), reverse=True)
        sized = [pair for pair in sized if pair[0] > 0]
        number = total = 0
        while total < pods:
            total += sized[number][0]
            number += 1
        choices: list[tuple[int, ...]] = []
        complete = True
        for tried, choice in enumerate(combinations(range(len(sized)), number)):
            if sum(sized[index][0] for index in choice) >= pods:
                choices.append(choice)
            if len(choices) >= MOST_SETS or tried >= MOST_TRIED_SETS:
                complete = False
                break
        free = self.tree_state.free[level + 1]
        result: list[tuple[tuple[int, ...], tuple[int, ...], list[int]]] = []
        for choice in choices:
            children = sorted(-sized[index][1] for index in choice)
            members: list[int] = []
            for child in children:
                members.extend(range(*self.racks_in(level + 1, child)))
            if level + 1 < self.tree.depth - 2:
                complete = False
            result.append(((number,), (sum(free[child] for child in children),), members))
        return result, complete

    def _best_any(self, level: int, domains: list[int], pods: int, *, count_racks: bool) -> tuple[Spots, bool]:
        ranked: list[tuple[tuple[int, ...], int, list[int]]] = []
        for domain in domains:
            first, last = self.racks_in(level, domain)
            sized = sorted(((self.racks.of_rack[rack].capacity, -rack) for rack in range(first, last)), reverse=True)
            number = total = 0
            while total < pods:
                total += sized[number][0]
                number += 1
            keep = [-rack for capacity, rack in sized[: max(number + 8, MOST_RACKS)] if capacity]
            ranked.append(((number if count_racks else 0, *self._free_around(level, domain)), domain, sorted(keep)))
        ranked.sort()
        best: tuple[tuple[int, int], Spots] | None = None
        for (number, *_), _, members in ranked[:MOST_DOMAINS]:
            if best is not None and count_racks and number > best[0][0]:
                break
            found = self._combine(members, pods, number if count_racks else 0)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        return (best[1] if best is not None else []), False

    def _combine(self, members: list[int], pods: int, number: int) -> tuple[tuple[int, int], Spots] | None:
        """Add the racks' curves; with ``number`` no more racks than that are used. Returns ((racks, cost), spots)."""
        if pods * len(members) > MOST_CELLS:
            filled = fill_racks(self.racks, members, pods)
            return (len(filled), 0), sorted(filled)
        front: dict[tuple[int, int], tuple[int, tuple[tuple[int, int], ...]]] = {(0, 0): (0, ())}
        for rack in members:
            curve = self.racks.of_rack[rack].curve(min(pods, self.racks.of_rack[rack].capacity))
            grown = dict(front)
            for (used, placed), (cost, spots) in front.items():
                if number and used == number:
                    continue
                for more in range(1, min(len(curve) - 1, pods - placed) + 1):
                    extra = curve[more]
                    if extra == NEVER:
                        continue
                    key = (used + 1 if number else 0, placed + more)
                    known = grown.get(key)
                    if known is None or cost + extra < known[0]:
                        grown[key] = (cost + extra, (*spots, (rack, more)))
            front = grown
        done = [(used, cost, spots) for (used, placed), (cost, spots) in front.items() if placed == pods]
        if not done:
            return None
        used, cost, spots = min(done)
        return (used, cost), list(spots)


def fill_racks(racks: RackIndex, members: Iterable[int], pods: int) -> Spots:
    """Fill the roomiest racks first and put the rest into the snuggest one that takes it; all pods, if they fit."""
    sized = sorted((-racks.of_rack[rack].capacity, rack) for rack in members)
    result: Spots = []
    used: set[int] = set()
    left = pods
    for capacity, rack in sized:
        here = min(left, -capacity)
        if here <= 0:
            break
        chosen = rack
        if here == left:
            chosen = min((-size, other) for size, other in sized if -size >= here and other not in used)[1]
        used.add(chosen)
        result.append((chosen, here))
        left -= here
    return result


def level_shares(racks: RackIndex, shares: Spots) -> Spots:
    """Give the same racks as equal shares as their room allows, the larger ones first in tree order."""
    pods = sum(here for _, here in shares)
    room = {rack: racks.of_rack[rack].capacity for rack, _ in shares}
    level = 0
    while sum(min(most, level) for most in room.values()) < pods:
        level += 1
    given = {rack: min(most, level) for rack, most in room.items()}
    spare = sum(given.values()) - pods
    for rack in sorted(room, reverse=True):
        if spare and given[rack] == level:
            given[rack] -= 1
            spare -= 1
    return sorted(given.items())
