"""The common part of the policies that score every node for a pod and take the best, the first one among equals."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.ranking import Ranking
from railwise.engine.policies.podwise import PodByPod

BEST: Final = 100
"""The best score a node can have."""

MOST_RANKED: Final = 4_000_000
"""How many nodes all rankings together may hold before they are made anew."""


class Scored(PodByPod):
    """A search by a score from 0 to ``BEST``, more is better."""

    by_room: ClassVar[bool] = True
    """Whether the score follows from the room alone."""

    def __init__(self, state: ClusterState) -> None:
        """Know no scores yet."""
        super().__init__(state)
        self._rankings: Final[dict[int, Ranking]] = {}

    def forget(self) -> None:
        """Forget the scores of rooms."""
        super().forget()
        self._rankings.clear()

    def choose(self, shape: Shape) -> int:
        """Return the first of the nodes with the best score."""
        ranking = self._rankings.get(shape.index)
        if ranking is None:
            if (len(self._rankings) + 1) * len(self.state.nodes) > MOST_RANKED:
                self._rankings.clear()
            ranking = Ranking(self.state, shape, self._cost, by_room=self.by_room)
            self._rankings[shape.index] = ranking
        return ranking.best()

    @abstractmethod
    def score(self, shape: Shape, room: Room, node: int) -> int:
        """Return the score of a node whose room the pod fits."""

    def _cost(self, shape: Shape, room: Room, node: int) -> int:
        return BEST - self.score(shape, room, node)
