"""``binpack``: kube-scheduler told to fill nodes, with GPUs in the score, one pod at a time in rank order.

The configuration that people choose against fragmentation: NodeResourcesFit with the strategy MostAllocated, here with
the weights of the Kubernetes manual for a precious device: 3 for GPUs, 1 for cpu and for memory. It gets its best form:
the default scores that pull pods apart are off, and every node is looked at.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies.podwise import NO_NODE, PodByPod
from railwise.engine.policies.scores import (
    DEFAULT_CPU,
    DEFAULT_MEMORY,
    card_use,
    cpu_use,
    memory_use,
    most_allocated,
)
from railwise.model.splitmix import SplitMix

WEIGHTS: Final = [3, 1, 1]
"""Weights of cards, cpu and memory."""


class MostAllocated(PodByPod):
    """The fullest node that fits; a coin between equal ones."""

    def __init__(self, state: ClusterState, seed: int) -> None:
        """``seed`` decides between nodes of equal score."""
        super().__init__(state)
        self.generator: Final = SplitMix(seed)
        self._known: Final[dict[int, dict[int, int]]] = {}
        self._shape = NO_NODE
        self._by_score: dict[int, list[int]] = {}

    def forget(self) -> None:
        """Forget the scores of rooms."""
        super().forget()
        self._known.clear()

    def begin(self, demand: Demand) -> None:
        """Forget the scores of the workload before."""
        del demand
        self._shape = NO_NODE

    def choose(self, shape: Shape) -> int:
        """Return the node with the best score; it is scored again by ``note``, since no other node changes."""
        if shape.index != self._shape:
            self._shape = shape.index
            self._by_score = {}
            allowed = self.state.allowed(shape)
            for node in range(len(self.state.nodes)):
                if allowed is None or allowed[node]:
                    self._enter(shape, node)
        if not self._by_score:
            return NO_NODE
        best = max(self._by_score)
        equal = self._by_score[best]
        node = equal.pop(self.generator.below(len(equal)))
        if not equal:
            del self._by_score[best]
        return node

    def note(self, shape: Shape, node: int) -> None:
        """Score the node again, now fuller."""
        self._enter(shape, node)

    def _enter(self, shape: Shape, node: int) -> None:
        room = self.state.room_of[node]
        known = self._known.setdefault(shape.index, {})
        score = known.get(room.index)
        if score is None:
            after = self.state.rooms.fits(shape, room)
            score = NO_NODE if after is None else score_of(shape, after)
            known[room.index] = score
        if score != NO_NODE:
            self._by_score.setdefault(score, []).append(node)


def score_of(shape: Shape, after: Room) -> int:
    """Return the score of a node from its room with the pod on it; cards only count for pods that ask for some."""
    said = dict(shape.request.resources)
    cpu, memory = cpu_use(after), memory_use(after)
    uses = [
        card_use(after) if shape.wants_cards() else (0, 0),
        (cpu[0] + (0 if "cpu" in said else DEFAULT_CPU), cpu[1]),
        (memory[0] + (0 if "memory" in said else DEFAULT_MEMORY), memory[1]),
    ]
    return most_allocated(uses, WEIGHTS)
