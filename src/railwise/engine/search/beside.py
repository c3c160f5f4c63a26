"""Who stands where, as rules between pods see it, and which nodes they leave to a pod: one pod at a time, as they say.

The rules have the meaning that Kubernetes gives them. A domain is what nodes with one value of a label are, so they
need no topology. What is asked of running pods is asked in both directions: a pod keeps off those that keep it off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from railwise.engine.cluster.selection import repelled, selected
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.record import Record
from railwise.model.pod_rules import PodRules, PodSelector, SpreadRule
from railwise.model.workload import Selection

Values = list[str | None]
"""The value of a label per node."""

NOT_IN: Final = 0
ONLY_IN: Final = 1
"""A node will do if its value is none of, or only if it is one of, those listed."""


class Check(NamedTuple):
    """One condition on a node: by the values of a label, and those listed; ``named``: it must have the label."""

    values: Values
    listed: set[str]
    way: int
    named: bool


class Pods:
    """Equal pods as others see them: their rules, and how many run on each node."""

    def __init__(self, rules: PodRules, nodes: dict[int, int]) -> None:
        """Keep both."""
        self.rules: Final = rules
        self.labels: Final = dict(rules.labels)
        self.nodes: Final = nodes


def selects(selector: PodSelector, namespace: str, labels: dict[str, str]) -> bool:
    """Return whether a selector means the pods of a namespace with these labels."""
    if selector.namespaces and namespace not in selector.namespaces:
        return False
    for requirement in selector.requirements:
        value = labels.get(requirement.key)
        if requirement.operator == "In":
            if value is None or value not in requirement.values:
                return False
        elif requirement.operator == "NotIn":
            if value is not None and value in requirement.values:
                return False
        elif (value is not None) != (requirement.operator == "Exists"):
            return False
    return True


class Domains(NamedTuple):
    """Which nodes a spread rule counts, and the values of its label that they have."""

    counted: list[bool]
    names: tuple[str, ...]


class Labels:
    """The values of labels by node, remembered as long as no node's labels change."""

    def __init__(self, state: ClusterState) -> None:
        """Know none."""
        self.state: Final = state
        self._values: Final[dict[str, Values]] = {}
        self._selected: Final[dict[Selection, list[bool]]] = {}
        self._generation = -1

    def of(self, key: str) -> Values:
        """Return the value of a label of every node."""
        self._follow()
        values = self._values.get(key)
        if values is None:
            values = [node.labels.get(key) for node in self.state.nodes]
            self._values[key] = values
        return values

    def selected(self, selection: Selection) -> list[bool]:
        """Return which nodes a selection accepts by their labels."""
        self._follow()
        known = self._selected.get(selection)
        if known is None:
            known = [selected(selection, node) for node in self.state.nodes]
            self._selected[selection] = known
        return known

    def _follow(self) -> None:
        if self._generation != self.state.generation:
            self._generation = self.state.generation
            self._values.clear()
            self._selected.clear()


class Around:
    """The pods around a decision. ``add`` tells of pods that are put while it is made."""

    def __init__(self, labels: Labels, records: Iterable[Record]) -> None:
        """Take in the pods that run and matter to rules between pods."""
        self.labels: Final = labels
        self.pods: Final[list[Pods]] = []
        self._counted: Final[dict[tuple[SpreadRule, Selection], Domains]] = {}
        for record in records:
            for leaf in record.demand.leaves:
                if leaf.group.pod_rules is not None and leaf.fixed:
                    self.pods.append(Pods(leaf.group.pod_rules, Counter(leaf.fixed.values())))

    def add(self, rules: PodRules, node: int) -> None:
        """Take in one pod more."""
        if not self.pods or self.pods[-1].rules is not rules:
            self.pods.append(Pods(rules, {}))
        nodes = self.pods[-1].nodes
        nodes[node] = nodes.get(node, 0) + 1

    def checks(self, rules: PodRules, selection: Selection) -> list[Check]:
        """Return what a node must be like to take one more pod with these rules now."""
        found = self.apart(rules)
        if rules.affinity:
            found += self._beside(rules)
        found += [self._spread(rules, rule, selection) for rule in rules.spread]
        return found

    def first(self, rules: PodRules) -> bool:
        """Return whether a pod may be the first of those that want to be together: it means itself, and none runs."""
        return bool(rules.affinity) and self._means_itself(rules) and not self._companions(rules)

    def apart(self, rules: PodRules) -> list[Check]:
        """Return the checks for domains where somebody is whom the pod avoids, or who avoids the pod."""
        mine = dict(rules.labels)
        bad: dict[str, set[str]] = {}
        for pods in self.pods:
            for term in rules.anti_affinity:
                if selects(term.pods, pods.rules.namespace, pods.labels):
                    self._note(bad, term.key, pods)
            for term in pods.rules.anti_affinity:
                if selects(term.pods, rules.namespace, mine):
                    self._note(bad, term.key, pods)
        return [Check(self.labels.of(key), listed, NOT_IN, named=False) for key, listed in bad.items()]

    def _note(self, bad: dict[str, set[str]], key: str, pods: Pods) -> None:
        values = self.labels.of(key)
        listed = bad.setdefault(key, set())
        for node in pods.nodes:
            value = values[node]
            if value is not None:
                listed.add(value)

    def _companions(self, rules: PodRules) -> list[Pods]:
        """Return the pods that all affinity terms mean."""
        return [
            pods
            for pods in self.pods
            if pods.nodes and all(selects(term.pods, pods.rules.namespace, pods.labels) for term in rules.affinity)
        ]

    @staticmethod
    def _means_itself(rules: PodRules) -> bool:
        labels = dict(rules.labels)
        return all(selects(term.pods, rules.namespace, labels) for term in rules.affinity)

    def _beside(self, rules: PodRules) -> list[Check]:
        companions = self._companions(rules)
        if not companions and self._means_itself(rules):
            return [Check(self.labels.of(term.key), set(), NOT_IN, named=True) for term in rules.affinity]
        found: list[Check] = []
        for term in rules.affinity:
            good: dict[str, set[str]] = {term.key: set()}
            for pods in companions:
                self._note(good, term.key, pods)
            found.append(Check(self.labels.of(term.key), good[term.key], ONLY_IN, named=True))
        return found

    def _spread(self, rules: PodRules, rule: SpreadRule, selection: Selection) -> Check:
        values = self.labels.of(rule.key)
        counted, names = self._domains(rules, rule, selection)
        counts = dict.fromkeys(names, 0)
        for pods in self.pods if rule.pods.requirements else ():
            if pods.rules.leaving or not selects(rule.pods, pods.rules.namespace, pods.labels):
                continue
            for node, number in pods.nodes.items():
                value = values[node]
                if counted[node] and value is not None:
                    counts[value] += number
        least = min(counts.values(), default=0) if len(counts) >= rule.min_domains else 0
        own = 1 if selects(rule.pods, rules.namespace, dict(rules.labels)) else 0
        full = {value for value, number in counts.items() if number + own - least > rule.max_skew}
        return Check(values, full, NOT_IN, named=True)

    def _domains(self, rules: PodRules, rule: SpreadRule, selection: Selection) -> Domains:
        """Return which nodes a spread rule counts, and their domains."""
        known = self._counted.get((rule, selection))
        if known is None:
            nodes = self.labels.state.nodes
            counted = list(self.labels.selected(selection)) if rule.by_affinity else [True] * len(nodes)
            for other in rules.spread:
                values = self.labels.of(other.key)
                counted = [here and values[index] is not None for index, here in enumerate(counted)]
            if rule.by_taints:
                counted = [
                    here and not (node.unschedulable or not node.ready or repelled(selection, node))
                    for here, node in zip(counted, nodes, strict=True)
                ]
            values = self.labels.of(rule.key)
            pairs = zip(values, counted, strict=True)
            names = dict.fromkeys([value for value, here in pairs if here and value is not None])
            known = Domains(counted, tuple(names))
            self._counted[rule, selection] = known
        return known


def allows(checks: list[Check], node: int) -> bool:
    """Return whether a node passes all checks."""
    for values, listed, way, named in checks:
        value = values[node]
        if value is None:
            if named:
                return False
        elif (value in listed) == (way == NOT_IN):
            return False
    return True


def kept_off(checks: list[Check]) -> set[int]:
    """Return the nodes that do not pass all checks."""
    kept: set[int] = set()
    for values, listed, way, named in checks:
        if way == ONLY_IN:
            kept.update([node for node, value in enumerate(values) if value not in listed])
        elif named:
            kept.update([node for node, value in enumerate(values) if value is None or value in listed])
        elif listed:
            kept.update([node for node, value in enumerate(values) if value in listed])
    return kept
