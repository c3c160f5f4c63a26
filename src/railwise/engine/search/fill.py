"""Equal pods put on the nodes of one scope of the bounded search, and taken off again."""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.indexed.elsewhere import Elsewhere
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.apart import Guard
from railwise.engine.search.blocks import Pods
from railwise.engine.search.holds import Holds
from railwise.engine.search.problem import Token
from railwise.engine.search.share_out import Used

MOST_INDEXED: Final = 64
"""Up to so many pods in one rack are laid out by the rack's cost tables; more are put node by node."""

LOOKS: Final = 64
"""So many looks at a node or domain cost one step."""

Scope = tuple[tuple[int, int, int], ...]
"""Domains that all must hold a node: (tree, level, domain; a node by its tree position)."""


class Put(NamedTuple):
    """One pod that was put, with what undoing needs."""

    token: Token
    node: int
    shape: Shape
    grant: Grant
    guards: tuple[Guard, ...]


class Filling:
    """The pods that a search has put so far, on the live state; ``steps`` is what is left of its budget."""

    def __init__(self, demand: Demand, state: ClusterState, indexes: Indexes, holds: Holds) -> None:
        """Start with nothing put but what runs."""
        self.demand: Final = demand
        self.state: Final = state
        self.indexes: Final = indexes
        self.holds: Final = holds
        self.by_cpu: Final = not demand.uses_cards
        self.root: Final = demand.root.tree
        self.tree: Final = state.trees[self.root].tree
        self.indexed: Final = not Elsewhere(state, self.root).active
        self.log: Final[list[Put]] = []
        self.used: Final[Used] = [{} for _ in range(self.tree.depth + 1)]
        self.steps = 0
        running = [node for leaf in demand.leaves for node in leaf.fixed.values()]
        self.running: Final = len(running)
        for node in running:
            self._use(node, 1)

    def _use(self, node: int, pods: int) -> None:
        depth = self.tree.depth
        for level, used in enumerate(self.used):
            domain = self.tree.position[node] if level == depth else self.tree.domain_of[level][node]
            left = used.get(domain, 0) + pods
            if left:
                used[domain] = left
            else:
                used.pop(domain)

    def put(self, pods: Pods, token: Token, node: int) -> bool:
        """Put one pod on a node if it fits and nothing forbids it."""
        self.steps -= 1
        for apart, holder in pods.guards:
            if not apart.allows(node, holder):
                return False
        grant = self.state.put(pods.shape, node)
        if grant is None:
            return False
        for apart, holder in pods.guards:
            apart.take(node, holder)
        self.log.append(Put(token, node, pods.shape, grant, pods.guards))
        self._use(node, 1)
        return True

    def undo(self, length: int) -> None:
        """Take back everything put after the log had this length."""
        while len(self.log) > length:
            last = self.log.pop()
            self.state.take_away(last.shape, last.node, last.grant)
            for apart, _ in last.guards:
                apart.give_back(last.node)
            self._use(last.node, -1)

    def domain_of(self, index: int, level: int, node: int) -> int:
        """Return a node's domain at a level of a tree, the node's own position at its own level."""
        tree = self.state.trees[index].tree
        return tree.position[node] if level >= tree.depth else tree.domain_of[level][node]

    def span(self, index: int, scope: Scope) -> tuple[int, int]:
        """Return the half-open range of positions in a tree that a scope leaves, by its domains of that tree alone."""
        tree = self.state.trees[index].tree
        start, end = 0, len(tree.order)
        for other, level, domain in scope:
            if other == index:
                low, high = domain, domain + 1
                if level < tree.depth:
                    low, high = tree.tiers[level].start[domain], tree.tiers[level].end[domain]
                start, end = max(start, low), min(end, high)
        return start, end

    def nodes(self, scope: Scope) -> list[int]:
        """Return the nodes of a scope, in the order of the workload's tree."""
        spans = {index: self.span(index, scope) for index in {self.root, *(where[0] for where in scope)}}
        small = min(spans, key=lambda index: (spans[index][1] - spans[index][0], index))
        start, end = spans[small]
        found = self.state.trees[small].tree.order[start:end]
        self.steps -= (end - start) // LOOKS
        for index, (low, high) in spans.items():
            if index != small:
                position = self.state.trees[index].tree.position
                found = [node for node in found if low <= position[node] < high]
        return found if small == self.root else sorted(found, key=lambda node: self.tree.position[node])

    def fill(self, pods: Pods, tokens: list[Token], scope: Scope) -> int:
        """Put as many of some pods as there is room for on the cheapest nodes of a scope; return how many."""
        done = 0
        for node, most in self._cheapest(pods, len(tokens), scope):
            for _ in range(most):
                if done == len(tokens) or not self.put(pods, tokens[done], node):
                    break
                done += 1
            if done == len(tokens):
                break
        return done

    def _cheapest(self, pods: Pods, wanted: int, scope: Scope) -> list[tuple[int, int]]:
        """Return (node, pods) in the order in which nodes are to be filled."""
        narrowest = self.tree.depth - 1
        rack = scope[-1][2] if scope and scope[-1][:2] == (self.root, narrowest) else -1
        plain = all(where[0] == self.root and where[1] <= narrowest for where in scope)
        if self.indexed and rack >= 0 and plain and not pods.guards and wanted <= MOST_INDEXED:
            racks, _ = self.indexes.racks(self.root, pods.shape, wanted, by_cpu=self.by_cpu, nodes_first=False)
            if racks.of_rack[rack].capacity >= wanted:
                return [(self.tree.order[place], here) for place, here in racks.positions(rack, wanted)]
        room = self.holds.of(pods.shape).of_node
        curves = self.indexes.curves(pods.shape, by_cpu=self.by_cpu)
        ranked: list[tuple[int, int, int]] = []
        for place, node in enumerate(self.nodes(scope)):
            here = min(room[node], wanted)
            if here and all(guard.apart.allows(node, guard.holder) for guard in pods.guards):
                cost = curves.curve(self.state.room_of[node].index, here)[here - 1]
                ranked.append((cost // here, place, node))
        ranked.sort()
        return [(node, wanted) for _, _, node in ranked]
