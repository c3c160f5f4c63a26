"""Which nodes a pod may use: labels, affinity terms and tolerations, all in Kubernetes' own form.

Only conditions are read, no preferences: a preferred affinity that is silently dropped would look as if it were obeyed.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults, at_index
from railwise.formats.kinds import ByForm, Choice, Kind, ListOf, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import LABEL_KEY, LABEL_VALUE, LABELS
from railwise.model.node import Taint
from railwise.model.requirement import Requirement
from railwise.model.workload import Selection, Toleration

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
MOST_SECONDS = 1 << 40

_ANY_KEY = Text(f"(?:{LABEL_KEY.form.pattern})?", LABEL_KEY.most, LABEL_KEY.expected)

TAINT_RECORD = Record(
    "Taint",
    {
        "key": Field(LABEL_KEY, "the key of the taint", required=True),
        "value": Field(LABEL_VALUE, "its value"),
        "effect": Field(Choice(*EFFECTS), "what it keeps away; default NoSchedule"),
    },
)

TOLERATION_RECORD = Record(
    "Toleration",
    {
        "key": Field(_ANY_KEY, "the key of the taints that are tolerated; none with Exists: all"),
        "operator": Field(Choice("Equal", "Exists"), "how the value is compared; default Equal"),
        "value": Field(LABEL_VALUE, "the value that is tolerated"),
        "effect": Field(Choice("", *EFFECTS), "the effect that is tolerated; none: all"),
        "tolerationSeconds": Field(Whole(-MOST_SECONDS, MOST_SECONDS), "read and ignored: it does not decide where"),
    },
)

EXPRESSION_RECORD = Record(
    "NodeExpression",
    {
        "key": Field(LABEL_KEY, "a label, or the field metadata.name", required=True),
        "operator": Field(Choice(*OPERATORS), "how it is compared", required=True),
        "values": Field(ListOf(LABEL_VALUE), "what it is compared with"),
    },
)

FIELD_RECORD = Record(
    "NodeFieldExpression",
    {
        "key": Field(Choice("metadata.name"), "the only field there is", required=True),
        "operator": Field(Choice("In", "NotIn"), "how it is compared", required=True),
        "values": Field(ListOf(Text(r"[a-z0-9.-]+", 253, "the name of a node"), 1), "names of nodes", required=True),
    },
)

TERM_RECORD = Record(
    "NodeSelectorTerm",
    {
        "matchExpressions": Field(ListOf(EXPRESSION_RECORD), "conditions on labels, all of which must hold"),
        "matchFields": Field(ListOf(FIELD_RECORD), "conditions on fields, all of which must hold"),
    },
)

TERMS = ListOf(TERM_RECORD, 1)

REQUIRED_RECORD = Record(
    "NodeSelector", {"nodeSelectorTerms": Field(TERMS, "terms, one of which must hold", required=True)}
)

AFFINITY_RECORD = Record(
    "NodeAffinity",
    {
        "requiredDuringSchedulingIgnoredDuringExecution": Field(
            REQUIRED_RECORD, "the condition; preferences are not read", required=True
        )
    },
)

AFFINITY: Kind[Any] = ByForm(
    "a mapping as in Kubernetes or a list of terms", {dict: AFFINITY_RECORD, list: TERMS}, or_nothing=True
)

SELECTION_FIELDS = {
    "nodeSelector": Field(LABELS, "labels a node must have"),
    "nodeAffinity": Field(AFFINITY, "required terms in Kubernetes' own form"),
    "tolerations": Field(ListOf(TOLERATION_RECORD), "taints that do not keep the pods away"),
}
"""The keys of a workload or group that say which nodes will do."""


def build_taints(records: list[dict[str, Any]]) -> tuple[Taint, ...]:
    """Return the taints."""
    return tuple(
        Taint(record.get("key", ""), record.get("value", ""), record.get("effect", "NoSchedule")) for record in records
    )


def build_selection(record: dict[str, Any], path: str, faults: Faults) -> Selection:
    """Return which nodes the pods of a workload or group may use."""
    affinity = record.get("nodeAffinity", [])
    where = f"{path}.nodeAffinity"
    if isinstance(affinity, dict):
        inner = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {})
        affinity = inner.get("nodeSelectorTerms", [])
        where += ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    labels = record.get("nodeSelector", {})
    tolerations = record.get("tolerations", [])
    if not labels and not affinity and not tolerations:
        return Selection()
    return Selection(
        labels=tuple(sorted(labels.items())),
        terms=tuple(_build_term(term, at_index(where, index), faults) for index, term in enumerate(affinity)),
        tolerations=tuple(
            _build_toleration(toleration, at_index(f"{path}.tolerations", index), faults)
            for index, toleration in enumerate(tolerations)
        ),
    )


def _build_toleration(record: dict[str, Any], path: str, faults: Faults) -> Toleration:
    toleration = Toleration(
        record.get("key", ""), record.get("operator", "Equal"), record.get("value", ""), record.get("effect", "")
    )
    if toleration.operator == "Exists" and toleration.value:
        faults.add(f"{path}.value", "'Exists' compares no value")
    if toleration.operator == "Equal" and not toleration.key:
        faults.add(path, "without a key only 'operator: Exists' is possible")
    return toleration


def _build_term(record: dict[str, Any], path: str, faults: Faults) -> tuple[Requirement, ...]:
    requirements = []
    for key, of_field in (("matchExpressions", False), ("matchFields", True)):
        for index, expression in enumerate(record.get(key, [])):
            values = tuple(expression.get("values", ()))
            operator = expression.get("operator", "")
            problem = _value_problem(operator, values)
            if problem:
                faults.add(at_index(f"{path}.{key}", index), problem)
            requirements.append(Requirement(expression.get("key", ""), operator, values, of_field))
    if not requirements:
        faults.add(path, "expected at least one expression: an empty term holds for no node")
    return tuple(requirements)


def _value_problem(operator: str, values: tuple[str, ...]) -> str:
    """Return what is wrong with the values of an expression; empty: nothing."""
    if operator in {"In", "NotIn"} and not values:
        return f"'{operator}' needs values"
    if operator in {"Exists", "DoesNotExist"} and values:
        return f"'{operator}' compares no values"
    if operator in {"Gt", "Lt"} and (len(values) != 1 or not values[0].isdigit()):
        return f"'{operator}' needs one whole number, as text"
    return ""
