"""What does not add up by itself in the exact search: carried from nodes upwards and settled where it is known.

A carry is a sorted tuple of (key, number). Whole free nodes broken are carried to the domain whose potential they lower
(of every topology); pods per domain of another topology than the workload's own are carried to the end, where the rules
about that topology are checked; the last short segment is a flag until its domain closes.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Part
from railwise.engine.indexed.fields import Fields, wide_worth
from railwise.engine.search.problem import Problem, Unit, Vector

CarryKey = tuple[int, int, int, int]
Carry = tuple[tuple[CarryKey, int], ...]

WHOLE: Final = 0
PODS: Final = 1
SHORT: Final = 2
APART: Final = 3
NODES: Final = 4

ONE_NODE: Final = 1
ONE_LAME_NODE: Final = 2
SEVERAL_NODES: Final = 3


def merged(left: Carry, right: Carry) -> Carry | None:
    """Return both carries together, None where they contradict (two pods in one domain that must be apart)."""
    total = dict(left)
    for key, value in right:
        have = total.get(key)
        if have is None:
            total[key] = value
        elif key[0] in {WHOLE, PODS}:
            total[key] = have + value
        elif key[0] == NODES:
            total[key] = SEVERAL_NODES
        elif key[0] == APART and (have != value or value == 0):
            return None
    return tuple(sorted(total.items()))


class Settlement:
    """The rules of one problem that need a carry or a look at whole domains."""

    def __init__(self, problem: Problem, state: ClusterState, fields: Fields) -> None:
        """Sort the tracked parts by what they need."""
        self.problem: Final = problem
        self.state: Final = state
        self.fields: Final = fields
        self.tree_index: Final = problem.tree
        self.tree: Final = state.trees[problem.tree].tree
        here = [part for part in problem.tracked if part.tree == problem.tree]
        self.own: Final = [part for part in here if part.parent is not None and part.preferred >= 0]
        self.apart: Final = [part for part in here if part.distinct >= 0]
        self.segments: Final = [part for part in here if part.segment_preferred > part.segment_required]
        self.foreign: Final = [part for part in problem.tracked if part.tree != problem.tree]
        self.weights: Final = {part.index: self._weights(part, 0) for part in problem.tracked}
        self.totals: Final = {
            part.index: dot(self.weights[part.index], problem.vector(problem.view(NOT_GIVEN)))
            for part in problem.tracked
        }
        self._fixed: Final = sorted(
            self.tree.position[node] for leaf in problem.demand.leaves for node in leaf.fixed.values()
        )
        self.fixed_of: Final = {
            part.index: sorted(self.tree.position[node] for leaf in part.leaves() for node in leaf.fixed.values())
            for part in problem.tracked
        }
        self._whole_trees: Final = [index for index, trees in enumerate(state.trees) if trees.tree.depth]

    def _weights(self, part: Part, child: int) -> Vector:
        """Return the pods of a part (of its child number ``child``, 0: any) in one of each item."""
        weights = [0] * self.problem.size
        for kind in self.problem.kinds:
            if any(index == part.index and (not child or number == child) for index, number in kind.tracked):
                weights[kind.item] = 1
        for unit in self.problem.units:
            weights[unit.item] = self._unit_weight(unit, weights)
        return tuple(weights)

    def _unit_weight(self, unit: Unit, weights: list[int]) -> int:
        total = 0
        for item, count in unit.contents.items():
            inner = self.problem.unit_of.get(item)
            total += count * (weights[item] if inner is None else self._unit_weight(inner, weights))
        return total

    def range_of(self, level: int, domain: int) -> tuple[int, int]:
        """Return the half-open range of tree positions of a domain (level -1: all, ``depth``: one node)."""
        if level < 0:
            return 0, len(self.tree.order)
        if level >= self.tree.depth:
            return domain, domain + 1
        tier = self.tree.tiers[level]
        return tier.start[domain], tier.end[domain]

    def fixed_pods(self, level: int, domain: int) -> int:
        """Return how many running pods of the workload stand in a domain."""
        return _count_between(self._fixed, *self.range_of(level, domain)) if self._fixed else 0

    def holds_fixed(self, level: int, domain: int) -> bool:
        """Return whether a running pod of the workload stands in a domain."""
        return self.fixed_pods(level, domain) > 0

    def _fixed_part(self, part: Part, start: int, end: int) -> int:
        fixed = self.fixed_of[part.index]
        return _count_between(fixed, start, end) if fixed else 0

    def may_hold(self, unit: Unit, level: int, domain: int) -> bool:
        """Return whether a unit may be placed in a domain: the one where its running pods are, if it has any."""
        start, end = self.range_of(level, domain)
        return all(start <= self.tree.position[node] < end for node in unit.home)

    def splits(self, level: int, child: int) -> list[tuple[Vector, int, int, int, int]]:
        """Return the parts with their own preference that a child of a level's domain may complete, being split there.

        For each: its weights, running pods before the child and in it, pods in all, cost if it is complete and split.
        """
        found: list[tuple[Vector, int, int, int, int]] = []
        start, end = self.range_of(level + 1, child)
        for part in self.own:
            if level + 1 <= part.preferred:
                first = self.range_of(level, self._parent(level, child))[0]
                total = self.totals[part.index] + len(self.fixed_of[part.index])
                before, here = self._fixed_part(part, first, start), self._fixed_part(part, start, end)
                loss = self.fields.above * (part.preferred - level)
                found.append((self.weights[part.index], before, here, total, loss))
        return found

    def _parent(self, level: int, child: int) -> int:
        if level < 0:
            return 0
        if level + 1 == self.tree.depth:
            return self.tree.domain_of[level][self.tree.order[child]]
        return self.tree.tiers[level + 1].parent[child]

    def at_node(self, node: int, vector: Vector, room: Room) -> Carry | None:
        """Return what a node with these pods carries upwards, None where a rule about another topology forbids them."""
        carry: list[tuple[CarryKey, int]] = []
        some = any(vector)
        if some and room.wholly:
            kind = self.state.class_of[room.spec.cards]
            for index in self._whole_trees:
                tree = self.state.trees[index].tree
                carry.append(((WHOLE, index * 64 + tree.depth - 1, tree.domain_of[-1][node], kind), 1))
        for part in self.foreign:
            pods = dot(self.weights[part.index], vector)
            if pods and not self._foreign_at_node(part, node, pods, vector, carry):
                return None
        if self.state.any_dead_rail:
            carry.append(((NODES, 0, 0, 0), ONE_LAME_NODE if self.state.dead_rails[node] else ONE_NODE))
        return tuple(sorted(carry))

    def _foreign_at_node(
        self, part: Part, node: int, pods: int, vector: Vector, carry: list[tuple[CarryKey, int]]
    ) -> bool:
        tree = self.state.trees[part.tree].tree
        if part.required >= 0 and not tree.node_named(part.required, node):
            return False
        if part.segment_required >= 0 and not tree.node_named(part.segment_required, node):
            return False
        if part.distinct >= 0:
            if not tree.node_named(part.distinct, node):
                return False
            child = self._only_child(part, vector)
            if child < 0 or (child == 0 and pods > 1):
                return False
            carry.append(((APART, part.index, domain_at(tree.domain_of, tree.depth, part.distinct, node), 0), child))
        finest = max(part.required, part.preferred, part.segment_required, part.segment_preferred)
        if finest >= 0:
            carry.append(((PODS, part.index, domain_at(tree.domain_of, tree.depth, finest, node), finest), pods))
        return True

    def _only_child(self, part: Part, vector: Vector) -> int:
        """Return the number of the one child with pods here (0: the part itself), -1 where there are several."""
        if part.shape is not None:
            return 0
        found = [number + 1 for number in range(len(part.children)) if dot(self._weights(part, number + 1), vector)]
        return found[0] if len(found) == 1 else -1

    def close(self, level: int, domain: int, vector: Vector, carry: Carry, *, named: bool) -> tuple[int, Carry] | None:
        """Return the cost of what a closing domain settles and the carry left, None where a rule is broken."""
        cost = 0
        if self.apart and not self._kept_apart(level, domain, vector, named=named):
            return None
        if self.own:
            start, end = self.range_of(level, domain)
            for part in self.own:
                if level <= part.preferred:
                    total = self.totals[part.index] + len(self.fixed_of[part.index])
                    here = dot(self.weights[part.index], vector) + self._fixed_part(part, start, end)
                    if 0 < here < total:
                        cost += self.fields.group_count[level]
        left = carry
        if self.segments:
            gain, left = self._close_segments(level, vector, left)
            cost -= gain
        if left:
            loss, left = self._close_whole(level, domain, left)
            cost += loss
        return cost, left

    def _kept_apart(self, level: int, domain: int, vector: Vector, *, named: bool) -> bool:
        start, end = self.range_of(level, domain)
        for part in self.apart:
            if part.distinct != level:
                continue
            pods = dot(self.weights[part.index], vector)
            if pods and not named:
                return False
            if part.shape is not None:
                if pods and pods + self._fixed_part(part, start, end) > 1:
                    return False
            elif pods and self._children_here(part, vector, start, end) > 1:
                return False
        return True

    def _children_here(self, part: Part, vector: Vector, start: int, end: int) -> int:
        count = 0
        for number, child in enumerate(part.children):
            fixed = any(
                start <= self.tree.position[node] < end for leaf in child.leaves() for node in leaf.fixed.values()
            )
            if fixed or dot(self._weights(part, number + 1), vector):
                count += 1
        return count

    def _close_segments(self, level: int, vector: Vector, carry: Carry) -> tuple[int, Carry]:
        gain = 0
        flags = dict(carry)
        for part in self.segments:
            pods = dot(self.weights[part.index], vector)
            short = self.totals[part.index] % part.segment_size
            key: CarryKey = (SHORT, part.index, 0, 0)
            if level == part.segment_preferred:
                gain += self.fields.cut * (pods // part.segment_size)
                if short and pods % part.segment_size >= short:
                    flags[key] = 1
            if level == part.segment_required and flags.pop(key, 0) and pods % part.segment_size:
                gain += self.fields.cut
        return gain, tuple(sorted(flags.items()))

    def _close_whole(self, level: int, domain: int, carry: Carry) -> tuple[int, Carry]:
        loss = 0
        left: list[tuple[CarryKey, int]] = []
        start, end = self.range_of(level, domain)
        for key, broken in carry:
            tag, place, where, kind = key
            tree_index, key_level = divmod(place, 64)
            if tag != WHOLE:
                left.append((key, broken))
                continue
            if tree_index == self.tree_index:
                if key_level != level or where != domain:
                    left.append((key, broken))
                    continue
            elif not self._inside(tree_index, key_level, where, start, end):
                left.append((key, broken))
                continue
            loss += self.fields.loss * self.whole_loss(tree_index, key_level, where, kind, broken)
            if self.state.policy.largest_gang and key_level > 0:
                parent = self.state.trees[tree_index].tree.tiers[key_level].parent[where]
                left.append(((WHOLE, tree_index * 64 + key_level - 1, parent, kind), broken))
        return loss, _summed(left)

    def _inside(self, tree_index: int, level: int, domain: int, start: int, end: int) -> bool:
        tree = self.state.trees[tree_index].tree
        tier = tree.tiers[level]
        return all(
            start <= self.tree.position[tree.order[place]] < end
            for place in range(tier.start[domain], tier.end[domain])
        )

    def whole_loss(self, tree_index: int, level: int, domain: int, kind: int, broken: int) -> int:
        """Return the potential a domain loses when so many of its whole free nodes of a class are broken."""
        trees = self.state.trees[tree_index]
        cards = self.state.classes[kind]
        potential = self.state.potential
        if level == trees.tree.depth - 1:
            free = trees.whole[kind][domain]
            return potential.whole_worth(cards, free) - potential.whole_worth(cards, free - broken)
        free = trees.whole_in(level, domain, kind)
        above = trees.widest_below(level)
        largest = self.state.policy.largest_gang
        return wide_worth(potential, cards, free, above, largest) - wide_worth(
            potential, cards, free - broken, above, largest
        )


def domain_at(domain_of: list[list[int]], depth: int, level: int, node: int) -> int:
    """Return a node's domain at a level, the node itself at the node's level."""
    return node if level >= depth else domain_of[level][node]


def dot(weights: Vector, vector: Vector) -> int:
    """Return the weighted sum of a vector."""
    return sum(weight * count for weight, count in zip(weights, vector, strict=True) if count)


def _count_between(positions: list[int], start: int, end: int) -> int:
    return sum(1 for position in positions if start <= position < end)


def _summed(items: list[tuple[CarryKey, int]]) -> Carry:
    total: dict[CarryKey, int] = {}
    for key, value in items:
        total[key] = total.get(key, 0) + value
    return tuple(sorted(total.items()))
