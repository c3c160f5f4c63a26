"""What an engine was told, line by line: a run that can be lived through again, by anybody, anywhere.

A recording is JSON lines. A line with ``scenario`` begins: an engine is made of that cluster. Each other line is a
round: its time, and what had happened by then. Nodes and workloads stand in it as they do in scenarios; beside each
workload stand its name, which here may hold a namespace, and its turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from railwise.engine.events import Event, Finish, NodeChange, Submit, UplinkChange
from railwise.formats.faults import Faults, described
from railwise.formats.scenario.events import EVENTS, build_changes
from railwise.formats.scenario.nodes_writer import values_document
from railwise.formats.scenario.reader import read_scenario
from railwise.formats.scenario.workloads import WORKLOADS, build_workloads
from railwise.formats.scenario.workloads_writer import workload_document
from railwise.formats.scenario.writer import scenario_document
from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload

_HINT = "give a recording as `railwise run scheduler --record FILE` writes it"
_STAND_IN = "w"
_NOBODY = Workload("", Group())


class Began(NamedTuple):
    """An engine is made, at a time in µs."""

    at: int
    scenario: Scenario


class Round(NamedTuple):
    """A round at a time in µs, and what happened before it."""

    at: int
    events: tuple[Event, ...]


def began_line(at: int, scenario: Scenario) -> str:
    """Return the line by which an engine begins."""
    document = scenario_document(replace(scenario, workloads=()))
    return _line({"at": at, "scenario": document, "workloads": [_workload(one) for one in scenario.workloads]})


def round_line(at: int, events: Sequence[Event]) -> str:
    """Return the line of a round."""
    return _line({"at": at, "events": [_event(event) for event in events]} if events else {"at": at})


def read_recording(lines: Iterable[bytes], source: str = "") -> Iterator[Began | Round]:
    """Yield what a recording tells; blank lines are passed over, and a last line that was cut off is the end.

    Raises InputError at the first line that cannot be read, with everything that is wrong with it.
    """
    begun, before = False, 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            if not line.endswith(b"\n"):
                return
            raise _refused(f"expected a JSON object ({str(error) or 'nested too deeply'})", where, source) from None
        if not isinstance(value, dict) or not isinstance(value.get("at"), int):
            raise _refused(f"expected an object with a time 'at' in µs, not {described(value)}", where, source)
        found = _read(value, where, source)
        if not begun and not isinstance(found, Began):
            raise _refused("expected the scenario that the run began with", where, source)
        if found.at < before:
            raise _refused(f"expected {before} or later, not {found.at}: a recording goes on in time", where, source)
        begun, before = True, found.at
        yield found
    if not begun:
        raise _refused("the recording is empty", "", source)


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _workload(workload: Workload) -> dict[str, Any]:
    document = workload_document(replace(workload, name=_STAND_IN))
    return {"name": workload.name, "turn": workload.order, "is": document}


def _event(event: Event) -> dict[str, Any]:
    if isinstance(event, Submit):
        return {"submit": _workload(event.workload)}
    if isinstance(event, Finish):
        return {"finish": event.name}
    if isinstance(event, NodeChange):
        return {"node": event.name, "set": values_document(event.values)}
    return {"uplink": list(event)}


def _refused(message: str, where: str, source: str) -> InputError:
    return InputError([Fault(where, message, _HINT)], source)


def _read(value: dict[str, Any], where: str, source: str) -> Began | Round:
    faults = Faults()
    found: Began | Round
    if "scenario" in value:
        scenario = read_scenario(value["scenario"], f"{source}: {where}" if source else where)
        given = _list(value, "workloads", where, faults)
        workloads = [_read_workload(one, f"{where}.workloads[{index}]", faults) for index, one in enumerate(given)]
        found = Began(value["at"], replace(scenario, workloads=tuple(workloads)))
    else:
        given = _list(value, "events", where, faults)
        events = [_read_event(one, f"{where}.events[{index}]", faults) for index, one in enumerate(given)]
        found = Round(value["at"], tuple(events))
    faults.raise_any(source)
    return found


def _list(value: dict[str, Any], key: str, where: str, faults: Faults) -> list[Any]:
    given = value.get(key, [])
    if isinstance(given, list):
        return given
    faults.add(f"{where}.{key}", f"expected a list, not {described(given)}", _HINT)
    return []


def _read_workload(value: object, where: str, faults: Faults) -> Workload:
    """Return a workload, or an empty one where there are faults."""
    before = faults.count()
    if isinstance(value, dict) and isinstance(value.get("name"), str) and isinstance(value.get("turn"), int):
        records = WORKLOADS.read([value.get("is")], where, faults)
        if faults.count() == before and records is not None:
            (workload,) = build_workloads(records, where, faults)
            return replace(workload, name=value["name"], order=value["turn"])
    else:
        faults.add(where, f"expected a workload with 'name', 'turn' and 'is', not {described(value)}", _HINT)
    return _NOBODY


def _read_event(value: object, where: str, faults: Faults) -> Event:
    if isinstance(value, dict):
        if "submit" in value:
            return Submit(_read_workload(value["submit"], f"{where}.submit", faults))
        if isinstance(value.get("finish"), str):
            return Finish(value["finish"])
        if isinstance(value.get("node"), str):
            return _read_change(value, where, faults)
        uplink = value.get("uplink")
        if isinstance(uplink, list) and [type(one) for one in uplink] == [str, str, str, int]:
            return UplinkChange(*uplink)
    faults.add(where, f"expected an object with submit, finish, node or uplink, not {described(value)}", _HINT)
    return Finish("")


def _read_change(value: dict[str, Any], where: str, faults: Faults) -> NodeChange:
    name, before = value["node"], faults.count()
    records = EVENTS.read([{"at": "0s", "node": name, "set": value.get("set")}], where, faults)
    if records is None or faults.count() > before:
        return NodeChange(name, {})
    (change,) = build_changes(records, where, {name}, "", faults)
    return NodeChange(name, change.values)
