"""Where one pod of a shape costs least, found from the sets of racks by kind of room.

The kinds of room are kept by what the pod costs there, so that a decision looks at the cheapest ones that somebody has
and at no other.
"""

from __future__ import annotations

from bisect import insort
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.cost import LOSS, TAKEN_BITS, Curves, without_taken
from railwise.engine.indexed.domains import FreeIndex
from railwise.engine.indexed.room_sets import MOST_KINDS, RoomSets

NOT_WHOLE: Final = -1

NO_ROOM: Final = (-1, -1, NOT_WHOLE)
"""The judgement of a room that the pod does not fit."""

MOST_RANKED: Final = 4 * MOST_KINDS
"""How many kinds of room are kept by cost before those that nobody has any more are forgotten."""


class OnePod:
    """One shape on one tree."""

    def __init__(self, state: ClusterState, sets: RoomSets, curves: Curves, free: FreeIndex) -> None:
        """Know no room yet."""
        self.state: Final = state
        self.sets: Final = sets
        self.curves: Final = curves
        self.free: Final = free
        self._judged: Final[dict[int, tuple[int, int, int]]] = {}
        self._ranked: Final[list[tuple[int, int]]] = []
        self._read = 0
        self._counts_by_loss: Final = [_by_loss(losses) for losses in state.whole_loss]

    def cheapest(self, within: int) -> int:
        """Return the tree position of the best node in the racks of the bit set ``within`` (-1: any), -1 for none."""
        if self._read != len(self.sets.arrived):
            self._follow()
        least = -1
        offers: list[tuple[int, int]] = []
        racks_with = self.sets.racks_with
        for bare, room_id in self._ranked:
            if offers and bare > least:
                break
            racks = racks_with.get(room_id, 0)
            here = racks if within == -1 else racks & within
            if not here:
                continue
            _, cost, kind = self._judged[room_id]
            total = bare
            if kind >= 0:
                loss, here = self._least_loss(kind, here)
                total += (LOSS >> TAKEN_BITS) * loss
                cost += LOSS * loss
            if not offers or total < least:
                least = total
                offers = [(cost, here)]
            elif total == least:
                offers.append((cost, here))
        if not offers:
            return -1
        rack, cost = self.free.best_offer(offers, by_cpu=self.curves.by_cpu)
        return self._first_with(rack, cost)

    def _follow(self) -> None:
        """Judge the rooms that nodes came to have."""
        if len(self._ranked) > MOST_RANKED:
            self._ranked.clear()
            self._judged.clear()
            arrived = list(self.sets.racks_with)
        else:
            arrived = self.sets.arrived[self._read :]
        self._read = len(self.sets.arrived)
        for room_id in arrived:
            if room_id not in self._judged:
                judged = self._judge(room_id)
                if judged[0] >= 0:
                    insort(self._ranked, (judged[0], room_id))

    def _judge(self, room_id: int) -> tuple[int, int, int]:
        """Return (cost without slots taken, cost, class of a whole free node), what its rack loses not yet added."""
        cost = self.curves.first(room_id)
        room = self.curves.rooms.all[room_id]
        kind = self.state.class_of[room.spec.cards] if room.wholly else NOT_WHOLE
        judged = (without_taken(cost), cost, kind) if cost >= 0 else NO_ROOM
        self._judged[room_id] = judged
        return judged

    def _least_loss(self, kind: int, racks: int) -> tuple[int, int]:
        """Return (loss, racks) of those racks that lose least with a whole node of a class; each of them has one."""
        sets = self.sets.whole[kind].racks.sets
        for loss, counts in self._counts_by_loss[kind]:
            members = 0
            for count in counts:
                members |= sets.get(count, 0)
            members &= racks
            if members:
                return loss, members
        return 0, 0

    def _first_with(self, rack: int, cost: int) -> int:
        """Return the first tree position of a rack where the pod costs just this."""
        tier = self.sets.tree_state.tree.tiers[-1]
        room_ids = self.sets.tree_state.room_ids
        for place in range(tier.start[rack], tier.end[rack]):
            _, here, kind = self._judged[room_ids[place]]
            if kind >= 0:
                here += LOSS * self.state.whole_loss[kind][self.sets.whole[kind].counts[rack]]
            if here == cost:
                return place
        return -1


def _by_loss(losses: list[int]) -> list[tuple[int, list[int]]]:
    """Return (loss, numbers of whole free nodes with just this loss), least loss first."""
    found: dict[int, list[int]] = {}
    for count, loss in enumerate(losses):
        if count:
            found.setdefault(loss, []).append(count)
    return sorted(found.items())
