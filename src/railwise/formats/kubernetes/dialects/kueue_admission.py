"""What a ClusterQueue asks of its work: namespaces it takes, nodes of its flavors, checks that nobody would make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from railwise.formats.kubernetes.dialects.admission import Admission, NodesFor, Terms
from railwise.formats.kubernetes.dialects.kueue_schema import ClusterQueueSpec, FlavorSpec, ResourceGroup, Selector
from railwise.formats.kubernetes.dialects.sources import KUEUE, REFUSED, Finding, Source
from railwise.model.requirement import Requirement
from railwise.model.workload import Toleration

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
"""The label that bears a namespace's name, on every namespace: the only one known without reading namespaces."""


def admission_of(
    source: Source, spec: ClusterQueueSpec, flavors: Mapping[str, FlavorSpec], findings: list[Finding]
) -> Admission:
    """Return what a ClusterQueue asks; what it asks that nobody keeps is found, and closes it."""
    refusals = [one for one in findings if one.source is source and one.grade == REFUSED]
    used = [flavor.name for group in spec.resource_groups for flavor in group.flavors]
    missing = next((name for name in used if name not in flavors), "")
    if missing:
        refusals.append(Finding(source, REFUSED, ".spec.resourceGroups", f"there is no ResourceFlavor '{missing}'"))
        findings.append(refusals[-1])
    namespaces = None
    trouble = _foreign_labels(spec.namespace_selector)
    if trouble:
        refusals.append(Finding(source, REFUSED, ".spec.namespaceSelector", trouble))
        findings.append(refusals[-1])
    elif spec.namespace_selector is not None:
        namespaces = _namespaces(spec.namespace_selector)
    known = [flavors[name] for name in used if name in flavors]
    return Admission(
        nodes=tuple(_nodes(group, flavors) for group in spec.resource_groups),
        tolerations=tuple(dict.fromkeys(one for flavor in known for one in _tolerations(flavor))),
        topology=next(((KUEUE, flavor.topology_name) for flavor in known if flavor.topology_name), None),
        namespaces=namespaces,
        refused=f"its queue {source.name()} is closed: {refusals[0].text}" if refusals else "",
    )


def _nodes(group: ResourceGroup, flavors: Mapping[str, FlavorSpec]) -> NodesFor:
    labels = [flavors[flavor.name].node_labels for flavor in group.flavors if flavor.name in flavors]
    terms: Terms = tuple(
        tuple(Requirement(key, "In", (value,)) for key, value in sorted(one.items())) for one in labels
    )
    anywhere = not all(terms)
    return NodesFor(frozenset(group.covered_resources), () if anywhere else tuple(dict.fromkeys(terms)))


def _tolerations(flavor: FlavorSpec) -> Sequence[Toleration]:
    return [Toleration(one.key, one.operator or "Equal", one.value, one.effect) for one in flavor.tolerations]


def _foreign_labels(selector: Selector | None) -> str:
    """Return why a namespace selector cannot be kept; empty: it can."""
    if selector is None:
        return "without a namespaceSelector it selects no namespace"
    keys = [*selector.match_labels, *(one.key for one in selector.match_expressions)]
    other = next((key for key in keys if key != NAMESPACE_LABEL), "")
    return f"namespaces are only known by {NAMESPACE_LABEL}, not by {other}" if other else ""


def _namespaces(selector: Selector) -> Terms | None:
    term = [Requirement(key, "In", (value,)) for key, value in selector.match_labels.items()]
    term += [Requirement(one.key, one.operator, one.values) for one in selector.match_expressions]
    return (tuple(term),) if term else None
