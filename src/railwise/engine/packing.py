"""The cheapest ways to put p equal pods into one domain of the narrowest level, by the kinds of room it holds.

A domain is described by how many nodes of each kind of room it has, so that thousands of domains share few
descriptions and each is solved once. Nodes of one kind are combined by min-plus convolution of their cost curves; whole
free nodes are counted as well, since breaking b of them costs the domain potential. Among equal costs every way is kept
(up to a bound), because only real positions of nodes can break the tie.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cost import DEAD, LOSS
from railwise.engine.potential import Potential

NEVER: Final = -1
"""Marks a number of pods that does not fit."""

MOST_WAYS: Final = 64
"""How many equally cheap ways are kept; beyond, the first ones in kind order are."""

Way = tuple[tuple[int, int], ...]
"""A way: pairs (kind, pods on that node), one for each node used."""


class Kind:
    """One kind of room: the costs of 1, 2, … pods on it, and the class of a whole free node (-1: not whole).

    A lame node (a rail is dead) carries ``DEAD`` in its costs; it counts only where a workload uses several nodes.
    """

    def __init__(self, index: int, costs: tuple[int, ...], whole: int, *, lame: bool) -> None:
        """Keep the curve."""
        self.index: Final = index
        self.costs: Final = tuple(cost + DEAD for cost in costs) if lame else costs
        self.whole: Final = whole
        self.lame: Final = lame
        self.capacity: Final = len(costs)


def used_exactly(costs: tuple[int, ...], nodes: int, pods: int) -> list[list[int]]:
    """Return table[b][p]: the least cost of p pods on exactly b nodes of one kind (NEVER: impossible)."""
    table = [[NEVER] * (pods + 1) for _ in range(min(nodes, pods) + 1)]
    table[0][0] = 0
    for used in range(1, len(table)):
        row, before = table[used], table[used - 1]
        for total in range(used, pods + 1):
            best = NEVER
            for here in range(1, min(len(costs), total) + 1):
                rest = before[total - here]
                if rest != NEVER:
                    cost = rest + costs[here - 1]
                    if best == NEVER or cost < best:
                        best = cost
            row[total] = best
    return table


class Stage:
    """All nodes of one kind, or all whole free nodes of one class, with the least cost of every number of pods."""

    def __init__(self, kinds: list[tuple[Kind, int]], loss: list[int], pods: int) -> None:
        """Combine the kinds; ``loss[b]`` is the potential the domain loses when b whole nodes are broken."""
        self.kinds: Final = kinds
        self.loss: Final = loss
        self.tables: Final = [used_exactly(kind.costs, count, pods) for kind, count in kinds]
        broken = self.tables[0]
        for table in self.tables[1:]:
            broken = _join(broken, table, pods)
        self.broken: Final = broken
        self.best: Final[list[int | None]] = [self._cheapest(total) for total in range(pods + 1)]

    def _cheapest(self, total: int) -> int | None:
        best: int | None = None
        for used, row in enumerate(self.broken):
            if row[total] != NEVER:
                cost = row[total] + (LOSS * self.loss[used] if self.loss else 0)
                if best is None or cost < best:
                    best = cost
        return best

    def ways(self, total: int) -> list[Way]:
        """Return the cheapest ways to put ``total`` pods on these nodes."""
        if total == 0:
            return [()]
        found: list[Way] = []
        target = self.best[total]
        for used in range(len(self.broken)):
            row = self.broken[used]
            if row[total] == NEVER:
                continue
            extra = LOSS * self.loss[used] if self.loss else 0
            if row[total] + extra == target:
                self._split(0, used, total, row[total], (), found)
        return found[:MOST_WAYS]

    def _split(self, index: int, used: int, total: int, cost: int, prefix: Way, found: list[Way]) -> None:
        if len(found) >= MOST_WAYS:
            return
        kind, _ = self.kinds[index]
        table = self.tables[index]
        if index + 1 == len(self.kinds):
            if used < len(table) and table[used][total] == cost:
                _partitions(kind, table, used, total, kind.capacity, prefix, found)
            return
        for here in range(min(used, len(table) - 1) + 1):
            for pods in range(total + 1):
                if table[here][pods] != NEVER:
                    mine: list[Way] = []
                    _partitions(kind, table, here, pods, kind.capacity, prefix, mine)
                    for way in mine:
                        self._split(index + 1, used - here, total - pods, cost - table[here][pods], way, found)


def _partitions(
    kind: Kind, table: list[list[int]], used: int, total: int, most: int, prefix: Way, found: list[Way]
) -> None:
    """Append every way of putting ``total`` pods on ``used`` nodes of the kind at the table's cost, largest first."""
    if len(found) >= MOST_WAYS:
        return
    if used == 0:
        if total == 0:
            found.append(prefix)
        return
    for here in range(min(most, total), 0, -1):
        if here * used < total:
            break
        rest = table[used - 1][total - here]
        if rest != NEVER and rest + kind.costs[here - 1] == table[used][total]:
            _partitions(kind, table, used - 1, total - here, here, (*prefix, (kind.index, here)), found)


def _join(left: list[list[int]], right: list[list[int]], pods: int) -> list[list[int]]:
    most = min(len(left) + len(right) - 2, pods)
    table = [[NEVER] * (pods + 1) for _ in range(most + 1)]
    for a, row_a in enumerate(left):
        for b, row_b in enumerate(right):
            if a + b > most:
                break
            target = table[a + b]
            for p, cost_a in enumerate(row_a):
                if cost_a == NEVER:
                    continue
                for q in range(pods + 1 - p):
                    cost_b = row_b[q]
                    if cost_b != NEVER and (target[p + q] == NEVER or cost_a + cost_b < target[p + q]):
                        target[p + q] = cost_a + cost_b
    return table


class Description:
    """How many nodes of each kind a domain has, and how many whole free nodes of each class; solved on demand."""

    def __init__(
        self, index: int, kinds: list[tuple[Kind, int]], whole: list[tuple[int, int, int]], potential: Potential
    ) -> None:
        """Describe a domain: ``whole`` holds (class, cards per node, whole free nodes); only classes in use matter."""
        self.index: Final = index
        self.kinds: Final = kinds
        self.whole: Final = whole
        self.potential: Final = potential
        self.capacity: Final = sum(kind.capacity * count for kind, count in kinds)
        self.lame: Final = any(kind.lame for kind, _ in kinds)
        self._solved: dict[int, tuple[int | None, list[list[int | None]], list[Stage]]] = {}

    def cost(self, pods: int) -> int | None:
        """Return the least cost of ``pods`` pods in the domain, None where they do not fit."""
        cost = self._solve(pods)[0]
        if self.lame:
            alone = self.one_node(pods)
            if alone is not None and (cost is None or alone[0] < cost):
                return alone[0]
        return cost

    def one_node(self, pods: int) -> tuple[int, int] | None:
        """Return (cost, kind) of the best node that holds all pods by itself, None where none does."""
        best: tuple[int, int] | None = None
        for kind, _ in self.kinds:
            cost = self.alone(kind, pods)
            if cost != NEVER and (best is None or (cost, kind.index) < best):
                best = (cost, kind.index)
        return best

    def alone(self, kind: Kind, pods: int) -> int:
        """Return the cost of all pods on one node of a kind, NEVER where they do not fit."""
        if kind.capacity < pods:
            return NEVER
        return kind.costs[pods - 1] - (DEAD if kind.lame else 0) + LOSS * self._first_loss(kind.whole)

    def _first_loss(self, whole: int) -> int:
        for whole_class, cards, free in self.whole:
            if whole_class == whole:
                return self.potential.whole_worth(cards, free) - self.potential.whole_worth(cards, free - 1)
        return 0

    def curve(self, pods: int) -> list[int | None]:
        """Return the least costs of 0, 1, … ``pods`` pods."""
        return self._solve(pods)[1][0]

    def ways(self, pods: int) -> list[Way]:
        """Return the ways that cost least, as many as are kept."""
        alone: list[Way] = []
        if self.lame:
            least, together = self.cost(pods), self._solve(pods)[0]
            alone = [((kind.index, pods),) for kind, _ in self.kinds if self.alone(kind, pods) == least]
            if least != together:
                return alone
        _, suffix, stages = self._solve(pods)
        found: list[Way] = []
        self._walk(stages, suffix, 0, pods, (), found)
        return alone + found

    def _walk(
        self,
        stages: list[Stage],
        suffix: list[list[int | None]],
        index: int,
        pods: int,
        prefix: Way,
        found: list[Way],
    ) -> None:
        if len(found) >= MOST_WAYS:
            return
        if index == len(stages):
            found.append(prefix)
            return
        target = suffix[index][pods]
        for here in range(pods, -1, -1):
            mine, rest = stages[index].best[here], suffix[index + 1][pods - here]
            if mine is not None and rest is not None and mine + rest == target:
                for way in stages[index].ways(here):
                    self._walk(stages, suffix, index + 1, pods - here, prefix + way, found)

    def _solve(self, pods: int) -> tuple[int | None, list[list[int | None]], list[Stage]]:
        solved = self._solved.get(pods)
        if solved is None:
            stages = self._stages(pods)
            suffix: list[list[int | None]] = [[0] + [None] * pods]
            for stage in reversed(stages):
                suffix.append(_convolve(stage.best, suffix[-1], pods))
            suffix.reverse()
            solved = (suffix[0][pods], suffix, stages)
            self._solved[pods] = solved
        return solved

    def _stages(self, pods: int) -> list[Stage]:
        stages = [Stage([(kind, count)], [], pods) for kind, count in self.kinds if kind.whole < 0]
        for whole_class, cards, free in self.whole:
            members = [(kind, count) for kind, count in self.kinds if kind.whole == whole_class]
            if members:
                worth = self.potential.whole_worth(cards, free)
                most = min(sum(count for _, count in members), pods)
                loss = [worth - self.potential.whole_worth(cards, free - broken) for broken in range(most + 1)]
                stages.append(Stage(members, loss, pods))
        return stages


def _convolve(left: list[int | None], right: list[int | None], pods: int) -> list[int | None]:
    result: list[int | None] = [None] * (pods + 1)
    for p, cost_p in enumerate(left):
        if cost_p is None:
            continue
        for q in range(pods + 1 - p):
            cost_q = right[q]
            if cost_q is not None:
                total = result[p + q]
                if total is None or cost_p + cost_q < total:
                    result[p + q] = cost_p + cost_q
    return result
