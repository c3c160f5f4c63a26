"""Rules between pods: required affinity and anti-affinity, and spread that must hold, read from specs and labels.

Most pods have no such rule, and most labels are asked for by nobody. So labels are kept only of pods that the rule of
some pod of the cluster speaks of: ``Selectors`` knows what is asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from railwise.formats.kubernetes.schema import LabelSelector, PodAffinity, PodAffinityTerm, PodSpec, SpreadConstraint
from railwise.model.pod_rules import PodRules, PodSelector, PodTerm, SpreadRule
from railwise.model.requirement import Requirement

NOBODY = (Requirement("", "In", ()),)
"""What no pod meets."""

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
LABEL_KEY = re.compile(r"([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def between_pods(spec: PodSpec) -> bool:
    """Return whether a pod has any rule about other pods."""
    affinity = spec.affinity
    return bool(
        (affinity.pod_affinity is not None and affinity.pod_affinity.required)
        or (affinity.pod_anti_affinity is not None and affinity.pod_anti_affinity.required)
        or any(one.when_unsatisfiable == "DoNotSchedule" for one in spec.topology_spread_constraints)
    )


def read_rules(spec: PodSpec, namespace: str, labels: Mapping[str, str], where: str) -> tuple[PodRules, str]:
    """Return the rules of a pod without its labels, and which of them cannot be honoured (empty: none)."""
    troubles: list[str] = []
    affinity = spec.affinity
    found = PodRules(
        namespace,
        (),
        _terms(affinity.pod_affinity, namespace, labels, f"{where}.affinity.podAffinity", troubles),
        _terms(affinity.pod_anti_affinity, namespace, labels, f"{where}.affinity.podAntiAffinity", troubles),
        _spreads(spec, namespace, labels, where, troubles),
    )
    return found, next(iter(troubles), "")


def _terms(
    affinity: PodAffinity | None, namespace: str, labels: Mapping[str, str], where: str, troubles: list[str]
) -> tuple[PodTerm, ...]:
    found = []
    for index, term in enumerate(affinity.required if affinity is not None else ()):
        if not _sound(term.topology_key, term.label_selector, f"{where}.{REQUIRED}[{index}]", troubles):
            continue
        spaces = _namespaces(term, namespace)
        if spaces is None:
            path = f"{where}.{REQUIRED}[{index}].namespaceSelector"
            troubles.append(f"{path}: only an empty one (all namespaces) is supported")
            spaces = ()
        keys = [("In", term.match_label_keys), ("NotIn", term.mismatch_label_keys)]
        more = [
            Requirement(key, operator, (labels[key],)) for operator, names in keys for key in names if key in labels
        ]
        found.append(PodTerm(term.topology_key, PodSelector(_requirements(term.label_selector, more), spaces)))
    return tuple(found)


def _namespaces(term: PodAffinityTerm, namespace: str) -> tuple[str, ...] | None:
    """Return the namespaces meant (none: all); None where namespaces are chosen by their labels."""
    selector = term.namespace_selector
    if selector is not None:
        return None if selector.match_labels or selector.match_expressions else ()
    return tuple(sorted(term.namespaces)) or (namespace,)


def _spreads(
    spec: PodSpec, namespace: str, labels: Mapping[str, str], where: str, troubles: list[str]
) -> tuple[SpreadRule, ...]:
    found = []
    for index, one in enumerate(spec.topology_spread_constraints):
        path = f"{where}.topologySpreadConstraints[{index}]"
        if one.when_unsatisfiable != "DoNotSchedule" or not _sound(
            one.topology_key, one.label_selector, path, troubles
        ):
            continue
        if one.max_skew < 1 or one.min_domains < 1:
            troubles.append(f"{path}: maxSkew and minDomains are at least 1")
            continue
        found.append(_spread(one, namespace, labels))
    return tuple(found)


def _sound(key: str, selector: LabelSelector | None, path: str, troubles: list[str]) -> bool:
    """Return whether a key and a selector are such as the API accepts."""
    if not LABEL_KEY.fullmatch(key):
        troubles.append(f"{path}.topologyKey: a label is needed")
        return False
    for key_, operator, values in _pairs(selector):
        needs = operator in ("In", "NotIn")
        if not LABEL_KEY.fullmatch(key_) or operator not in OPERATORS or bool(values) != needs:
            troubles.append(f"{path}.labelSelector: '{key_} {operator}' is no condition on labels")
            return False
        if not all(LABEL_VALUE.fullmatch(value) for value in values):
            troubles.append(f"{path}.labelSelector: a value of '{key_}' is no value of a label")
            return False
    return True


def _pairs(selector: LabelSelector | None) -> list[tuple[str, str, tuple[str, ...]]]:
    if selector is None:
        return []
    found = [(key, "In", (value,)) for key, value in selector.match_labels.items()]
    return [*found, *((one.key, one.operator, one.values) for one in selector.match_expressions)]


def _spread(constraint: SpreadConstraint, namespace: str, labels: Mapping[str, str]) -> SpreadRule:
    more = [Requirement(key, "In", (labels[key],)) for key in constraint.match_label_keys if key in labels]
    return SpreadRule(
        key=constraint.topology_key,
        max_skew=constraint.max_skew,
        pods=PodSelector(_requirements(constraint.label_selector, more), (namespace,)),
        min_domains=constraint.min_domains,
        by_affinity=constraint.node_affinity_policy != "Ignore",
        by_taints=constraint.node_taints_policy == "Honor",
    )


def _requirements(selector: LabelSelector | None, more: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return the conditions of a selector; one that is missing selects nothing, an empty one everything."""
    if selector is None:
        return NOBODY
    found = [Requirement(key, "In", (value,)) for key, value in sorted(selector.match_labels.items())]
    found += [Requirement(one.key, one.operator, one.values) for one in selector.match_expressions]
    return tuple(dict.fromkeys([*found, *more]))


def meets(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    """Return whether labels meet one condition of a label selector."""
    value = labels.get(requirement.key)
    if requirement.operator == "In":
        return value is not None and value in requirement.values
    if requirement.operator == "NotIn":
        return value is None or value not in requirement.values
    return (value is not None) == (requirement.operator == "Exists")


def selects(selector: PodSelector, namespace: str, labels: Mapping[str, str]) -> bool:
    """Return whether a selector means the pods of a namespace with these labels."""
    if selector.namespaces and namespace not in selector.namespaces:
        return False
    return all(meets(requirement, labels) for requirement in selector.requirements)


class Selectors:
    """What the rules of the pods of a cluster ask for; ``epoch`` counts how often something new was asked for."""

    def __init__(self) -> None:
        """Nothing is asked for."""
        self.epoch = 0
        self._asked: Counter[PodSelector] = Counter()
        self._by_label: dict[tuple[str, str], list[PodSelector]] = {}
        self._others: list[PodSelector] = []

    def ask(self, rules: PodRules) -> bool:
        """Take in the rules of a pod; return whether anything is asked for that was not before."""
        new = False
        for selector in asked(rules):
            self._asked[selector] += 1
            if self._asked[selector] == 1:
                new = True
                self.epoch += 1
                for place in self._places(selector):
                    place.append(selector)
        return new

    def ask_no_more(self, rules: PodRules) -> None:
        """Forget the rules of a pod that is gone."""
        for selector in asked(rules):
            self._asked[selector] -= 1
            if not self._asked[selector]:
                del self._asked[selector]
                for place in self._places(selector):
                    place.remove(selector)

    def _places(self, selector: PodSelector) -> list[list[PodSelector]]:
        """Return the lists in which a selector stands: under the labels of one of its conditions, or among others."""
        first = next((one for one in selector.requirements if one.operator == "In"), None)
        if first is None:
            return [self._others]
        return [self._by_label.setdefault((first.key, value), []) for value in first.values]

    def labels(self, namespace: str, labels: Mapping[str, str]) -> tuple[tuple[str, str], ...] | None:
        """Return the labels of a pod that somebody may ask for; None: no rule speaks of the pod.

        Rules that are not looked at ask for a label that the pod has not: they mean it no more by fewer labels.
        """
        if not self._asked:
            return None
        candidates = [one for pair in labels.items() for one in self._by_label.get(pair, ())]
        near = [one for one in (*candidates, *self._others) if not one.namespaces or namespace in one.namespaces]
        if not any(selects(one, namespace, labels) for one in near):
            return None
        keys = {condition.key for one in near for condition in one.requirements}
        return tuple(sorted((key, value) for key, value in labels.items() if key in keys))


def asked(rules: PodRules) -> set[PodSelector]:
    """Return the selectors of a pod's rules."""
    return {one.pods for one in (*rules.affinity, *rules.anti_affinity)} | {one.pods for one in rules.spread}
