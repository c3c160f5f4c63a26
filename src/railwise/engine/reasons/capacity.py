"""What an empty cluster could hold: the bound behind "never" and "excluded".

For equal pods with one rule the bound is exact, node by node, unless pods share several cards each; for everything else
an empty copy of the cluster is searched. "Pristine" leaves out what may change without new hardware: selectors, taints,
health; "bare" is the cluster as it is with nothing running.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from railwise.engine.cluster.room import NodeSpec, Room
from railwise.engine.cluster.shapes import KIND_SHARE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.again import read_again
from railwise.engine.gangs.ask import Ask, ask_of
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.search.placement import Found, Placer
from railwise.engine.search.sizing import find_minimum
from railwise.model.node import Node

MOST_ANSWERS: Final = 65_536
"""How many answers are remembered."""

ANY_NUMBER: Final = 1 << 60
"""More pods than anybody asks for."""


class EmptyCluster:
    """The same cluster with nothing running on it, as it is or without selectors, taints and faults."""

    def __init__(self, state: ClusterState) -> None:
        """Compute nothing yet."""
        self.state: Final = state
        self._per_spec: Final[dict[tuple[int, int], tuple[int, int]]] = {}
        self._per_domain: Final[dict[tuple[int, int, int], tuple[int, int]]] = {}
        self._per_open_domain: Final[dict[tuple[int, int, int], tuple[int, int]]] = {}
        self._healthy: Final[list[NodeSpec]] = []
        self._shut: set[int] | None = None
        self._pristine: Placer | None = None
        self._bare: Placer | None = None
        self._in_pristine: Final[dict[Ask, bool | None]] = {}
        self._in_bare: Final[dict[Ask, bool | None]] = {}

    def fits(self, demand: Demand, *, pristine: bool) -> bool | None:
        """Return whether the minimum fits the pristine (or bare) cluster; None: the search cannot tell, or need not.

        Nothing is searched for in the bare cluster where no node is shut to the demand.
        """
        shape, pods = demand.root.shape, demand.root.group.min_pods
        if not pristine and not self.anything_shut(demand):
            return None
        if demand.simple and shape is not None and (pristine or not (shape.kind == KIND_SHARE and shape.cards > 1)):
            level = demand.root.required if demand.root.required != NOT_GIVEN else -1
            room = self.room_in_best if pristine else self._open_room_in_best
            return room(shape, demand.root.tree, level, pods) >= pods
        known = self._in_pristine if pristine else self._in_bare
        ask = ask_of(demand)
        if ask is None:
            return self._search(demand, pristine=pristine)
        if ask not in known:
            if len(known) >= MOST_ANSWERS:
                known.clear()
            known[ask] = self._search(demand, pristine=pristine)
        return known[ask]

    def anything_shut(self, demand: Demand) -> bool:
        """Return whether there is a node, or a card, that the demand may not use though it is there."""
        if self._shut is None:
            nodes = self.state.nodes
            self._shut = {index for index, node in enumerate(nodes) if _is_shut(node)}
        if self._shut:
            return True
        return any(leaf.shape is not None and self.state.allowed(leaf.shape) is not None for leaf in demand.leaves)

    def _search(self, demand: Demand, *, pristine: bool) -> bool | None:
        placer = self._pristine_placer() if pristine else self._bare_placer()
        answer = find_minimum(read_again(demand, placer.state, everywhere=pristine), placer.place)
        if isinstance(answer, Found):
            return True
        return False if answer.proven else None

    def pods_on(self, shape: Shape, node: int, most: int) -> int:
        """Return how many pods of a shape an empty healthy node holds, selectors and taints apart, at most ``most``."""
        return self._pods_on_spec(shape, self._healthy_specs()[node], most)

    def _pods_on_spec(self, shape: Shape, spec: NodeSpec, most: int) -> int:
        key = (shape.index, spec.index)
        asked, known = self._per_spec.get(key, (0, 0))
        if known == asked < most:
            known = _most_on(self.state, shape, spec, most)
            self._per_spec[key] = (most, known)
        return min(known, most)

    def _healthy_specs(self) -> list[NodeSpec]:
        if not self._healthy:
            self._healthy.extend([self.state.healthy_spec(node) for node in range(len(self.state.nodes))])
        return self._healthy

    def best_domain(self, shape: Shape, tree: int, level: int, pods: int) -> tuple[int, int]:
        """Return (domain, pods) of the domain of a level that could hold most pods, (-1, 0) where none is named."""
        specs = self._healthy_specs()
        holds = self._holds(shape, specs, pods)
        return self._best_of([holds[spec.index] for spec in specs], tree, level)

    def _holds(self, shape: Shape, specs: list[NodeSpec], pods: int) -> dict[int, int]:
        return {spec.index: self._pods_on_spec(shape, spec, pods) for spec in dict.fromkeys(specs)}

    def _best_of(self, held: list[int], tree: int, level: int) -> tuple[int, int]:
        """Return (domain, pods) of the domain of a level that holds most, by what every node holds."""
        if level < 0:
            return 0, sum(held)
        shape_tree = self.state.trees[tree].tree
        placed = [held[node] for node in shape_tree.order]
        if level >= shape_tree.depth:
            totals, named = placed, [True] * len(placed)
        else:
            tier = shape_tree.tiers[level]
            totals, named = [sum(placed[start:end]) for start, end in tier.ranges()], tier.named
        best, most = -1, 0
        for domain, total in enumerate(totals):
            if total > most and named[domain]:
                best, most = domain, total
        return best, most

    def room_in_best(self, shape: Shape, tree: int, level: int, pods: int) -> int:
        """Return the most pods that one domain of a level could hold, exact where that is less than ``pods``.

        What is remembered are pairs (pods asked for, room found): room below what was asked for is exact.
        """
        key = (shape.index, tree, level)
        asked, room = self._per_domain.get(key, (0, 0))
        if room >= asked and asked < pods:
            room = self.best_domain(shape, tree, level, pods)[1]
            full = pods in self._holds(shape, self._healthy_specs(), pods).values()
            self._per_domain[key] = (pods if full else ANY_NUMBER, room)
        return room

    def _open_room_in_best(self, shape: Shape, tree: int, level: int, pods: int) -> int:
        """Return the same of the nodes that are open to the shape, with the cards that are healthy."""
        key = (shape.index, tree, level)
        asked, room = self._per_open_domain.get(key, (0, 0))
        if room >= asked and asked < pods:
            if len(self._per_open_domain) >= MOST_ANSWERS:
                self._per_open_domain.clear()
            specs, nodes, mask = self.state.specs, self.state.nodes, self.state.allowed(shape)
            holds = self._holds(shape, specs, pods)
            held = [holds[spec.index] for spec in specs]
            for index, node in enumerate(nodes):
                if not node.ready or node.unschedulable or (mask is not None and not mask[index]):
                    held[index] = 0
            room = self._best_of(held, tree, level)[1]
            self._per_open_domain[key] = (pods if pods in holds.values() else ANY_NUMBER, room)
        return room

    def pristine(self) -> ClusterState:
        """Return an empty state in which every node is ready, healthy, untainted."""
        return self._pristine_placer().state

    def bare(self) -> ClusterState:
        """Return an empty state of the nodes as they are."""
        return self._bare_placer().state

    def _pristine_placer(self) -> Placer:
        if self._pristine is None:
            self._pristine = self._placer([_pristine(node) for node in self.state.nodes])
        return self._pristine

    def _bare_placer(self) -> Placer:
        if self._bare is None:
            self._bare = self._placer(self.state.nodes)
        return self._bare

    def _placer(self, nodes: list[Node]) -> Placer:
        return Placer(ClusterState(nodes, self.state.topologies, self.state.policy))

    def forget(self, node: int) -> None:
        """Take note that facts about a node changed."""
        facts = self.state.nodes[node]
        self._in_bare.clear()
        self._per_open_domain.clear()
        if self._shut is not None:
            self._shut.discard(node)
            if _is_shut(facts):
                self._shut.add(node)
        if self._bare is not None:
            self._bare.state.replace_node(node, facts, ())
            if self._bare.state.overgrown():
                self._bare.state.compact()
        if self._healthy and self.state.healthy_spec(node) is self._healthy[node]:
            return
        self._healthy.clear()
        self._per_spec.clear()
        self._per_domain.clear()
        self._in_pristine.clear()
        self._pristine = None


def _is_shut(node: Node) -> bool:
    return not node.ready or node.unschedulable or bool(node.unhealthy)


def _pristine(node: Node) -> Node:
    return replace(node, ready=True, unschedulable=False, taints=(), unhealthy=frozenset())


def _most_on(state: ClusterState, shape: Shape, spec: NodeSpec, most: int) -> int:
    room: Room | None = state.empty_room(spec)
    count = 0
    while room is not None and count < most:
        room = state.rooms.fits(shape, room)
        if room is not None:
            count += 1
    return count
