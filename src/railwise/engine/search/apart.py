"""Who holds which domain of a level at which things must lie apart, while pods come and go."""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Part

ALONE: Final = -1
"""The holder where no two pods may share a domain."""

SHARED: Final = -2
"""Several groups have running pods there although they must lie apart: nobody else may come."""


class Apart:
    """The domains held under one part's ``distinct`` rule: ``held`` maps a domain to (holder, pods)."""

    def __init__(self, part: Part, state: ClusterState) -> None:
        """Start with what the running pods hold."""
        tree = state.trees[part.tree].tree
        self.tree: Final = part.tree
        self.level: Final = part.distinct
        self._own: Final = part.distinct >= tree.depth
        self._domain_of: Final = [] if self._own else tree.domain_of[part.distinct]
        self._position: Final = tree.position
        named: list[bool] = [] if self._own else tree.tiers[part.distinct].named
        self.nameless: Final = [] if all(named) else [node for node in tree.order if not named[self._domain_of[node]]]
        self._named: Final = named
        self._order: Final = tree.order
        self._start: Final = [] if self._own else tree.tiers[part.distinct].start
        self._end: Final = [] if self._own else tree.tiers[part.distinct].end
        self.held: Final[dict[int, tuple[int, int]]] = {}
        holders = [(ALONE, part)] if part.shape is not None else list(enumerate(part.children))
        for holder, held_by in holders:
            for leaf in held_by.leaves():
                for node in leaf.fixed.values():
                    domain = self.domain(node)
                    before, pods = self.held.get(domain, (holder, 0))
                    self.held[domain] = (holder if before == holder else SHARED, pods + 1)

    def domain(self, node: int) -> int:
        """Return the domain of a node at the level (its tree position at the node's own level)."""
        return self._position[node] if self._own else self._domain_of[node]

    def allows(self, node: int, holder: int) -> bool:
        """Return whether a pod of a holder may go to a node."""
        domain = self.domain(node)
        if not self._own and not self._named[domain]:
            return False
        held = self.held.get(domain)
        return held is None or (holder != ALONE and held[0] == holder)

    def take(self, node: int, holder: int) -> None:
        """Note a pod; whoever takes has asked ``allows``."""
        domain = self.domain(node)
        self.held[domain] = (holder, self.held.get(domain, (holder, 0))[1] + 1)

    def give_back(self, node: int) -> None:
        """Forget a pod that was noted."""
        domain = self.domain(node)
        holder, pods = self.held[domain]
        if pods == 1:
            self.held.pop(domain)
        else:
            self.held[domain] = (holder, pods - 1)

    def barred(self, holder: int) -> list[int]:
        """Return the nodes where pods of a holder may not go because of others, or for want of a name."""
        found = list(self.nameless)
        for domain, (other, _) in self.held.items():
            if holder == ALONE or other != holder:
                start, end = (domain, domain + 1) if self._own else (self._start[domain], self._end[domain])
                found.extend(self._order[start:end])
        return found


class Guard(NamedTuple):
    """What a pod must ask before it goes to a node, and as whom."""

    apart: Apart
    holder: int
