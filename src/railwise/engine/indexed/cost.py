"""The objective of one placement as one integer.

Every criterion that adds up over nodes and domains gets a field of its own in a wide integer, the more important one
higher. Comparing two such integers compares the criteria in order, and adding two placements of disjoint nodes adds
every criterion, so that the search can work on plain integers. The lowest field is subtracted (more slots taken from a
used domain is better); fields are wide enough that they never run over.

From the top: pods without GPUs on nodes with GPUs; nodes with a dead rail; potential lost; nodes; free slots (or
millicores) left on the nodes used; slots taken.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.fit import Rooms
from railwise.engine.cluster.shapes import Shape

TAKEN_BITS: Final = 24
LEFT: Final = 1 << 24
NODE: Final = 1 << 72
LOSS: Final = 1 << 96
DEAD: Final = 1 << 152
MISPLACED: Final = 1 << 176
WIDE: Final = 1 << 200
"""Where the fields of the criteria above (counts of domains, cut segments) begin."""

SLOT_BITS: Final = 32
"""Bits of a number of card-slots in a key."""

NO_POD: Final = (-1,)
"""The curve of a room that no pod fits."""

_TAKEN_MASK: Final = (1 << TAKEN_BITS) - 1


def taken_of(cost: int) -> int:
    """Return the slots taken, the subtracted lowest field."""
    return -cost & _TAKEN_MASK


def without_taken(cost: int) -> int:
    """Return the cost without its lowest field: what is compared before the free slots of domains are."""
    return (cost + taken_of(cost)) >> TAKEN_BITS


class Curves:
    """What 1, 2, 3, … pods of a shape on one node cost, per room, computed once each.

    ``by_cpu`` judges the room left by millicores instead of card-slots (workloads without any GPU). The loss of
    domains' potential and dead rails are not in a curve: they depend on more than the room. ``nodes_first`` puts the
    number of nodes above everything else (workloads that prefer one node).
    """

    def __init__(self, rooms: Rooms, shape: Shape, *, by_cpu: bool, nodes_first: bool = False) -> None:
        """Start empty."""
        self.node_cost: Final = NODE + (WIDE if nodes_first else 0)
        self.rooms: Final = rooms
        self.shape: Final = shape
        self.by_cpu: Final = by_cpu
        self.single: Final[dict[int, int]] = {}
        self._curves: dict[int, tuple[int, ...]] = {}
        self._by_slots: Final = shape.wants_cards() and not by_cpu
        self._costs: Final[dict[int, int]] = {}

    def first(self, room_id: int) -> int:
        """Return the cost of one pod in a room, -1 where it does not fit."""
        known = self.single.get(room_id)
        if known is None:
            room = self.rooms.all[room_id]
            slots, cpu = self.rooms.left_by_one(self.shape, room)
            known = -1 if slots < 0 else self._cost(room.slots, slots, cpu, 1, device=room.spec.device)
            self.single[room_id] = known
        return known

    def curve(self, room_id: int, most: int) -> tuple[int, ...]:
        """Return the costs of 1, 2, … pods in a room, as many as fit but at least up to ``most`` where they fit."""
        known = self._curves.get(room_id)
        if known is not None and (len(known) >= most or known[-1:] == (-1,)):
            return known
        start = self.rooms.all[room_id]
        costs: list[int] = []
        for slots, cpu in self.rooms.left(self.shape, start, most):
            costs.append(self._cost(start.slots, slots, cpu, len(costs) + 1, device=start.spec.device))
        if len(costs) < most:
            costs.append(-1)
        result = NO_POD if costs == [-1] else tuple(costs)
        self._curves[room_id] = result
        return result

    def _cost(self, before: int, slots: int, cpu: int, pods: int, *, device: bool) -> int:
        if self._by_slots:
            key = before << SLOT_BITS | slots
            known = self._costs.get(key)
            if known is None:
                known = self._sum(before, slots, cpu, pods, device=device)
                self._costs[key] = known
            return known
        return self._sum(before, slots, cpu, pods, device=device)

    def _sum(self, before: int, slots: int, cpu: int, pods: int, *, device: bool) -> int:
        worth = self.rooms.potential.node
        cost = LOSS * (worth[before] - worth[slots]) + self.node_cost
        if not self.shape.wants_cards() and device:
            cost += MISPLACED * pods
        if self.by_cpu:
            return cost + LEFT * max(cpu, 0)
        return cost + LEFT * slots - (before - slots)
