"""The common part of all baselines: pods are put one after another, and a workload whose pods do not all fit waits.

A baseline only says which node the next pod takes. The pods are put on the live state as they would be bound, so that
each choice sees the ones before it, and are taken away again by the inverse operations before the answer is given.

No baseline reads rules about topology (required and preferred levels, segments, distinct, balance). What comes out is
still reported as it is: whether the preference happens to be met, and never as proven best.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Final

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.room import Chosen
from railwise.engine.cluster.shapes import KIND_SHARE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NO_LOCALITY, Demand
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.placement import Found, Refused

NO_NODE: Final = -1
"""The choice of a baseline that finds no node for a pod."""

Pod = tuple[int, int, Shape]
"""One pod to place: (leaf number, rank, shape)."""


class PodByPod(ABC):
    """A search that puts one pod after another."""

    keeps_rules: ClassVar[bool] = False
    """Whether plans obey the topology rules of a workload; where not, a plan may break them."""

    def __init__(self, state: ClusterState) -> None:
        """Work on this state."""
        self.state: Final = state
        self._generation = state.generation

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts, changing nothing."""
        wanted = self.arranged(
            [
                (number, rank, leaf.shape)
                for number, leaf in enumerate(demand.leaves)
                if leaf.shape is not None and leaf.index in chosen
                for rank in ranks.get(leaf.index, ())
            ]
        )
        if self._generation != self.state.generation:
            self.forget()
        self.begin(demand)
        done: list[tuple[Shape, int, Grant]] = []
        spots: list[Spot] = []
        try:
            for number, rank, shape in wanted:
                node = self.choose(shape)
                cards = self.cards(shape, node) if node != NO_NODE else ()
                grant = self.state.put(shape, node, cards) if node != NO_NODE else None
                if grant is None:
                    return Refused(self.proves(wanted, len(spots)))
                done.append((shape, node, grant))
                spots.append(Spot(number, rank, node, cards))
                self.note(shape, node)
        finally:
            for shape, node, grant in reversed(done):
                self.state.take_away(shape, node, grant)
        return Found(spots, met=preference_met(demand, spots, self.state), exact=False)

    def arranged(self, pods: list[Pod]) -> list[Pod]:
        """Return the pods, given in document and rank order, in the order in which they are put."""
        return pods

    def forget(self) -> None:
        """Forget what is known of rooms: the state has numbered them anew."""
        self._generation = self.state.generation

    def begin(self, demand: Demand) -> None:
        """Get ready for a workload."""
        del demand

    @abstractmethod
    def choose(self, shape: Shape) -> int:
        """Return the node that the next pod takes, NO_NODE where none will do."""

    def cards(self, shape: Shape, node: int) -> Chosen:
        """Return the cards that the pod takes on the node; empty: by the rule."""
        del shape, node
        return ()

    def note(self, shape: Shape, node: int) -> None:
        """Learn that a pod was put."""
        del shape, node

    def proves(self, pods: list[Pod], put: int) -> bool:
        """Return whether failing after ``put`` pods shows that nobody could have placed them all.

        So it is where not even the first pod fits anywhere, and where all pods are equal: how many of them a node holds
        does not depend on the order. Shares on several cards each are the exception.
        """
        if put == 0:
            return True
        first = pods[0][2]
        spread_share = first.kind == KIND_SHARE and first.cards > 1
        return not spread_share and all(shape is first for _, _, shape in pods)


def preference_met(demand: Demand, spots: list[Spot], state: ClusterState) -> bool:
    """Return whether a placement, with the pods that already run, lies in one domain of the preferred level."""
    if demand.preferred == NO_LOCALITY:
        return True
    tree = state.trees[demand.root.tree].tree
    nodes = {spot.node for spot in spots} | {node for leaf in demand.leaves for node in leaf.fixed.values()}
    if demand.preferred < tree.depth:
        domain_of = tree.domain_of[demand.preferred]
        nodes = {domain_of[node] for node in nodes}
    return len(nodes) <= 1
