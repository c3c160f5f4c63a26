"""Where a pod may go, as its spec says: selectors, node affinity, tolerations, and what Railwise cannot honour.

A rule that another scheduler would enforce and this one cannot see is worse than none: the pod would land where its
owner forbade it. So rules between pods, spread constraints and claimed devices make a workload wait with
``Unsupported``. Preferences (preferred affinity, ``ScheduleAnyway``) decide nothing and are not read.
"""

from __future__ import annotations

from railwise.formats.kubernetes.schema import Expression, PodSpec, Term
from railwise.model.errors import Fault
from railwise.model.workload import Requirement, Selection, Toleration

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
FIELDS = ("metadata.name",)


def selection(spec: PodSpec, where: str, faults: list[Fault]) -> Selection:
    """Return which nodes the pod may use; expressions the API would refuse are faults under ``where`` (its spec)."""
    terms: list[tuple[Requirement, ...]] = []
    affinity = spec.affinity.node_affinity
    if affinity is not None and affinity.required is not None:
        path = f"{where}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
        for index, term in enumerate(affinity.required.node_selector_terms):
            terms.append(_term(term, f"{path}.nodeSelectorTerms[{index}]", faults))
        if not terms:
            faults.append(Fault(f"{path}.nodeSelectorTerms", "at least one term is needed"))
    tolerations = []
    for index, part in enumerate(spec.tolerations):
        operator = part.operator or "Equal"
        if operator not in ("Equal", "Exists"):
            where_operator = f"{where}.tolerations[{index}].operator"
            faults.append(Fault(where_operator, f"expected Equal or Exists, not '{operator}'"))
        tolerations.append(Toleration(part.key, operator, part.value, part.effect))
    return Selection(tuple(sorted(spec.node_selector.items())), tuple(terms), tuple(tolerations))


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


def unsupported(spec: PodSpec) -> str:
    """Return which rule of the pod this scheduler cannot honour; empty: none."""
    affinity = spec.affinity
    if affinity.pod_affinity is not None and affinity.pod_affinity.required:
        return "required podAffinity is not supported; use railwise.dev/required to keep a gang together"
    if affinity.pod_anti_affinity is not None and affinity.pod_anti_affinity.required:
        return "required podAntiAffinity is not supported"
    if any(constraint.when_unsatisfiable == "DoNotSchedule" for constraint in spec.topology_spread_constraints):
        return "topologySpreadConstraints with DoNotSchedule are not supported"
    if spec.resource_claims:
        return "resourceClaims are not supported; ask for GPUs as an extended resource"
    return ""
