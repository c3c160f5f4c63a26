"""Where a pod may go, as its spec says: selectors, node affinity, tolerations, and what Railwise cannot honour.

A rule that another scheduler would enforce and this one cannot see is worse than none: the pod would land where its
owner forbade it. So what cannot be honoured makes a workload wait with ``Unsupported`` and the field's name.
Preferences (preferred affinity, ``ScheduleAnyway``) decide nothing and are not read.
"""

from __future__ import annotations

from railwise.formats.kubernetes.schema import Expression, NodeSelector, PodSpec, Term
from railwise.model.errors import Fault
from railwise.model.requirement import Requirement
from railwise.model.workload import Selection, Toleration

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
FIELDS = ("metadata.name",)

MOST_TERMS = 256
"""So many terms at most are made of terms that must hold together."""

Terms = tuple[tuple[Requirement, ...], ...]
"""Alternatives, one of which must hold (each as a whole); none: no condition."""

NOTHING: Terms = ((Requirement("kubernetes.io/os", "Exists"), Requirement("kubernetes.io/os", "DoesNotExist")),)
"""Terms that no node meets."""


def selection(spec: PodSpec, where: str, faults: list[Fault]) -> Selection:
    """Return which nodes the pod may use; expressions the API would refuse are faults under ``where`` (its spec)."""
    terms: Terms = ()
    affinity = spec.affinity.node_affinity
    if affinity is not None and affinity.required is not None:
        path = f"{where}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
        terms = selector_terms(affinity.required, path, faults)
    tolerations = []
    for index, part in enumerate(spec.tolerations):
        operator = part.operator or "Equal"
        if operator not in ("Equal", "Exists"):
            where_operator = f"{where}.tolerations[{index}].operator"
            faults.append(Fault(where_operator, f"expected Equal or Exists, not '{operator}'"))
        tolerations.append(Toleration(part.key, operator, part.value, part.effect))
    return Selection(tuple(sorted(spec.node_selector.items())), terms, tuple(tolerations))


def selector_terms(selector: NodeSelector, path: str, faults: list[Fault]) -> Terms:
    """Return the terms of a node selector that stands at a path: at least one; empty ones hold nowhere."""
    if not selector.node_selector_terms:
        faults.append(Fault(f"{path}.nodeSelectorTerms", "at least one term is needed"))
        return NOTHING
    terms = [
        _term(term, f"{path}.nodeSelectorTerms[{index}]", faults)
        for index, term in enumerate(selector.node_selector_terms)
    ]
    return tuple(term for term in terms if term) or NOTHING


def both(one: Terms, other: Terms) -> Terms | None:
    """Return the terms that hold where both do; None: there would be too many."""
    if not one or not other:
        return one or other
    if len(one) * len(other) > MOST_TERMS:
        return None
    return tuple(tuple(dict.fromkeys((*mine, *yours))) for mine in one for yours in other)


def _term(term: Term, path: str, faults: list[Fault]) -> tuple[Requirement, ...]:
    found = [
        _requirement(expression, f"{path}.matchExpressions[{index}]", faults, of_field=False)
        for index, expression in enumerate(term.match_expressions)
    ]
    found.extend(
        _requirement(expression, f"{path}.matchFields[{index}]", faults, of_field=True)
        for index, expression in enumerate(term.match_fields)
    )
    return tuple(found)


def _requirement(expression: Expression, path: str, faults: list[Fault], *, of_field: bool) -> Requirement:
    operator, values = expression.operator, expression.values
    if operator not in OPERATORS:
        faults.append(Fault(f"{path}.operator", f"expected one of {', '.join(OPERATORS)}, not '{operator}'"))
    elif operator in ("In", "NotIn") and not values:
        faults.append(Fault(f"{path}.values", f"{operator} needs at least one value"))
    elif operator in ("Gt", "Lt") and len(values) != 1:
        faults.append(Fault(f"{path}.values", f"{operator} needs exactly one value"))
    if of_field and expression.key not in FIELDS:
        faults.append(Fault(f"{path}.key", f"expected metadata.name, not '{expression.key}'"))
    return Requirement(expression.key, operator, values, of_field)


def unsupported(spec: PodSpec, where: str) -> str:
    """Return which rule of the pod this scheduler cannot honour; empty: none. ``where`` is the path of the spec."""
    if spec.resource_claims:
        return f"{where}.resourceClaims are not supported; ask for GPUs as an extended resource"
    return ""
