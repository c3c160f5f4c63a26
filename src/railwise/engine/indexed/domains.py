"""Sets of domains as bits of one integer, and the choice of the tightest of them.

Criterion 7 compares the free slots left in the domains used, from the narrowest level to the widest, and tree order
decides the rest. With a bit set per number of free slots, the tightest of thousands of equal domains is found by a few
operations on wide integers instead of a scan.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree_state import TreeState
from railwise.engine.indexed.cost import taken_of

NOT_FOUND: Final = -1

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
    """The domains of a tree by their free slots, those of the narrowest level in buckets; follows the state lazily."""

    def __init__(self, state: ClusterState, tree_state: TreeState) -> None:
        """Bucket the domains of the narrowest level."""
        self.state: Final = state
        self.tree: Final = tree_state.tree
        self.free: Final = tree_state.free
        self.read = len(state.journal)
        self.known: Final[list[int]] = list(tree_state.free[-1]) if self.tree.depth else []
        self.buckets: Final = Buckets()
        for domain, free in enumerate(self.known):
            self.buckets.add(free, 1 << domain)

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
        free, known, buckets = self.free[-1], self.known, self.buckets
        domain_of = self.tree.domain_of[-1]
        for node in touched:
            domain = domain_of[node]
            now, before = free[domain], known[domain]
            if before != now:
                bit = 1 << domain
                buckets.remove(before, bit)
                buckets.add(now, bit)
                known[domain] = now

    def tightest(self, candidates: int) -> int:
        """Return the best of a non-empty bit set of narrowest domains: least free there, then in those around."""
        if candidates & (candidates - 1) == 0:
            return candidates.bit_length() - 1
        if candidates.bit_count() > FEW:
            for free in self.buckets.keys:
                here = candidates & self.buckets.sets[free]
                if here:
                    candidates = here
                    break
        level = self.tree.depth - 1
        if level == 0 or candidates.bit_count() <= FEW:
            return self._one_by_one(bits_of(candidates), level)
        parent = self._one_by_one(self._parents(candidates, level), level - 1)
        above = self.tree.tiers[level - 1]
        first, last = above.first_child[parent], above.last_child[parent]
        inside = candidates >> first & ((1 << (last - first)) - 1)
        return first + (inside & -inside).bit_length() - 1

    def best_offer(self, offers: list[tuple[int, int]], *, by_cpu: bool) -> tuple[int, int]:
        """Return (domain, cost) of the best of several offers (cost, set of domains) that differ in slots taken only.

        Free slots are compared after those that each takes; by cpu they do not count, and the first domain is best.
        """
        if len(offers) == 1:
            cost, domains = offers[0]
            return (domains & -domains).bit_length() - 1 if by_cpu else self.tightest(domains), cost
        best: tuple[tuple[int, ...], int, int] | None = None
        merged: dict[int, int] = {}
        for cost, domains in offers:
            merged[cost] = merged.get(cost, 0) | domains
        for cost, domains in merged.items():
            domain = (domains & -domains).bit_length() - 1 if by_cpu else self.tightest(domains)
            if len(merged) == 1:
                return domain, cost
            taken = taken_of(cost)
            rank = (() if by_cpu else tuple([free - taken for free in self.frees(domain)]), domain, cost)
            if best is None or rank < best:
                best = rank
        return (best[1], best[2]) if best is not None else (NOT_FOUND, 0)

    def _parents(self, candidates: int, level: int) -> list[int]:
        """Return the domains around some, ascending."""
        parent = self.tree.tiers[level].parent
        last_child = self.tree.tiers[level - 1].last_child
        digits = bin(candidates)
        top = len(digits) - 1
        found: list[int] = []
        domain = 0
        while domain <= top:
            # Looking for the next digit 1 is one call; shifting bits away would copy the wide integer every time.
            place = digits.rfind("1", 0, top + 1 - domain)
            if place < 0:
                break
            found.append(parent[top - place])
            domain = last_child[found[-1]]
        return found

    def _one_by_one(self, left: list[int], level: int) -> int:
        """Return the first of some domains (ascending) with the least free slots there, then in those around."""
        around = left
        while True:
            free = self.free[level]
            frees = [free[domain] for domain in around]
            least = min(frees)
            if level == 0 or frees.count(least) == 1:
                return left[frees.index(least)]
            parent = self.tree.tiers[level].parent
            same = [index for index, here in enumerate(frees) if here == least]
            left = [left[index] for index in same]
            around = [parent[around[index]] for index in same]
            level -= 1

    def frees(self, domain: int) -> tuple[int, ...]:
        """Return the free slots of a narrowest domain and of the wider ones around it, narrowest first."""
        result: list[int] = []
        for level in range(self.tree.depth - 1, -1, -1):
            result.append(self.free[level][domain])
            domain = self.tree.tiers[level].parent[domain]
        return tuple(result)
