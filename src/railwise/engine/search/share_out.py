"""Copies shared out over domains that each hold a number of them, so that few domains are used at every level.

From the widest level downwards: one domain that holds all if there is one, the snuggest first, or else the roomiest
until the rest fits one. Domains where the workload is already come before others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from railwise.engine.cluster.tree_state import TreeState

Shares = list[tuple[int, int]]
"""(domain, copies) in the order in which they are to be placed."""

Used = list[dict[int, int]]
"""Pods of the workload per level and domain (nodes by tree position)."""

Pick = Callable[[list[int], int], int]
"""The best of several domains that each hold so many copies."""


class Layout:
    """Where copies may go: ``rooms[i]`` of them in the domain ``first + i`` of a level of a tree."""

    def __init__(self, trees: TreeState, level: int, first: int, rooms: list[int], used: Used | None) -> None:
        """Add up what the wider domains hold; ``used`` is None where it does not matter."""
        self.trees: Final = trees
        self.level: Final = level
        self.used: Final = used
        self.rooms: Final[list[dict[int, int]]] = [{} for _ in range(level + 1)]
        self.inside: Final[list[dict[int, list[int]]]] = [{} for _ in range(level + 1)]
        self.rooms[level] = {first + index: room for index, room in enumerate(rooms) if room > 0}
        for step in range(level, 0, -1):
            for domain, room in self.rooms[step].items():
                parent = self._parent(step, domain)
                self.rooms[step - 1][parent] = self.rooms[step - 1].get(parent, 0) + room
                self.inside[step - 1].setdefault(parent, []).append(domain)
        self.total: Final = sum(self.rooms[level].values())

    def _parent(self, level: int, domain: int) -> int:
        tree = self.trees.tree
        return (
            tree.domain_of[level - 1][tree.order[domain]] if level == tree.depth else tree.tiers[level].parent[domain]
        )

    def share(self, copies: int, pick: Pick | None, *, repair: bool, roomiest: bool) -> Shares:
        """Share out no more copies than there is room for; ``pick`` chooses between domains that each hold all.

        ``repair``: first what the domains in use hold, the most used one first. ``roomiest``: not the snuggest domain.
        """
        widest = list(self.rooms[0])
        result: Shares = []
        pending: list[tuple[int, list[int], int]] = [(0, widest, min(copies, self.total))]
        while pending:
            level, domains, wanted = pending.pop()
            shares = self._at(level, domains, wanted, pick, repair=repair, roomiest=roomiest)
            if level == self.level:
                result.extend(shares)
            else:
                pending.extend((level + 1, self.inside[level][domain], here) for domain, here in reversed(shares))
        return result

    def _at(
        self, level: int, domains: list[int], wanted: int, pick: Pick | None, *, repair: bool, roomiest: bool
    ) -> Shares:
        rooms = self.rooms[level]
        used = self.used[level] if self.used is not None else {}
        left = wanted
        result: Shares = []
        if repair:
            for domain in sorted(
                (other for other in domains if other in used), key=lambda other: (-used[other], other)
            ):
                if left:
                    result.append((domain, min(left, rooms[domain])))
                    left -= result[-1][1]
            domains = [other for other in domains if other not in used]
        if not left:
            return result
        ordered = sorted(domains, key=lambda domain: (-rooms[domain], self._free(level, domain), domain))
        for index, domain in enumerate(ordered):
            if rooms[domain] < left:
                result.append((domain, rooms[domain]))
                left -= rooms[domain]
                continue
            fit = [other for other in ordered[index:] if rooms[other] >= left]
            fit = [other for other in fit if other in used] or fit
            result.append((self._one(level, fit, left, pick, roomiest=roomiest), left))
            break
        return result

    def _one(self, level: int, fit: list[int], copies: int, pick: Pick | None, *, roomiest: bool) -> int:
        if roomiest or len(fit) == 1:
            return fit[0]
        if pick is not None and level == self.level:
            return pick(fit, copies)
        rooms = self.rooms[level]
        return min(fit, key=lambda domain: (rooms[domain], self._free(level, domain), domain))

    def _free(self, level: int, domain: int) -> int:
        tree = self.trees.tree
        return self.trees.free[level][domain] if level < tree.depth else 0


def levelled(shares: Shares, rooms: dict[int, int]) -> Shares:
    """Return the same pods over the same domains as evenly as their room allows, the earlier ones taking the rest."""
    pods = sum(here for _, here in shares)
    most = {domain: rooms[domain] for domain, _ in shares}
    level = 0
    while sum(min(room, level) for room in most.values()) < pods:
        level += 1
    given = {domain: min(room, level) for domain, room in most.items()}
    spare = sum(given.values()) - pods
    for domain in sorted(most, reverse=True):
        if spare and given[domain] == level:
            given[domain] -= 1
            spare -= 1
    return sorted(given.items())
