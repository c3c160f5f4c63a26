"""A gang of whole nodes over several racks of one wider domain: as few domains per level as will do, then least loss.

Every set of narrower domains that holds the gang is compared, as far as there are few; what racks to take inside one
set has an exact answer (``whole_racks``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree_state import TreeState
from railwise.engine.indexed.whole_racks import WholeRacks

MOST_SETS: Final = 24
"""How many sets of domains are compared at most."""

MOST_TRIED_SETS: Final = 1000
"""How many sets of domains are looked at to find these."""

Spots = list[tuple[int, int]]
"""(rack, pods in it), in tree order."""

Sums = list[list[int]]
"""A number per domain of each level."""


class WholeSpread:
    """The racks of a tree by their whole free nodes of one class."""

    def __init__(self, state: ClusterState, tree_state: TreeState, whole: int) -> None:
        """Keep the parts; nothing is computed yet."""
        self.tree_state: Final = tree_state
        self.tree: Final = tree_state.tree
        self.counts: Final = tree_state.whole[whole]
        self.answers: Final = WholeRacks(state.potential, state.classes[whole])

    def best(self, room: Sums, total: int, level: int, pods: int, required: int) -> tuple[Spots, bool] | None:
        """Return (spots, proven best) for the best domain of a level that holds all pods, None where none does.

        ``room`` counts the pods that each domain holds, ``total`` those of the cluster.
        """
        if level < 0:
            domains = [0] if total >= pods else []
        else:
            domains = [domain for domain in self.tree.domains_named(level, required) if room[level][domain] >= pods]
        if not domains:
            return None
        fewest: tuple[int, ...] = ()
        least = 0
        worth_it: list[tuple[int, int, Sequence[int], tuple[int, ...], tuple[int, ...]]] = []
        proven = True
        for domain in domains:
            groups, complete = self._sets_of_racks(room, level, domain, pods)
            proven = proven and complete
            for used, frees, members in groups:
                counts = self._counts_of(members)
                multiset = self.answers.multiset(counts)
                number = self.answers.fewest(multiset, pods)
                key = (*used, number)
                if worth_it and key > fewest:
                    continue
                loss = self.answers.loss(multiset, pods, number)
                if not worth_it or (key, loss) < (fewest, least):
                    fewest, least, worth_it = key, loss, []
                if loss == least:
                    worth_it.append((domain, number, members, counts, frees))
        free = self.tree_state.free[self.tree.depth - 1]
        best: tuple[tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]], tuple[tuple[int, int], ...]] | None = None
        for domain, number, members, counts, frees in worth_it:
            choice = self.answers.choose(members, counts, free, pods, number)
            if choice is not None and (best is None or choice.left <= best[0][0]):
                rank = (choice.left, (*reversed(frees), *self.tree_state.free_around(level, domain)), choice.racks)
                if best is None or rank < best[0]:
                    best = (rank, choice.racks)
        return (list(best[1]) if best is not None else []), proven

    def _counts_of(self, racks: Sequence[int]) -> tuple[int, ...]:
        """Return the whole free nodes of racks."""
        if isinstance(racks, range):
            return tuple(self.counts[racks.start : racks.stop])
        return tuple([self.counts[rack] for rack in racks])

    def _sets_of_racks(
        self, room: Sums, level: int, domain: int, pods: int
    ) -> tuple[list[tuple[tuple[int, ...], tuple[int, ...], Sequence[int]]], bool]:
        """Return (domains used, their free slots, racks) of the sets worth comparing, and whether these are all."""
        if level >= self.tree.depth - 2:
            first, last = self.tree.racks_in(level, domain)
            return [((), (), range(first, last))], True
        tier = self.tree.tiers[level] if level >= 0 else None
        below = (
            range(tier.first_child[domain], tier.last_child[domain]) if tier else range(len(self.tree.tiers[0].names))
        )
        sized = sorted(((room[level + 1][child], -child) for child in below), reverse=True)
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
        result: list[tuple[tuple[int, ...], tuple[int, ...], Sequence[int]]] = []
        for choice in choices:
            children = sorted(-sized[index][1] for index in choice)
            members: list[int] = []
            for child in children:
                members.extend(range(*self.tree.racks_in(level + 1, child)))
            if level + 1 < self.tree.depth - 2:
                complete = False
            result.append(((number,), (sum(free[child] for child in children),), members))
        return result, complete
