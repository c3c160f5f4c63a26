"""Whose a pod is: ours to place, another scheduler's, or an agent's that belongs to its node.

Placing a pod that another scheduler is about to place gives its room away twice; ignoring one that runs does the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from railwise.formats.kubernetes.annotations import PREFIX
from railwise.formats.kubernetes.schema import Meta, Pod, PodSpec

SCHEDULER = "railwise"
"""The ``schedulerName`` of pods that are ours to place."""

MIRROR = "kubernetes.io/config.mirror"
"""The annotation of a static pod."""


def chosen(meta: Meta, spec: PodSpec, outer: Sequence[Meta] = ()) -> bool:
    """Return whether a pod or template names our scheduler or none, or (as ``outer`` may) has an annotation of ours."""
    if spec.scheduler_name in ("", SCHEDULER):
        return True
    return any(key.startswith(PREFIX) for one in (meta, *outer) for key in one.annotations)


def is_ours(pod: Pod) -> bool:
    """Return whether a pod is ours to place (or was, if it runs): by scheduler, by annotation, or by our gate alone."""
    gates = [gate.name for gate in pod.spec.scheduling_gates]
    if gates:
        return all(gate.startswith(PREFIX) for gate in gates)
    return chosen(pod.metadata, pod.spec)


def held_by_others(pod: Pod) -> bool:
    """Return whether another controller's gate holds the pod back."""
    return any(not gate.name.startswith(PREFIX) for gate in pod.spec.scheduling_gates)


def agent_node(pod: Pod) -> str | None:
    """Return the node of a DaemonSet's or static pod (empty if it names none); None for any other pod."""
    owner = pod.metadata.controller()
    if (owner is None or owner.kind not in ("DaemonSet", "Node")) and MIRROR not in pod.metadata.annotations:
        return None
    if pod.spec.node_name:
        return pod.spec.node_name
    affinity = pod.spec.affinity.node_affinity
    terms = affinity.required.node_selector_terms if affinity is not None and affinity.required is not None else ()
    for term in terms:
        for expression in term.match_fields:
            if expression.key == "metadata.name" and expression.operator == "In" and len(expression.values) == 1:
                return expression.values[0]
    return ""
