"""The kinds of room that the nodes of a tree hold for a shape.

Two rooms are of one kind where 1, 2, 3, … pods of the shape cost the same in both and a whole free node is worth the
same, whatever else may tell them apart. Nodes that the shape may not use, or whose room holds no pod, are empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree_state import TreeState
from railwise.engine.indexed.cost import DEAD, Curves
from railwise.engine.indexed.elsewhere import Domain, Elsewhere
from railwise.engine.indexed.tables import Kind

EMPTY_KIND: Final = -1

UNKNOWN_KIND: Final = -2

UNKNOWN_CLASS: Final = -1
SEVERAL_CLASSES: Final = -2


class RoomKinds:
    """The kinds of room of one tree for one shape; ``all[kind]`` describes one.

    ``at[place]`` is the kind of the node at a tree position, and ``keys[rack]`` one number for all kinds in a rack: it
    counts them, the empty one apart, and follows each node that changes. ``whole_class`` is the class of node where the
    shape takes just the whole free nodes of one class, one pod each.
    """

    def __init__(
        self, state: ClusterState, tree_state: TreeState, curves: Curves, elsewhere: Elsewhere, most: int
    ) -> None:
        """Know no room yet; no node is asked to hold more than ``most`` pods."""
        self.state: Final = state
        self.tree_state: Final = tree_state
        self.curves: Final = curves
        self.elsewhere: Final = elsewhere
        self.most: Final = most
        tree = tree_state.tree
        self.breaks: Final = tree.depth > 0 or elsewhere.active
        allowed = state.allowed(curves.shape)
        self.allowed: Final[list[bool] | None] = None if allowed is None else [allowed[node] for node in tree.order]
        self.lame: Final[list[bool] | None] = (
            [state.dead_rails[node] for node in tree.order] if state.any_dead_rail else None
        )
        self.whole_class = UNKNOWN_CLASS
        self.all: Final[list[Kind]] = []
        self._by_key: Final[dict[tuple[tuple[int, ...], int, bool, int], int]] = {}
        self._of_room: Final[dict[int, int]] = {}
        self._of_lame_room: Final[dict[int, int]] = {}
        self._grouped: Final[dict[int, int]] = {}
        self._room_ids: Final = tree_state.room_ids
        self._position: Final = tree.position
        self._rack_of: Final = tree.domain_of[-1] if tree.depth else [0] * len(tree.order)
        ranges = tree.tiers[-1].ranges() if tree.depth else [(0, len(tree.order))]
        self._bits: Final = max((end - start for start, end in ranges), default=0).bit_length()
        self._weights: Final = [0]
        self._special: Final = self.allowed is not None or self.lame is not None
        self.at: Final = [EMPTY_KIND] * len(tree.order)
        self.keys: Final = [0] * len(ranges)
        self.follow(range(len(tree.order)))

    def follow(self, nodes: Iterable[int]) -> None:
        """Look again at nodes whose room may have changed."""
        at, keys, weights = self.at, self.keys, self._weights
        position, of_room, room_ids, special = self._position, self._of_room, self._room_ids, self._special
        for node in nodes:
            place = position[node]
            kind = UNKNOWN_KIND if special else of_room.get(room_ids[place], UNKNOWN_KIND)
            if kind == UNKNOWN_KIND:
                kind = self._here(place)
            before = at[place]
            if kind != before:
                at[place] = kind
                keys[self._rack_of[node]] += weights[kind + 1] - weights[before + 1]

    def run(self, start: int, end: int) -> list[int]:
        """Return the kinds at a run of positions as the rack's description has them."""
        if self.elsewhere.active:
            return [self._grouped[place] for place in range(start, end)]
        return self.at[start:end]

    def group(self, start: int, end: int) -> tuple[list[int], list[tuple[Domain, ...]]]:
        """Return the kinds of a run that hold a pod, ascending, whole nodes told apart by their places in other trees.

        The second result are these places, in the order of their groups.
        """
        order = self.tree_state.tree.order
        groups: dict[tuple[Domain, ...], int] = {}
        grouped: list[int] = []
        for place, plain in enumerate(self.at[start:end], start):
            kind = plain
            if kind >= 0 and self.all[kind].whole >= 0:
                where = self.elsewhere.place(order[place])
                kind = self._in_group(self.all[kind], groups.setdefault(where, len(groups)))
            self._grouped[place] = kind
            if kind >= 0:
                grouped.append(kind)
        grouped.sort()
        return grouped, list(groups)

    def _in_group(self, kind: Kind, group: int) -> int:
        return self._kind(kind.costs, kind.whole, lame=kind.lame, group=group + 1)

    def _here(self, place: int) -> int:
        """Return the kind at a tree position whatever the other topologies, EMPTY_KIND where no pod fits."""
        if self.allowed is not None and not self.allowed[place]:
            return EMPTY_KIND
        lame = self.lame is not None and self.lame[place]
        room_id = self._room_ids[place]
        known = (self._of_lame_room if lame else self._of_room).get(room_id)
        return self._learn(room_id, lame=lame) if known is None else known

    def _learn(self, room_id: int, *, lame: bool) -> int:
        curve = self.curves.curve(room_id, self.most)
        if curve and curve[-1] < 0:
            curve = curve[:-1]
        if len(curve) > self.most:
            curve = curve[: self.most]
        if lame:
            curve = tuple(cost + DEAD for cost in curve)
        room = self.curves.rooms.all[room_id]
        whole = self.state.class_of[room.spec.cards] if room.wholly and self.breaks else -1
        kind = self._kind(curve, whole, lame=lame, group=0) if curve else EMPTY_KIND
        self._note_class(len(curve), whole)
        (self._of_lame_room if lame else self._of_room)[room_id] = kind
        return kind

    def _kind(self, costs: tuple[int, ...], whole: int, *, lame: bool, group: int) -> int:
        """Return the number of a kind; ``group`` 0: not told apart by other topologies."""
        key = (costs, whole, lame, group)
        known = self._by_key.get(key)
        if known is None:
            known = len(self.all)
            self.all.append(Kind(known, costs, whole, lame=lame, group=max(group - 1, 0)))
            self._by_key[key] = known
            self._weights.append(1 << self._bits * known)
        return known

    def _note_class(self, capacity: int, whole: int) -> None:
        if capacity == 0 and whole < 0:
            return
        if capacity != 1 or whole < 0 or self.whole_class not in {UNKNOWN_CLASS, whole} or self.allowed is not None:
            self.whole_class = SEVERAL_CLASSES
        else:
            self.whole_class = whole
