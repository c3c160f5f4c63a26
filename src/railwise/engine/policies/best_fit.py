"""``best-fit``: the whole gang or nothing, each pod on the fullest node that still has room for it.

Strict best fit on GPUs, without scores that pull elsewhere and without a coin: the fewest free GPUs, then the first of
the document. It keeps whole nodes whole as well as anybody can who has no map; racks it does not know.
"""

from __future__ import annotations

from bisect import insort
from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies.flat import largest_first
from railwise.engine.policies.podwise import NO_NODE, Pod, PodByPod
from railwise.engine.policies.scores import card_use, cpu_use


class BestFit(PodByPod):
    """The fullest node that fits."""

    def __init__(self, state: ClusterState) -> None:
        """Know nothing yet."""
        super().__init__(state)
        self._shape = NO_NODE
        self._fitting: Final[list[tuple[int, int, int]]] = []

    def arranged(self, pods: list[Pod]) -> list[Pod]:
        """Return the pods largest first."""
        return largest_first(pods)

    def begin(self, demand: Demand) -> None:
        """Look at the nodes anew."""
        del demand
        self._shape = NO_NODE

    def choose(self, shape: Shape) -> int:
        """Return the fullest node; it is entered again by ``note``, since no other node changes."""
        if shape.index != self._shape:
            self._shape = shape.index
            self._fitting[:] = sorted(
                self._fullness(node) for node in range(len(self.state.nodes)) if self.state.fits(shape, node)
            )
        return self._fitting.pop(0)[2] if self._fitting else NO_NODE

    def note(self, shape: Shape, node: int) -> None:
        """Enter the node again, now fuller."""
        if self.state.fits(shape, node):
            insort(self._fitting, self._fullness(node))

    def _fullness(self, node: int) -> tuple[int, int, int]:
        """Return (thousandths of cards left, millicores left, node)."""
        room = self.state.room_of[node]
        cards, cpu = card_use(room), cpu_use(room)
        return cards[1] - cards[0], cpu[1] - cpu[0], node
