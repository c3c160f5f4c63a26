"""The marks of gate mode on pods, and how a pod looks to the engine without them.

A pod that waits carries our scheduling gate. To release it, one patch names its node twice: as a pin (the last
``matchFields`` of each of its required node affinity terms, which the stock scheduler obeys) and as an annotation
(which tells our pin from a rule of the owner's own). So everything about a release stands on the pod itself, and a
restart needs no other memory.

The engine must not see any of this. With the pin, the pods of one gang would no longer be equal, and with the gate they
would not be there. ``as_ours`` gives the pod as it was meant: waiting, or running where it was told to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from railwise.formats.kubernetes.annotations import PREFIX
from railwise.formats.kubernetes.schema import Expression, NodeAffinity, NodeSelector, Pod, PodSpec, Term

GATE = f"{PREFIX}gate"
"""The scheduling gate; also the label by which namespaces, pods and Jobs say what they want of it."""

NODE = f"{PREFIX}node"
"""The annotation with the node that a released pod was told to use."""

STOCK = ("", "default-scheduler")
"""Names of the scheduler that binds what is released."""

NAME = "metadata.name"
_ANYWHERE = Term()


def is_gated(pod: Pod) -> bool:
    """Return whether our gate, and no other, holds a pod that the stock scheduler will bind."""
    return [gate.name for gate in pod.spec.scheduling_gates] == [GATE] and pod.spec.scheduler_name in STOCK


def released_to(pod: Pod) -> str:
    """Return the node that a pod was told to use; empty: it was not released by us."""
    node = pod.metadata.annotations.get(NODE, "")
    if not node or pod.spec.scheduling_gates or pod.spec.scheduler_name not in STOCK:
        return ""
    terms = [term for term in terms_of(pod.spec) if not is_empty(term)]
    return node if terms and all(pin_of(term) == node for term in terms) else ""


def terms_of(spec: PodSpec) -> tuple[Term, ...]:
    """Return the terms of a pod's required node affinity."""
    affinity = spec.affinity.node_affinity
    return affinity.required.node_selector_terms if affinity is not None and affinity.required is not None else ()


def is_empty(term: Term) -> bool:
    """Return whether a term says nothing; Kubernetes lets such a term match no node, so it is left alone."""
    return not term.match_expressions and not term.match_fields


def pin_of(term: Term) -> str:
    """Return the node that the last field expression of a term names; empty: none."""
    last = term.match_fields[-1] if term.match_fields else Expression()
    return last.values[0] if last.key == NAME and last.operator == "In" and len(last.values) == 1 else ""


def pinned(terms: Sequence[Term], nodes: Iterable[str]) -> list[dict[str, Any]]:
    """Return terms that also demand one of some nodes, as the API writes them; a field names one node, so one each."""
    found: list[dict[str, Any]] = []
    for index, node in enumerate(nodes):
        pin = {"key": NAME, "operator": "In", "values": [node]}
        for term in terms or (_ANYWHERE,):
            if terms and is_empty(term):
                found += [{}] if index == 0 else []  # matches nothing; it keeps its place, as the API asks
                continue
            written: dict[str, Any] = {"matchFields": [*map(_written, term.match_fields), pin]}
            if term.match_expressions:
                written["matchExpressions"] = [_written(one) for one in term.match_expressions]
            found.append(written)
    return found


def _written(expression: Expression) -> dict[str, Any]:
    written: dict[str, Any] = {"key": expression.key, "operator": expression.operator}
    return written | ({"values": list(expression.values)} if expression.values else {})


def required(terms: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a patch of a pod's spec says to set the terms of its required node affinity."""
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def unpinned(spec: PodSpec) -> PodSpec:
    """Return a spec without the pins that ``pinned`` made; the terms are as they were, each once."""
    affinity = spec.affinity.node_affinity
    if affinity is None or affinity.required is None:
        return spec
    terms: dict[Term, None] = {}
    for term in affinity.required.node_selector_terms:
        bare = msgspec.structs.replace(term, match_fields=term.match_fields[:-1]) if pin_of(term) else term
        terms[bare] = None
    only_pins = list(terms) == [_ANYWHERE]
    chosen = None if only_pins else NodeSelector(node_selector_terms=tuple(terms))
    whole: NodeAffinity | None = msgspec.structs.replace(affinity, required=chosen)
    if whole == NodeAffinity():
        whole = None
    return msgspec.structs.replace(spec, affinity=msgspec.structs.replace(spec.affinity, node_affinity=whole))


def as_ours(pod: Pod, scheduler: str) -> Pod:
    """Return a pod as the engine is to see it: gated is waiting for ``scheduler``, released is running where told."""
    if is_gated(pod):
        return _named(pod, pod.spec, scheduler)
    node = released_to(pod)
    if not node:
        return pod
    return _named(pod, unpinned(pod.spec), scheduler, pod.spec.node_name or node)


def _named(pod: Pod, spec: PodSpec, scheduler: str, node: str = "") -> Pod:
    spec = msgspec.structs.replace(spec, scheduler_name=scheduler, scheduling_gates=(), node_name=node)
    notes = {key: value for key, value in pod.metadata.annotations.items() if key != NODE}
    return msgspec.structs.replace(pod, spec=spec, metadata=msgspec.structs.replace(pod.metadata, annotations=notes))
