"""Cost tables over numbers of nodes and pods, and how they are put together.

``table[b][p]`` is the least cost of p pods on exactly b nodes. Nodes of one kind make a table by themselves; tables of
disjoint nodes are joined, and a loss that depends on the number of nodes used is added where such a set is complete.
"""

from __future__ import annotations

from typing import Final, Protocol

from railwise.engine.indexed.cost import LOSS

NEVER: Final = -1
"""Marks what is impossible; every real cost of a node is above 0."""

MOST_WAYS: Final = 64
"""How many equally cheap ways are kept; beyond, the first ones in kind order are."""

MOST_TABLES: Final = 20_000
"""How many tables are remembered before all are forgotten."""

Way = tuple[tuple[int, int], ...]
"""A way: pairs (kind, pods on that node), one for each node used."""

Table = list[list[int]]


class Kind:
    """One kind of room: the costs of 1, 2, … pods on it, and the class of a whole free node (-1: not whole).

    The costs of a lame node (a rail is dead) have ``DEAD`` in them; it counts only where a workload uses several nodes.
    ``group`` tells apart whole nodes of different domains of another topology inside one rack.
    """

    def __init__(self, index: int, costs: tuple[int, ...], whole: int, *, lame: bool, group: int = 0) -> None:
        """Keep the curve."""
        self.index: Final = index
        self.costs: Final = costs
        self.whole: Final = whole
        self.lame: Final = lame
        self.group: Final = group
        self.capacity: Final = len(costs)


class Nodes(Protocol):
    """A set of nodes with its table, and the ways that reach a cell at its cost."""

    table: Table

    def ways(self, used: int, total: int) -> list[Way]:
        """Return ways to put ``total`` pods on ``used`` of the nodes at the cost of that cell."""
        ...


class OneKind:
    """``count`` nodes of one kind."""

    def __init__(self, kind: Kind, count: int, pods: int) -> None:
        """Fill the table up to ``pods`` pods."""
        self.kind: Final = kind
        self.table: Table = [[NEVER] * (pods + 1) for _ in range(min(count, pods) + 1)]
        self.table[0][0] = 0
        costs = kind.costs
        for used in range(1, len(self.table)):
            row, before = self.table[used], self.table[used - 1]
            for total in range(used, pods + 1):
                best = NEVER
                for here in range(1, min(len(costs), total) + 1):
                    rest = before[total - here]
                    if rest != NEVER:
                        cost = rest + costs[here - 1]
                        if best == NEVER or cost < best:
                            best = cost
                row[total] = best

    def ways(self, used: int, total: int) -> list[Way]:
        """Return ways to put ``total`` pods on ``used`` of the nodes at the cost of that cell, fullest node first."""
        found: list[Way] = []
        if used < len(self.table) and self.table[used][total] != NEVER:
            self._partitions(used, total, self.kind.capacity, (), found)
        return found

    def _partitions(self, used: int, total: int, most: int, prefix: Way, found: list[Way]) -> None:
        if len(found) >= MOST_WAYS:
            return
        if used == 0:
            if total == 0:
                found.append(prefix)
            return
        for here in range(min(most, total), 0, -1):
            if here * used < total:
                break
            rest = self.table[used - 1][total - here]
            if rest != NEVER and rest + self.kind.costs[here - 1] == self.table[used][total]:
                self._partitions(used - 1, total - here, here, (*prefix, (self.kind.index, here)), found)


class Joined:
    """Several disjoint sets of nodes together; ``loss[b]`` is added for b nodes used (empty: nothing)."""

    def __init__(self, parts: list[Nodes], loss: list[int], pods: int) -> None:
        """Join the tables from the right, so that the ways can be read off from the left."""
        self.parts: Final = parts
        self.loss: Final = loss
        self.suffix: Final[list[Table]] = [[[0] + [NEVER] * pods]]
        for part in reversed(parts):
            self.suffix.append(_join(part.table, self.suffix[-1], pods))
        self.suffix.reverse()
        self.table: Table = [
            [cost + LOSS * loss[used] if loss and cost != NEVER else cost for cost in row]
            for used, row in enumerate(self.suffix[0])
        ]
        self.best: Final[list[int]] = [
            min((row[total] for row in self.table if row[total] != NEVER), default=NEVER) for total in range(pods + 1)
        ]

    def ways(self, used: int, total: int) -> list[Way]:
        """Return ways to put ``total`` pods on ``used`` of the nodes at the cost of that cell."""
        found: list[Way] = []
        if used < len(self.table) and self.table[used][total] != NEVER:
            self._split(0, used, total, (), found)
        return found

    def cheapest_ways(self, total: int) -> list[Way]:
        """Return ways to put ``total`` pods on any number of the nodes at the least cost."""
        found: list[Way] = []
        for used, row in enumerate(self.table):
            if row[total] != NEVER and row[total] == self.best[total]:
                found.extend(self.ways(used, total))
        return found[:MOST_WAYS]

    def _split(self, index: int, used: int, total: int, prefix: Way, found: list[Way]) -> None:
        if len(found) >= MOST_WAYS:
            return
        if index == len(self.parts):
            found.append(prefix)
            return
        part, rest = self.parts[index], self.suffix[index + 1]
        target = self.suffix[index][used][total]
        for here in range(min(used, len(part.table) - 1) + 1):
            if used - here >= len(rest):
                continue
            for pods in range(total, -1, -1):
                mine, other = part.table[here][pods], rest[used - here][total - pods]
                if NEVER not in {mine, other} and mine + other == target:
                    for way in part.ways(here, pods):
                        self._split(index + 1, used - here, total - pods, prefix + way, found)


class Tables:
    """Sets of nodes put together before: domains that share a kind of room share its tables."""

    def __init__(self) -> None:
        """Start empty."""
        self._known: Final[dict[tuple[tuple[tuple[int, int], ...], tuple[int, ...], int], Joined]] = {}

    def joined(self, members: list[tuple[Kind, int]], loss: list[int], pods: int) -> Joined:
        """Return so many nodes of some kinds together; ``loss[b]`` is added for b nodes used (empty: nothing)."""
        key = (tuple([(kind.index, count) for kind, count in members]), tuple(loss), pods)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MOST_TABLES:
                self._known.clear()
            parts: list[Nodes] = [OneKind(kind, count, pods) for kind, count in members]
            if len(members) > 1 and loss:
                parts = [self.joined(members, [], pods)]
            known = Joined(parts, loss, pods)
            self._known[key] = known
        return known


def _join(left: Table, right: Table, pods: int) -> Table:
    most = min(len(left) + len(right) - 2, pods)
    table = [[NEVER] * (pods + 1) for _ in range(most + 1)]
    for a, row_a in enumerate(left):
        for b, row_b in enumerate(right):
            if a + b > most:
                break
            _add_rows(row_a, row_b, table[a + b], pods)
    return table


def _add_rows(left: list[int], right: list[int], target: list[int], pods: int) -> None:
    for p, cost_p in enumerate(left):
        if cost_p == NEVER:
            continue
        for q in range(pods + 1 - p):
            cost_q = right[q]
            if cost_q != NEVER and (target[p + q] == NEVER or cost_p + cost_q < target[p + q]):
                target[p + q] = cost_p + cost_q
