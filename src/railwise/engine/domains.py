"""Sets of domains as bits of one integer, and the choice of the tightest of them.

Criterion 7 compares the free slots left in the domains used, from the narrowest level to the widest, and tree order
decides the rest. With a bit set per number of free slots, the tightest of thousands of equal domains is found by a few
operations on wide integers instead of a scan.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from railwise.engine.state import ClusterState
from railwise.engine.tree_state import TreeState

FEW: Final = 12
"""Up to so many candidates are compared one by one."""


def bits_of(mask: int) -> list[int]:
    """Return the positions of the set bits, ascending."""
    found: list[int] = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class Buckets:
    """Domains grouped by an integer key: a bit set per key, and the keys in ascending order."""

    def __init__(self) -> None:
        """Start empty."""
        self.sets: Final[dict[int, int]] = {}
        self.keys: Final[list[int]] = []

    def add(self, key: int, bit: int) -> None:
        """Add a domain, given as its bit."""
        have = self.sets.get(key)
        if have is None:
            insort(self.keys, key)
            self.sets[key] = bit
        else:
            self.sets[key] = have | bit

    def remove(self, key: int, bit: int) -> None:
        """Remove a domain, given as its bit."""
        left = self.sets[key] ^ bit
        if left:
            self.sets[key] = left
        else:
            del self.sets[key]
            del self.keys[bisect_left(self.keys, key)]


class FreeIndex:
    """The domains of every level of a tree, bucketed by their free slots; follows the state lazily."""

    def __init__(self, state: ClusterState, tree_state: TreeState) -> None:
        """Bucket all domains."""
        self.state: Final = state
        self.tree_state: Final = tree_state
        self.tree: Final = tree_state.tree
        self.read = len(state.journal)
        self.known: Final[list[list[int]]] = [list(level) for level in tree_state.free]
        self.buckets: Final[list[Buckets]] = []
        for level in self.known:
            buckets = Buckets()
            grouped: dict[int, int] = {}
            for domain, free in enumerate(level):
                grouped[free] = grouped.get(free, 0) | (1 << domain)
            for free in sorted(grouped):
                buckets.keys.append(free)
                buckets.sets[free] = grouped[free]
            self.buckets.append(buckets)

    def refresh(self) -> None:
        """Move the domains whose free slots changed."""
        journal = self.state.journal
        end = len(journal)
        if self.read == end:
            return
        touched = journal[self.read : end]
        self.read = end
        if not self.tree.depth:
            return
        domains = set(map(self.tree.domain_of[-1].__getitem__, touched))
        for level in range(self.tree.depth - 1, -1, -1):
            free = self.tree_state.free[level]
            known = self.known[level]
            buckets = self.buckets[level]
            for domain in domains:
                now = free[domain]
                if known[domain] != now:
                    bit = 1 << domain
                    buckets.remove(known[domain], bit)
                    buckets.add(now, bit)
                    known[domain] = now
            domains = set(map(self.tree.tiers[level].parent.__getitem__, domains))

    def tightest(self, candidates: int, level: int) -> int:
        """Return the best of a non-empty bit set of domains of a level: least free there, then at each wider level."""
        if candidates & (candidates - 1) == 0:
            return candidates.bit_length() - 1
        if candidates.bit_count() <= FEW:
            return self._one_by_one(candidates, level)
        buckets = self.buckets[level]
        for free in buckets.keys:
            here = candidates & buckets.sets[free]
            if here:
                candidates = here
                break
        if level == 0 or candidates.bit_count() <= FEW:
            return self._one_by_one(candidates, level)
        parents = self._parents(candidates, level)
        parent = self.tightest(parents, level - 1)
        inside = candidates & self._range(level, parent)
        return (inside & -inside).bit_length() - 1

    def _parents(self, candidates: int, level: int) -> int:
        parents = 0
        tier = self.tree.tiers[level]
        above = self.tree.tiers[level - 1]
        rest = candidates
        while rest:
            parent = tier.parent[(rest & -rest).bit_length() - 1]
            parents |= 1 << parent
            end = above.last_child[parent]
            rest = rest >> end << end
        return parents

    def _range(self, level: int, parent: int) -> int:
        above = self.tree.tiers[level - 1]
        first, last = above.first_child[parent], above.last_child[parent]
        return ((1 << (last - first)) - 1) << first

    def _one_by_one(self, candidates: int, level: int) -> int:
        best = -1
        best_key: tuple[int, ...] = ()
        for domain in bits_of(candidates):
            key = self.frees(level, domain)
            if best < 0 or key < best_key:
                best, best_key = domain, key
        return best

    def frees(self, level: int, domain: int) -> tuple[int, ...]:
        """Return the free slots of a domain and of the wider ones around it, narrowest first."""
        result: list[int] = []
        while level >= 0:
            result.append(self.known[level][domain])
            domain = self.tree.tiers[level].parent[domain]
            level -= 1
        return tuple(result)
