"""Where pods lie, compared with where a policy test wants them: nodes, domains, pods per domain, ring edges, cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from railwise.formats.cases.model import Bounds, Where
from railwise.model.plan import PodPlacement
from railwise.model.scenario import Scenario
from railwise.model.topology import NODE_LEVEL, Topology
from railwise.model.workload import Group

Domain = tuple[str, ...]
"""A domain by its path, widest level first; a node that names none stands in one that ends in its own name."""


class Places:
    """The domains of a scenario's nodes, per level name as a rule of a given topology would read it."""

    def __init__(self, scenario: Scenario) -> None:
        """Index the nodes by name."""
        self._topologies = scenario.topologies
        self._nodes = {node.name: node for node in scenario.nodes}

    def topology_of(self, level: str, preferred: str) -> Topology | None:
        """Return the topology that a level belongs to: the preferred one if it has it, else the first that has."""
        having = [one for one in self._topologies if level in one.level_names()]
        for topology in having:
            if topology.name == preferred:
                return topology
        return having[0] if having else None

    def domain(self, node: str, level: str, preferred: str) -> Domain | None:
        """Return the domain of a node at a level, or None where no topology has such a level."""
        if level == NODE_LEVEL:
            return (node,)
        topology = self.topology_of(level, preferred)
        if topology is None:
            return None
        known = self._nodes.get(node)
        names = known.places.get(topology.name, {}) if known is not None else {}
        levels = topology.level_names()
        path = tuple(names.get(wider, "") for wider in levels[: levels.index(level)])
        return (*path, names[level]) if level in names else (*path, "", node)


class Pods:
    """The pods of a workload, or of one group, with the topology that its rules speak of."""

    def __init__(self, places: Places, topology: str, rings: Sequence[Sequence[PodPlacement]]) -> None:
        """Keep the pods ring by ring (one ring a group), each in rank order."""
        self._places = places
        self._topology = topology
        self._rings = [sorted(ring, key=lambda pod: pod.rank) for ring in rings]
        self.all = [pod for ring in self._rings for pod in ring]

    def _domain(self, pod: PodPlacement, level: str) -> Domain:
        return self._places.domain(pod.node, level, self._topology) or (pod.node,)

    def shares(self, level: str) -> Counter[Domain]:
        """Return the number of pods per domain of a level."""
        return Counter(self._domain(pod, level) for pod in self.all)

    def cut_edges(self, level: str) -> int:
        """Return how many edges rank i → i+1 and last → 0 leave their domain, summed over the rings."""
        cut = 0
        for ring in self._rings:
            domains = [self._domain(pod, level) for pod in ring]
            cut += sum(domains[rank] != domains[rank - 1] for rank in range(len(domains)))
        return cut

    def differences(self, where: Where) -> list[str]:
        """Return what does not lie where it should."""
        unknown = [
            f"no topology has a level '{level}'"
            for level in sorted({*where.domains, *where.count, *where.pods_per, *where.cut_edges})
            if level != NODE_LEVEL and self._places.topology_of(level, self._topology) is None
        ]
        if unknown:
            return unknown
        return [*self._nodes(where), *self._levels(where), *self._cards(where)]

    def _nodes(self, where: Where) -> list[str]:
        found: list[str] = []
        used = sorted({pod.node for pod in self.all})
        if where.nodes is not None and sorted(set(where.nodes)) != used:
            found.append(differ("nodes", listed(sorted(set(where.nodes))), listed(used)))
        forbidden = [node for node in used if node in where.not_nodes]
        if forbidden:
            found.append(differ("nodes", f"none of {listed(sorted(where.not_nodes))}", listed(forbidden)))
        node_of = {pod.name: pod.node for pod in self.all}
        for name, node in where.pods.items():
            if node_of.get(name) != node:
                found.append(differ(f"pod {name}", f"on {node}", f"on {node_of[name]}" if name in node_of else "none"))
        return found

    def _levels(self, where: Where) -> list[str]:
        found: list[str] = []
        for level, wanted in where.domains.items():
            names = {_label(domain, wanted) for domain in self.shares(level)}
            if names != set(wanted):
                found.append(differ(f"domains of {level}", listed(sorted(wanted)), listed(sorted(names))))
        for level, bounds in where.count.items():
            found += outside(f"number of {level} domains", bounds, len(self.shares(level)))
        for level, shares in where.pods_per.items():
            having = sorted(self.shares(level).values())
            if having != sorted(shares):
                found.append(differ(f"pods per {level}", str(sorted(shares)), f"{having} ({self._spread(level)})"))
        for level, bounds in where.cut_edges.items():
            found += outside(f"ring edges that cross a {level}", bounds, self.cut_edges(level))
        return found

    def _spread(self, level: str) -> str:
        return listed([f"{'/'.join(domain)}: {count}" for domain, count in sorted(self.shares(level).items())])

    def _cards(self, where: Where) -> list[str]:
        found: list[str] = []
        cards_of = {pod.name: sorted(f"{pod.node}/{card}" for card in pod.cards) for pod in self.all}
        for name, cards in where.cards.items():
            if cards_of.get(name) != sorted(cards):
                found.append(differ(f"cards of {name}", listed(sorted(cards)), listed(cards_of.get(name, []))))
        if where.card_count is not None:
            different = {(pod.node, card.partition("@")[0]) for pod in self.all for card in pod.cards}
            found += outside("number of cards", where.card_count, len(different))
        return found


def _label(domain: Domain, wanted: Iterable[str]) -> str:
    """Return how a test may call a domain: by its path where it does so, else by its own name."""
    path = "/".join(domain)
    return path if path in wanted else domain[-1]


def differ(what: str, wanted: str, found: str) -> str:
    """Return the line that says what was expected and what was found."""
    return f"{what}: expected {wanted}, found {found}"


def outside(what: str, bounds: Bounds, number: int, show: Callable[[int], str] = str) -> list[str]:
    """Return the difference, if any, between a number and its bounds; ``show`` writes a number down."""
    return [] if bounds.hold(number) else [differ(what, bounds.text(show), show(number))]


def listed(items: Sequence[str], most: int = 12) -> str:
    """Return the items in one line, the first ``most`` of them where there are many."""
    if not items:
        return "none"
    more = f", … {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def topology_names(root: Group) -> dict[str, str]:
    """Return, per group path (empty: the whole), the name of the topology its rules speak of; inherited from above."""
    names: dict[str, str] = {}

    def visit(group: Group, path: str, inherited: str) -> None:
        names[path] = group.topology.name or inherited
        for child in group.groups:
            visit(child, f"{path}/{child.name}" if path else child.name, names[path])

    visit(root, "", "")
    return names
