"""``flat``: the whole gang or nothing, on the first nodes that fit, without any map of the cluster.

The pods of a gang are known together, so the largest go first and small ones do not take their room. Nodes are tried in
the order of the document, which is the kindest order there is: nodes are usually listed rack by rack.
"""

from __future__ import annotations

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies.podwise import NO_NODE, Pod, PodByPod


class FirstFit(PodByPod):
    """Nodes in the order of the document."""

    def __init__(self, state: ClusterState) -> None:
        """Start at the first node."""
        super().__init__(state)
        self._shape = NO_NODE
        self._next = 0

    def arranged(self, pods: list[Pod]) -> list[Pod]:
        """Return the pods largest first."""
        return largest_first(pods)

    def begin(self, demand: Demand) -> None:
        """Start at the first node again."""
        del demand
        self._shape = NO_NODE

    def choose(self, shape: Shape) -> int:
        """Return the first node that fits; for a pod like the one before, the search goes on where that one stopped."""
        if shape.index != self._shape:
            self._shape, self._next = shape.index, 0
        while self._next < len(self.state.nodes):
            if self.state.fits(shape, self._next):
                return self._next
            self._next += 1
        return NO_NODE


def largest_first(pods: list[Pod]) -> list[Pod]:
    """Return pods by cards, then cpu, then memory, largest first; equal ones in document and rank order."""
    return sorted(pods, key=_size)


def _size(pod: Pod) -> tuple[int, int, int]:
    """Return a pod's size, negated; a share by memory counts as the smallest share."""
    shape = pod[2]
    return -max(shape.gpu_thousandths(), shape.cards), -shape.cpu, -shape.memory
