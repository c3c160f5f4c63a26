"""What a policy test may hold: one table of keys from which its reader and its JSON Schema both come.

An assertion that is misspelt and silently ignored would be a test that cannot fail, so unknown keys are faults, and
so is an item that asserts nothing.
"""

from __future__ import annotations

from typing import Any, Final

from railwise.formats.cases.kinds import LINE, NUMBER, Made, Shares, Within
from railwise.formats.cases.model import (
    RUN_PLAN,
    RUN_SIMULATE,
    Bounds,
    Evicted,
    Expectation,
    OfGroup,
    OfWorkload,
    Refused,
    Slots,
    Where,
)
from railwise.formats.faults import Faults, at_key
from railwise.formats.kinds import Anything, Choice, Definitions, Flag, Kind, ListOf, MapOf, Schema, Whole
from railwise.formats.records import Deferred, Field, Record
from railwise.formats.terms import DURATION, LABELS, LEVEL, MOST_NODES, NAME, NOTE, SENTENCE, THOUSANDTHS, Hostlist
from railwise.model.plan import State
from railwise.model.reason import Code


class Item(Kind[Expectation]):
    """One item of ``expect``."""

    def read(self, value: object, path: str, faults: Faults) -> Expectation | None:
        """Return the expectation; its path starts at ``spec``."""
        if isinstance(value, dict):
            _check_item(value, path, faults)
        entries = ITEM.read(value, path, faults)
        if entries is None:
            return None
        return Expectation(
            path=path[path.index("spec.") :],
            at=entries.get("at"),
            workload=_of_workload(entries) if "workload" in entries else None,
            evicted=entries.get("evicted"),
            stable=entries.get("stable"),
            slots=entries.get("slots"),
            share=entries.get("share"),
            error=entries.get("error"),
            free=entries.get("free", {}),
            warnings=tuple(entries.get("warnings", ())),
            max_evictions=Bounds(None, entries["maxEvictionsPerWorkload"])
            if "maxEvictionsPerWorkload" in entries
            else None,
            one_of=tuple(entries.get("oneOf", ())),
        )

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        return ITEM.schema(definitions)


def _check_item(value: dict[object, object], path: str, faults: Faults) -> None:
    if not set(value) - {"at"}:
        faults.add(path, "asserts nothing")
    if "workload" not in value:
        for key in OF_WORKLOAD:
            if key in value:
                faults.add(at_key(path, key), "speaks of a workload, but none is named", "add 'workload: NAME'")
    if "oneOf" in value and len(value) > 1:
        faults.add(at_key(path, "oneOf"), "must stand alone")


def _where(entries: dict[str, Any]) -> Where:
    return Where(
        nodes=_flat(entries["nodes"]) if "nodes" in entries else None,
        not_nodes=_flat(entries.get("notNodes", [])),
        pods=entries.get("pods", {}),
        domains={level: tuple(names) for level, names in entries.get("domains", {}).items()},
        count=entries.get("count", {}),
        pods_per={level: tuple(shares) for level, shares in entries.get("podsPer", {}).items()},
        cut_edges=entries.get("cutEdges", {}),
        cards={pod: tuple(cards) for pod, cards in entries.get("cards", {}).items()},
        card_count=entries.get("cardCount"),
    )


def _of_workload(entries: dict[str, Any]) -> OfWorkload:
    return OfWorkload(
        name=entries["workload"],
        state=entries.get("state", ""),
        reason=entries.get("reason", ""),
        counts=entries.get("counts", {}),
        starts=entries.get("starts"),
        where=_where(entries),
        group=entries.get("group"),
    )


def _flat(lists: list[list[str]]) -> tuple[str, ...]:
    return tuple(name for names in lists for name in names)


def _evicted(entries: dict[str, Any]) -> Evicted:
    names = _flat(entries["workloads"]) if "workloads" in entries else None
    return Evicted(names, entries.get("count"), entries.get("gpus"))


_NODES: Final = ListOf(Hostlist("expected nodes", NAME, MOST_NODES))
_WORKLOADS: Final = ListOf(Hostlist("expected workloads", NAME, MOST_NODES))
_NUMBER: Final = Within("Bounds", NUMBER, int)
_GPUS: Final = Within("GpuBounds", THOUSANDTHS, int, float, str)
_TIME: Final = Within("TimeBounds", DURATION, str)

_WHERE: Final[dict[str, Field]] = {
    "nodes": Field(_NODES, "exactly these nodes, as a set"),
    "notNodes": Field(_NODES, "none of these nodes"),
    "pods": Field(MapOf(NAME, NAME), "the node of a pod, by the pod's name"),
    "domains": Field(MapOf(LEVEL, ListOf(LINE)), "exactly these domains per level, by name or path, as a set"),
    "count": Field(MapOf(LEVEL, _NUMBER), "number of domains used per level"),
    "podsPer": Field(MapOf(LEVEL, ListOf(NUMBER)), "pods per domain of a level, in any order"),
    "cutEdges": Field(MapOf(LEVEL, _NUMBER), "ring edges rank i to i+1, and last to 0, that leave a domain"),
    "cards": Field(MapOf(NAME, ListOf(LINE)), "exact cards of a pod as node/card or node/card@slice"),
    "cardCount": Field(_NUMBER, "number of different cards"),
}
_GROUP: Final = Record(
    "ExpectedGroup", {"name": Field(LINE, "name where unique, else path a/b", required=True), **_WHERE}
)

OF_WORKLOAD: Final[dict[str, Field]] = {
    "state": Field(Choice(*(state.value for state in State)), "state after the plan"),
    "reason": Field(Choice(*(code.value for code in Code)), "why it waits"),
    "counts": Field(MapOf(LINE, NUMBER), "nodes counted per reason; total for all"),
    "starts": Field(_TIME, "start, counted from submit; only in a simulation"),
    "group": Field(Made(_GROUP, lambda entries: OfGroup(entries["name"], _where(entries))), "the same for one group"),
    **_WHERE,
}
"""The keys of an item that speak of its workload."""

_EVICTED: Final = Record(
    "ExpectedEvictions",
    {
        "workloads": Field(_WORKLOADS, "exactly these workloads lose pods, as a set"),
        "count": Field(_NUMBER, "number of workloads that lose pods"),
        "gpus": Field(_GPUS, "cards of the pods lost"),
    },
)
_SLOTS: Final = Record(
    "ExpectedSlots",
    {
        "level": Field(LEVEL, "the level whose domains are counted", required=True),
        "size": Field(Whole(1, MOST_NODES), "whole free nodes of one gang", required=True),
        "count": Field(_NUMBER, "so many such gangs fit at once", required=True),
    },
)
_ERROR: Final = Record(
    "ExpectedError",
    {
        "path": Field(LINE, "the fault stands here or below"),
        "contains": Field(LINE, "its text holds this, in any case"),
    },
)

ITEM: Final = Record(
    "Expectation",
    {
        "at": Field(DURATION, "the state just after that time; only in a simulation"),
        "workload": Field(NAME, "the workload that the keys below speak of"),
        **OF_WORKLOAD,
        "evicted": Field(Made(_EVICTED, _evicted), "who loses pods over the whole plan"),
        "stable": Field(Flag(), "whether a second plan on the result changes nothing"),
        "slots": Field(Made(_SLOTS, lambda found: Slots(found["level"], found["size"], found["count"])), "slots left"),
        "share": Field(Shares(), "the fair share of a queue"),
        "error": Field(Made(_ERROR, lambda found: Refused(**found)), "the document must be refused"),
        "free": Field(MapOf(NAME, NUMBER), "free card-slots per node"),
        "warnings": Field(ListOf(LINE, 1), "each of these texts stands in a warning, in any case"),
        "maxEvictionsPerWorkload": Field(NUMBER, "nobody is evicted more often"),
        "oneOf": Field(ListOf(Deferred(Item), 1), "one of these holds"),
    },
)

SPEC: Final = Record(
    "CaseSpec",
    {
        "run": Field(Choice(RUN_PLAN, RUN_SIMULATE), "one decision, or virtual time"),
        "until": Field(DURATION, "the end of a simulation"),
        "scenario": Field(Anything({"type": ["object", "string"]}), "the spec of a Scenario, or the path of a file"),
        "document": Field(Anything({"type": "string"}), "the text of a whole document instead of a scenario"),
        "expect": Field(ListOf(Item(), 1), "what must hold", required=True),
    },
)
METADATA: Final = Record(
    "CaseMetadata",
    {
        "name": Field(LINE, "the name of the case", required=True),
        "labels": Field(LABELS, "labels; area groups cases by capability"),
        "source": Field(SENTENCE, "the rule or report it comes from"),
        "notes": Field(NOTE, "why the answer is right"),
    },
)
CASE: Final = Record(
    "Case",
    {
        "apiVersion": Field(Choice("railwise.dev/v1alpha1"), "version of the format", required=True),
        "kind": Field(Choice("Case"), "Case", required=True),
        "metadata": Field(METADATA, "name and notes", required=True),
        "spec": Field(SPEC, "a cluster, and what the plan must be", required=True),
    },
)
