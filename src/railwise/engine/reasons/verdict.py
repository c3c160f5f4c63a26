"""Why a workload waits, as a value: the headline, a count of every node, and how close each level comes.

Only computed when a workload is refused. The counts come from the kinds of room there are (thousands of nodes share
few), so a refusal costs little more than a placement.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.selection import repelled
from railwise.engine.cluster.shapes import KIND_NONE, KIND_SHARE, KIND_WHOLE, UNLIMITED, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part
from railwise.engine.gangs.needed import needed_leaves
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.reasons.capacity import EmptyCluster
from railwise.engine.reasons.wording import headline, next_step
from railwise.engine.search.placement import Found, Placer
from railwise.engine.search.sizing import find_minimum
from railwise.model.reason import Act, Code, LevelCount, Reason

ACTS: Final[dict[Code, Act]] = {
    Code.INVALID_REQUEST: Act.USER,
    Code.UNKNOWN_QUEUE: Act.USER,
    Code.UNKNOWN_TOPOLOGY: Act.USER,
    Code.UNKNOWN_LEVEL: Act.USER,
    Code.SUSPENDED: Act.USER,
    Code.QUEUE_STOPPED: Act.ADMIN,
    Code.OVER_LIMIT: Act.ADMIN,
    Code.OVER_QUOTA: Act.USER,
    Code.NEVER_FITS: Act.USER,
    Code.NODES_EXCLUDED: Act.ADMIN,
    Code.UNSUPPORTED: Act.USER,
}
"""Who must act; codes that are not listed only need waiting."""


class Verdict:
    """Explains refusals on one state."""

    def __init__(self, state: ClusterState, indexes: Indexes) -> None:
        """Share the state's indexes."""
        self.state: Final = state
        self.indexes: Final = indexes
        self.empty: Final = EmptyCluster(state)
        self._never: Final[dict[str, tuple[Demand, bool]]] = {}

    def plain(self, code: Code, text: str) -> Reason:
        """Return a reason that needs no counts: something about the workload itself."""
        return Reason(code, text, ACTS.get(code, Act.WAIT), next_step(code))

    def refuse(self, demand: Demand, *, proven: bool) -> Reason:
        """Return why a demand that found no place waits."""
        leaf = self._hardest(demand)
        shape = leaf.shape
        if shape is None:
            return self.plain(Code.UNPROVEN, "nothing to place")
        counts = self.count_nodes(shape)
        levels = self._levels(demand, leaf, shape)
        code = self._code(demand, proven=proven)
        text = headline(code, demand, leaf, levels, counts, len(self.state.nodes))
        return Reason(code, text, ACTS.get(code, Act.WAIT), next_step(code), len(self.state.nodes), counts, levels)

    def never_fits(self, demand: Demand) -> bool:
        """Return whether the minimum is known not to fit even an empty, healthy cluster; remembered."""
        key = demand.workload.name
        known = self._never.get(key)
        if known is None or known[0] is not demand:
            known = (demand, self._fits_empty(demand, pristine=True) is False)
            self._never[key] = known
        return known[1]

    def forget(self) -> None:
        """Drop what depends on facts about nodes that changed."""
        self.empty.forget()
        self._never.clear()

    def _hardest(self, demand: Demand) -> Part:
        """Return the leaf whose pods are hardest to place: the one the counts speak of."""
        return max(
            demand.leaves,
            key=lambda leaf: (leaf.shape.gpu_thousandths() if leaf.shape else 0, leaf.group.min_pods, -leaf.index),
        )

    def _code(self, demand: Demand, *, proven: bool) -> Code:
        never = self._fits_empty(demand, pristine=True)
        if never is False:
            return Code.NEVER_FITS
        excluded = self._fits_empty(demand, pristine=False)
        if excluded is False and never:
            return Code.NODES_EXCLUDED
        if not self._enough_in_all(demand):
            return Code.NOT_ENOUGH_FREE
        return Code.TOO_FRAGMENTED if proven else Code.UNPROVEN

    def _fits_empty(self, demand: Demand, *, pristine: bool) -> bool | None:
        """Return whether the minimum fits the empty cluster (None: the search cannot tell)."""
        root = demand.root
        if demand.simple and root.shape is not None and pristine:
            level = root.required if root.required != NOT_GIVEN else -1
            return self.empty.room_in_best(root.shape, root.tree, level, root.group.min_pods) >= root.group.min_pods
        if not pristine and not self._anything_excluded(demand):
            return None
        return self._search_empty(demand, pristine=pristine)

    def _anything_excluded(self, demand: Demand) -> bool:
        if any(not node.ready or node.unschedulable or node.unhealthy for node in self.state.nodes):
            return True
        return any(leaf.shape is not None and self.state.allowed(leaf.shape) is not None for leaf in demand.leaves)

    def _search_empty(self, demand: Demand, *, pristine: bool) -> bool | None:
        from railwise.engine.gangs.again import read_again  # noqa: PLC0415

        state = self.empty.pristine() if pristine else self.empty.bare()
        copy = read_again(demand, state, everywhere=pristine)
        answer = find_minimum(copy, Placer(state).place)
        if isinstance(answer, Found):
            return True
        return False if answer.proven else None

    def _enough_in_all(self, demand: Demand) -> bool:
        """Return whether what is free on the allowed nodes adds up to the minimum, resource by resource."""
        free = _Free()
        shapes = [leaf.shape for leaf in demand.leaves if leaf.shape is not None]
        masks = [self.state.allowed(shape) for shape in shapes]
        for room_id, copies in self._allowed_rooms(masks).items():
            free.add(self.state.rooms.all[room_id], copies, shapes)
        return free.covers(demand)

    def _allowed_rooms(self, masks: list[list[bool] | None]) -> dict[int, int]:
        """Return how many nodes of each open kind of room any of the pods may use."""
        rooms = self.state.rooms.all
        if any(mask is None for mask in masks):
            return {room_id: count for room_id, count in self.state.room_count.items() if not rooms[room_id].closed}
        allowed = masks[0] or []
        if len(masks) > 1:
            allowed = [any(usable) for usable in zip(*(mask for mask in masks if mask is not None), strict=True)]
        counts: dict[int, int] = {}
        for room, usable in zip(self.state.room_of, allowed, strict=True):
            if usable and not room.closed:
                counts[room.index] = counts.get(room.index, 0) + 1
        return counts

    def count_nodes(self, shape: Shape) -> dict[str, int]:
        """Count every node once, under the first filter that keeps one pod of the shape away (``fits``: none does)."""
        counts: dict[str, int] = {}
        state = self.state
        mask = state.allowed(shape)
        kinds = state.room_count
        if mask is not None or any(state.rooms.all[room_id].closed for room_id in kinds):
            kinds = {}
            for node, room in enumerate(state.room_of):
                if room.closed or (mask is not None and not mask[node]):
                    name = self._first_filter(shape, node)
                    counts[name] = counts.get(name, 0) + 1
                else:
                    kinds[room.index] = kinds.get(room.index, 0) + 1
        bare = state.shapes.cards_only(shape)
        for room_id, number in kinds.items():
            name = self._first_lack(shape, bare, state.rooms.all[room_id])
            counts[name] = counts.get(name, 0) + number
        order = ["notReady", "cordoned", "taint", "selector", "model", "gpu", "cpu", "memory", "pods"]
        others = sorted(name for name in counts if name not in order and name != "fits")
        return {name: counts[name] for name in [*order, *others, "fits"] if name in counts}

    def _first_filter(self, shape: Shape, node: int) -> str:
        """Return which fact about a node, not about its room, keeps a pod away."""
        facts = self.state.nodes[node]
        if not facts.ready:
            return "notReady"
        if facts.unschedulable:
            return "cordoned"
        return "taint" if facts.taints and repelled(shape.selection, facts) else "selector"

    def _first_lack(self, shape: Shape, bare: Shape, room: Room) -> str:
        """Return what a room lacks first for one pod of a shape (``bare``: its cards alone), ``fits`` for nothing."""
        if self.state.rooms.fits(shape, room) is not None:
            return "fits"
        if shape.kind != KIND_NONE:
            if room.spec.cards and not shape.any_card and not room.spec.banks_for(shape):
                return "model"
            open_room = self.state.rooms.cards_of(room)
            if self.state.rooms.fits(bare, open_room) is None:
                return "gpu"
        if room.cpu < shape.cpu:
            return "cpu"
        if room.memory < shape.memory:
            return "memory"
        if room.pods < shape.pods:
            return "pods"
        have = dict(room.others)
        for name, amount in shape.others:
            if have.get(name, 0) < amount:
                return name
        return "gpu"

    def _levels(self, demand: Demand, leaf: Part, shape: Shape) -> tuple[LevelCount, ...]:
        """Return, per declared level, the domain with room for most pods of the hardest leaf."""
        trees = self.state.trees[demand.root.tree]
        tree = trees.tree
        pods = max(leaf.group.min_pods, 1)
        if not tree.depth:
            return ()
        _, spread = self.indexes.racks(demand.root.tree, shape, pods, by_cpu=not demand.uses_cards, nodes_first=False)
        result: list[LevelCount] = []
        capacity = [description.capacity for description in spread.racks.of_rack]
        for level in range(tree.depth - 1, -1, -1):
            best, most = -1, -1
            for domain, room in enumerate(capacity):
                if tree.tiers[level].named[domain] and room > most:
                    best, most = domain, room
            if best >= 0:
                path = "/".join(tree.path(level, best))
                result.append(LevelCount(tree.levels[level], path, min(most, pods), pods))
            if level:
                wider = [0] * len(tree.tiers[level - 1].names)
                for domain, room in enumerate(capacity):
                    wider[tree.tiers[level].parent[domain]] += room
                capacity = wider
        return tuple(result)


class _Free:
    """Sums of free resources over nodes."""

    def __init__(self) -> None:
        self.whole = 0
        self.shared = 0
        self.cpu = 0
        self.memory = 0
        self.pods = 0
        self.others: dict[str, int] = {}

    def add(self, room: Room, copies: int, shapes: list[Shape]) -> None:
        """Add the room of so many nodes."""
        accepted = {bank for shape in shapes if shape.kind != KIND_NONE for bank in room.spec.banks_for(shape)}
        self.whole += copies * sum(room.whole[bank] for bank in accepted)
        for bank, memory, _ in room.partial:
            if bank in accepted:
                self.shared += copies * (memory * 1000 // max(room.spec.banks[bank].fine, 1))
        self.cpu += copies * max(room.cpu, 0)
        self.memory += copies * max(room.memory, 0)
        self.pods += copies * max(room.pods, 0)
        for name, amount in room.others:
            self.others[name] = self.others.get(name, 0) + copies * max(amount, 0)

    def covers(self, demand: Demand) -> bool:
        """Return whether the sums cover the minimum of the demand (of all groups that are needed)."""
        whole = shared = cpu = memory = pods = 0
        others: dict[str, int] = {}
        for leaf in needed_leaves(demand.root):
            shape, count = leaf.shape, max(leaf.group.min_pods - len(leaf.fixed), 0)
            if shape is None:
                continue
            if shape.kind == KIND_WHOLE:
                whole += count * shape.cards
            elif shape.kind == KIND_SHARE:
                shared += count * shape.gpu_thousandths()
            cpu += count * shape.cpu
            memory += count * shape.memory
            pods += count * shape.pods
            for name, amount in shape.others:
                others[name] = others.get(name, 0) + count * amount
        return (
            self.whole >= whole
            and 1000 * (self.whole - whole) + self.shared >= shared
            and self.cpu >= cpu
            and self.memory >= memory
            and self.pods >= pods
            and all(self.others.get(name, UNLIMITED) >= amount for name, amount in others.items())
        )
