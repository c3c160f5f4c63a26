"""The exact search: every way to spread a workload's pods over a domain, best first by all criteria at once.

From the nodes upwards each domain gets a table: for every number of pods and units it could hold, the least cost
and where. A parent's table is its children's tables added in tree order. Because every criterion adds up, the best
parts make the best whole, and what does not add up by itself (whole nodes broken in a domain that another tree
cuts, pods per domain of a second topology, whether the last short segment found a place) is carried along until it
can be settled. Equal costs are decided by the earliest positions, which are kept as digits of an integer.

The work is counted in steps; beyond its budget the search gives up and says so.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NO_LOCALITY
from railwise.engine.indexed.fields import Fields
from railwise.engine.search.finish import finish
from railwise.engine.search.packed import Packing
from railwise.engine.search.problem import Problem, Vector, with_count
from railwise.engine.search.settle import Carry, Settlement, dot, merged
from railwise.engine.search.share_packing import NodeOption, OverBudgetError, packed_shares

POSITION_BITS: Final = 24
ITEM_BITS: Final = 12

Entry = tuple[int, int, int, object]
"""(cost, positions as digits, kinds as digits, how it was made)."""

Side = tuple[int, Vector, Entry, list[int], int]
"""An entry on one side of a sum: vector packed, vector, entry, pods of each part that may end, pods in all."""

NO_PARTS: Final[list[int]] = []

Key = tuple[Vector, Carry]
Table = dict[Key, Entry]


class ExactSearch:
    """One problem on the current state; ``windows`` bounds the pods per used domain of a level."""

    def __init__(
        self, problem: Problem, state: ClusterState, budget: int, windows: dict[int, tuple[int, int]] | None = None
    ) -> None:
        """Prepare views and bounds; nothing is searched yet."""
        self.problem: Final = problem
        self.state: Final = state
        self.tree_state: Final = state.trees[problem.tree]
        self.tree: Final = self.tree_state.tree
        self.depth: Final = self.tree.depth
        self.fields: Final = Fields(self.depth)
        self.windows: Final = windows or {}
        self.steps = budget
        self.by_cpu: Final = not problem.demand.uses_cards
        preferred = problem.demand.preferred
        self.count_to: Final = -1 if preferred == NO_LOCALITY else preferred
        self.views: Final = [problem.vector(problem.view(level)) for level in range(-1, self.depth + 1)]
        self.settle: Final = Settlement(problem, state, self.fields)
        self._tables: dict[tuple[int, int], Table] = {}
        self._rooms: dict[tuple[int, int], list[NodeOption]] = {}
        self.kinds: Final = problem.kinds
        self.in_document_order: Final = sorted(problem.kinds, key=lambda kind: kind.leaf.index)
        self.allowed: Final = [state.allowed(kind.shape) for kind in self.kinds]
        self.fixed_nodes: Final = {node for leaf in problem.demand.leaves for node in leaf.fixed.values()}
        self.zero: Final[Vector] = (0,) * problem.size
        self.packing: Final = Packing(self.views)

    def best(self, level: int, domain: int) -> Entry | None:
        """Return the best entry that puts everything into a domain (level -1: anywhere), settled, or None."""
        wanted = self.views[level + 1]
        found: Entry | None = None
        for (vector, carry), entry in self.inside(level, domain).items():
            if vector != wanted:
                continue
            extra = finish(self.settle, carry, level, domain)
            if extra is None:
                continue
            cost = entry[0] + extra
            if found is None or (cost, entry[1], entry[2]) < found[:3]:
                found = (cost, entry[1], entry[2], entry[3])
        return found

    def inside(self, level: int, domain: int) -> Table:
        """Return the table of a domain as seen from within (its own level's units unpacked)."""
        if level == self.depth:
            return self._node_table(self.tree.order[domain])
        first, last = self._children(level, domain)
        front: Table = {(self.zero, ()): (0, 0, 0, None)}
        bound = self.views[level + 1]
        for child in range(first, last):
            outer = self.outside(level + 1, child)
            if len(outer) == 1 and (self.zero, ()) in outer and outer[self.zero, ()][0] == 0:
                continue
            front = self._add(front, outer, bound, level, child)
        return front

    def _children(self, level: int, domain: int) -> tuple[int, int]:
        if level < 0:
            return (0, len(self.tree.tiers[0].names)) if self.depth else (0, len(self.tree.order))
        tier = self.tree.tiers[level]
        return tier.first_child[domain], tier.last_child[domain]

    def _add(self, front: Table, outer: Table, bound: Vector, level: int, child: int) -> Table:
        """Return every sum of an entry before a child and one of the child, the best for each key."""
        self.spend(len(front) * len(outer))
        limit = self.packing.pack(bound) | self.packing.guards
        splits = self.settle.splits(level, child)
        before = self._side(front, [(weights, fixed) for weights, fixed, _, _, _ in splits])
        after = self._side(outer, [(weights, fixed) for weights, _, fixed, _, _ in splits])
        ends = [(total, loss) for _, _, _, total, loss in splits]
        sums: dict[Carry, dict[int, Entry]] = {}
        for carry, haves in before.items():
            for other, mores in after.items():
                joined = carry if not other else other if not carry else merged(carry, other)
                if joined is not None:
                    self._sum(haves, mores, limit, ends, sums.setdefault(joined, {}), (level + 1, child))
        unpack = self.packing.unpack
        return {(unpack(packed), carry): entry for carry, found in sums.items() for packed, entry in found.items()}

    def _side(self, table: Table, counted: list[tuple[Vector, int]]) -> dict[Carry, list[Side]]:
        """Return a table by carry, with its vectors packed and the pods of each part that is counted."""
        pack = self.packing.pack
        result: dict[Carry, list[Side]] = {}
        for (vector, carry), entry in table.items():
            parts = [dot(weights, vector) + fixed for weights, fixed in counted] if counted else NO_PARTS
            result.setdefault(carry, []).append((pack(vector), vector, entry, parts, self._pods(vector)))
        return result

    def _sum(
        self,
        haves: list[Side],
        mores: list[Side],
        limit: int,
        ends: list[tuple[int, int]],
        best: dict[int, Entry],
        where: tuple[int, int],
    ) -> None:
        """Add two sides with one carry each; ``ends`` is (pods in all, cost if a part ends here, being split)."""
        guards = self.packing.guards
        for packed, _, entry, counts, _ in haves:
            room = limit - packed
            for extra, more, piece, others, pods in mores:
                if (room - extra) & guards != guards:
                    continue
                cost = entry[0] + piece[0]
                if ends:
                    for (total, loss), had, here in zip(ends, counts, others, strict=True):
                        if had and here > 0 and had + here == total:
                            cost += loss
                known = best.get(packed + extra)
                if known is not None and known[0] < cost:
                    continue
                positions = (entry[1] << (POSITION_BITS * pods)) | piece[1]
                items = (entry[2] << (ITEM_BITS * pods)) | piece[2]
                if known is None or (cost, positions, items) < (known[0], known[1], known[2]):
                    best[packed + extra] = (cost, positions, items, (entry[3], *where, more, piece[3]))

    def _pods(self, vector: Vector) -> int:
        total = 0
        for item, count in enumerate(vector):
            if count:
                unit = self.problem.unit_of.get(item)
                total += count if unit is None else count * self._unit_pods(item)
        return total

    def _unit_pods(self, item: int) -> int:
        unit = self.problem.unit_of.get(item)
        if unit is None:
            return 1
        return sum(count * self._unit_pods(inner) for inner, count in unit.contents.items())

    def outside(self, level: int, domain: int) -> Table:
        """Return the table of a domain as its parent sees it: units of its level packed, its own costs added."""
        known = self._tables.get((level, domain))
        if known is None:
            known = self._close(level, domain, self.inside(level, domain))
            self._tables[level, domain] = known
        return known

    def _close(self, level: int, domain: int, inner: Table) -> Table:
        named = level == self.depth or self.tree.tiers[level].named[domain]
        packings = self._packings(level, domain, named=named)
        visible = self.views[level]
        result: Table = {}
        for (vector, carry), entry in inner.items():
            closed = self.settle.close(level, domain, vector, carry, named=named)
            if closed is None:
                continue
            cost, left = closed
            cost += entry[0] + self._own_cost(level, domain, vector)
            if not self._in_window(level, domain, vector):
                continue
            for packed, used in packings:
                outer = self._pack(vector, packed, used, visible)
                if outer is None:
                    continue
                known = result.get((outer, left))
                if known is None or (cost, entry[1], entry[2]) < known[:3]:
                    result[outer, left] = (cost, entry[1], entry[2], entry[3])
        return result

    def _own_cost(self, level: int, domain: int, vector: Vector) -> int:
        used = vector != self.zero or self.settle.holds_fixed(level, domain)
        if not used:
            return 0
        cost = self.fields.count[level] if level <= self.count_to else 0
        if level < self.depth and not self.by_cpu:
            cost += self.fields.free[level] * self.tree_state.free[level][domain]
        return cost

    def _in_window(self, level: int, domain: int, vector: Vector) -> bool:
        window = self.windows.get(level)
        if window is None:
            return True
        pods = self._pods(vector) + self.settle.fixed_pods(level, domain)
        return pods == 0 or window[0] <= pods <= window[1]

    def _packings(self, level: int, domain: int, *, named: bool) -> list[tuple[Vector, Vector]]:
        """Return (units packed, pods and narrower units they use up) for every choice of units of this level."""
        choices: list[tuple[Vector, Vector]] = [(self.zero, self.zero)]
        visible, bound = self.views[level], self.views[level + 1]
        if not named:
            return choices
        for unit in self.problem.units:
            if unit.level != level or not visible[unit.item] or not self.settle.may_hold(unit, level, domain):
                continue
            grown: list[tuple[Vector, Vector]] = []
            for packed, used in choices:
                count = 0
                mine = used
                while count <= visible[unit.item] and all(a <= b for a, b in zip(mine, bound, strict=True)):
                    grown.append((with_count(packed, unit.item, count), mine))
                    mine = tuple(have + unit.contents.get(item, 0) for item, have in enumerate(mine))
                    count += 1
            choices = grown
        return choices

    def _pack(self, vector: Vector, packed: Vector, used: Vector, visible: Vector) -> Vector | None:
        outer = tuple(have - taken + units for have, taken, units in zip(vector, used, packed, strict=True))
        for have, taken, most, total in zip(vector, used, visible, outer, strict=True):
            if have < taken or total > most:
                return None
        return outer

    def _node_table(self, node: int) -> Table:
        room = self.state.room_of[node]
        mask = 0
        for number, allowed in enumerate(self.allowed):
            if allowed is None or allowed[node]:
                mask |= 1 << number
        key = (room.index, mask)
        options = self._rooms.get(key)
        if options is None:
            options = self.options(room, mask)
            self._rooms[key] = options
        table: Table = {}
        place = self.tree.position[node]
        for vector, after, path in options:
            if vector == self.zero and node not in self.fixed_nodes:
                table[vector, ()] = (0, 0, 0, None)
                continue
            carry = self.settle.at_node(node, vector, room)
            if carry is None:
                continue
            positions = items = 0
            for kind in self.in_document_order:
                for _ in range(vector[kind.item]):
                    positions = (positions << POSITION_BITS) | place
                    items = (items << ITEM_BITS) | kind.leaf.index
            cost = self._node_cost(node, vector, room, after)
            table[vector, carry] = (cost, positions, items, (node, vector, path))
        return table

    def options(self, room: Room, mask: int) -> list[NodeOption]:
        """Return every number of pods of each kind that fits a room; ``mask`` marks the kinds that may use the node."""
        if self.problem.hard_shares:
            return packed_shares(self.state.rooms, self.kinds, self.views[-1], mask, room, self)
        found: list[NodeOption] = []
        self._fill(room, mask, 0, self.zero, found)
        return found

    def spend(self, steps: int) -> None:
        """Count work; raises ``OverBudgetError`` beyond the budget."""
        self.steps -= steps
        if self.steps < 0:
            raise OverBudgetError

    def _fill(self, room: Room, mask: int, number: int, vector: Vector, options: list[NodeOption]) -> None:
        self.spend(1)
        if number == len(self.kinds):
            options.append((vector, room, ()))
            return
        kind = self.kinds[number]
        self._fill(room, mask, number + 1, vector, options)
        if not mask >> number & 1:
            return
        count = 0
        most = self.views[-1][kind.item]
        after: Room | None = room
        while count < most:
            after = self.state.rooms.fits(kind.shape, after) if after is not None else None
            if after is None:
                return
            count += 1
            self._fill(after, mask, number + 1, with_count(vector, kind.item, count), options)

    def _node_cost(self, node: int, vector: Vector, before: Room, after: Room) -> int:
        fields = self.fields
        worth = self.state.potential.node
        cost = fields.node + fields.loss * (worth[before.slots] - worth[after.slots])
        if self.state.dead_rails[node]:
            cost += fields.dead
        if before.spec.device:
            bare = sum(vector[kind.item] for kind in self.kinds if not kind.shape.wants_cards())
            cost += fields.misplaced * bare
        if self.by_cpu:
            return cost + fields.left * max(after.cpu, 0)
        return cost + fields.left * after.slots - fields.all_free * (before.slots - after.slots)
