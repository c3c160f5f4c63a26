"""Which domains of the narrowest level hold a whole gang of equal pods, and at what cost.

Every such domain ("rack" below, whatever its level is called) is reduced to its ``Description``: how many nodes of
each kind of room it has. Thousands of racks share few descriptions, so a gang is solved once per description and
the racks of the cheapest one are compared by tightness and tree order. Descriptions of touched racks are renewed
when a gang asks.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.cost import Curves, without_taken
from railwise.engine.indexed.domains import FreeIndex
from railwise.engine.indexed.elsewhere import Elsewhere
from railwise.engine.indexed.packing import Description, Losses
from railwise.engine.indexed.room_kinds import EMPTY_KIND, RoomKinds
from railwise.engine.indexed.tables import NEVER, Tables, Way

NODE_BITS: Final = 24
"""Bits of a number of nodes in a key."""

Sums = list[list[int]]
"""A number per domain of each level."""


class RackIndex:
    """The racks of one tree (the whole cluster as one where no level is declared), by description for one shape.

    ``capacity[level][domain]`` counts the pods a domain holds, each rack by itself; ``total`` those of the cluster.
    """

    def __init__(self, state: ClusterState, tree_index: int, curves: Curves, free: FreeIndex, most: int) -> None:
        """Describe every rack; no node is asked to hold more than ``most`` pods."""
        self.state: Final = state
        self.tree_state: Final = state.trees[tree_index]
        self.elsewhere: Final = Elsewhere(state, tree_index)
        self.curves: Final = curves
        self.free: Final = free
        tree = self.tree_state.tree
        self.depth: Final = tree.depth
        self.ranges: Final = tree.tiers[-1].ranges() if tree.depth else [(0, len(tree.order))]
        self.kinds: Final = RoomKinds(state, self.tree_state, curves, self.elsewhere, most)
        self.tables: Final = Tables()
        self._by_key: Final[dict[object, Description]] = {}
        self.of_rack: Final[list[Description]] = []
        self.members: Final[dict[int, int]] = {}
        self.live: Final[dict[int, Description]] = {}
        self.capacity: Final[Sums] = [[0] * len(tier.names) for tier in tree.tiers]
        self.total = 0
        self.read = len(state.journal)
        for rack in range(len(self.ranges)):
            description = self._describe(rack)
            self.of_rack.append(description)
            self._join(rack, description, description.capacity)

    def refresh(self) -> None:
        """Describe the touched racks again."""
        journal = self.state.journal
        end = len(journal)
        if self.read == end:
            return
        touched = self.elsewhere.touched_too(set(journal[self.read : end]))
        self.read = end
        self.kinds.follow(touched)
        racks = set(map(self.tree_state.tree.domain_of[-1].__getitem__, touched)) if self.depth else {0}
        for rack in racks:
            description = self._describe(rack)
            before = self.of_rack[rack]
            if description is not before:
                left = self.members[before.index] ^ (1 << rack)
                self.members[before.index] = left
                if not left:
                    del self.live[before.index]
                self.of_rack[rack] = description
                self._join(rack, description, description.capacity - before.capacity)

    def _join(self, rack: int, description: Description, more: int) -> None:
        """Enter a rack under its description; it holds so many pods more than before."""
        self.members[description.index] = self.members.get(description.index, 0) | (1 << rack)
        self.live[description.index] = description
        if more:
            self.total += more
            domain = rack
            for level in range(self.depth - 1, -1, -1):
                self.capacity[level][domain] += more
                domain = self.tree_state.tree.tiers[level].parent[domain]

    def _describe(self, rack: int) -> Description:
        if self.elsewhere.active:
            return self._describe_grouped(rack)
        key = self.kinds.keys[rack]
        if self.depth:
            for counts in self.tree_state.whole:
                key = key << NODE_BITS | counts[rack]
        description = self._by_key.get(key)
        if description is None:
            kinds = self._kinds_in(rack)
            whole = [counts[rack] for counts in self.tree_state.whole] if self.depth else []
            losses = [
                Losses(index, self.elsewhere.rack_loss(rack, index, min(count, len(kinds)) + 1), [])
                for index, count in enumerate(whole)
                if count
            ]
            description = self._add(key, kinds, losses)
        return description

    def _kinds_in(self, rack: int) -> list[int]:
        """Return the kinds of the nodes of a rack that hold a pod, ascending."""
        start, end = self.ranges[rack]
        return sorted([kind for kind in self.kinds.at[start:end] if kind != EMPTY_KIND])

    def _add(self, key: object, kinds: list[int], losses: list[Losses]) -> Description:
        counted = [(self.kinds.all[kind], count) for kind, count in sorted(Counter(kinds).items())]
        description = Description(len(self._by_key), counted, losses, self.tables)
        self._by_key[key] = description
        return description

    def _describe_grouped(self, rack: int) -> Description:
        """Describe a rack whose whole nodes also count in other topologies or wider domains."""
        start, end = self.ranges[rack]
        most = len(self._kinds_in(rack)) + 1
        grouped, groups = self.kinds.group(start, end)
        losses = [
            Losses(
                index,
                self.elsewhere.rack_loss(rack, index, most) if self.depth else [0] * (most + 1),
                [self.elsewhere.group_loss(where, index, most) for where in groups],
            )
            for index in range(len(self.state.classes))
            if any(self.kinds.all[kind].whole == index for kind in grouped)
        ]
        key = (
            *grouped,
            EMPTY_KIND,
            *((one.whole, tuple(one.rack), tuple(tuple(loss) for loss in one.groups)) for one in losses),
        )
        return self._by_key.get(key) or self._add(key, grouped, losses)

    def cheapest_node(self, pods: int, within: int) -> tuple[int, int] | None:
        """Return (tree position, rack) of the best single node that holds all pods, or None."""
        target = -1
        choices: list[tuple[int, int]] = []
        for description in self.live.values():
            racks = self.members[description.index]
            if within != -1:
                racks &= within
            alone = description.one_node(pods) if racks else NEVER
            if alone == NEVER:
                continue
            bare = without_taken(alone)
            if not choices or bare < target:
                target, choices = bare, [(alone, racks)]
            elif bare == target:
                choices.append((alone, racks))
        if not choices:
            return None
        rack, cost = self._tightest(choices)
        description = self.of_rack[rack]
        fit = {kind.index for kind, _ in description.kinds if description.alone(kind, pods) == cost}
        start, end = self.ranges[rack]
        return next(place for place, kind in enumerate(self.kinds.run(start, end), start) if kind in fit), rack

    def cheapest(self, pods: int, within: int) -> tuple[int, int] | None:
        """Return (rack, cost) of the best rack of the bit set ``within`` (-1: any) that holds all pods, or None."""
        target = -1
        choices: list[tuple[int, int]] = []
        for description in self.live.values():
            if description.capacity < pods:
                continue
            racks = self.members[description.index]
            if within != -1:
                racks &= within
            if not racks:
                continue
            cost = description.cost(pods)
            if cost == NEVER:
                continue
            bare = without_taken(cost)
            if not choices or bare < target:
                target = bare
                choices = [(cost, racks)]
            elif bare == target:
                choices.append((cost, racks))
        if not choices:
            return None
        return self._tightest(choices)

    def _tightest(self, choices: list[tuple[int, int]]) -> tuple[int, int]:
        return self.free.best_offer(choices, by_cpu=self.curves.by_cpu) if self.depth else (0, choices[0][0])

    def positions(self, rack: int, pods: int) -> list[tuple[int, int]]:
        """Return (tree position, pods there) of the cheapest way in a rack; among equals the earliest positions."""
        start, end = self.ranges[rack]
        by_kind: dict[int, list[int]] = {}
        for place, kind in enumerate(self.kinds.run(start, end), start):
            if kind in by_kind:
                by_kind[kind].append(place)
            else:
                by_kind[kind] = [place]
        best: list[tuple[int, int]] = []
        best_key: list[int] = []
        for way in self.of_rack[rack].ways(pods):
            spots = _lay(way, by_kind)
            if not best:
                best = spots
                continue
            if not best_key:
                best_key = [place for place, here in best for _ in range(here)]
            key = [place for place, here in spots for _ in range(here)]
            if key < best_key:
                best, best_key = spots, key
        return best


def _lay(way: Way, by_kind: dict[int, list[int]]) -> list[tuple[int, int]]:
    """Put the nodes of a way (by kind, the fullest first) on real positions: per kind the earliest ones."""
    spots: list[tuple[int, int]] = []
    last = EMPTY_KIND
    index = 0
    for kind, here in way:
        index = index + 1 if kind == last else 0
        last = kind
        spots.append((by_kind[kind][index], here))
    spots.sort()
    return spots
