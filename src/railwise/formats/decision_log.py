"""The log of decisions: a line of JSON each, the same bytes for the same input.

Runs are compared line by line, so nothing is written that could differ between equal runs: no clock, no host, no order
of a hash table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from railwise.formats.document import MOST_BYTES
from railwise.formats.faults import Faults, described, guess, shown
from railwise.model.decision import CHANGED, EVENTS, Decision
from railwise.model.errors import Fault, InputError

_KEYS = ("at", "workload", "event", "nodes", "pods", "for", "set")
_HINT = "give a log as `railwise simulate --decisions FILE` writes it"


def log_text(decisions: Iterable[Decision]) -> str:
    """Return the log as text, a line each."""
    return "".join(json.dumps(line_of(one)) + "\n" for one in decisions)


def line_of(one: Decision) -> dict[str, Any]:
    """Return one line as plain data."""
    line: dict[str, Any] = {"at": one.at}
    if one.workload:
        line["workload"] = one.workload
    line["event"] = one.event
    if one.nodes:
        line["nodes"] = list(one.nodes)
    if one.pods:
        line["pods"] = list(one.pods)
    if one.beneficiary:
        line["for"] = one.beneficiary
    if one.facts:
        line["set"] = one.facts
    return line


def read_log(data: bytes, source: str) -> list[Decision]:
    """Return the decisions of a log, with facts as they are written; blank lines are passed over.

    Raises InputError with every line that is none.
    """
    if len(data) > MOST_BYTES:
        raise InputError([Fault("", f"more than {MOST_BYTES} bytes", "compare the logs of shorter runs")], source)
    faults = Faults()
    decisions: list[Decision] = []
    before = -1
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        one = _read(line, f"line {number}", faults)
        if one is not None and one.at < before:
            faults.add(f"line {number}.at", f"expected {before} or later, not {one.at}: a log goes on in time", _HINT)
        elif one is not None:
            before = one.at
            decisions.append(one)
    faults.raise_any(source)
    if not decisions:
        raise InputError([Fault("", "no decisions: the log is empty", _HINT)], source)
    return decisions


def _read(line: bytes, where: str, faults: Faults) -> Decision | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        faults.add(where, f"expected a JSON object ({str(error) or 'nested too deeply'})", _HINT)
        return None
    if not isinstance(value, dict):
        faults.add(where, f"expected a JSON object, not {described(value)}", _HINT)
        return None
    found = faults.count()
    for key in value:
        if key not in _KEYS:
            faults.add(f"{where}.{shown(key)[1:-1]}", f"unknown field{guess(key, _KEYS)}", _HINT)
    at, event, workload = value.get("at"), value.get("event"), value.get("workload", "")
    if not isinstance(at, int) or isinstance(at, bool) or at < 0:
        faults.add(f"{where}.at", f"expected a time in µs, not {described(at)}", _HINT)
    if event not in EVENTS:
        faults.add(f"{where}.event", f"expected one of {', '.join(EVENTS)}, not {described(event)}", _HINT)
    if not isinstance(workload, str) or (not workload and event != CHANGED):
        faults.add(f"{where}.workload", f"expected a name, not {described(value.get('workload'))}", _HINT)
    nodes, pods = (_names(value.get(key, []), f"{where}.{key}", faults) for key in ("nodes", "pods"))
    beneficiary, facts = value.get("for", ""), value.get("set", {})
    if not isinstance(beneficiary, str):
        faults.add(f"{where}.for", f"expected a name, not {described(beneficiary)}", _HINT)
    if not isinstance(facts, dict):
        faults.add(f"{where}.set", f"expected a mapping, not {described(facts)}", _HINT)
    if faults.count() > found:
        return None
    return Decision(int(at or 0), str(event), workload, nodes, pods, beneficiary, facts)


def _names(value: object, where: str, faults: Faults) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    faults.add(where, f"expected a list of names, not {described(value)}", _HINT)
    return ()
