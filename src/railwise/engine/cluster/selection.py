"""Which nodes a pod may use: node selectors, node affinity, taints and tolerations, with the meaning of Kubernetes."""

from __future__ import annotations

from typing import Final

from railwise.model.node import Node, Taint
from railwise.model.requirement import Requirement
from railwise.model.workload import Selection, Toleration

_BLOCKING: Final = ("NoSchedule", "NoExecute")

MOST_DIGITS: Final = 18
"""Longer numbers in labels are no numbers."""


def tolerates(tolerations: tuple[Toleration, ...], taint: Taint) -> bool:
    """Return whether one of the tolerations matches the taint."""
    for toleration in tolerations:
        if toleration.effect and toleration.effect != taint.effect:
            continue
        if toleration.operator == "Exists":
            if not toleration.key or toleration.key == taint.key:
                return True
        elif toleration.key == taint.key and toleration.value == taint.value:
            return True
    return False


def repelled(selection: Selection, node: Node) -> bool:
    """Return whether a taint of the node keeps the pod away."""
    return any(taint.effect in _BLOCKING and not tolerates(selection.tolerations, taint) for taint in node.taints)


def _whole_number(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS else None


def _meets(requirement: Requirement, node: Node) -> bool:
    value = node.name if requirement.of_field else node.labels.get(requirement.key)
    operator = requirement.operator
    if operator == "In":
        return value is not None and value in requirement.values
    if operator == "NotIn":
        return value is None or value not in requirement.values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if value is None or len(requirement.values) != 1:
        return False
    mine, bound = _whole_number(value), _whole_number(requirement.values[0])
    if mine is None or bound is None:
        return False
    return mine > bound if operator == "Gt" else operator == "Lt" and mine < bound


def selected(selection: Selection, node: Node) -> bool:
    """Return whether the node has every selected label and meets an affinity term (an empty term meets nothing)."""
    for key, value in selection.labels:
        if node.labels.get(key) != value:
            return False
    if not selection.terms:
        return True
    return any(bool(term) and all(_meets(requirement, node) for requirement in term) for term in selection.terms)


def accepts_node(selection: Selection, node: Node) -> bool:
    """Return whether labels and taints of the node allow a pod with this selection."""
    return selected(selection, node) and not repelled(selection, node)
