"""Where a single pod goes when the mix of pods that usually come is known (``spec.policy.mix``).

Criterion 5, what a placement destroys, is then counted over that mix instead of card-slots: the worth of a node is nine
parts *reach* and one part *fill* (see ``mix``), and the node and card where least of it is lost win. Reach keeps room
together for whatever comes; fill sees cpu run out beside free cards, and cards that hold one pod but not two. Neither
knows names, so equal worth means equal use, and the order of the nodes decides between nodes that are alike.

The other criteria keep their places: pods without GPUs stay off nodes with GPUs; among equal losses whole nodes of
racks are spared, then the tightest node wins (free cards, then cpu, then what is left over on the card, then its other
figures), then the tightest domains. So tree order only decides between nodes that are alike.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.mix import CardWorth, Mix, Way, cpu_after
from railwise.engine.cluster.room import Chosen, Room
from railwise.engine.cluster.shapes import KIND_SHARE, UNLIMITED, Shape
from railwise.engine.cluster.shares import left_over
from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.ranking import NOT_HERE, Ranking

REACH: Final = 9
"""Parts of reach for one part of fill in what a node is worth."""

MISPLACED: Final = 1 << 120
"""Where the field above the loss begins."""

MOST_RANKED: Final = 4_000_000
"""How many nodes all rankings together may hold before they are made anew."""


Tightness = tuple[tuple[int, int, int], tuple[int, ...], tuple[str, ...]]
"""What is left of a node, and its other figures."""


class ByMix:
    """The search for single pods on one state."""

    def __init__(self, state: ClusterState) -> None:
        """Take the mix of the state's policy."""
        self.state: Final = state
        self.mix: Final = Mix(state.policy.mix)
        self._rankings: Final[dict[int, Ranking]] = {}
        self._generation = state.generation

    def place(self, shape: Shape) -> tuple[int, Chosen] | None:
        """Return node and cards (empty: by the rule) for one pod, None where it fits nowhere."""
        ranking = self._ranking(shape)
        nodes = ranking.ties()
        if not nodes:
            return None
        node = nodes[0] if len(nodes) == 1 else self._tightest(shape, nodes)
        return node, self._best_way(shape, self.state.room_of[node]).chosen

    def worth(self, cards: CardWorth, cpu: int) -> int:
        """Return what free cards with so much free cpu beside them are worth to the mix."""
        return REACH * self.mix.reach(cards, cpu) + self.mix.fill(cards, cpu)

    def _ranking(self, shape: Shape) -> Ranking:
        if self._generation != self.state.generation:
            self._generation = self.state.generation
            self._rankings.clear()
        known = self._rankings.get(shape.index)
        if known is None:
            if (len(self._rankings) + 1) * len(self.state.nodes) > MOST_RANKED:
                self._rankings.clear()
            known = Ranking(self.state, shape, self._cost)
            self._rankings[shape.index] = known
        return known

    def _cost(self, shape: Shape, room: Room, node: int) -> int:
        del node
        loss = self._loss(room, shape, self._best_way(shape, room))
        return loss + MISPLACED if room.spec.device and not shape.wants_cards() else loss

    def _loss(self, room: Room, shape: Shape, way: Way) -> int:
        before = self.worth(self.mix.of_room(room), room.cpu)
        return before - self.worth(way.left, cpu_after(room, shape))

    def _best_way(self, shape: Shape, room: Room) -> Way:
        """Return the way to take cards that loses least, then leaves least over on the card."""
        ways = self.mix.ways(self.state.shapes.cards_only(shape), room)
        if len(ways) == 1:
            return ways[0]
        best = ways[0]
        least = (self._loss(room, shape, best), self._over(shape, room, best), best.chosen)
        for way in ways[1:]:
            key = (self._loss(room, shape, way), self._over(shape, room, way), way.chosen)
            if key < least:
                best, least = way, key
        return best

    def _over(self, shape: Shape, room: Room, way: Way) -> int:
        return left_over(shape, room, way.chosen) if shape.kind == KIND_SHARE else 0

    def _tightest(self, shape: Shape, nodes: list[int]) -> int:
        """Return the best of nodes that lose the same."""
        rooms: dict[int, Tightness] = {}
        best = NOT_HERE
        least: tuple[int, Tightness, tuple[int, ...]] | None = None
        for node in nodes:
            room = self.state.room_of[node]
            here = rooms.get(room.index)
            if here is None:
                here = self._tightness(shape, room)
                rooms[room.index] = here
            breaks = room.wholly and (shape.wants_cards() or shape.cpu > 0)
            key = (self._domain_loss(node, room) if breaks else 0, here, self._around(node))
            if least is None or key < least:
                best, least = node, key
        return best

    def _tightness(self, shape: Shape, room: Room) -> Tightness:
        """Return what is left in a room after a pod, and what tells it from other rooms where that is the same."""
        way = self._best_way(shape, room)
        spec = room.spec
        cpu = cpu_after(room, shape)
        left = (way.left.total, 0 if cpu == UNLIMITED else cpu, self._over(shape, room, way))
        figures = [room.memory, room.pods, *room.whole, spec.cards, spec.cpu, spec.memory]
        for card in room.partial:
            figures.extend(card)
        return left, tuple(figures), tuple([bank.model for bank in spec.banks])

    def _domain_loss(self, node: int, room: Room) -> int:
        """Return what the domains of the narrowest levels lose when a whole free node of theirs is broken."""
        kind = self.state.class_of[room.spec.cards]
        loss = 0
        for tree_state in self.state.trees:
            if tree_state.tree.depth:
                rack = tree_state.tree.domain_of[-1][node]
                loss += self.state.whole_loss[kind][tree_state.whole[kind][rack]]
        return loss

    def _around(self, node: int) -> tuple[int, ...]:
        """Return the free slots of the node's domains, narrowest first, and its place in the tree."""
        tree_state = self.state.trees[0]
        tree = tree_state.tree
        free = tree_state.free_around(tree.depth - 1, tree.domain_of[-1][node]) if tree.depth else ()
        return (*free, tree.position[node])
