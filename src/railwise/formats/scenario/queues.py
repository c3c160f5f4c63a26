"""Queues of a scenario. Only names must differ: a missing parent or a cycle costs its own branch, with a warning."""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults, at_index
from railwise.formats.kinds import Flag, ListOf, MapOf, Whole
from railwise.formats.records import Field, Record
from railwise.formats.scenario.resources import QUEUE_AMOUNTS
from railwise.formats.terms import DURATION, LEVEL, LINK_PART, MOST_NODES, NAME, PRIORITY, THOUSANDTHS
from railwise.model.queue import Queue

QUEUE_RECORD = Record(
    "Queue",
    {
        "name": Field(NAME, "the name of the queue", required=True),
        "parent": Field(NAME, "the queue above; none: a top queue"),
        "quota": Field(QUEUE_AMOUNTS, "guaranteed amounts"),
        "limit": Field(QUEUE_AMOUNTS, "the ceiling"),
        "lend": Field(QUEUE_AMOUNTS, "how much of the quota others may borrow; default: all of it"),
        "weight": Field(THOUSANDTHS, "part of what is above quota, compared to its siblings; default 1"),
        "priority": Field(PRIORITY, "who comes first above quota; default 0"),
        "stopped": Field(Flag(), "admits nothing new"),
        "preemptMinRuntime": Field(DURATION, "protects young workloads from their own queue"),
        "reclaimMinRuntime": Field(DURATION, "protects young workloads from other queues"),
        "guarantee": Field(
            MapOf(LEVEL, Whole(0, MOST_NODES)), "whole domains of the first topology that are promised, by level"
        ),
        "bandwidth": Field(
            MapOf(LEVEL, LINK_PART), "the part of every uplink of a level of the first topology that is promised"
        ),
    },
    hints={
        "guaranteed": "did you mean 'guarantee' or 'quota'?",
        "min": "did you mean 'quota'?",
        "max": "did you mean 'limit'?",
    },
)

QUEUES = ListOf(QUEUE_RECORD)


def build_queues(records: list[dict[str, Any]], path: str, faults: Faults) -> tuple[Queue, ...]:
    """Return the queues in document order; names must differ."""
    queues = []
    seen: dict[str, int] = {}
    for index, record in enumerate(records):
        name = record.get("name", "")
        if name in seen:
            faults.add(f"{at_index(path, index)}.name", f"'{name}' is already the name of {at_index(path, seen[name])}")
        seen.setdefault(name, index)
        queues.append(
            Queue(
                name=name,
                parent=record.get("parent", ""),
                quota=record.get("quota", {}),
                limit=record.get("limit", {}),
                lend=record.get("lend"),
                weight=record.get("weight", 1000),
                priority=record.get("priority", 0),
                stopped=record.get("stopped", False),
                preempt_min_runtime=record.get("preemptMinRuntime", 0),
                reclaim_min_runtime=record.get("reclaimMinRuntime", 0),
                guarantee=record.get("guarantee", {}),
                bandwidth=record.get("bandwidth", {}),
            )
        )
    return tuple(queues)
