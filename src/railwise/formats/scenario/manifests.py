"""Kubernetes objects named in a scenario: inline, or by the path of a file or folder that the caller reads for us.

They are read by the reader of Kubernetes objects and added to the rest. Where the scenario declares topologies, nodes
from manifests find their place by the labels of those levels, so that both kinds of nodes stand in one tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from railwise.formats.document import load
from railwise.formats.faults import Faults, at_index, shown
from railwise.model.errors import InputError
from railwise.model.node import Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology

ReadFile = Callable[[str], Sequence[tuple[str, bytes]]]
"""Returns the files under a path (a file or a folder) as (name, content); raises OSError."""


def read_manifests(
    entries: list[str | dict[str, Any]],
    path: str,
    topologies: Sequence[Topology],
    read_file: ReadFile | None,
    faults: Faults,
) -> Scenario:
    """Return the scenario that the objects describe; faults are noted."""
    from railwise.formats.kubernetes.objects import read_objects  # noqa: PLC0415 - its tables are built only where needed

    objects: list[tuple[str, dict[str, Any]]] = []
    for index, entry in enumerate(entries):
        where = at_index(path, index)
        if isinstance(entry, str):
            objects.extend(_objects_of_file(entry, where, read_file, faults))
        else:
            objects.append((where, entry))
    try:
        scenario = read_objects(objects)
    except InputError as error:
        for fault in error.faults:
            faults.add(*fault)
        return Scenario()
    return with_places(scenario, topologies)


def with_places(scenario: Scenario, topologies: Sequence[Topology]) -> Scenario:
    """Return a scenario of Kubernetes objects whose nodes stand in the given topologies, if there are any."""
    if not topologies:
        return scenario
    nodes = tuple(replace(node, places=_places_by_label(node, topologies)) for node in scenario.nodes)
    return replace(scenario, topologies=(), nodes=nodes)


def _places_by_label(node: Node, topologies: Sequence[Topology]) -> dict[str, dict[str, str]]:
    """Return where a node stands by the labels of the levels; a level without label, or a node without it: nowhere."""
    places = {}
    for topology in topologies:
        found = {level.name: node.labels[level.label] for level in topology.levels if node.labels.get(level.label)}
        if found:
            places[topology.name] = found
    return places


def _objects_of_file(
    name: str, path: str, read_file: ReadFile | None, faults: Faults
) -> list[tuple[str, dict[str, Any]]]:
    """Return the objects of a file or of the files of a folder; what cannot be read is a fault."""
    if read_file is None:
        faults.add(path, "names a file, but this document does not come from a folder")
        return []
    objects: list[tuple[str, dict[str, Any]]] = []
    try:
        files = read_file(name)
    except OSError as error:
        faults.add(path, f"cannot read {shown(name)}: {error.strerror or 'not found'}")
        return []
    for file, data in files:
        try:
            documents = load(data, file)
        except InputError as error:
            for fault in error.faults:
                faults.add(file, fault.text(), fault.hint)
            continue
        for document in documents:
            where = file if len(documents) == 1 else at_index(file, document.index)
            if isinstance(document.value, dict):
                objects.append((where, document.value))
            else:
                faults.add(where, "expected a Kubernetes object")
    return objects
