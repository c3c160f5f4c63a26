"""Which racks hold a node of each kind of room, and how many whole free nodes: kept once for all shapes.

Where nodes are alike and pods ask for cards alone there are few kinds of room, and "the racks with a node that has
three cards free" is one bit set. What one pod costs then needs a look at every kind of room, not at every rack. With
many kinds of room this would be slower than an index for each shape, so it is given up for those.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree import Tree
from railwise.engine.cluster.tree_state import TreeState
from railwise.engine.indexed.domains import Buckets

MOST_KINDS: Final = 64
"""Up to so many kinds of room are in use where sets of racks are kept for each."""


class WholeSets:
    """The racks by their number of whole free nodes of one class, and that number added up per domain of each level."""

    def __init__(self, tree: Tree, counts: list[int]) -> None:
        """Sort the racks."""
        self.tree: Final = tree
        self.counts: Final = [0] * len(counts)
        self.racks: Final = Buckets()
        self.sums: Final[list[list[int]]] = [[0] * len(tier.names) for tier in tree.tiers]
        self.total = 0
        self.racks.add(0, (1 << len(counts)) - 1)
        for rack, count in enumerate(counts):
            self.move(rack, count)

    def move(self, rack: int, now: int) -> None:
        """Take note of a rack's number."""
        before = self.counts[rack]
        if before == now:
            return
        bit = 1 << rack
        self.racks.remove(before, bit)
        self.racks.add(now, bit)
        self.counts[rack] = now
        self.total += now - before
        domain = rack
        for level in range(self.tree.depth - 1, -1, -1):
            self.sums[level][domain] += now - before
            domain = self.tree.tiers[level].parent[domain]


class RoomSets:
    """The racks of one tree by the rooms of their nodes; follows the state lazily.

    ``racks_with[room]`` is the set of racks with a node of that room, ``whole[kind]`` speaks of a class of nodes.
    ``arrived`` lists the rooms in the order in which a first node came to have them, again after the last one went.
    """

    def __init__(self, state: ClusterState, tree_state: TreeState) -> None:
        """Count the rooms of every rack."""
        self.state: Final = state
        self.tree_state: Final = tree_state
        self.known: Final = list(tree_state.room_ids)
        self.rooms_in: Final[list[dict[int, int]]] = []
        self.racks_with: Final[dict[int, int]] = {}
        self.arrived: Final[list[int]] = []
        self.read = len(state.journal)
        for rack, (start, end) in enumerate(tree_state.tree.tiers[-1].ranges()):
            self.rooms_in.append({})
            for room_id in self.known[start:end]:
                self._come(rack, room_id, 1)
        self.whole: Final = [WholeSets(tree_state.tree, counts) for counts in tree_state.whole]

    def refresh(self) -> None:
        """Follow the nodes whose room changed."""
        journal = self.state.journal
        end = len(journal)
        if self.read == end:
            return
        tree = self.tree_state.tree
        position, rack_of, known, room_ids = tree.position, tree.domain_of[-1], self.known, self.tree_state.room_ids
        racks: list[int] = []
        rack = before = now = -1
        times = 0
        for node in journal[self.read : end]:
            place = position[node]
            is_now, was = room_ids[place], known[place]
            if was == is_now:
                continue
            known[place] = is_now
            if times and (rack_of[node] != rack or was != before or is_now != now):
                self._swap(rack, before, now, times)
                racks.append(rack)
                times = 0
            rack, before, now, times = rack_of[node], was, is_now, times + 1
        if times:
            self._swap(rack, before, now, times)
            racks.append(rack)
        self.read = end
        for kind, counts in enumerate(self.tree_state.whole):
            whole = self.whole[kind]
            for changed in racks:
                if whole.counts[changed] != counts[changed]:
                    whole.move(changed, counts[changed])

    def _swap(self, rack: int, before: int, now: int, times: int) -> None:
        """Count so many nodes of a rack that changed from one room to another."""
        rooms = self.rooms_in[rack]
        left = rooms[before] - times
        if left:
            rooms[before] = left
        else:
            del rooms[before]
            racks = self.racks_with[before] ^ (1 << rack)
            if racks:
                self.racks_with[before] = racks
            else:
                del self.racks_with[before]
        self._come(rack, now, times)

    def _come(self, rack: int, room_id: int, times: int) -> None:
        rooms = self.rooms_in[rack]
        have = rooms.get(room_id, 0)
        rooms[room_id] = have + times
        if not have:
            racks = self.racks_with.get(room_id, 0)
            self.racks_with[room_id] = racks | (1 << rack)
            if not racks:
                self.arrived.append(room_id)
