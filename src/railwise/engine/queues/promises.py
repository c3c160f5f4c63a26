"""The books behind promised domains: whose protected work stands where, and which promises can still be kept.

The invariant. Promises can be *kept* if pairwise disjoint domains can be assigned to them such that each is named and
whole (all of its nodes are ready) and holds no protected work but that of one promise holder, who is the one it is
assigned to or stands below him. A wider domain takes all narrower ones in it. A *promise holder* is a queue that is
promised domains; work of the queues below it is its own, unless a queue between them holds promises too.

The criterion (exact for trees of any shape; proof in docs/decisions). Only domains that are whole and of at most one
holder can be assigned. Take those that lie in no wider one of them: the *roots*. Everything assignable lies in one
root, all work in a root is of one holder, and roots are independent of each other. So a holder needs of the clean
domains what he is promised, less what his own roots give him, plus what those roots give away clean; what his roots
give beyond his promises counts for the holder above him. Promises can be kept if and only if, for some choice of one
vector for every root (see ``supply``), the clean domains cover all of these needs at every level.

A change touches the domains around one node; sums per holder are kept until a root of his changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from railwise.engine.cluster.tree import Tree
from railwise.engine.queues.balance import Balance, Need
from railwise.engine.queues.keeping import Wanted, most_kept
from railwise.engine.queues.supply import CLEAN, SPOILT, Kinds, Levels, plus


class Ground:
    """The domains of the promised levels of one tree, widest level first; *units* are those of the narrowest.

    ``of[level][node]`` is a node's domain, ``parent[level][domain]`` the one around a domain, ``levels`` the indices of
    the levels in the tree.
    """

    def __init__(self, tree: Tree, levels: Sequence[int]) -> None:
        """Number the domains as the tree does, nodes by their index."""
        self.tree: Final = tree
        self.levels: Final = tuple(levels)
        nodes = range(len(tree.order))
        self.of: Final = [list(nodes) if level == tree.depth else tree.domain_of[level] for level in levels]
        self.size: Final = [len(nodes) if level == tree.depth else len(tree.tiers[level].names) for level in levels]
        self.named: Final = [
            [True] * len(nodes) if level == tree.depth else tree.tiers[level].named for level in levels
        ]
        self.parent: Final[list[list[int]]] = [[0] * size for size in self.size]
        for index in range(1, len(levels)):
            for node in nodes:
                self.parent[index][self.of[index][node]] = self.of[index - 1][node]

    def nodes_of(self, level: int, domain: int) -> list[int]:
        """Return the nodes of a domain of a promised level, in tree order."""
        if self.levels[level] == self.tree.depth:
            return [domain]
        tier = self.tree.tiers[self.levels[level]]
        return self.tree.order[tier.start[domain] : tier.end[domain]]

    def worth(self) -> Levels:
        """Return about how many units a domain of each level holds."""
        return tuple([max(self.size[-1] // max(size, 1), 1) for size in self.size])

    def chain(self, unit: int) -> list[int]:
        """Return the domains around a unit per promised level, widest first."""
        domains = [unit]
        for level in range(len(self.levels) - 1, 0, -1):
            domains.append(self.parent[level][domains[-1]])
        return domains[::-1]


class Books:
    """Which domains can still be given to whom. ``above[holder]`` is the holder above one, -1 where there is none.

    ``version`` is another one after every change; ``loosened``: more may be possible than when ``kept`` was asked.
    """

    def __init__(self, ground: Ground, kinds: Kinds, above: Sequence[int]) -> None:
        """Start with an empty healthy cluster."""
        self.ground: Final = ground
        self.kinds: Final = kinds
        self.above: Final = tuple(above)
        self.order: Final = sorted(range(len(above)), key=lambda holder: -self._depth(holder))
        self.marks: Final[list[dict[int, int]]] = [{} for _ in range(ground.size[-1])]
        self.broken: Final[list[list[int]]] = [[0] * size for size in ground.size]
        self.kind: Final[list[list[int]]] = [[-1] * size for size in ground.size]
        self.below: Final[list[list[dict[int, int]]]] = [[{} for _ in range(size)] for size in ground.size[:-1]]
        self.roots: Final[dict[int, dict[int, int]]] = {}
        self.loosened = True
        self.version = 0
        self._changes = 0
        self.balance: Final = Balance(ground.worth())
        self._below: Final = [[other for other in self.order if above[other] == holder] for holder in range(len(above))]
        self._rank: Final = {holder: rank for rank, holder in enumerate(self.order)}
        self._needs: Final[dict[int, Need]] = {}
        self._stale: Final[set[int]] = set(self.order)
        self._wanted: Wanted = tuple([()] * len(self.above))
        self._kept: Wanted | None = None
        self.recount()

    def _depth(self, holder: int) -> int:
        depth = 0
        while self.above[holder] >= 0:
            holder, depth = self.above[holder], depth + 1
        return depth

    def recount(self) -> None:
        """Find the kinds of all domains anew."""
        self.version = self._changes = self._changes + 1
        self.roots.clear()
        self._stale.update(self.order)
        last = len(self.ground.levels) - 1
        for level in range(last, -1, -1):
            kinds = self.kind[level]
            for domain in range(self.ground.size[level]):
                kinds[domain] = self._kind_of(level, domain)
                if level == 0:
                    self._count_roots(kinds[domain], 1)
            if level:
                for counts in self.below[level - 1]:
                    counts.clear()
                for domain, parent in enumerate(self.ground.parent[level]):
                    counts = self.below[level - 1][parent]
                    counts[kinds[domain]] = counts.get(kinds[domain], 0) + 1

    def _kind_of(self, level: int, domain: int) -> int:
        whole = self.ground.named[level][domain] and not self.broken[level][domain]
        if level < len(self.ground.levels) - 1:
            return self.kinds.of_wider(level, self.below[level][domain], whole=whole)
        marks = self.marks[domain]
        holder = next(iter(marks)) if len(marks) == 1 else SPOILT
        return self.kinds.of_unit(level, holder if marks else CLEAN, whole=whole)

    def mark(self, units: Iterable[int], holder: int, step: int) -> None:
        """Count protected work of a holder (``SPOILT``: of nobody who holds promises) in units, -1: it has gone."""
        for unit in units:
            marks = self.marks[unit]
            count = marks.get(holder, 0) + step
            if count:
                marks[holder] = count
            else:
                marks.pop(holder)
            if count in {0, step}:
                self._renew(unit)
        self._moved_on(loosened=step < 0)

    def _moved_on(self, *, loosened: bool) -> None:
        self.loosened = self.loosened or loosened
        self.version = self._changes = self._changes + 1

    def hurt(self, node: int, step: int) -> None:
        """Count a node as not ready, -1: it is ready again."""
        unit = self.ground.of[-1][node]
        for level, domain in enumerate(self.ground.chain(unit)):
            self.broken[level][domain] += step
        self._renew(unit)
        self._moved_on(loosened=step < 0)

    def _renew(self, unit: int) -> None:
        """Find the kinds of a unit and of the domains around it anew."""
        level, domain = len(self.ground.levels) - 1, unit
        while True:
            before = self.kind[level][domain]
            kind = self._kind_of(level, domain)
            self.kind[level][domain] = kind
            if level == 0:
                if kind != before:
                    self._count_roots(before, -1)
                    self._count_roots(kind, 1)
                return
            domain = self.ground.parent[level][domain]
            level -= 1
            if kind != before:
                counts = self.below[level][domain]
                counts[before] -= 1
                if not counts[before]:
                    counts.pop(before)
                counts[kind] = counts.get(kind, 0) + 1

    def _count_roots(self, kind: int, step: int) -> None:
        for root, count in self.kinds.roots(kind):
            holder = self.kinds.all[root].holder
            roots = self.roots.setdefault(holder, {})
            roots[root] = roots.get(root, 0) + step * count
            if not roots[root]:
                roots.pop(root)
            self._stale_from(holder)

    def _stale_from(self, holder: int) -> None:
        """Note that the needs of a holder and of those above him must be found anew."""
        while holder >= 0:
            self._stale.add(holder)
            holder = self.above[holder]

    def _take_stock(self, wanted: Wanted) -> None:
        """Bring the needs of all holders up to date, those below before those above."""
        if wanted is not self._wanted:
            for holder, (before, now) in enumerate(zip(self._wanted, wanted, strict=True)):
                if before != now:
                    self._stale_from(holder)
            self._wanted = wanted
        if self._stale:
            for holder in sorted(self._stale, key=self._rank.__getitem__):
                below = [self._needs[other].passed for other in self._below[holder]]
                have = self.kinds.sum_of(tuple(sorted(self.roots.get(holder, {}).items())))
                for passed in below:
                    have = plus(have, passed, self.kinds.cap)
                self._needs[holder] = need = self.balance.need_of(have, wanted[holder])
                if self.above[holder] < 0:
                    self.balance.replace(holder, need)
            self._stale.clear()

    def can_keep(self, wanted: Wanted) -> bool:
        """Return whether these promises can all be kept at once."""
        self._take_stock(wanted)
        clean = self.kinds.sum_of(tuple(sorted(self.roots.get(CLEAN, {}).items())))
        return self.balance.covered_by(clean, self.kinds.most)

    def still_keeps(self, promised: Wanted, units: Iterable[int], holder: int) -> bool:
        """Return whether no promise that can be kept now is lost if work of a holder comes to these units."""
        kept = self.kept(promised)
        before = self.try_mark(units, holder)
        still = self.can_keep(kept)
        self.unmark(units, holder, before)
        return still

    def try_mark(self, units: Iterable[int], holder: int) -> tuple[bool, int]:
        """Mark units for a moment; return what ``unmark`` takes to undo it."""
        before = self.loosened, self.version
        self.mark(units, holder, 1)
        return before

    def unmark(self, units: Iterable[int], holder: int, before: tuple[bool, int]) -> None:
        """Undo ``try_mark``, everything else since being undone already."""
        self.mark(units, holder, -1)
        self.loosened, self.version = before

    def alike(self) -> dict[Levels, list[int]]:
        """Return the units in groups whose domains are of one kind at every level: any of a group will do."""
        groups: dict[Levels, list[int]] = {}
        for unit in range(self.ground.size[-1]):
            groups.setdefault(self.kinds_of(unit), []).append(unit)
        return groups

    def kinds_of(self, unit: int) -> Levels:
        """Return the kinds of a unit and of the domains around it, narrowest first."""
        domain, kinds = unit, [self.kind[-1][unit]]
        for level in range(len(self.kind) - 1, 0, -1):
            domain = self.ground.parent[level][domain]
            kinds.append(self.kind[level - 1][domain])
        return tuple(kinds)

    def kept(self, promised: Wanted) -> Wanted:
        """Return the promises that can be kept now: wider levels first, then holders by number, as many as possible."""
        if self.loosened or self._kept is None or not self.can_keep(self._kept):
            self._kept = promised if self.can_keep(promised) else most_kept(self.can_keep, promised)
            self.loosened = False
        return self._kept
