"""Workloads of a scenario, in the order they stand in the document.

A hostlist in the name makes many equal ones. Alternatives are complete group trees of their own: each takes the keys of
the workload that it does not give itself, so that the engine never has to look in two places.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from railwise.formats.contradictions import contradiction
from railwise.formats.faults import Faults, at_index, shown
from railwise.formats.kinds import Choice, Flag, ListOf, Parsed
from railwise.formats.records import Field, Record
from railwise.formats.scenario.groups import GROUP_FIELDS, HINTS, POD_FIELDS, GroupReading, build_running
from railwise.formats.scenario.traffic import TRAFFIC, build_traffic
from railwise.formats.terms import (
    DURATION,
    MOST_WORKLOADS,
    NAME,
    PRIORITY,
    SENTENCE,
    THOUSANDTHS,
    TIME,
    Hostlist,
)
from railwise.model.quantity import parse_duration
from railwise.model.workload import Alternative, Checkpoint, Group, Workload

_POSITIVE = Parsed(parse_duration, DURATION.expected, DURATION.pattern, numbers=False, least=1)

CHECKPOINT_RECORD = Record(
    "Checkpoint",
    {
        "every": Field(_POSITIVE, "time between checkpoints", required=True),
        "restore": Field(DURATION, "time to restart from one"),
    },
)

ALTERNATIVE_RECORD = Record(
    "Alternative",
    {
        **{key: GROUP_FIELDS[key] for key in (*POD_FIELDS, "topology") if key != "running"},
        "slowdown": Field(THOUSANDTHS, "run time compared to the reference; default 1"),
    },
)

WORKLOAD_RECORD = Record(
    "Workload",
    {
        "name": Field(Hostlist("workloads", NAME, MOST_WORKLOADS), "the name; a hostlist makes many", required=True),
        "queue": Field(NAME, "the leaf queue; default: `default`, which has no limits"),
        "priority": Field(PRIORITY, "higher goes first; default 0"),
        "submit": Field(TIME, "when it was submitted; default 0s"),
        **GROUP_FIELDS,
        "alternatives": Field(
            ListOf(ALTERNATIVE_RECORD, 1), "equivalent ways to run the same work, instead of pods and request"
        ),
        "traffic": Field(TRAFFIC, "what its ranks say to each other"),
        "kind": Field(Choice("batch", "training", "inference"), "how surplus pods come and go; default batch"),
        "elastic": Field(Flag(), "a training that may grow and shrink"),
        "preemptible": Field(Flag(), "whether it may be evicted or moved; default true"),
        "preemptionPolicy": Field(
            Choice("PreemptLowerPriority", "Never"), "`Never`: nobody has to stop for it; default PreemptLowerPriority"
        ),
        "suspend": Field(Flag(), "held back by its owner"),
        "duration": Field(DURATION, "run time at the best placement"),
        "checkpoint": Field(CHECKPOINT_RECORD, "how often its work is saved"),
        "invalid": Field(SENTENCE, "why it cannot be read (written by a snapshot); it waits"),
        "unsupported": Field(SENTENCE, "a rule of it that cannot be honoured (written by a snapshot); it waits"),
    },
    HINTS | {"min": "did you mean 'minPods'?", "gang": "did you mean 'minPods'?"},
)

WORKLOADS = ListOf(WORKLOAD_RECORD)

_INSTEAD_OF_ALTERNATIVES = ("pods", "minPods", "request", "groups", "minGroups")


def build_workloads(records: list[dict[str, Any]], path: str, faults: Faults) -> tuple[Workload, ...]:
    """Return the workloads in document order; names must differ."""
    workloads: list[Workload] = []
    seen: dict[str, int] = {}
    for index, record in enumerate(records):
        where = at_index(path, index)
        names = record.get("name", [])
        for name in names:
            if name in seen:
                faults.add(f"{where}.name", f"{shown(name)} is already the name of {at_index(path, seen[name])}")
                break
            seen[name] = index
        common = _common(record, where, faults)
        first = len(workloads)
        workloads.extend(Workload(name=name, order=first + place, **common) for place, name in enumerate(names))
    return tuple(workloads)


def _common(record: dict[str, Any], path: str, faults: Faults) -> dict[str, Any]:
    """Return the fields that all workloads of one entry share."""
    reading = GroupReading(faults)
    alternatives: tuple[Alternative, ...] = ()
    if "alternatives" in record:
        root, alternatives = _alternatives(record, path, reading)
    else:
        root = reading.build(record, path)
    _check_pod_names(root, path, faults)
    invalid = record.get("invalid", "") or next(iter(reading.problems), "")
    checkpoint = record.get("checkpoint")
    return {
        "root": root,
        "queue": record.get("queue", "default"),
        "priority": record.get("priority", 0),
        "submit": record.get("submit", 0),
        "kind": record.get("kind", "batch"),
        "elastic": record.get("elastic", False),
        "preemptible": record.get("preemptible", True),
        "preempts": record.get("preemptionPolicy") != "Never",
        "suspend": record.get("suspend", False),
        "duration": record.get("duration", 0),
        "checkpoint": Checkpoint(checkpoint.get("every", 0), checkpoint.get("restore", 0)) if checkpoint else None,
        "traffic": build_traffic(record["traffic"]) if "traffic" in record else None,
        "alternatives": alternatives,
        "invalid": invalid or contradiction((root, *(one.root for one in alternatives))),
        "unsupported": record.get("unsupported", ""),
    }


def _alternatives(record: dict[str, Any], path: str, reading: GroupReading) -> tuple[Group, tuple[Alternative, ...]]:
    """Return the root (the alternative that runs, else the first) and all alternatives."""
    for key in _INSTEAD_OF_ALTERNATIVES:
        if key in record:
            reading.faults.add(path, f"'{key}' and 'alternatives' exclude each other: each alternative gives its own")
    shared = {key: record[key] for key in GROUP_FIELDS if key in record and key not in _INSTEAD_OF_ALTERNATIVES}
    running = shared.pop("running", None)
    alternatives = []
    for index, own in enumerate(record["alternatives"]):
        root = reading.build({**shared, **own}, at_index(f"{path}.alternatives", index))
        alternatives.append(Alternative(root, own.get("slowdown", 1000)))
    taken = running.get("alternative", 0) if running else 0
    if taken >= len(alternatives):
        reading.faults.add(f"{path}.running.alternative", f"there are {len(alternatives)} alternatives, counted from 0")
        return Group(), tuple(alternatives)
    root = alternatives[taken].root
    if running:
        root = replace(root, running=build_running(running, f"{path}.running", reading.faults))
    return root, tuple(alternatives)


def _check_pod_names(root: Group, path: str, faults: Faults) -> None:
    """Refuse groups whose pods would have the same names: ``a-b`` beside a group ``b`` in a group ``a``."""
    seen: dict[str, str] = {}

    def walk(group: Group, names: tuple[str, ...]) -> None:
        if not group.groups:
            prefix, way = "-".join(names), "/".join(names)
            if seen.setdefault(prefix, way) != way:
                faults.add(f"{path}.groups", f"the pods of {seen[prefix]} and {way} would have the same names")
        for child in group.groups:
            walk(child, (*names, child.name))

    walk(root, ())
