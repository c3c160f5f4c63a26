"""Events of a simulation: at a time, some fields of a node, cable or switch change.

What an event names must exist: a drill whose node is misspelt would pass because nothing ever broke.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from railwise.fabric.elements import Fabric
from railwise.fabric.ports import CableFinder
from railwise.formats.faults import Faults, at_index, guess, shown
from railwise.formats.kinds import Flag, ListOf, Text
from railwise.formats.records import Field, Record
from railwise.formats.scenario.resources import NODE_RESOURCES
from railwise.formats.scenario.selection import TAINT_RECORD, build_taints
from railwise.formats.terms import DURATION, LABELS, MOST_NODES, NAME, NUMBERS, Hostlist
from railwise.model.policy import Change

MOST_COMPARED = 20_000
"""Among more names no similar one is looked for."""

MOST_GUESSES = 20
"""Beyond so many faults no similar names are looked for."""

_END = Text(r"[A-Za-z0-9](?:[A-Za-z0-9._/:-]*[A-Za-z0-9])?", 253, "a switch, or a port such as gpu-004/rail2")
_CABLE_ENDS = 2

_UNHEALTHY = "gpu.unhealthy"
_OF_NODE = ("ready", "unschedulable", "labels", "taints", "resources", "gpu", _UNHEALTHY)
_OF_CABLE = ("up",)
_OF_SWITCH = ("up", "maintenance")

SET_RECORD = Record(
    "EventSet",
    {
        "ready": Field(Flag(), "of a node"),
        "unschedulable": Field(Flag(), "of a node"),
        "labels": Field(LABELS, "of a node: all its labels"),
        "taints": Field(ListOf(TAINT_RECORD), "of a node: all its taints"),
        "resources": Field(NODE_RESOURCES, "of a node: all its capacities"),
        "gpu": Field(Record("EventGpu", {"unhealthy": Field(NUMBERS, "sick cards", required=True)}), "of a node"),
        _UNHEALTHY: Field(NUMBERS, "of a node: numbers of its sick cards"),
        "up": Field(Flag(), "of a cable or switch"),
        "maintenance": Field(Flag(), "of a switch: it takes no new placements below it"),
    },
)

EVENT_RECORD = Record(
    "Event",
    {
        "at": Field(DURATION, "when", required=True),
        "node": Field(Hostlist("nodes of events", NAME, MOST_NODES), "which node; a hostlist means each of them"),
        "cable": Field(ListOf(_END), "which cable, by its two ends"),
        "switch": Field(_END, "which switch"),
        "set": Field(SET_RECORD, "what changes", required=True),
    },
)

EVENTS = ListOf(EVENT_RECORD)


def build_changes(
    records: list[dict[str, Any]],
    path: str,
    nodes: Collection[str],
    fabric: str,
    faults: Faults,
    wiring: Fabric | None = None,
) -> tuple[Change, ...]:
    """Return the changes in document order.

    ``nodes`` are the names that exist, ``fabric`` names the file of cables if any, ``wiring`` is what it says.
    """
    changes: list[Change] = []
    finder = CableFinder(wiring.cables, wiring.servers) if wiring else None
    for index, record in enumerate(records):
        where = at_index(path, index)
        targets = [key for key in ("node", "cable", "switch") if key in record]
        if len(targets) != 1:
            faults.add(where, "expected exactly one of 'node', 'cable' and 'switch'")
            continue
        target = targets[0]
        given = record.get("set", {})
        if "set" in record and not given:
            faults.add(f"{where}.set", "nothing changes")
        _check_keys(given, target, f"{where}.set", faults)
        names = record[target]
        if target == "node":
            missing = next((name for name in names if name not in nodes), None)
            if missing is not None:
                few = len(nodes) <= MOST_COMPARED and faults.count() < MOST_GUESSES
                likely = guess(missing, list(nodes)) if few else ""
                faults.add(f"{where}.node", f"there is no node {shown(missing)}{likely}")
            values = _node_values(given)
            changes.extend(Change(record.get("at", 0), target, (name,), values) for name in names)
            continue
        if not fabric:
            faults.add(f"{where}.{target}", "no fabric is given, so there are no cables and switches")
        if target == "cable" and len(names) != _CABLE_ENDS:
            faults.add(f"{where}.cable", f"expected the two ends of the cable, not {len(names)}")
        elif wiring and finder:
            _check_wired(names, target, f"{where}.{target}", wiring, finder, faults)
        changes.append(
            Change(record.get("at", 0), target, tuple(names) if target == "cable" else (names,), dict(given))
        )
    return tuple(changes)


def _check_wired(
    names: list[str] | str, target: str, path: str, wiring: Fabric, finder: CableFinder, faults: Faults
) -> None:
    """Note a cable or switch that the fabric does not have."""
    if target == "switch":
        known = [switch.name for switch in wiring.switches]
        if names not in known:
            faults.add(path, f"the fabric has no switch {shown(names)}{guess(names, known)}")
        return
    try:
        finder.find(names[0], names[1])
    except ValueError as error:
        faults.add(path, str(error))


def _check_keys(given: dict[str, Any], target: str, path: str, faults: Faults) -> None:
    allowed = {"node": _OF_NODE, "cable": _OF_CABLE, "switch": _OF_SWITCH}[target]
    for key in given:
        if key not in allowed:
            faults.add(f"{path}.{key}", f"is nothing a {target} has; expected one of {', '.join(allowed)}")


def _node_values(given: dict[str, Any]) -> dict[str, object]:
    """Return the changed fields of a node in model form."""
    values: dict[str, object] = {}
    for key, value in given.items():
        if key == "taints":
            values[key] = build_taints(value)
        elif key == "gpu":
            values[_UNHEALTHY] = frozenset(value.get("unhealthy", ()))
        elif key == _UNHEALTHY:
            values[key] = frozenset(value)
        else:
            values[key] = value
    return values
