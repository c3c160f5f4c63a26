"""Different pods on the cards of one node: every way to pack them, where the rule for a single pod is not enough.

Shares of several sizes, shares on several cards each, and pods with different rules about cards can block one another
when each takes the tightest or the lowest card. So the exact search tries every different choice of cards for them and
keeps, per number of pods of each kind, the way that leaves most slots, then least memory over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from railwise.engine.cluster.fit import Rooms
from railwise.engine.cluster.room import Chosen, Room
from railwise.engine.cluster.shapes import KIND_SHARE
from railwise.engine.cluster.shares import choices, left_over
from railwise.engine.search.problem import PodKind, Vector, with_count

Path = tuple[tuple[int, Chosen], ...]
"""Pods in the order in which they are put: (item, cards chosen)."""

NodeOption = tuple[Vector, Room, Path]
"""Pods per kind, the room left, and the way there (empty: pods in the order of the kinds, cards by the rule)."""


CHOICE_STEPS: Final = 20
"""What one choice of cards costs of a budget: about as long as so many combinations of partial answers."""


class OverBudgetError(Exception):
    """The instance is too large to be searched exactly within the step budget."""


class Budget(Protocol):
    """Whoever counts the work."""

    def spend(self, steps: int) -> None:
        """Count work; raises ``OverBudgetError`` beyond the budget."""
        ...


def packed_shares(
    rooms: Rooms, kinds: Sequence[PodKind], most: Vector, mask: int, room: Room, budget: Budget
) -> list[NodeOption]:
    """Return the best way for every number of pods of each kind that fits the room."""
    zero: Vector = (0,) * len(most)
    front: dict[tuple[Vector, int], tuple[int, Path, Room]] = {(zero, room.index): (0, (), room)}
    for number, kind in enumerate(kinds):
        if mask >> number & 1:
            front = _with_kind(rooms, kind, most[kind.item], front, budget)
    best: dict[Vector, tuple[int, int, Path, Room]] = {}
    for (vector, _), (left, path, after) in front.items():
        known = best.get(vector)
        if known is None or (-after.slots, left, path) < known[:3]:
            best[vector] = (-after.slots, left, path, after)
    return [(vector, after, path) for vector, (_, _, path, after) in best.items()]


def _with_kind(
    rooms: Rooms,
    kind: PodKind,
    most: int,
    front: dict[tuple[Vector, int], tuple[int, Path, Room]],
    budget: Budget,
) -> dict[tuple[Vector, int], tuple[int, Path, Room]]:
    result = dict(front)
    layer = front
    for count in range(1, most + 1):
        grown: dict[tuple[Vector, int], tuple[int, Path, Room]] = {}
        for (vector, _), (left, path, room) in layer.items():
            for chosen in choices(kind.shape, room):
                budget.spend(CHOICE_STEPS)
                after = rooms.put_on(kind.shape, room, chosen)
                if after is None:
                    continue
                key = (with_count(vector, kind.item, count), after.index)
                total = left + (left_over(kind.shape, room, chosen) if kind.shape.kind == KIND_SHARE else 0)
                known = grown.get(key)
                if known is None or total < known[0]:
                    grown[key] = (total, (*path, (kind.item, chosen)), after)
        if not grown:
            break
        result.update(grown)
        layer = grown
    return result
