"""Rules between pods in Kubernetes' own form: affinity, anti-affinity, spread; and ports that pods want of their node.

Labels stand beside the rules, because rules of others ask for them. Both speak of pods and stand where the pods are.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults, at_index
from railwise.formats.kinds import Choice, Flag, ListOf, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import LABEL_KEY, LABEL_VALUE, LABELS, MOST_NODES, MOST_PODS
from railwise.model.host_ports import PREFIX, PROTOCOLS, WHOLE, HostPort, as_resources, from_resources
from railwise.model.pod_rules import PodRules, PodSelector, PodTerm, SpreadRule
from railwise.model.requirement import Requirement

DEFAULT_NAMESPACE = "default"
NAMESPACE = Text(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", 63, "a namespace of small letters, digits and '-'")
LAST_PORT = 65535

NOBODY = (Requirement("", "In", ()),)
"""The conditions that no pod meets: those of a selector that is not given."""

POD_EXPRESSION_RECORD = Record(
    "LabelExpression",
    {
        "key": Field(LABEL_KEY, "a label", required=True),
        "operator": Field(Choice("In", "NotIn", "Exists", "DoesNotExist"), "how it is compared", required=True),
        "values": Field(ListOf(LABEL_VALUE), "what it is compared with"),
    },
)

LABEL_SELECTOR_RECORD = Record(
    "LabelSelector",
    {
        "matchLabels": Field(LABELS, "labels that the pods have"),
        "matchExpressions": Field(ListOf(POD_EXPRESSION_RECORD), "conditions on their labels, all of which hold"),
    },
)

POD_TERM_RECORD = Record(
    "PodAffinityTerm",
    {
        "topologyKey": Field(LABEL_KEY, "the node label whose equal values make a domain", required=True),
        "labelSelector": Field(LABEL_SELECTOR_RECORD, "the pods that are meant; none: no pod"),
        "namespaces": Field(ListOf(NAMESPACE), "their namespaces; default: the group's own"),
        "allNamespaces": Field(Flag(), "pods of all namespaces are meant"),
    },
)

SPREAD_RECORD = Record(
    "TopologySpread",
    {
        "topologyKey": Field(LABEL_KEY, "the node label whose equal values make a domain", required=True),
        "maxSkew": Field(Whole(1, MOST_PODS), "the most by which a domain may have more than the emptiest; default 1"),
        "minDomains": Field(Whole(1, MOST_NODES), "with fewer domains the emptiest counts as empty; default 1"),
        "labelSelector": Field(LABEL_SELECTOR_RECORD, "the pods that are counted; none: no pod"),
        "nodeAffinityPolicy": Field(Choice("Honor", "Ignore"), "count only nodes that are selected; default Honor"),
        "nodeTaintsPolicy": Field(Choice("Honor", "Ignore"), "count only nodes that are tolerated; default Ignore"),
    },
)

HOST_PORT_RECORD = Record(
    "HostPort",
    {
        "port": Field(Whole(1, LAST_PORT), "the port", required=True),
        "protocol": Field(Choice(*PROTOCOLS), "its protocol; default TCP"),
        "hostIP": Field(Text(r"[0-9a-fA-F:.]+", 45, "an IP address"), "the node's address; default: all"),
    },
)

HOST_PORTS = ListOf(HOST_PORT_RECORD)

POD_RULE_FIELDS = {
    "hostPorts": Field(HOST_PORTS, "ports of the node that each pod wants for itself"),
    "namespace": Field(NAMESPACE, "the namespace of the pods, for rules between pods; default `default`"),
    "labels": Field(LABELS, "labels of the pods, as far as rules between pods ask for them"),
    "leaving": Field(Flag(), "the pods are on their way out: spread does not count them"),
    "podAffinity": Field(ListOf(POD_TERM_RECORD), "in each domain named there is a pod that is meant"),
    "podAntiAffinity": Field(ListOf(POD_TERM_RECORD), "in no domain named there is another pod that is meant"),
    "topologySpread": Field(ListOf(SPREAD_RECORD), "domains differ in the number of pods that are meant by little"),
}
"""The keys of a workload or group that say beside whom its pods may run."""

_RULES = ("namespace", "labels", "leaving", "podAffinity", "podAntiAffinity", "topologySpread")


def build_pod_rules(record: dict[str, Any], path: str, faults: Faults) -> PodRules | None:
    """Return the rules of a group, None where it has none."""
    if not any(key in record for key in _RULES):
        return None
    space = record.get("namespace", DEFAULT_NAMESPACE)
    spread = []
    for index, one in enumerate(record.get("topologySpread", [])):
        where = at_index(f"{path}.topologySpread", index)
        spread.append(
            SpreadRule(
                key=one.get("topologyKey", ""),
                max_skew=one.get("maxSkew", 1),
                pods=PodSelector(_requirements(one, where, faults), (space,)),
                min_domains=one.get("minDomains", 1),
                by_affinity=one.get("nodeAffinityPolicy", "Honor") == "Honor",
                by_taints=one.get("nodeTaintsPolicy", "Ignore") == "Honor",
            )
        )
    return PodRules(
        namespace=space,
        labels=tuple(sorted(record.get("labels", {}).items())),
        affinity=_terms(record, "podAffinity", space, path, faults),
        anti_affinity=_terms(record, "podAntiAffinity", space, path, faults),
        spread=tuple(spread),
        leaving=record.get("leaving", False),
    )


def _terms(record: dict[str, Any], key: str, space: str, path: str, faults: Faults) -> tuple[PodTerm, ...]:
    found = []
    for index, one in enumerate(record.get(key, [])):
        where = at_index(f"{path}.{key}", index)
        everywhere = one.get("allNamespaces", False)
        if everywhere and one.get("namespaces"):
            faults.add(where, "'namespaces' and 'allNamespaces' exclude each other")
        spaces = () if everywhere else tuple(sorted(set(one.get("namespaces", ())))) or (space,)
        pods = PodSelector(_requirements(one, where, faults), spaces)
        found.append(PodTerm(one.get("topologyKey", ""), pods))
    return tuple(found)


def _requirements(record: dict[str, Any], path: str, faults: Faults) -> tuple[Requirement, ...]:
    selector = record.get("labelSelector")
    if selector is None:
        return NOBODY
    found = [Requirement(key, "In", (value,)) for key, value in sorted(selector.get("matchLabels", {}).items())]
    for index, one in enumerate(selector.get("matchExpressions", [])):
        operator, values = one.get("operator", ""), tuple(one.get("values", ()))
        if (operator in {"In", "NotIn"}) != bool(values):
            where = at_index(f"{path}.labelSelector.matchExpressions", index)
            faults.add(where, f"'{operator}' {'compares no' if values else 'needs'} values")
        found.append(Requirement(one.get("key", ""), operator, values))
    return tuple(dict.fromkeys(found))


def build_host_ports(records: list[dict[str, Any]]) -> dict[str, int]:
    """Return ports as amounts of resources."""
    return as_resources(
        HostPort(one.get("port", 0), one.get("protocol", "TCP"), one.get("hostIP", "")) for one in records
    )


def without_ports(amounts: dict[str, int]) -> dict[str, int]:
    """Return amounts of resources but for ports."""
    return {name: amount for name, amount in amounts.items() if not name.startswith(PREFIX)}


def host_ports_document(amounts: dict[str, int]) -> dict[str, Any]:
    """Return the ports among amounts that a pod asks for as the key ``hostPorts``."""
    documents = []
    for port in from_resources(amounts.items()):
        document: dict[str, Any] = {"port": port.port}
        if port.protocol != PROTOCOLS[0]:
            document["protocol"] = port.protocol
        if port.address:
            document["hostIP"] = port.address
        documents.append(document)
    return {"hostPorts": documents} if documents else {}


def taken_ports(resources: dict[str, int]) -> dict[str, int]:
    """Return what is gone of the ports of a node, given what it has of them: each is the inverse of the other."""
    return {name: WHOLE - amount for name, amount in resources.items() if name.startswith(PREFIX)}


def pod_rules_document(rules: PodRules | None) -> dict[str, Any]:
    """Return the rules of a group as keys, defaults left out."""
    if rules is None:
        return {}
    document: dict[str, Any] = {"namespace": rules.namespace, "labels": dict(rules.labels)}
    if rules.leaving:
        document["leaving"] = True
    for key, terms in (("podAffinity", rules.affinity), ("podAntiAffinity", rules.anti_affinity)):
        if terms:
            document[key] = [_term(term, rules.namespace) for term in terms]
    if rules.spread:
        document["topologySpread"] = [_spread(rule) for rule in rules.spread]
    return document


def _term(term: PodTerm, space: str) -> dict[str, Any]:
    document: dict[str, Any] = {"topologyKey": term.key} | _selector(term.pods)
    if not term.pods.namespaces:
        document["allNamespaces"] = True
    elif term.pods.namespaces != (space,):
        document["namespaces"] = list(term.pods.namespaces)
    return document


def _spread(rule: SpreadRule) -> dict[str, Any]:
    document: dict[str, Any] = {"topologyKey": rule.key, "maxSkew": rule.max_skew}
    if rule.min_domains != 1:
        document["minDomains"] = rule.min_domains
    document |= _selector(rule.pods)
    if not rule.by_affinity:
        document["nodeAffinityPolicy"] = "Ignore"
    if rule.by_taints:
        document["nodeTaintsPolicy"] = "Honor"
    return document


def _selector(selector: PodSelector) -> dict[str, Any]:
    """Return a selector: equal labels first, as long as they are in order, then expressions."""
    if selector.requirements == NOBODY:
        return {}
    labels: dict[str, str] = {}
    expressions: list[dict[str, Any]] = []
    for one in selector.requirements:
        plain = one.operator == "In" and len(one.values) == 1 and not expressions
        if plain and (not labels or one.key > max(labels)):
            labels[one.key] = one.values[0]
        else:
            expression: dict[str, Any] = {"key": one.key, "operator": one.operator}
            expressions.append(expression | ({"values": list(one.values)} if one.values else {}))
    document: dict[str, Any] = {}
    if labels:
        document["matchLabels"] = labels
    if expressions:
        document["matchExpressions"] = expressions
    return {"labelSelector": document}
