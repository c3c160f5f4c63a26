"""What a queue of another system asks of the work that enters it, beyond amounts: which nodes, which namespaces.

A quota there is often a quota on certain nodes. So whoever enters such a queue gets its node labels and tolerations, as
if the pods had said so themselves.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from railwise.model.requirement import Requirement
from railwise.model.workload import Selection, Toleration

Terms = tuple[tuple[Requirement, ...], ...]
"""Node selector terms: one of them has to hold; none: no condition."""

MOST_TERMS = 256
"""So many terms come of one queue's flavors at most."""


@dataclass(frozen=True)
class NodesFor:
    """Who asks for one of these resources (none: whoever enters) goes to nodes of one of the terms."""

    resources: frozenset[str]
    terms: Terms


@dataclass(frozen=True)
class Admission:
    """What a queue asks. ``refused`` says why nothing may enter; ``namespaces`` None: all.

    ``topology`` is the (dialect, name) of the topology that levels belong to.
    """

    nodes: tuple[NodesFor, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    topology: tuple[str, str] | None = None
    namespaces: Terms | None = None
    refused: str = ""

    def problem(self, namespace: str) -> str:
        """Return why work of a namespace may not enter; empty: it may."""
        if self.refused:
            return self.refused
        if self.namespaces is None or any(all(_holds(one, namespace) for one in term) for term in self.namespaces):
            return ""
        return f"its queue takes no work of the namespace {namespace}"

    def applied(self, selection: Selection, demand: Collection[str]) -> Selection:
        """Return which nodes a pod may use that enters and asks for these resources."""
        terms = selection.terms
        for one in self.nodes:
            if one.terms and (not one.resources or not one.resources.isdisjoint(demand)):
                terms = crossed(terms, one.terms)
        return replace(selection, terms=terms, tolerations=(*selection.tolerations, *self.tolerations))


def crossed(terms: Terms, others: Terms) -> Terms:
    """Return the terms that hold where one of both sides holds."""
    if not terms or not others:
        return terms or others
    return tuple((*one, *other) for one in terms for other in others)[:MOST_TERMS]


def _holds(one: Requirement, namespace: str) -> bool:
    """Return whether a requirement on the label that bears a namespace's name holds for it."""
    if one.operator in ("In", "NotIn"):
        return (namespace in one.values) == (one.operator == "In")
    return one.operator == "Exists"
