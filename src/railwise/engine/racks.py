"""Which domains of the narrowest level hold a whole gang of equal pods, and at what cost.

Every such domain ("rack" below, whatever its level is called) is reduced to its ``Description``: how many nodes of
each kind of room it has. Thousands of racks share few descriptions, so a gang is solved once per description and
the racks of the cheapest one are compared by tightness and tree order. Descriptions of touched racks are renewed
when a gang asks.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from railwise.engine.cost import DEAD, Curves, taken_of, without_taken
from railwise.engine.domains import FreeIndex
from railwise.engine.elsewhere import Domain, Elsewhere
from railwise.engine.packing import Description, Losses
from railwise.engine.state import ClusterState
from railwise.engine.tables import NEVER, Kind, Tables, Way

EMPTY_KIND: Final = -1

UNKNOWN_CLASS: Final = -1
SEVERAL_CLASSES: Final = -2


class RackIndex:
    """The racks of one tree (the whole cluster as one where no level is declared), by description for one shape."""

    def __init__(self, state: ClusterState, tree_index: int, curves: Curves, free: FreeIndex, most: int) -> None:
        """Describe every rack; no node is asked to hold more than ``most`` pods."""
        self.state: Final = state
        self.tree_state: Final = state.trees[tree_index]
        self.elsewhere: Final = Elsewhere(state, tree_index)
        self.curves: Final = curves
        self.free: Final = free
        self.most: Final = most
        tree = self.tree_state.tree
        self.depth: Final = tree.depth
        self.ranges: Final = tree.tiers[-1].ranges() if tree.depth else [(0, len(tree.order))]
        allowed = state.allowed(curves.shape)
        self.allowed: Final[list[bool] | None] = None if allowed is None else [allowed[node] for node in tree.order]
        self.kinds: Final[list[Kind]] = []
        self.tables: Final = Tables()
        self._kind_by_key: Final[dict[tuple[tuple[int, ...], int, bool, int], int]] = {}
        self._grouped: Final[dict[int, int]] = {}
        self.kind_of: Final[dict[int, int]] = {}
        self._lame_kind_of: Final[dict[int, int]] = {}
        self.lame: Final[list[bool] | None] = (
            [state.dead_rails[node] for node in tree.order] if state.any_dead_rail else None
        )
        self.plain: Final = self.allowed is None and self.lame is None and not self.elsewhere.active
        self.whole_class = UNKNOWN_CLASS
        self._by_key: Final[dict[tuple[object, ...], Description]] = {}
        self.of_rack: Final[list[Description]] = []
        self.members: Final[dict[int, int]] = {}
        self.live: Final[dict[int, Description]] = {}
        self.read = len(state.journal)
        for rack in range(len(self.ranges)):
            description = self._describe(rack)
            self.of_rack.append(description)
            self._join(rack, description)

    def refresh(self) -> None:
        """Describe the touched racks again."""
        journal = self.state.journal
        end = len(journal)
        if self.read == end:
            return
        if self.depth:
            domain_of = self.tree_state.tree.domain_of[self.depth - 1]
            racks = {domain_of[node] for node in self.elsewhere.touched_too(set(journal[self.read : end]))}
        else:
            racks = {0}
        self.read = end
        for rack in racks:
            description = self._describe(rack)
            before = self.of_rack[rack]
            if description is not before:
                left = self.members[before.index] ^ (1 << rack)
                self.members[before.index] = left
                if not left:
                    del self.live[before.index]
                self.of_rack[rack] = description
                self._join(rack, description)

    def _join(self, rack: int, description: Description) -> None:
        self.members[description.index] = self.members.get(description.index, 0) | (1 << rack)
        self.live[description.index] = description

    def _describe(self, rack: int) -> Description:
        start, end = self.ranges[rack]
        kinds = self._kinds(start, end)
        if self.elsewhere.active:
            return self._describe_grouped(rack, kinds[kinds.count(EMPTY_KIND) :])
        whole = [counts[rack] for counts in self.tree_state.whole] if self.depth else []
        key = tuple(kinds + whole)
        description = self._by_key.get(key)
        if description is None:
            kinds = kinds[kinds.count(EMPTY_KIND) :]
            losses = [
                Losses(index, self.elsewhere.rack_loss(rack, index, min(count, len(kinds)) + 1), [])
                for index, count in enumerate(whole)
                if count
            ]
            description = self._add(key, kinds, losses)
        return description

    def _add(self, key: tuple[object, ...], kinds: list[int], losses: list[Losses]) -> Description:
        counted = [(self.kinds[kind], count) for kind, count in sorted(Counter(kinds).items())]
        description = Description(len(self._by_key), counted, losses, self.tables)
        self._by_key[key] = description
        return description

    def _describe_grouped(self, rack: int, kinds: list[int]) -> Description:
        """Describe a rack whose whole nodes also count in other topologies or wider domains."""
        start, end = self.ranges[rack]
        order = self.tree_state.tree.order
        groups: dict[tuple[Domain, ...], int] = {}
        grouped: list[int] = []
        self._grouped.update(dict.fromkeys(range(start, end), EMPTY_KIND))
        for place in range(start, end):
            kind = self.plain_kind_at(place)
            if kind >= 0 and self.kinds[kind].whole >= 0:
                where = self.elsewhere.place(order[place])
                kind = self._in_group(self.kinds[kind], groups.setdefault(where, len(groups)))
            self._grouped[place] = kind
            if kind >= 0:
                grouped.append(kind)
        grouped.sort()
        most = len(kinds) + 1
        losses = [
            Losses(
                index,
                self.elsewhere.rack_loss(rack, index, most) if self.depth else [0] * (most + 1),
                [self.elsewhere.group_loss(where, index, most) for where in groups],
            )
            for index in range(len(self.state.classes))
            if any(self.kinds[kind].whole == index for kind in grouped)
        ]
        key = (
            *grouped,
            EMPTY_KIND,
            *((one.whole, tuple(one.rack), tuple(tuple(loss) for loss in one.groups)) for one in losses),
        )
        return self._by_key.get(key) or self._add(key, grouped, losses)

    def _in_group(self, kind: Kind, group: int) -> int:
        key = (kind.costs, kind.whole, kind.lame, group + 1)
        known = self._kind_by_key.get(key)
        if known is None:
            known = len(self.kinds)
            self.kinds.append(Kind(known, kind.costs, kind.whole, lame=kind.lame, group=group))
            self._kind_by_key[key] = known
        return known

    def _kinds(self, start: int, end: int) -> list[int]:
        """Return the kinds of the rooms of a run of nodes, ascending: first the empty ones, which hold no pod."""
        ids = self.tree_state.room_ids[start:end]
        try:
            kinds = list(map(self.kind_of.__getitem__, ids))
        except KeyError:
            for room_id in ids:
                if room_id not in self.kind_of:
                    self._kind(room_id, lame=False)
            kinds = list(map(self.kind_of.__getitem__, ids))
        if self.allowed is not None or self.lame is not None:
            kinds = [self.plain_kind_at(place) for place in range(start, end)]
        kinds.sort()
        return kinds

    def _lame(self, room_id: int) -> int:
        kind = self._lame_kind_of.get(room_id)
        return self._kind(room_id, lame=True) if kind is None else kind

    def _kind(self, room_id: int, *, lame: bool) -> int:
        curve = self.curves.curve(room_id, self.most)
        if curve and curve[-1] < 0:
            curve = curve[:-1]
        curve = curve[: self.most]
        if lame:
            curve = tuple(cost + DEAD for cost in curve)
        room = self.curves.rooms.all[room_id]
        counts = self.depth > 0 or self.elsewhere.active
        whole = self.state.class_of[room.spec.cards] if room.wholly and counts else -1
        kind = EMPTY_KIND
        if curve:
            known = self._kind_by_key.get((curve, whole, lame, 0))
            if known is None:
                known = len(self.kinds)
                self.kinds.append(Kind(known, curve, whole, lame=lame))
                self._kind_by_key[curve, whole, lame, 0] = known
            kind = known
        self._note_class(len(curve), whole)
        (self._lame_kind_of if lame else self.kind_of)[room_id] = kind
        return kind

    def _note_class(self, capacity: int, whole: int) -> None:
        """Keep whether the shape takes just the whole free nodes of one class, one pod each."""
        if capacity == 0 and whole < 0:
            return
        if capacity != 1 or whole < 0 or self.whole_class not in {UNKNOWN_CLASS, whole} or self.allowed is not None:
            self.whole_class = SEVERAL_CLASSES
        else:
            self.whole_class = whole

    def _kinds_at(self, start: int, end: int) -> list[int]:
        """Return the kinds at a run of positions as the rack's description has them."""
        if self.plain:
            return list(map(self.kind_of.__getitem__, self.tree_state.room_ids[start:end]))
        return [self.kind_at(place) for place in range(start, end)]

    def kind_at(self, place: int) -> int:
        """Return the kind of room at a tree position as the rack's description has it, EMPTY_KIND where no pod fits."""
        return self._grouped[place] if self.elsewhere.active else self.plain_kind_at(place)

    def plain_kind_at(self, place: int) -> int:
        """Return the kind of room at a tree position whatever the other topologies, EMPTY_KIND where no pod fits."""
        if self.allowed is not None and not self.allowed[place]:
            return EMPTY_KIND
        room_id = self.tree_state.room_ids[place]
        return self._lame(room_id) if self.lame is not None and self.lame[place] else self.kind_of[room_id]

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
        return next(place for place in range(start, end) if self.kind_at(place) in fit), rack

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
        merged: dict[int, int] = {}
        for cost, racks in choices:
            merged[cost] = merged.get(cost, 0) | racks
        best: tuple[tuple[int, ...], int, int] | None = None
        for cost, racks in sorted(merged.items()):
            if not self.depth:
                return 0, cost
            if self.curves.by_cpu:
                rack = (racks & -racks).bit_length() - 1
                key: tuple[int, ...] = ()
            else:
                rack = self.free.tightest(racks, self.depth - 1)
                taken = taken_of(cost)
                key = tuple(free - taken for free in self.free.frees(self.depth - 1, rack))
            if best is None or (key, rack) < best[:2]:
                best = (key, rack, cost)
        return (best[1], best[2]) if best is not None else (0, 0)

    def positions(self, rack: int, pods: int) -> list[tuple[int, int]]:
        """Return (tree position, pods there) of the cheapest way in a rack; among equals the earliest positions."""
        start, end = self.ranges[rack]
        by_kind: dict[int, list[int]] = {}
        for place, kind in enumerate(self._kinds_at(start, end), start):
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
