"""``random``: every pod goes to a node drawn evenly from those it fits, a share there to a card drawn in the same way.

The floor of every comparison: a policy that is no better than this does nothing.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import Chosen
from railwise.engine.cluster.shapes import KIND_SHARE, Shape
from railwise.engine.cluster.shares import choices
from railwise.engine.cluster.state import ClusterState
from railwise.engine.policies.podwise import NO_NODE, PodByPod
from railwise.model.splitmix import SplitMix

DRAWS: Final = 16
"""How many nodes are drawn before all that fit are listed; either way each of them is as likely as the others."""


class RandomNodes(PodByPod):
    """Nodes drawn from the stream of a seed."""

    def __init__(self, state: ClusterState, seed: int) -> None:
        """Start the stream."""
        super().__init__(state)
        self.generator: Final = SplitMix(seed)

    def choose(self, shape: Shape) -> int:
        """Return a node drawn evenly from those that fit."""
        nodes = len(self.state.nodes)
        for _ in range(DRAWS if nodes else 0):
            node = self.generator.below(nodes)
            if self.state.fits(shape, node):
                return node
        fitting = [node for node in range(nodes) if self.state.fits(shape, node)]
        return fitting[self.generator.below(len(fitting))] if fitting else NO_NODE

    def cards(self, shape: Shape, node: int) -> Chosen:
        """Return a card for a share, drawn evenly from those that have room for it."""
        if shape.kind != KIND_SHARE or shape.cards > 1:
            return ()
        room = self.state.room_of[node]
        open_cards: list[Chosen] = []
        for way in choices(shape, room):
            ((bank, _, _),) = way
            same = room.partial.count(way[0])
            open_cards.extend([way] * (same or room.whole[bank]))
        return open_cards[self.generator.below(len(open_cards))]
