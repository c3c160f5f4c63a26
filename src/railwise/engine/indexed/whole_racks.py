"""The cheapest racks for a gang of whole nodes that no single rack holds.

Taking p of the w whole free nodes of a rack destroys F(w) - F(w - p) of potential. F is superadditive (F(a + b) >=
F(a) + F(b)), so with the fewest racks it never pays to leave nodes over in two of them: the best choice takes all
but one rack whole. What remains is a small subset sum over the numbers of whole free nodes, remembered per
multiset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from railwise.engine.cluster.potential import Potential

MOST_CHOICES: Final = 16

MOST_REMEMBERED: Final = 20_000
"""How many answers are remembered before all are forgotten."""


Multiset = tuple[tuple[int, int], ...]
"""Pairs (whole free nodes, racks that have just so many), largest first."""


class RackChoice(NamedTuple):
    """Racks to fill, in tree order, with the nodes to take in each; ``loss`` is the domains' potential lost."""

    racks: tuple[tuple[int, int], ...]
    loss: int
    left: int


class WholeRacks:
    """Answers for one class of node (``cards`` cards each), remembered per multiset of whole free nodes and gang."""

    def __init__(self, potential: Potential, cards: int) -> None:
        """Start empty."""
        self.potential: Final = potential
        self.cards: Final = cards
        self._multisets: Final[dict[tuple[int, ...], Multiset]] = {}
        self._known: dict[tuple[Multiset, int], tuple[int, list[Multiset]]] = {}

    def multiset(self, counts: tuple[int, ...]) -> Multiset:
        """Return the numbers of whole free nodes that racks have, with how many racks have each, largest first."""
        known = self._multisets.get(counts)
        if known is None:
            having = Counter([count for count in counts if count])
            known = tuple(sorted(having.items(), reverse=True))
            if len(self._multisets) > MOST_REMEMBERED:
                self._multisets.clear()
            self._multisets[counts] = known
        return known

    def fewest(self, multiset: Multiset, pods: int) -> int:
        """Return how many of the racks hold all pods at least, 0 where all of them together do not."""
        left, number = pods, 0
        for count, racks in multiset:
            if racks * count >= left:
                return number + -(-left // count)
            left -= racks * count
            number += racks
        return 0

    def loss(self, multiset: Multiset, pods: int, number: int) -> int:
        """Return what ``choose`` would lose, without choosing."""
        return self._ways(multiset, pods, number)[0]

    def choose(
        self, racks: Sequence[int], counts: Sequence[int], free: Sequence[int], pods: int, number: int
    ) -> RackChoice | None:
        """Choose ``number`` racks (the fewest that do), in tree order, out of ``racks``.

        ``counts`` are the whole free nodes of each of them, ``free`` the free slots of every rack of the tree.
        """
        loss, ways = self._ways(self.multiset(tuple(counts)), pods, number)
        having: dict[int, list[tuple[int, int]]] = {}
        best: list[tuple[int, int]] = []
        least = -1
        for way in ways:
            chosen: list[tuple[int, int]] = []
            left = 0
            for count, take in way:
                members = having.get(count)
                if members is None:
                    members = [(free[rack], rack) for rack, whole in zip(racks, counts, strict=True) if whole == count]
                    members.sort()
                    having[count] = members
                for slots, rack in members[:take]:
                    chosen.append((rack, count))
                    left += slots
            if 0 <= least < left:
                continue
            chosen.sort()
            last, count = chosen[-1]
            chosen[-1] = (last, count - (sum([have for _, have in chosen]) - pods))
            if left < least or least < 0 or chosen < best:
                best, least = chosen, left
        return RackChoice(tuple(best), loss, least) if best else None

    def _ways(self, multiset: Multiset, pods: int, number: int) -> tuple[int, list[Multiset]]:
        """Return the least loss, and the ways to it: pairs (whole free nodes, racks of just so many to take)."""
        known = self._known.get((multiset, pods))
        if known is None:
            search = _Subset(multiset, self)
            loss = search.least(0, number, pods)
            found: list[tuple[int, ...]] = []
            if loss is not None:
                search.collect(0, number, pods, (), found)
            ways = [
                tuple([(count, take) for (count, _), take in zip(multiset, way, strict=True) if take]) for way in found
            ]
            known = (loss or 0, ways)
            if len(self._known) > MOST_REMEMBERED:
                self._known.clear()
            self._known[multiset, pods] = known
        return known

    def worth(self, whole: int) -> int:
        """Return the worth of whole free nodes in one rack."""
        return self.potential.whole_worth(self.cards, whole)


class _Subset:
    """One subset sum: how many racks of each count to take, so that the loss is least."""

    def __init__(self, multiset: Multiset, owner: WholeRacks) -> None:
        self.multiset: Final = multiset
        self.owner: Final = owner
        self.memo: Final[dict[tuple[int, int, int], int | None]] = {}

    def least(self, index: int, left: int, need: int) -> int | None:
        """Return the least loss of taking ``left`` more racks that hold ``need`` more nodes, None where none do."""
        if left == 0:
            return -self.owner.worth(-need) if need <= 0 else None
        if index == len(self.multiset) or self._most(index, left) < need:
            return None
        key = (index, left, need)
        if key in self.memo:
            return self.memo[key]
        count, available = self.multiset[index]
        worth = self.owner.worth(count)
        best: int | None = None
        for take in range(min(available, left), -1, -1):
            rest = self.least(index + 1, left - take, need - take * count)
            if rest is not None and (best is None or rest + take * worth < best):
                best = rest + take * worth
        self.memo[key] = best
        return best

    def _most(self, index: int, left: int) -> int:
        total = 0
        for count, available in self.multiset[index:]:
            take = min(available, left)
            total += take * count
            left -= take
            if left == 0:
                break
        return total

    def collect(self, index: int, left: int, need: int, prefix: tuple[int, ...], found: list[tuple[int, ...]]) -> None:
        """Append every way with the least loss, as numbers of racks taken per count."""
        if len(found) >= MOST_CHOICES:
            return
        if left == 0:
            found.append(prefix + (0,) * (len(self.multiset) - index))
            return
        target = self.least(index, left, need)
        if target is None:
            return
        count, available = self.multiset[index]
        worth = self.owner.worth(count)
        for take in range(min(available, left), -1, -1):
            rest = self.least(index + 1, left - take, need - take * count)
            if rest is not None and rest + take * worth == target:
                self.collect(index + 1, left - take, need - take * count, (*prefix, take), found)
