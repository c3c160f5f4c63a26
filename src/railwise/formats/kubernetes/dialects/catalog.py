"""All queues, topologies and priorities that the objects of a cluster declare, in one picture.

A cluster may hold the objects of several systems at once, while people move from one to the other. So their names are
kept apart (a ClusterQueue ``team`` and a Cohort ``team`` are two queues), each object is read for itself, and what is
wrong with one of them is a finding beside the picture, never the end of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from railwise.formats.kubernetes.dialects import kai, kueue, label_topologies, own, volcano
from railwise.formats.kubernetes.dialects.admission import Admission
from railwise.formats.kubernetes.dialects.compatibility import ROWS
from railwise.formats.kubernetes.dialects.fields import walked
from railwise.formats.kubernetes.dialects.hypertree import NO_TIERS, Tiers, read_hypernodes
from railwise.formats.kubernetes.dialects.sources import (
    HYPER_NODE,
    IGNORED,
    KAI_QUEUE,
    KAI_TOPOLOGY,
    KUEUE,
    KUEUE_TOPOLOGY,
    OWN,
    OWN_QUEUE,
    OWN_TOPOLOGY,
    VOLCANO_QUEUE,
    WORKLOAD_CLASS,
    Draft,
    Finding,
    Kind,
    Source,
    TopologyDraft,
)
from railwise.formats.kubernetes.names import ObjectName, short_names
from railwise.model.natural import natural_key
from railwise.model.queue import Queue


class Route(NamedTuple):
    """Where a name in a label leads: the queue of the picture, and whether nothing new may enter this way."""

    queue: str
    held: bool = False


@dataclass(frozen=True)
class Catalog:
    """What the objects declare.

    ``routes`` lead from (dialect, namespace, name) as workloads write it to queues; namespaces are empty for kinds
    without. ``admissions`` are what queues ask of their work, ``classes`` priorities by (dialect, name), ``tiers``
    the levels of HyperNodes.
    """

    queues: tuple[Queue, ...] = ()
    topologies: tuple[TopologyDraft, ...] = ()
    routes: Mapping[tuple[str, str, str], Route] = field(default_factory=dict)
    admissions: Mapping[str, Admission] = field(default_factory=dict)
    classes: Mapping[tuple[str, str], int] = field(default_factory=dict)
    tiers: Tiers = NO_TIERS
    findings: tuple[Finding, ...] = ()


NOTHING = Catalog()
"""The picture of a cluster without any such object."""


def catalog_of(sources: Iterable[Source]) -> Catalog:
    """Return the picture that the objects give; their order does not matter."""
    by_kind: dict[Kind, list[Source]] = {}
    findings: list[Finding] = []
    for source in sorted(sources, key=lambda one: natural_key(one.name())):
        by_kind.setdefault(source.kind, []).append(source)
        findings += walked(source, ROWS.get(source.kind, ()))
    drafts = own.read_queues(by_kind.get(OWN_QUEUE, ()), findings)
    topologies = own.read_topologies(by_kind.get(OWN_TOPOLOGY, ()), findings)
    for kind in (KUEUE_TOPOLOGY, KAI_TOPOLOGY):
        topologies += label_topologies.read_topologies(by_kind.get(kind, ()), findings)
    of_kueue = kueue.read_queues(by_kind, findings)
    drafts += of_kueue.drafts
    drafts += kai.read_queues(by_kind.get(KAI_QUEUE, ()), findings)
    of_volcano, admissions = volcano.read_queues(by_kind.get(VOLCANO_QUEUE, ()), findings)
    drafts += of_volcano
    admissions |= of_kueue.admissions
    hypernodes, tiers = read_hypernodes(by_kind.get(HYPER_NODE, ()), findings)
    topologies += hypernodes
    names = _names([draft.key for draft in drafts])
    routes = {(key.namespace, "", key.name): Route(name) for key, name in names.items() if key.namespace != KUEUE}
    for (space, name), (key, held) in of_kueue.routes.items():
        routes[KUEUE, space, name] = Route(names.get(key, key.name), held)
    classes = kueue.read_classes(by_kind.get(WORKLOAD_CLASS, ()), findings)
    return Catalog(
        queues=_queues(drafts, names, findings),
        topologies=tuple(topologies),
        routes=routes,
        admissions={names[key]: admission for key, admission in admissions.items() if key in names},
        tiers=tiers,
        classes={(KUEUE, name): value for name, value in classes.items()},
        findings=tuple(findings),
    )


def _names(keys: Sequence[ObjectName]) -> dict[ObjectName, str]:
    """Return a name for each queue: ours keep theirs, others give way to them and to one another."""
    names = short_names(keys)
    return {key: key.name if key.namespace == OWN else names[key] for key in keys}


def _queues(drafts: Sequence[Draft], names: Mapping[ObjectName, str], findings: list[Finding]) -> tuple[Queue, ...]:
    """Return the queues under their names; what has no parent, or is its own, takes no work, and that is found."""
    queues = []
    parents = {draft.key: draft.parent for draft in drafts}
    for draft in drafts:
        parent = draft.parent
        if parent is not None and parent not in names:
            findings.append(
                Finding(draft.source, IGNORED, ".spec", f"there is no parent '{parent.name}', so it takes no work")
            )
        elif _in_circle(draft.key, parents):
            findings.append(Finding(draft.source, IGNORED, ".spec", "its parents form a circle, so it takes no work"))
        above = "" if parent is None else names.get(parent, parent.name)
        queues.append(replace(draft.queue, name=names[draft.key], parent=above))
    return tuple(queues)


def _in_circle(key: ObjectName, parents: Mapping[ObjectName, ObjectName | None]) -> bool:
    seen: set[ObjectName] = set()
    above = parents.get(key)
    while above is not None and above != key and above not in seen:
        seen.add(above)
        above = parents.get(above)
    return above == key
