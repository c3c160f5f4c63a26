"""``spread``: the default kube-scheduler, one pod at a time in rank order, with its default plugins and weights.

It knows neither gangs nor topology rules, and GPUs count for fitting but not for its scores. The real one would bind
the pods that fit and leave the rest of a gang waiting, holding cards that do nothing; a plan never binds in part, so
here such a workload waits whole.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies.kube import KubeScheduler, visiting_order
from railwise.engine.policies.podwise import PodByPod


class DefaultScheduler(PodByPod):
    """kube-scheduler with its default configuration."""

    def __init__(self, state: ClusterState, seed: int) -> None:
        """``seed`` decides between nodes of equal score."""
        super().__init__(state)
        self.scheduler: Final = KubeScheduler(state, seed)
        self.order: Final = visiting_order(list(range(len(state.nodes))), self.scheduler.zones)

    def forget(self) -> None:
        """Forget the scores of rooms."""
        super().forget()
        self.scheduler.forget()

    def begin(self, demand: Demand) -> None:
        """Forget the pods of the workload before."""
        self.scheduler.begin(demand)

    def choose(self, shape: Shape) -> int:
        """Return the node with the best score."""
        return self.scheduler.choose(shape, self.order)

    def note(self, shape: Shape, node: int) -> None:
        """Count the pod for the next one's score."""
        self.scheduler.note(shape, node)
