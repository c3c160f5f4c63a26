"""The cheapest ways to put p equal pods into one domain of the narrowest level, by the kinds of room it holds.

A domain is described by how many nodes of each kind of room it has, so that thousands of domains share few
descriptions and each is solved once. Whole free nodes are counted as well, since breaking b of them costs the domain
potential (and perhaps domains of other topologies). Among equal costs every way is kept, up to a bound, because only
real positions of nodes can break the tie.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.indexed.cost import DEAD, LOSS
from railwise.engine.indexed.tables import MOST_WAYS, NEVER, Joined, Kind, Nodes, Tables, Way

Solved = tuple[list[list[int]], list[Joined]]


class Losses:
    """What breaking b whole free nodes of one class destroys: in the rack, and by group of its nodes elsewhere."""

    def __init__(self, whole: int, rack: list[int], groups: list[list[int]]) -> None:
        """Keep the tables over b; ``groups`` is empty where no other topology counts."""
        self.whole: Final = whole
        self.rack: Final = rack
        self.groups: Final = groups

    def first(self, group: int) -> int:
        """Return what the first broken node of a group destroys."""
        return self.rack[1] + (self.groups[group][1] if self.groups else 0)


class Description:
    """How many nodes of each kind a domain has, and what breaking whole ones destroys; solved on demand."""

    def __init__(self, index: int, kinds: list[tuple[Kind, int]], losses: list[Losses], tables: Tables) -> None:
        """Describe a domain; ``losses`` holds one entry per class of its whole free nodes, ``tables`` are shared."""
        self.index: Final = index
        self.kinds: Final = kinds
        self.losses: Final = losses
        self.tables: Final = tables
        self.capacity: Final = sum(kind.capacity * count for kind, count in kinds)
        self.lame: Final = any(kind.lame for kind, _ in kinds)
        self._solved: dict[int, Solved] = {}
        self._ways: dict[int, list[Way]] = {}

    def cost(self, pods: int) -> int:
        """Return the least cost of ``pods`` pods in the domain, NEVER where they do not fit."""
        cost = self._solve(pods)[0][0][pods]
        if self.lame:
            alone = self.one_node(pods)
            if alone != NEVER and (cost == NEVER or alone < cost):
                return alone
        return cost

    def one_node(self, pods: int) -> int:
        """Return the cost of the best node that holds all pods by itself, NEVER where none does."""
        costs = [self.alone(kind, pods) for kind, _ in self.kinds]
        return min((cost for cost in costs if cost != NEVER), default=NEVER)

    def alone(self, kind: Kind, pods: int) -> int:
        """Return the cost of all pods on one node of a kind, NEVER where they do not fit."""
        if kind.capacity < pods:
            return NEVER
        return kind.costs[pods - 1] - (DEAD if kind.lame else 0) + LOSS * self._first_loss(kind)

    def _first_loss(self, kind: Kind) -> int:
        for losses in self.losses:
            if losses.whole == kind.whole:
                return losses.first(kind.group)
        return 0

    def curve(self, pods: int) -> list[int]:
        """Return the least costs of 0, 1, … ``pods`` pods (NEVER: they do not fit)."""
        return self._solve(pods)[0][0]

    def ways(self, pods: int) -> list[Way]:
        """Return the ways that cost least, as many as are kept, in each the nodes by kind and the fullest first."""
        known = self._ways.get(pods)
        if known is None:
            known = [tuple(sorted(way, key=_by_kind)) for way in self._cheapest_ways(pods)]
            self._ways[pods] = known
        return known

    def _cheapest_ways(self, pods: int) -> list[Way]:
        alone: list[Way] = []
        suffix, stages = self._solve(pods)
        if self.lame:
            least = self.cost(pods)
            alone = [((kind.index, pods),) for kind, _ in self.kinds if self.alone(kind, pods) == least]
            if least != suffix[0][pods]:
                return alone
        found: list[Way] = []
        _walk(stages, suffix, 0, pods, (), found)
        return alone + found

    def _solve(self, pods: int) -> Solved:
        solved = self._solved.get(pods)
        if solved is None:
            stages = self._stages(pods)
            suffix: list[list[int]] = [[0] + [NEVER] * pods]
            for stage in reversed(stages):
                suffix.append(_convolve(stage.best, suffix[-1], pods))
            suffix.reverse()
            solved = (suffix, stages)
            self._solved[pods] = solved
        return solved

    def _stages(self, pods: int) -> list[Joined]:
        """Return the nodes in stages that cost by themselves: each broken kind, and each class of whole nodes."""
        tables = self.tables
        stages = [tables.joined([pair], [], pods) for pair in self.kinds if pair[0].whole < 0]
        for losses in self.losses:
            members = [(kind, count) for kind, count in self.kinds if kind.whole == losses.whole]
            if not members:
                continue
            if losses.groups:
                stages.append(Joined(self._grouped(members, losses, pods), losses.rack, pods))
            else:
                stages.append(tables.joined(members, losses.rack, pods))
        return stages

    def _grouped(self, members: list[tuple[Kind, int]], losses: Losses, pods: int) -> list[Nodes]:
        """Return the whole nodes of a class by the domains of other topologies they stand in."""
        parts: list[Nodes] = []
        for group in sorted({kind.group for kind, _ in members}):
            mine = [(kind, count) for kind, count in members if kind.group == group]
            parts.append(self.tables.joined(mine, losses.groups[group], pods))
        return parts


def _by_kind(pair: tuple[int, int]) -> tuple[int, int]:
    return pair[0], -pair[1]


def _walk(stages: list[Joined], suffix: list[list[int]], index: int, pods: int, prefix: Way, found: list[Way]) -> None:
    if len(found) >= MOST_WAYS:
        return
    if index == len(stages):
        found.append(prefix)
        return
    target = suffix[index][pods]
    for here in range(pods, -1, -1):
        mine, rest = stages[index].best[here], suffix[index + 1][pods - here]
        if NEVER not in {mine, rest} and mine + rest == target:
            for way in stages[index].cheapest_ways(here):
                _walk(stages, suffix, index + 1, pods - here, prefix + way, found)


def _convolve(left: list[int], right: list[int], pods: int) -> list[int]:
    result = [NEVER] * (pods + 1)
    for p, cost_p in enumerate(left):
        if cost_p == NEVER:
            continue
        for q in range(pods + 1 - p):
            cost_q = right[q]
            if cost_q != NEVER and (result[p + q] == NEVER or cost_p + cost_q < result[p + q]):
                result[p + q] = cost_p + cost_q
    return result
