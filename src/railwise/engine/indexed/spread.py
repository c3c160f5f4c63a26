"""A gang of equal pods over several racks of one wider domain: as few domains per level as will do, then least cost.

Gangs of whole nodes have an exact answer per set of domains (``whole_spread``). All others are combined from the racks'
cost curves; on large domains only the racks that can matter are tried, in a fixed order and number, so the answer is
feasible and good but not proven best.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree_state import TreeState
from railwise.engine.indexed.racks import RackIndex
from railwise.engine.indexed.tables import NEVER
from railwise.engine.indexed.whole_spread import Spots, WholeSpread

MOST_RACKS: Final = 24
"""How many racks a combination of cost curves considers at most."""

MOST_CELLS: Final = 1500
"""Gangs with more pods times racks than that are filled rack by rack instead."""

MOST_DOMAINS: Final = 6


class Spread:
    """The racks of a tree for one shape, seen from the domains above them."""

    def __init__(self, state: ClusterState, tree_state: TreeState, racks: RackIndex) -> None:
        """Keep the parts; nothing is computed yet."""
        self.state: Final = state
        self.tree_state: Final = tree_state
        self.tree: Final = tree_state.tree
        self.racks: Final = racks
        self._whole: dict[int, WholeSpread] = {}

    def capacity(self, level: int, domain: int) -> int:
        """Return how many pods a domain holds, each rack by itself."""
        return self.racks.capacity[level][domain] if level >= 0 else self.racks.total

    def best(self, level: int, pods: int, required: int, *, count_racks: bool) -> tuple[Spots, bool] | None:
        """Return (spots, proven best) for the best domain of a level that holds all pods, None where none does."""
        racks = self.racks
        whole = racks.kinds.whole_class if count_racks and racks.kinds.lame is None else -1
        if whole >= 0:
            if whole not in self._whole:
                self._whole[whole] = WholeSpread(self.state, self.tree_state, whole)
            return self._whole[whole].best(racks.capacity, racks.total, level, pods, required)
        if level < 0:
            candidates = [0] if racks.total >= pods else []
        else:
            room = racks.capacity[level]
            candidates = [domain for domain in self.tree.domains_named(level, required) if room[domain] >= pods]
        return self._best_any(level, candidates, pods, count_racks=count_racks) if candidates else None

    def _best_any(self, level: int, domains: list[int], pods: int, *, count_racks: bool) -> tuple[Spots, bool]:
        ranked: list[tuple[tuple[int, ...], int, list[int]]] = []
        for domain in domains:
            first, last = self.tree.racks_in(level, domain)
            sized = sorted(((self.racks.of_rack[rack].capacity, -rack) for rack in range(first, last)), reverse=True)
            number = total = 0
            while total < pods:
                total += sized[number][0]
                number += 1
            keep = [-rack for capacity, rack in sized[: max(number + 8, MOST_RACKS)] if capacity]
            ranked.append(
                ((number if count_racks else 0, *self.tree_state.free_around(level, domain)), domain, sorted(keep))
            )
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
