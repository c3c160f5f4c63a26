"""A search that keeps rules between pods: affinity, anti-affinity and spread, among the pods of a gang as well.

The searches know rooms and domains, not who is beside whom. So nodes that the rules forbid now are shut, the search is
asked for the whole gang, and its answer is read again pod by pod, as if one came after the other. Where the pods of the
gang stand in each other's way, domains are told apart beforehand, or pods are placed one by one, each as the rules
stand after the one before. What is found keeps every rule; that nothing is found is no proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NO_LOCALITY, NOT_GIVEN, Demand, Part, read_demand
from railwise.engine.gangs.record import Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.beside import Around, Check, Labels, allows, kept_off, selects
from railwise.engine.search.placement import Found, Refused
from railwise.engine.search.remembered import Remembered
from railwise.model.pod_rules import PodRules
from railwise.model.topology import NODE_LEVEL
from railwise.model.workload import Group, Selection

HOSTNAME: Final = "kubernetes.io/hostname"

FEW: Final = 64
"""So few pods are spread one by one at once; of more it is tried first whether all at once will do."""

MOST_DOMAINS: Final = 16
"""So many domains are tried for a gang that wants to be together, those with most free first."""

Search = Callable[[Demand, dict[int, list[int]], set[int]], Found | Refused]
"""``Placer.place``, or what does the same."""

NO_RULES: Final = PodRules()


class Ruled:
    """Any search, with ``Neighbours`` where rules between pods matter."""

    def __init__(self, search: Search, beside: Neighbours) -> None:
        """Keep both."""
        self.search: Final = search
        self.beside: Final = beside

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts."""
        return self.beside.place(demand, ranks, chosen) if demand.ruled else self.search(demand, ranks, chosen)


def with_rules(search: Search, state: ClusterState, ruled: dict[Record, None], *, own: bool) -> Ruled | Remembered:
    """Return a search that keeps rules between pods; what our ``own`` search refused need not be searched again."""
    beside = Neighbours(search, state, ruled)
    return Remembered(search, state, beside.place) if own else Ruled(search, beside)


class Neighbours:
    """The search for workloads whose pods matter to others, or others to them (``Demand.ruled``)."""

    def __init__(self, search: Search, state: ClusterState, ruled: dict[Record, None]) -> None:
        """``ruled`` are all workloads whose pods have rules, or are asked for by rules."""
        self.search: Final = search
        self.state: Final = state
        self.ruled: Final = ruled
        self.labels: Final = Labels(state)

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts; ``kept`` counts shut nodes."""
        around = Around(self.labels, self.ruled)
        wanted = [leaf for leaf in demand.leaves if ranks.get(leaf.index)]
        shut: set[int] = set()
        for leaf in wanted:
            shut.update(self._kept(leaf, around))
        demand.kept = len(shut)
        whole = self._whole(demand, ranks, chosen, around, wanted, shut)
        if isinstance(whole, Found):
            return whole
        return self._one_by_one(demand, ranks, chosen, wanted) or Refused(proven=False)

    def allows(self, rules: PodRules, selection: Selection, node: int) -> bool:
        """Return whether one more pod with these rules may go to a node now."""
        around = Around(self.labels, self.ruled)
        return allows(around.checks(rules, selection), node)

    # --- The whole gang at once --------------------------------------------------------------------------------------

    def _whole(
        self,
        demand: Demand,
        ranks: dict[int, list[int]],
        chosen: set[int],
        around: Around,
        wanted: list[Part],
        shut: set[int],
    ) -> Found | None:
        """Return an answer for all pods together that keeps the rules, None where none was found."""
        if len(shut) == len(self.state.nodes) or any(self._by_turns(leaf, len(ranks[leaf.index])) for leaf in wanted):
            return None
        together = [leaf for leaf in wanted if around.first(leaf.group.pod_rules or NO_RULES)]
        outsides = self._outsides(together[0]) if together else [set()]
        for asked in self._variants(demand, ranks):
            for outside in outsides:
                found = self._searched(asked, ranks, chosen, shut | outside)
                if isinstance(found, Found) and self._holds(demand, found.pods):
                    return found if asked is demand else found._replace(met=self._met(demand, found.pods), exact=False)
        return None

    def _searched(
        self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int], shut: set[int]
    ) -> Found | Refused:
        undo = self.state.shut(sorted(shut))
        try:
            return self.search(demand, ranks, chosen)
        finally:
            self.state.open_again(undo)

    def _outsides(self, leaf: Part) -> list[set[int]]:
        """Return, per domain that pods which want to be together may share, the nodes outside of it."""
        rules = leaf.group.pod_rules or NO_RULES
        values = self.labels.of(rules.affinity[0].key)
        free: dict[str, int] = {}
        for node, value in enumerate(values):
            if value is not None:
                free[value] = free.get(value, 0) + max(self.state.room_of[node].slots, 0)
        names = sorted(free, key=lambda name: -free[name])[:MOST_DOMAINS]
        return [{node for node, value in enumerate(values) if value != name} for name in names]

    def _variants(self, demand: Demand, ranks: dict[int, list[int]]) -> list[Demand]:
        """Return the demand with domains told apart where its pods are in each other's way, and as it is."""
        group = self._told_apart(demand.root, ranks)
        if group is demand.root.group:
            return [demand]
        apart = read_demand(demand.workload, group, self.state, demand.alternative)
        for mine, theirs in zip(apart.leaves, demand.leaves, strict=True):
            mine.fixed = theirs.fixed
        return [apart, demand]

    def _told_apart(self, part: Part, ranks: dict[int, list[int]]) -> Group:
        group = part.group
        if part.shape is None:
            groups = tuple([self._told_apart(child, ranks) for child in part.children])
            alike = all(mine is child.group for mine, child in zip(groups, part.children, strict=True))
            return group if alike else replace(group, groups=groups)
        level = self._level_apart(part, len(ranks.get(part.index, ())))
        if level is None or part.distinct != NOT_GIVEN:
            return group
        return replace(group, topology=replace(group.topology, distinct=level))

    def _level_apart(self, leaf: Part, pods: int) -> str | None:
        """Return the widest level of which no domain can hold two pods of a leaf, None where there is none."""
        rules = leaf.group.pod_rules
        if rules is None or pods <= 1:
            return None
        labels = dict(rules.labels)
        keys = [term.key for term in rules.anti_affinity if selects(term.pods, rules.namespace, labels)]
        for rule in rules.spread:
            domains = len(set(self.labels.of(rule.key)) - {None})
            if selects(rule.pods, rules.namespace, labels) and pods <= domains:
                keys.append(rule.key)
        found = [level for level in [self._level_of(leaf.tree, key) for key in keys] if level >= 0]
        if not found:
            return None
        levels = self.state.trees[leaf.tree].tree.levels
        return (*levels, NODE_LEVEL)[min(found)]

    def _level_of(self, tree: int, key: str) -> int:
        """Return the level whose domains a label names (the node's own for its host name), -1 where there is none."""
        topologies = self.state.topologies
        for index, level in enumerate(topologies[tree].levels if tree < len(topologies) else ()):
            if level.label == key:
                return index
        if key == HOSTNAME and len(set(self.labels.of(key)) - {None}) == len(self.state.nodes):
            return self.state.trees[tree].tree.depth
        return -1

    def _by_turns(self, leaf: Part, pods: int) -> bool:
        """Return whether pods have to be spread over domains that no search knows: only one by one will do."""
        rules = leaf.group.pod_rules
        if rules is None or not 1 < pods <= FEW:
            return False
        labels = dict(rules.labels)
        own = [rule for rule in rules.spread if selects(rule.pods, rules.namespace, labels)]
        return any(self._level_of(leaf.tree, rule.key) < 0 or pods > len(set(self.labels.of(rule.key))) for rule in own)

    def _holds(self, demand: Demand, spots: list[Spot]) -> bool:
        """Return whether pods keep the rules if they come one after the other, in an order in which they do."""
        around = Around(self.labels, self.ruled)
        left = spots
        while left:
            later: list[Spot] = []
            for spot in left:
                leaf = demand.leaves[spot.leaf]
                if allows(self._checks(leaf, around), spot.node):
                    if leaf.group.pod_rules is not None:
                        around.add(leaf.group.pod_rules, spot.node)
                else:
                    later.append(spot)
            if len(later) == len(left):
                return False
            left = later
        return True

    # --- One pod after the other -------------------------------------------------------------------------------------

    def _one_by_one(
        self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int], wanted: list[Part]
    ) -> Found | None:
        """Place pod by pod, each as the rules stand then; where the gang must share a domain, first where all fit."""
        if sum(len(ranks[leaf.index]) for leaf in wanted) <= 1:
            return None
        scopes: list[set[int]] = [set()]
        level = demand.root.required
        if level != NOT_GIVEN:
            rough = self.search(demand, ranks, chosen)
            if isinstance(rough, Refused):
                return None
            scopes.insert(0, self._outside(demand, level, rough.pods[0].node))
        for scope in scopes:
            found = self._in_turn(demand, ranks, chosen, wanted, scope)
            if found is not None:
                return found
        return None

    def _outside(self, demand: Demand, level: int, node: int) -> set[int]:
        tree = self.state.trees[demand.root.tree].tree
        if level >= tree.depth:
            return {other for other in range(len(self.state.nodes)) if other != node}
        of = tree.domain_of[level]
        return {other for other in range(len(self.state.nodes)) if of[other] != of[node]}

    def _in_turn(
        self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int], wanted: list[Part], scope: set[int]
    ) -> Found | None:
        around = Around(self.labels, self.ruled)
        freed = self.state.freed
        put: list[tuple[Part, int, Shape, int, Grant]] = []
        spots: list[Spot] = []
        turns = [(leaf, rank) for leaf in wanted for rank in ranks[leaf.index]]
        try:
            for leaf, rank in turns:
                shut = scope.union(self._kept(leaf, around))
                found = self._searched(demand, {leaf.index: [rank]}, chosen, shut)
                if isinstance(found, Refused) or leaf.shape is None:
                    return None
                spot = found.pods[0]
                grant = self.state.put(leaf.shape, spot.node, spot.chosen)
                if grant is None:
                    return None
                put.append((leaf, rank, leaf.shape, spot.node, grant))
                leaf.fixed[rank] = spot.node
                if leaf.group.pod_rules is not None:
                    around.add(leaf.group.pod_rules, spot.node)
                spots.append(spot)
        finally:
            for leaf, rank, shape, node, grant in reversed(put):
                self.state.take_away(shape, node, grant)
                leaf.fixed.pop(rank)
            self.state.freed = freed
        return Found(spots, met=self._met(demand, spots), exact=False)

    # --- What both need ----------------------------------------------------------------------------------------------

    def _kept(self, leaf: Part, around: Around) -> set[int]:
        return kept_off(self._checks(leaf, around))

    @staticmethod
    def _checks(leaf: Part, around: Around) -> list[Check]:
        rules = leaf.group.pod_rules
        return [] if rules is None else around.checks(rules, leaf.group.selection)

    def _met(self, demand: Demand, spots: list[Spot]) -> bool:
        """Return whether all pods, those that run included, lie in one domain of the preferred level."""
        level = demand.preferred
        if level == NO_LOCALITY:
            return True
        tree = self.state.trees[demand.root.tree].tree
        nodes = {spot.node for spot in spots}
        nodes.update(node for leaf in demand.leaves for node in leaf.fixed.values())
        return len(nodes if level >= tree.depth else {tree.domain_of[level][node] for node in nodes}) == 1
