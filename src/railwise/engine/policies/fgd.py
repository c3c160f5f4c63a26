"""``fgd``: each pod where it adds least to the expected fragmentation (Weng et al., USENIX ATC 2023).

A node is fragmented, for a kind of pod, by the free cards that such a pod could not use there; its expected
fragmentation F is the mean over the pods that usually come (``spec.policy.mix``). A node's score is
⌊100 · sigmoid((F before − F after) / 1000)⌋, F in thousandths of a card, and the first node among equals wins. A share
takes the card with the best score, the lowest among equals.

The rounding is no detail. It makes many nodes equal, and the first of them fills up before the next one is touched;
with a coin between equal nodes the published policy allocates 5 % less. So it is exact here: F is a whole number times
the weight of the mix, and the limits between scores are logarithms in 50 digits, rounded up to whole numbers once.
"""

from __future__ import annotations

from bisect import bisect_right
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final

from railwise.engine.cluster.mix import CARD, Mix, Way, cpu_after
from railwise.engine.cluster.room import Chosen, Room
from railwise.engine.cluster.shapes import KIND_SHARE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.policies.scored import BEST, Scored

DIGITS: Final = 50


def score_limits(weight: int) -> list[int]:
    """Return, for the scores 1 to 99, the least gain (thousandths of a card times ``weight``) that reaches each."""
    context = Context(prec=DIGITS)
    limits: list[int] = []
    for score in range(1, BEST):
        odds = context.divide(Decimal(score), Decimal(BEST - score))
        limit = context.multiply(context.ln(odds), Decimal(CARD * weight))
        limits.append(int(limit.to_integral_value(rounding=ROUND_CEILING)))
    return limits


class FragmentationGradient(Scored):
    """The node and the card where expected fragmentation grows least."""

    def __init__(self, state: ClusterState, seed: int = 0) -> None:
        """Take the mix of the state's policy; there is no coin, so the seed does nothing."""
        del seed
        super().__init__(state)
        self.mix: Final = Mix(state.policy.mix)
        self._limits: Final = score_limits(self.mix.weight)

    def gain(self, shape: Shape, room: Room, way: Way) -> int:
        """Return by how much the expected fragmentation falls, in thousandths of a card times the mix's weight."""
        before = self.mix.fragmented(self.mix.of_room(room), room.cpu)
        return before - self.mix.fragmented(way.left, cpu_after(room, shape))

    def score(self, shape: Shape, room: Room, node: int) -> int:
        """Return the score of the best way to take cards on the node."""
        del node
        bare = self.state.shapes.cards_only(shape)
        best = max([self.gain(shape, room, way) for way in self.mix.ways(bare, room)])
        return bisect_right(self._limits, best)

    def cards(self, shape: Shape, node: int) -> Chosen:
        """Return the card with the best score for a share, the lowest among equals."""
        if shape.kind != KIND_SHARE or shape.cards > 1:
            return ()
        room = self.state.room_of[node]
        ledger = self.state.ledgers[node]
        best: tuple[int, int, Chosen] | None = None
        for way in self.mix.ways(self.state.shapes.cards_only(shape), room):
            score = bisect_right(self._limits, self.gain(shape, room, way))
            grant = ledger.choose(shape, room, way.chosen)
            key = (-score, grant.shares[0][0], way.chosen)
            if best is None or key < best:
                best = key
        return best[2] if best is not None else ()
