"""The live state of a cluster: what is free on every node and in every domain, changed in place and undone exactly.

Every change goes through ``put`` or ``take_away`` (or ``alter`` for facts about a node). What-if, backtracking and
later preemption apply changes and revert them by their inverse; nothing is ever copied. Whoever keeps something
derived from the state (the shape indexes do) reads the journal of touched nodes from where he last stopped, so an
index that nobody asks costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from railwise.engine.cluster.fit import Rooms
from railwise.engine.cluster.ledger import NOTHING, Grant, Ledger
from railwise.engine.cluster.masks import Masks
from railwise.engine.cluster.potential import Potential
from railwise.engine.cluster.room import Chosen, Figures, NodeSpec, Room
from railwise.engine.cluster.shapes import KIND_NONE, Shape, Shapes
from railwise.engine.cluster.tree import Tree
from railwise.engine.cluster.tree_state import TreeState
from railwise.model.node import Node
from railwise.model.policy import Policy
from railwise.model.topology import Topology

FLAT: Final = Topology("", ())
"""The topology of a cluster that declares none: nodes only."""


Shut = tuple[int, list[tuple[int, Room]]]
"""The mark of the state before some nodes were shut, and the rooms they had."""

MOST_ROOMS: Final = 50_000
"""How many kinds of room are remembered before those out of use are forgotten."""

MOST_MASKS: Final = 1024
"""How many shapes have their nodes remembered."""


class ClusterState:
    """Nodes with their free room, the domains above them, and the journal of touched nodes.

    ``freed`` marks the last change that may have given room back; no two such changes have the same mark. As long as it
    stays, room was only taken, and what did not fit does not fit now. Whoever undoes all changes since some moment
    exactly may set it back to what it was then.
    """

    def __init__(self, nodes: Sequence[Node], topologies: Sequence[Topology], policy: Policy) -> None:
        """Build the state of an empty cluster."""
        self.nodes: Final = list(nodes)
        self.policy: Final = policy
        self.topologies: Final = tuple(topologies)
        self.index_of: Final[dict[str, int]] = {node.name: index for index, node in enumerate(nodes)}
        self.shapes: Final = Shapes()
        specs: dict[tuple[object, ...], NodeSpec] = {}
        self.specs: Final[list[NodeSpec]] = [_spec_of(node, specs) for node in nodes]
        self._spec_table: Final = specs
        cards = sorted({spec.cards for spec in specs.values() if spec.cards > 0})
        self.classes: Final[list[int]] = cards
        self.class_of: Final[dict[int, int]] = {count: index for index, count in enumerate(cards)}
        self.potential: Final = Potential(max(cards, default=0), policy.sizes)
        self.rooms: Final = Rooms(self.potential)
        self.trees: Final[list[TreeState]] = [
            TreeState(Tree(topology, nodes), len(cards)) for topology in (topologies or (FLAT,))
        ]
        self.ledgers: Final[list[Ledger]] = [Ledger(spec) for spec in self.specs]
        self.room_of: Final[list[Room]] = [self._empty_room(index) for index in range(len(nodes))]
        self.journal: Final[list[int]] = []
        self.generation = 0
        self.freed = 0
        self._changes = 0
        self.any_taint = any(node.taints for node in nodes)
        self.dead_rails: Final[list[bool]] = [bool(node.dead_rails) for node in nodes]
        self.any_dead_rail = any(self.dead_rails)
        most = max(
            (end - start for trees in self.trees if trees.tree.depth for start, end in trees.tree.tiers[-1].ranges()),
            default=0,
        )
        self.whole_loss: Final[list[list[int]]] = [_first_loss(self.potential, count, most) for count in cards]
        self.room_count: Final[dict[int, int]] = {}
        self._healthy_specs: Final[list[NodeSpec]] = []
        self._masks: Final[dict[int, list[bool] | None]] = {}
        self._selected: Final = Masks(self.nodes)
        for index, room in enumerate(self.room_of):
            self.room_count[room.index] = self.room_count.get(room.index, 0) + 1
            kind = self.class_of[room.spec.cards] if room.wholly else 0
            for state in self.trees:
                state.room_ids[state.tree.position[index]] = room.index
                if room.slots:
                    state.shift(index, room.slots, kind, int(room.wholly))

    def _empty_room(self, index: int) -> Room:
        spec, node = self.specs[index], self.nodes[index]
        whole, partial = self.ledgers[index].summary()
        closed = node.unschedulable or not node.ready
        others = tuple(sorted(spec.others.items()))
        return self.rooms.intern(spec, Figures(closed, whole, partial, spec.cpu, spec.memory, spec.pods, others))

    def empty_room(self, spec: NodeSpec) -> Room:
        """Return the room of an empty open node of a kind."""
        whole, partial = Ledger(spec).summary()
        others = tuple(sorted(spec.others.items()))
        figures = Figures(
            closed=False,
            whole=whole,
            partial=partial,
            cpu=spec.cpu,
            memory=spec.memory,
            pods=spec.pods,
            others=others,
        )
        return self.rooms.intern(spec, figures)

    def healthy_spec(self, index: int) -> NodeSpec:
        """Return what a node has when none of its cards is sick."""
        node = self.nodes[index]
        return _spec_of(replace(node, unhealthy=frozenset()), self._spec_table) if node.unhealthy else self.specs[index]

    def healthy_specs(self) -> list[NodeSpec]:
        """Return what distinct nodes have when none of their cards is sick."""
        if not self._healthy_specs:
            found = {self.healthy_spec(index).index: self.healthy_spec(index) for index in range(len(self.nodes))}
            self._healthy_specs.extend(found[index] for index in sorted(found))
        return self._healthy_specs

    def specs_in_use(self) -> list[NodeSpec]:
        """Return what distinct nodes have."""
        return list(self._spec_table.values())

    def tree_named(self, name: str) -> TreeState | None:
        """Return the state of a topology's tree by name (empty: the default one), None where there is none."""
        if not name:
            return self.trees[0]
        for state in self.trees:
            if state.tree.name == name:
                return state
        return None

    def allowed(self, shape: Shape) -> list[bool] | None:
        """Return which nodes the shape's selection and tolerations accept, None where that is all of them."""
        if shape.index in self._masks:
            return self._masks[shape.index]
        mask = self._selected.of(shape) if shape.picky or self.any_taint else None
        if len(self._masks) >= MOST_MASKS:
            self._masks.clear()
        self._masks[shape.index] = mask
        return mask

    def fits(self, shape: Shape, node: int) -> bool:
        """Return whether one more pod of the shape fits the node now, with every rule about nodes."""
        mask = self.allowed(shape)
        return (mask is None or mask[node]) and self.rooms.fits(shape, self.room_of[node]) is not None

    def put(self, shape: Shape, node: int, chosen: Chosen = ()) -> Grant | None:
        """Put one pod on a node and return its cards, or change nothing and return None if it does not fit."""
        mask = self.allowed(shape)
        if mask is not None and not mask[node]:
            return None
        room = self.room_of[node]
        after = self.rooms.put_on(shape, room, chosen)
        if after is None:
            return None
        grant = NOTHING
        if shape.kind != KIND_NONE:
            ledger = self.ledgers[node]
            grant = ledger.choose(shape, room, chosen)
            ledger.take(grant)
        self._set_room(node, after)
        return grant

    def put_back(self, shape: Shape, node: int, grant: Grant) -> None:
        """Put a pod on a node with given cards, whatever is free: for running pods, and to undo ``take_away``."""
        self.ledgers[node].take(grant)
        self._set_room(node, self.rebooked(node, shape, -1))

    def take_away(self, shape: Shape, node: int, grant: Grant) -> None:
        """Remove a pod from a node: the exact inverse of ``put`` and ``put_back``."""
        self.ledgers[node].give_back(grant)
        self._set_room(node, self.rebooked(node, shape, 1))
        self.mark_freed()

    def mark_freed(self) -> None:
        """Note that room may have been given back."""
        self.freed = self._changes = self._changes + 1

    def rebooked(self, node: int, shape: Shape, sign: int) -> Room:
        """Return the room of a node after a pod came (-1) or went (+1), the ledger being up to date already."""
        room, ledger = self.room_of[node], self.ledgers[node]
        if ledger.left or not room.spec.simple:
            return self.rooms.booked(room, shape, sign, *ledger.summary())
        step = ((shape.index + 1) * sign, room.index, ledger.free.bit_count() - ledger.debt)
        after = self.rooms.steps.get(step)
        if after is None:
            after = self.rooms.booked(room, shape, sign, *ledger.summary())
            self.rooms.steps[step] = after
        return after

    def replace_node(self, index: int, node: Node, running: Sequence[Shape]) -> None:
        """Take new facts about a node; its domains stay, and the pods that run on it (their shapes) stay booked."""
        facts, ledger = self.nodes[index], self.ledgers[index]
        spec = _spec_of(node, self._spec_table)
        self.nodes[index] = node
        if spec is not self.specs[index]:
            self.specs[index] = spec
            ledger.respecify(spec)
        if node.labels != facts.labels or node.taints != facts.taints:
            self._masks.clear()
            self._selected.forget()
            self.any_taint = self.any_taint or bool(node.taints)
            self.generation += 1
        if node.dead_rails != facts.dead_rails:
            self.dead_rails[index] = bool(node.dead_rails)
            self.any_dead_rail = self.any_dead_rail or bool(node.dead_rails)
            self.generation += 1
        room = self._empty_room(index)
        for shape in running:
            room = self.rooms.booked(room, shape, -1)
        self._set_room(index, room)
        self.mark_freed()

    def shut(self, nodes: Iterable[int]) -> Shut:
        """Let nothing more onto some nodes until ``open_again``; with none it only marks a what-if."""
        mark = self.freed
        self.mark_freed()
        before: list[tuple[int, Room]] = []
        for node in nodes:
            room = self.room_of[node]
            if not room.closed:
                before.append((node, room))
                self._set_room(node, self.rooms.shut(room))
        return mark, before

    def open_again(self, shut: Shut) -> None:
        """Undo ``shut``, everything else since being undone already."""
        mark, before = shut
        for node, room in before:
            self._set_room(node, room)
        self.freed = mark

    def _set_room(self, node: int, room: Room) -> None:
        before = self.room_of[node]
        if before is room:
            return
        self.room_of[node] = room
        self.journal.append(node)
        count = self.room_count
        left = count[before.index] - 1
        if left:
            count[before.index] = left
        else:
            del count[before.index]
        count[room.index] = count.get(room.index, 0) + 1
        slots, whole = room.slots - before.slots, room.wholly - before.wholly
        kind = self.class_of[room.spec.cards] if whole else 0
        for state in self.trees:
            state.room_ids[state.tree.position[node]] = room.index
            if slots or whole:
                state.shift(node, slots, kind, whole)

    def count_over(self, nodes: list[int], before: Room | None, after: Room | None) -> None:
        """Count nodes, whose room is ``after`` already, over from the room they all had before."""
        if before is None or after is None or before is after or not nodes:
            return
        self.journal.extend(nodes)
        count, number = self.room_count, len(nodes)
        left = count[before.index] - number
        if left:
            count[before.index] = left
        else:
            del count[before.index]
        count[after.index] = count.get(after.index, 0) + number
        whole = after.wholly - before.wholly
        kind = self.class_of[after.spec.cards] if whole else 0
        for state in self.trees:
            state.move(nodes, after.index, after.slots - before.slots, kind, whole)

    def compact(self) -> None:
        """Forget rooms that no node has any more, and the journal; whoever kept something must start again."""
        self.generation += 1
        figures = [room.figures() for room in self.room_of]
        self.rooms.clear()
        self.room_count.clear()
        self.journal.clear()
        for index, spec in enumerate(self.specs):
            room = self.rooms.intern(spec, figures[index])
            self.room_of[index] = room
            self.room_count[room.index] = self.room_count.get(room.index, 0) + 1
            for state in self.trees:
                state.room_ids[state.tree.position[index]] = room.index

    def overgrown(self) -> bool:
        """Return whether ``compact`` is due."""
        most = max(MOST_ROOMS, 2 * len(self.nodes))
        return len(self.rooms.all) > most or len(self.journal) > 8 * most

    def snapshot(self) -> tuple[object, ...]:
        """Return everything that placing and undoing may change, for comparison."""
        return (
            tuple(room.index for room in self.room_of),
            tuple((book.free, book.debt, dict(book.left), dict(book.closed)) for book in self.ledgers),
            tuple(tuple(tuple(level) for level in state.free) for state in self.trees),
            tuple(tuple(tuple(counts) for counts in state.whole) for state in self.trees),
        )


def _spec_of(node: Node, table: dict[tuple[object, ...], NodeSpec]) -> NodeSpec:
    key: tuple[object, ...] = (node.cards, node.unhealthy, tuple(sorted(node.resources.items())))
    spec = table.get(key)
    if spec is None:
        spec = NodeSpec(len(table), node)
        table[key] = spec
    return spec


def _first_loss(potential: Potential, cards: int, most: int) -> list[int]:
    """Return, per number of whole free nodes in a domain, what it loses when one of them is broken."""
    worths = [potential.whole_worth(cards, free) for free in range(most + 1)]
    return [0] + [worths[free] - worths[free - 1] for free in range(1, most + 1)]
