"""Where one pod of a shape costs least, found from the sets of racks by kind of room."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.cost import LOSS, TAKEN_BITS, Curves, without_taken
from railwise.engine.indexed.domains import FreeIndex
from railwise.engine.indexed.room_sets import RoomSets

NOT_WHOLE: Final = -1

NO_ROOM: Final = (-1, -1, NOT_WHOLE)
"""The judgement of a room that the pod does not fit."""


class OnePod:
    """One shape on one tree."""

    def __init__(self, state: ClusterState, sets: RoomSets, curves: Curves, free: FreeIndex) -> None:
        """Know no room yet."""
        self.state: Final = state
        self.sets: Final = sets
        self.curves: Final = curves
        self.free: Final = free
        self._judged: Final[dict[int, tuple[int, int, int]]] = {}

    def cheapest(self, within: int) -> int:
        """Return the tree position of the best node in the racks of the bit set ``within`` (-1: any), -1 for none."""
        least = -1
        offers: list[tuple[int, int]] = []
        for room_id, racks in self.sets.racks_with.items():
            judged = self._judged.get(room_id)
            if judged is None:
                judged = self._judge(room_id)
            bare, cost, kind = judged
            here = racks if within == -1 else racks & within
            if bare < 0 or not here or (offers and bare > least):
                continue
            if kind >= 0:
                least = self._offer_whole(judged, here, least, offers)
            elif not offers or bare < least:
                least = bare
                offers.clear()
                offers.append((cost, here))
            else:
                offers.append((cost, here))
        if not offers:
            return -1
        rack, cost = self.free.best_offer(offers, by_cpu=self.curves.by_cpu)
        return self._first_with(rack, cost)

    def _judge(self, room_id: int) -> tuple[int, int, int]:
        """Return (cost without slots taken, cost, class of a whole free node), what its rack loses not yet added."""
        cost = self.curves.first(room_id)
        room = self.curves.rooms.all[room_id]
        kind = self.state.class_of[room.spec.cards] if room.wholly else NOT_WHOLE
        judged = (without_taken(cost), cost, kind) if cost >= 0 else NO_ROOM
        self._judged[room_id] = judged
        return judged

    def _offer_whole(self, judged: tuple[int, int, int], racks: int, least: int, offers: list[tuple[int, int]]) -> int:
        """Add the racks whose whole nodes are as good as the offers so far, alone if better; return the least cost."""
        bare, cost, kind = judged
        loss = self.state.whole_loss[kind]
        for count, members in self.sets.whole[kind].racks.sets.items():
            here = racks & members
            if not here:
                continue
            total = bare + (LOSS >> TAKEN_BITS) * loss[count]
            if not offers or total < least:
                least = total
                offers.clear()
            if total == least:
                offers.append((cost + LOSS * loss[count], here))
        return least

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
