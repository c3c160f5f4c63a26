"""A cluster of equal nodes with nothing but cards, kept up to date from plans alone.

It is what the slow reference for the quality of decisions works on. It shares no state and no code with the engine, so
a card that a plan gives twice, or takes from nowhere, is noticed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from railwise.model.plan import PodPlacement
from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_WHOLE, Workload


@dataclass(slots=True)
class Domain:
    """A subtree at one level: its domains of the next level, or (at the narrowest level) its nodes by index."""

    level: int
    parent: Domain | None
    children: list[Domain] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)

    def narrowest(self) -> list[Domain]:
        """Return the domains of the narrowest level in here."""
        return [below for child in self.children for below in child.narrowest()] if self.children else [self]

    def around(self) -> list[Domain]:
        """Return this domain and the wider ones around it."""
        return [self, *(self.parent.around() if self.parent is not None else [])]


class Ground:
    """Free cards per node (``free[node]`` is a bit mask) and the domains of the cluster's first topology.

    ``levels[l]`` holds the domains of level l, 0 being the widest; ``home[node]`` is the node's narrowest domain.
    """

    def __init__(self, scenario: Scenario) -> None:
        """Read a scenario whose nodes are equal and stand somewhere at every level."""
        sizes = {node.card_count() for node in scenario.nodes}
        assert len(sizes) == 1, "nodes with different numbers of cards"
        (self.cards,) = sizes
        topology = scenario.topologies[0]
        self.names = topology.level_names()
        self.levels: list[list[Domain]] = [[] for _ in self.names]
        self.home: list[Domain] = []
        known: dict[tuple[str, ...], Domain] = {}
        for index, node in enumerate(scenario.nodes):
            path: tuple[str, ...] = ()
            domain: Domain | None = None
            for level, name in enumerate(self.names):
                path = (*path, node.places[topology.name][name])
                if path not in known:
                    known[path] = Domain(level, domain)
                    self.levels[level].append(known[path])
                    if domain is not None:
                        domain.children.append(known[path])
                domain = known[path]
            assert domain is not None, "a cluster without levels"
            domain.nodes.append(index)
            self.home.append(domain)
        self.free = [(1 << self.cards) - 1] * len(scenario.nodes)
        self.index = {node.name: index for index, node in enumerate(scenario.nodes)}
        self._given: dict[str, list[tuple[int, int]]] = {}

    def free_on(self, node: int) -> int:
        """Return the number of free cards of a node."""
        return self.free[node].bit_count()

    def free_in(self, domain: Domain) -> int:
        """Return the number of free cards in a domain."""
        return sum(self.free_on(node) for rack in domain.narrowest() for node in rack.nodes)

    def put(self, name: str, pods: Sequence[PodPlacement]) -> None:
        """Book what a plan gives to a workload; every card must have been free."""
        given: list[tuple[int, int]] = []
        for pod in pods:
            node = self.index[pod.node]
            mask = sum(1 << int(card) for card in pod.cards)
            assert self.free[node] & mask == mask, f"{pod.name}: cards {pod.cards} of {pod.node} are not free"
            self.free[node] ^= mask
            given.append((node, mask))
        self._given[name] = given

    def remove(self, name: str) -> None:
        """Free what a workload holds; one that holds nothing is ignored."""
        for node, mask in self._given.pop(name, []):
            self.free[node] |= mask


@dataclass(frozen=True, slots=True)
class Ask:
    """Equal pods of so many whole cards; levels as indices, the node being one narrower than the narrowest level.

    ``required`` is -1 where no level is; ``preferred`` is the level that locality is judged by.
    """

    pods: int
    cards: int
    required: int
    preferred: int

    @classmethod
    def of(cls, workload: Workload, ground: Ground) -> Ask:
        """Read a workload: one group of pods with whole cards, all of them needed, and a rule about its place."""
        root = workload.root
        cards = root.request.cards
        assert cards.kind == CARDS_WHOLE
        assert not root.groups
        assert root.min_pods == root.pods
        levels = (*ground.names, "node")
        rule = root.topology
        required = levels.index(rule.required) if rule.required else -1
        if rule.preferred:
            preferred = levels.index(rule.preferred)
        elif workload.kind in {"training", "inference"} and root.pods * cards.count <= ground.cards:
            preferred = len(levels) - 1
        else:
            preferred = len(levels) - 2
        return cls(root.pods, cards.count, required, preferred)
