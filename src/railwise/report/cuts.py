"""The workloads that lie worst, and which of their connections leave a domain.

Ranks that speak to each other over a cut edge pay for the links above their domain. Dense training is a ring of ranks;
a mixture of experts speaks from everywhere to everywhere. How much of that is cut depends on nothing but the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from railwise.engine.cluster.tree import Tree
from railwise.model.scenario import Scenario
from railwise.report.run_data import RunData, Stint
from railwise.report.spreads import first_topology

ALL_PAIRS = "moe"
"""The traffic pattern in which every rank speaks to every other."""

MOST_DOMAINS = 12
"""At most so many domains of a workload are drawn one by one."""


class Place(NamedTuple):
    """A domain of the narrowest level that holds some of a workload: its path, and how many nodes of it are used."""

    path: tuple[str, ...]
    nodes: int


class Edge(NamedTuple):
    """Connections between two of the places: how many, and the level (index, 0 widest) of the widest domain they leave.

    ``level`` is -1 where they leave nothing, inside one place.
    """

    first: int
    second: int
    number: int
    level: int


class Cut(NamedTuple):
    """One workload where it lay worst: its places in tree order, its connections, and the least it needs per level.

    ``used`` and ``least`` are domains per level, widest first; ``cut`` counts the connections that leave a domain of
    the level. ``stint`` is the stretch in which it lay so.
    """

    job: int
    stint: Stint
    places: tuple[Place, ...]
    edges: tuple[Edge, ...]
    used: tuple[int, ...]
    least: tuple[int, ...]
    cut: tuple[int, ...]
    connections: int
    ring: bool


class Cuts:
    """Finds and describes badly placed workloads of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        """Build the tree of domains."""
        self.scenario = scenario
        self.tree = Tree(first_topology(scenario), scenario.nodes)
        self.largest = [max((end - start for start, end in tier.ranges()), default=1) for tier in self.tree.tiers]

    def ranked(self, data: RunData) -> list[Stint]:
        """Return where workloads lay wider than they had to, each at its worst, worst first.

        By what they need more than the least, widest level first; equal ones by predicted step against the best, then
        by GPU time.
        """
        found: list[tuple[tuple[int, ...], int, int, Stint]] = []
        for stint in data.stints:
            nodes = {node for node, _ in stint.places}
            if len(nodes) < 2 or not stint.works or not self.tree.depth:  # noqa: PLR2004 -- one node lies together
                continue
            used = tuple(len({of[node] for node in nodes}) for of in self.tree.domain_of)
            over = tuple(here - least for here, least in zip(used, self._least(len(nodes)), strict=True))
            if any(over):
                slow = 1000 * stint.step // stint.best if stint.best else 0
                size = (stint.end - stint.start) * sum(gpus for _, gpus in stint.places)
                found.append((over, slow, size, stint))
        found.sort(key=lambda one: (one[0], one[1], one[2], -one[3].job, -one[3].start), reverse=True)
        worst: dict[int, Stint] = {}
        for _, _, _, stint in found:
            worst.setdefault(stint.job, stint)
        return list(worst.values())

    def _least(self, nodes: int) -> tuple[int, ...]:
        """Return the least number of domains of each level that so many nodes take."""
        return tuple(-(-nodes // size) for size in self.largest)

    def describe(self, stint: Stint) -> Cut:
        """Return a workload's places and connections."""
        workload = self.scenario.workloads[stint.job]
        ring = workload.traffic is None or workload.traffic.pattern != ALL_PAIRS
        narrow = self.tree.domain_of[-1]
        nodes = list(dict.fromkeys(node for node, _ in stint.places))
        domains = sorted({narrow[node] for node in nodes})
        number = {domain: index for index, domain in enumerate(domains)}
        counts = [0] * len(domains)
        for node in nodes:
            counts[number[narrow[node]]] += 1
        places = tuple(
            Place(self.tree.path(self.tree.depth - 1, domain), count)
            for domain, count in zip(domains, counts, strict=True)
        )
        between: dict[tuple[int, int], int] = {}
        if ring:
            order = [number[narrow[node]] for node, _ in stint.places]
            around = pairwise([*order, order[0]]) if len(nodes) > 2 else pairwise(order)  # noqa: PLR2004 -- two: a line
            for one, other in around:
                pair = (min(one, other), max(one, other))
                between[pair] = between.get(pair, 0) + 1
        else:
            for one in range(len(domains)):
                for other in range(one, len(domains)):
                    pairs = counts[one] * counts[other] if one != other else counts[one] * (counts[one] - 1) // 2
                    if pairs:
                        between[one, other] = pairs
        edges = tuple(
            Edge(one, other, count, self._level(domains[one], domains[other]))
            for (one, other), count in sorted(between.items())
        )
        used = tuple(len({of[node] for node in nodes}) for of in self.tree.domain_of)
        cut = tuple(sum(edge.number for edge in edges if 0 <= edge.level <= level) for level in range(self.tree.depth))
        whole = sum(edge.number for edge in edges)
        return Cut(stint.job, stint, places, edges, used, self._least(len(nodes)), cut, whole, ring)

    def _level(self, one: int, other: int) -> int:
        """Return the widest level at which two narrowest domains differ, -1 where they are one."""
        found = -1
        for level in range(self.tree.depth - 1, -1, -1):
            if one == other:
                break
            found = level
            one, other = self.tree.tiers[level].parent[one], self.tree.tiers[level].parent[other]
        return found


def together(cut: Cut, most: int = MOST_DOMAINS) -> Cut:
    """Return a cut with its last places as one where there are too many to draw; connections are kept."""
    if len(cut.places) <= most:
        return cut
    rest = cut.places[most - 1 :]
    name = (*rest[0].path[:-1], f"{len(rest)} more")
    places = (*cut.places[: most - 1], Place(name, sum(place.nodes for place in rest)))
    between: dict[tuple[int, int], tuple[int, int]] = {}
    for edge in cut.edges:
        pair = (min(edge.first, most - 1), min(edge.second, most - 1))
        count, level = between.get(pair, (0, -1))
        between[pair] = (
            count + edge.number,
            edge.level if level < 0 else min(level, edge.level) if edge.level >= 0 else level,
        )
    edges = tuple(Edge(one, other, count, level) for (one, other), (count, level) in sorted(between.items()))
    return cut._replace(places=places, edges=edges)


def excess(cut: Cut, levels: Sequence[str]) -> list[str]:
    """Return what it uses more than it needs, level by level: ``5 racks where 2 would do``."""
    return [
        f"{used} {level}{'s' if used > 1 else ''} where {least} would do"
        for level, used, least in zip(levels, cut.used, cut.least, strict=True)
        if used > least
    ]
