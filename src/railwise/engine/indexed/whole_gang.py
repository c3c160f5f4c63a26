"""A gang of pods that each take a whole free node: the racks are told apart by how many of these they have.

Which rack is best depends on that number alone (what its potential loses), then on the free slots around; a gang that
no rack holds goes to ``whole_spread``.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.cost import Curves
from railwise.engine.indexed.domains import FreeIndex
from railwise.engine.indexed.room_sets import RoomSets
from railwise.engine.indexed.whole_spread import WholeSpread

NO_CLASS: Final = -1


def class_taken(state: ClusterState, sets: RoomSets, curves: Curves) -> int:
    """Return the class of node whose whole free nodes take one pod of the shape each, NO_CLASS where it is not so.

    So it is where no other node takes a pod and the pod costs the same on all of these.
    """
    taken = NO_CLASS
    cost = 0
    refused: list[int] = []
    for room_id in sets.racks_with:
        here = curves.first(room_id)
        room = curves.rooms.all[room_id]
        kind = state.class_of[room.spec.cards] if room.wholly else NO_CLASS
        if here < 0:
            refused.append(kind)
            continue
        if (
            kind == NO_CLASS
            or curves.curve(room_id, 2)[1] >= 0
            or (taken != NO_CLASS and (kind, here) != (taken, cost))
        ):
            return NO_CLASS
        taken, cost = kind, here
    return NO_CLASS if taken in refused else taken


class WholeGang:
    """The whole free nodes of one class on one tree."""

    def __init__(self, state: ClusterState, sets: RoomSets, free: FreeIndex, kind: int) -> None:
        """Keep the parts."""
        self.state: Final = state
        self.sets: Final = sets
        self.free: Final = free
        self.kind: Final = kind
        self.cards: Final = state.classes[kind]
        self.whole: Final = sets.whole[kind]
        self.spread: Final = WholeSpread(state, sets.tree_state, kind)
        self._by_loss: Final[dict[int, list[list[int]]]] = {}

    def cheapest(self, pods: int, within: int) -> int:
        """Return the best rack of the bit set ``within`` (-1: any) that holds all pods, -1 where none does."""
        sets = self.whole.racks.sets
        for counts in self._counts_by_loss(pods):
            racks = 0
            for count in counts:
                racks |= sets.get(count, 0)
            if within != -1:
                racks &= within
            if racks:
                return self.free.tightest(racks)
        return -1

    def _counts_by_loss(self, pods: int) -> list[list[int]]:
        """Return the numbers of whole free nodes that hold all pods, equal losses together, least loss first."""
        known = self._by_loss.get(pods)
        if known is None:
            worth = self.state.potential.whole_worth
            found: dict[int, list[int]] = {}
            for count in range(pods, len(self.state.whole_loss[self.kind])):
                loss = worth(self.cards, count) - worth(self.cards, count - pods)
                found.setdefault(loss, []).append(count)
            known = [found[loss] for loss in sorted(found)]
            self._by_loss[pods] = known
        return known

    def positions(self, rack: int, pods: int) -> list[tuple[int, int]]:
        """Return (tree position, 1) of the first whole free nodes of a rack."""
        tier = self.sets.tree_state.tree.tiers[-1]
        room_ids, rooms = self.sets.tree_state.room_ids, self.state.rooms.all
        found: list[tuple[int, int]] = []
        for place in range(tier.start[rack], tier.end[rack]):
            room = rooms[room_ids[place]]
            if room.wholly and room.spec.cards == self.cards:
                found.append((place, 1))
                if len(found) == pods:
                    break
        return found

    def spread_out(self, level: int, pods: int, required: int) -> tuple[list[tuple[int, int]], bool] | None:
        """Return (positions, proven best) in the best domain of a wider level that holds all pods, None for none."""
        answer = self.spread.best(self.whole.sums, self.whole.total, level, pods, required)
        if answer is None:
            return None
        return [spot for rack, here in answer[0] for spot in self.positions(rack, here)], answer[1]
