"""What the domains inside a scope offer to a block or to loose pods, as far as counting tells."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.search.apart import Guard
from railwise.engine.search.blocks import Block, Pods
from railwise.engine.search.fill import LOOKS, MOST_INDEXED, Filling, Scope
from railwise.engine.search.holds import NO_BOUND
from railwise.engine.search.share_out import Layout, Pick

CALL: Final = 3
"""What looking at the domains of a level costs however few they are."""


class Offers:
    """The offers of the state as a filling has made it so far; looking is counted in its steps."""

    def __init__(self, filling: Filling) -> None:
        """Keep the filling."""
        self.filling: Final = filling
        self.state: Final[ClusterState] = filling.state

    def of_block(self, block: Block, level: int, scope: Scope) -> tuple[int, list[int]]:
        """Return (first domain, copies that it and the next ones may hold) for the domains of a level in a scope."""
        first, last = self._domains(block.tree, level, scope)
        if first >= last:
            return first, []
        barred = self._barred(block.guards)
        self.filling.steps -= CALL + (last - first) // LOOKS
        if any(where[0] != block.tree for where in scope):
            rooms = self._clipped(block.shapes, block.tree, level, (first, last), scope, barred)
        else:
            rooms = self.filling.holds.copies(block, level, first, last, barred)
        if block.asked >= 0:
            tree = self.state.trees[block.tree].tree
            for index, room in enumerate(rooms):
                if room and not tree.named_at(level, first + index, block.asked):
                    rooms[index] = 0
        return first, rooms

    def _domains(self, index: int, level: int, scope: Scope) -> tuple[int, int]:
        """Return the half-open range of domains of a level that a scope leaves."""
        start, end = self.filling.span(index, scope)
        order = self.state.trees[index].tree.order
        if start >= end:
            return 0, 0
        return (
            self.filling.domain_of(index, level, order[start]),
            self.filling.domain_of(index, level, order[end - 1]) + 1,
        )

    def _barred(self, guards: tuple[Guard, ...]) -> set[int]:
        """Return the nodes that no pod of a block may use because of others."""
        found: set[int] = set()
        for apart, holder in guards:
            found.update(apart.barred(holder))
        self.filling.steps -= len(found) // LOOKS
        return found

    def _clipped(
        self,
        shapes: dict[Shape, int],
        index: int,
        level: int,
        domains: tuple[int, int],
        scope: Scope,
        barred: set[int],
    ) -> list[int]:
        """Return the copies per domain where the scope cuts domains, node by node."""
        first, last = domains
        nodes = [node for node in self.filling.nodes(scope) if node not in barred]
        rooms = [NO_BOUND] * (last - first)
        for shape, pods in shapes.items():
            sums = [0] * (last - first)
            room = self.filling.holds.of(shape).of_node
            for node in nodes:
                if room[node]:
                    sums[self.filling.domain_of(index, level, node) - first] += room[node]
            rooms = [min(known, here // pods) for known, here in zip(rooms, sums, strict=True)]
        return rooms

    def layout(self, index: int, level: int, first: int, rooms: list[int]) -> Layout:
        """Return where copies may go: ``rooms`` of them in each domain of a level from ``first`` on."""
        self.filling.steps -= CALL + len(rooms) // LOOKS
        used = self.filling.used if index == self.filling.root else None
        return Layout(self.state.trees[index], level, first, rooms, used)

    def cheapest(self, shapes: dict[Shape, int], level: int, scope: Scope) -> Pick | None:
        """Return the choice of the cheapest rack for equal pods, None where the racks' tables do not say."""
        root, depth = self.filling.root, self.filling.tree.depth
        if not self.filling.indexed or level != depth - 1 or len(shapes) > 1 or any(one[0] != root for one in scope):
            return None
        ((shape, pods),) = shapes.items()

        def pick(fit: list[int], copies: int) -> int:
            wanted = copies * pods
            if wanted > MOST_INDEXED:
                return fit[-1]
            racks, _ = self.filling.indexes.racks(root, shape, wanted, by_cpu=self.filling.by_cpu, nodes_first=False)
            mask = 0
            for rack in fit:
                mask |= 1 << rack
            found = racks.cheapest(wanted, mask)
            return fit[-1] if found is None else found[0]

        return pick

    def of_pods(self, pods: Pods, index: int, level: int, scope: Scope) -> tuple[int, list[int]]:
        """Return (first domain, pods that it and the next ones may hold)."""
        first, last = self._domains(index, level, scope)
        if first >= last:
            return first, []
        barred = self._barred(pods.guards)
        self.filling.steps -= CALL + (last - first) // LOOKS
        if any(where[0] != index for where in scope):
            return first, self._clipped({pods.shape: 1}, index, level, (first, last), scope, barred)
        return first, self.filling.holds.room({pods.shape: 1}, index, level, first, last, barred)
