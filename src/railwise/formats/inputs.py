"""Any mix of files as one scenario: scenarios, Kubernetes objects, several documents in a file, standard input.

A document of ours says so in its ``apiVersion``; whatever else has a ``kind`` is left to the reader of Kubernetes
objects. So the same command takes a scenario, what ``kubectl get -o json`` prints, or a cluster here and jobs there.
Faults of all inputs are named in one go, each with its file where there are several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from railwise.formats.document import Document, load
from railwise.formats.faults import MOST_FAULTS, Faults, at_index
from railwise.formats.merge import merge
from railwise.formats.scenario.events import build_changes
from railwise.formats.scenario.failures import build_failures
from railwise.formats.scenario.manifests import ReadFile, with_places
from railwise.formats.scenario.reader import Draft, draft_document, finish, wired, with_effects
from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario

if TYPE_CHECKING:
    from railwise.formats.kubernetes.objects import Known

OURS = "railwise.dev/"
RESOURCES = ("Queue", "Topology")
"""Kinds of ours that are objects of a cluster, not documents."""


def read_inputs(
    sources: Sequence[tuple[str, bytes]],
    levels: str = "",
    read_file: ReadFile | None = None,
    base: Scenario | None = None,
    known: Known | None = None,
) -> Scenario:
    """Return one scenario from all inputs, given as (name, bytes), added to ``base`` where there is one.

    ``levels`` names the node labels of the default topology for Kubernetes objects (``zone=LABEL,rack=LABEL``);
    ``read_file`` finds the files that a scenario names; ``known`` is what else is known of the cluster of ``base``.
    Raises InputError with all faults.
    """
    if not sources:
        raise InputError([Fault("", "there is no input", "name a file, or - for standard input")])
    faults: list[tuple[str, Fault]] = []
    documents: list[Document] = []
    for name, data in sources:
        try:
            documents.extend(load(data, name))
        except InputError as error:
            faults.extend((name, fault) for fault in error.faults)
    counts = Counter(document.source for document in documents)
    drafts: list[tuple[Document, Draft]] = []
    objects: list[tuple[str, dict[str, Any]]] = []
    for document in documents:
        value = document.value
        if isinstance(value, dict) and _is_object(value):
            alone = counts[document.source] == 1
            objects.append((document.source if alone else at_index(document.source, document.index), value))
            continue
        found = Faults()
        try:
            drafts.append((document, draft_document(value, document.source, read_file, found)))
        except InputError as error:
            found.found.extend(error.faults)
        faults.extend((document.source, _below(_place(document, counts), fault)) for fault in found.found)
    parts = [(one.source, _place(one, counts), done) for one, done in drafts]
    if base is not None:
        parts.insert(0, ("the cluster", "", Draft(base, [], [])))
    scenario = _together(parts, objects, (levels, known), read_file, faults)
    _raise(faults, len(sources))
    return finish(scenario, Faults())


def _together(
    drafts: list[tuple[str, str, Draft]],
    objects: list[tuple[str, dict[str, Any]]],
    reading: tuple[str, Known | None],
    read_file: ReadFile | None,
    faults: list[tuple[str, Fault]],
) -> Scenario:
    """Return the sum of all documents, and then of all objects, with their places and the events of all of them."""
    scenario = Scenario()
    for source, place, one in drafts:
        found = Faults()
        scenario = merge(scenario, one.scenario, "spec", found) if drafts[1:] else one.scenario
        faults.extend((source, _below(place, fault)) for fault in found.found)
    if objects:
        scenario = _with_objects(scenario, objects, reading, faults)
    naming = next(((source, place) for source, place, one in drafts if one.scenario.fabric), ("", ""))
    found = Faults()
    scenario, fabric = wired(scenario, read_file, found)
    scenario = replace(scenario, warnings=(*scenario.warnings, *found.warnings))
    faults.extend((naming[0], _below(naming[1], fault)) for fault in found.found)
    nodes = {node.name for node in scenario.nodes}
    for source, place, one in drafts:
        found = Faults()
        changes = build_changes(one.events, "spec.events", nodes, scenario.fabric, found, fabric)
        failures = build_failures(one.failures, "spec.failures", scenario, found)
        scenario = replace(scenario, changes=scenario.changes + changes, failures=scenario.failures + failures)
        faults.extend((source, _below(place, fault)) for fault in found.found)
    return scenario if faults else with_effects(scenario, fabric)


def _with_objects(
    scenario: Scenario,
    objects: list[tuple[str, dict[str, Any]]],
    reading: tuple[str, Known | None],
    faults: list[tuple[str, Fault]],
) -> Scenario:
    # Its tables are built only where they are needed.
    from railwise.formats.kubernetes.objects import NOTHING_KNOWN, read_objects  # noqa: PLC0415

    levels, known = reading
    try:
        extra = read_objects(objects, levels, (known or NOTHING_KNOWN)._replace(topologies=scenario.topologies))
    except InputError as error:
        faults.extend(("", fault) for fault in error.faults)
        return scenario
    if scenario == Scenario():
        return extra
    found = Faults()
    merged = merge(scenario, with_places(extra, scenario.topologies), "Kubernetes objects", found)
    faults.extend(("", fault) for fault in found.found)
    return merged


def _is_object(value: dict[str, Any]) -> bool:
    """Return whether a document is a Kubernetes object: of another group, or one of our own custom resources."""
    if not str(value.get("apiVersion", OURS)).startswith(OURS):
        return True
    return "apiVersion" in value and str(value.get("kind", "")).removesuffix("List") in RESOURCES


def _below(place: str, fault: Fault) -> Fault:
    if not place:
        return fault
    return fault._replace(path=f"{place}.{fault.path}" if fault.path else place)


def _place(document: Document, counts: Counter[str]) -> str:
    """Return how a document is told apart from others of its file; empty: it is alone there."""
    return at_index("documents", document.index) if counts[document.source] > 1 else ""


def _raise(faults: list[tuple[str, Fault]], inputs: int) -> None:
    """Raise what there is: with the source apart if there is one input, else with the source before each path."""
    if not faults:
        return
    more = [Fault("", f"and {len(faults) - MOST_FAULTS} more faults")] if len(faults) > MOST_FAULTS else []
    told = faults[:MOST_FAULTS]
    if inputs == 1:
        raise InputError([fault for _, fault in told] + more, faults[0][0])
    named = []
    for source, fault in told:
        path = f"{source}: {fault.path}" if source and fault.path else source or fault.path
        named.append(fault._replace(path=path))
    raise InputError(named + more)
