"""Four packing policies from the comparison in Weng et al. (FGD, USENIX ATC 2023), each a score of a node for a pod.

They are what schedulers for shared GPUs do: multi-resource packing as in Tetris (dot product), like pods together as in
Gandiva, shared cards before free ones, and best fit on cpu and GPUs. A share takes the fullest card that has room. The
size of the largest node of the study, 128 cores and 8 cards, is part of the scores; all arithmetic is exact.
"""

from __future__ import annotations

from typing import ClassVar, Final

from railwise.engine.cluster.mix import free_cards
from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import KIND_SHARE, KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies.scored import BEST, Scored

MOST_CPU: Final = 128_000
"""Millicores of the largest node."""

MOST_GPU: Final = 8_000
"""Thousandths of cards of the largest node."""

CARD: Final = 1000


def gpu_left(room: Room) -> int:
    """Return the free thousandths of all cards of a room, at most ``MOST_GPU``."""
    return min(sum(sum(run) for _, run in free_cards(room.spec, room.whole, room.partial)), MOST_GPU)


def cpu_left(room: Room) -> int:
    """Return the free millicores of a room, at most ``MOST_CPU``."""
    return min(room.cpu, MOST_CPU)


class DotProduct(Scored):
    """``dot-product``: the node whose free room points least in the direction of what the pod asks for."""

    def __init__(self, state: ClusterState, seed: int = 0) -> None:
        """There is no coin, so the seed does nothing."""
        del seed
        super().__init__(state)

    def score(self, shape: Shape, room: Room, node: int) -> int:
        """Return ⌊100 · (1 − (cpu · free cpu + GPU · free GPU) / 2)⌋, all as parts of the largest node's."""
        del node
        cpu = cpu_left(room) * min(shape.cpu, MOST_CPU) * MOST_GPU**2
        gpu = gpu_left(room) * min(shape.gpu_thousandths(), MOST_GPU) * MOST_CPU**2
        unit = 2 * MOST_CPU**2 * MOST_GPU**2
        return BEST * (unit - cpu - gpu) // unit


class WeightedFit(Scored):
    """``weighted-fit``: best fit, the node with least cpu and GPUs left, equally weighted."""

    def __init__(self, state: ClusterState, seed: int = 0) -> None:
        """There is no coin, so the seed does nothing."""
        del seed
        super().__init__(state)

    def score(self, shape: Shape, room: Room, node: int) -> int:
        """Return ⌊100 · (1 − (cpu left + GPU left) / 2)⌋ after the pod, as parts of the largest node's."""
        del node
        cpu = max(cpu_left(room) - shape.cpu, 0) * MOST_GPU
        gpu = max(gpu_left(room) - shape.gpu_thousandths(), 0) * MOST_CPU
        unit = 2 * MOST_CPU * MOST_GPU
        return BEST * (unit - cpu - gpu) // unit


class GpuPacking(Scored):
    """``gpu-packing``: shared cards first, then free cards of used nodes, then untouched nodes, small ones first."""

    def __init__(self, state: ClusterState, seed: int = 0) -> None:
        """There is no coin, so the seed does nothing."""
        del seed
        super().__init__(state)

    def score(self, shape: Shape, room: Room, node: int) -> int:
        """Return 50 to 100 where only shared cards are used, 33 to 50 on used nodes, less on untouched ones."""
        del node
        if not shape.wants_cards():
            return 0
        if not room.partial and room.free == room.spec.cards:
            return max(BEST // 3 - room.free, min(room.free, BEST // 3))
        fitting = sorted(
            left
            for _, run in free_cards(room.spec, room.whole, room.partial)
            for left in run
            if left >= min(shape.gpu_thousandths(), CARD)
        )
        used = fitting[: shape.cards]
        untouched = sum(left == CARD for left in used)
        if untouched:
            return max(BEST // 2 - untouched, BEST // 3)
        return max(BEST - sum(left * BEST // CARD for left in used) // 10, BEST // 2)


class GpuClustering(Scored):
    """``gpu-clustering``: pods that ask for equally many cards together, fuller nodes first.

    What runs on a node is what this policy put there since the node was last empty.
    """

    by_room: ClassVar[bool] = False

    def __init__(self, state: ClusterState, seed: int = 0) -> None:
        """There is no coin, so the seed does nothing."""
        del seed
        super().__init__(state)
        self._kinds: Final[dict[int, set[int]]] = {}
        self._tried: Final[dict[int, tuple[Room, set[int]]]] = {}

    def begin(self, demand: Demand) -> None:
        """Learn where the pods of the workload before were bound."""
        super().begin(demand)
        for node, (room, kinds) in self._tried.items():
            if self.state.room_of[node] is room:
                self._kinds.setdefault(node, set()).update(kinds)
        self._tried.clear()

    def note(self, shape: Shape, node: int) -> None:
        """Remember what was tried; whether it was bound shows later."""
        if shape.wants_cards():
            _, kinds = self._tried.get(node, (None, set[int]()))
            self._tried[node] = (self.state.room_of[node], kinds | {_kind(shape)})

    def score(self, shape: Shape, room: Room, node: int) -> int:
        """Return up to 25 for fullness, and 75, 50, 25 or 0: only the same kind, among others, empty, other kinds."""
        if not shape.wants_cards():
            return 0
        if not room.partial and room.free == room.spec.cards:
            self._kinds.pop(node, None)
        kinds = self._kinds.get(node, set())
        fullness = BEST // 4 * (MOST_GPU - gpu_left(room)) // MOST_GPU
        if _kind(shape) in kinds:
            return fullness + (BEST * 3 // 4 if len(kinds) == 1 else BEST // 2)
        return fullness + (0 if kinds else BEST // 4)


def _kind(shape: Shape) -> int:
    """Return the cards a pod asks for, 0 for a share of one."""
    return shape.cards if shape.kind == KIND_WHOLE or (shape.kind == KIND_SHARE and shape.cards > 1) else 0
