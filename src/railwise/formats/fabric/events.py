"""What differs from the intended wiring at the start, and what happens later: both in the same words.

What an event names must exist, because a drill whose cable is misspelt would pass without anything having broken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from railwise.fabric.elements import Action, Event, Port, Switch
from railwise.fabric.ports import CableFinder
from railwise.formats.fabric.devices import Names
from railwise.formats.faults import Faults, at_index, shown

_TARGETS = ("cable", "nic", "switch", "server", "replug")
_ALLOWED = {"cable": ("up",), "nic": ("up",), "switch": ("up", "maintenance", "telemetry"), "server": ("up",)}
_STATES = {"maintenance": Action.MAINTENANCE, "telemetry": Action.TELEMETRY}
_ENDS = 2


class Ground:
    """What events may name: the cables, the devices, and the ports of both."""

    def __init__(self, finder: CableFinder, names: Names, switches: tuple[Switch, ...], ports: set[Port]) -> None:
        """Keep all of it; ``ports`` are those of servers, and of switches that list theirs or have a cable there."""
        self.finder = finder
        self.names = names
        self.switches = {switch.name for switch in switches}
        self.ports = ports


def build_events(records: list[dict[str, Any]], path: str, ground: Ground, faults: Faults) -> tuple[Event, ...]:
    """Return the events in document order, several devices of an entry one by one."""
    events: list[Event] = []
    for index, record in enumerate(records):
        where = at_index(path, index)
        targets = [key for key in _TARGETS if key in record]
        if len(targets) != 1:
            faults.add(where, f"expected exactly one of {', '.join(_TARGETS[:-1])} and {_TARGETS[-1]}")
            continue
        target = targets[0]
        at = record.get("at", 0)
        if target == "replug":
            ports = _replugged(record, where, ground, faults)
            events.append(Event(at, Action.REPLUG, on=True, ports=ports))
            continue
        for make in _happenings(record, target, where, faults):
            events.extend(make(event) for event in _subjects(record[target], target, where, ground, faults))
    return tuple(events)


def _replugged(record: dict[str, Any], path: str, ground: Ground, faults: Faults) -> tuple[Port, ...]:
    for key in ("set", "flap"):
        if key in record:
            faults.add(f"{path}.{key}", "replug changes plugs and nothing else")
    ends = record["replug"]
    if len(ends) != _ENDS:
        faults.add(f"{path}.replug", f"expected two ports, not {len(ends)}")
    ports = tuple(ground.finder.port(end) for end in ends)
    for port in ports:
        _check_port(port, f"{path}.replug", ground, faults)
    return ports


def _check_port(port: Port, path: str, ground: Ground, faults: Faults) -> None:
    if not ground.names.check(port.device, path, faults):
        return
    if not port.name:
        faults.add(path, f"expected a port, such as {port.device}/…, not the whole device")
    elif port not in ground.ports:
        faults.add(path, f"there is no port {shown(port.text())}")


def _happenings(
    record: dict[str, Any], target: str, path: str, faults: Faults
) -> list[Callable[[dict[str, Any]], Event]]:
    """Return what is done to each subject, as functions of the event's other fields."""
    given, flap, at = record.get("set", {}), record.get("flap"), record.get("at", 0)
    if ("set" in record) == (flap is not None):
        faults.add(path, "expected 'set' or 'flap'" if flap is None else "'set' and 'flap' exclude each other")
        return []
    plain = Action(target)
    if flap is not None:
        if target == "server":
            faults.add(f"{path}.flap", "a server does not flap; set it up: false and later up: true")
            return []
        if flap.get("every", 2) < _ENDS:
            faults.add(f"{path}.flap.every", "is too short to lose and regain a link")
        every, times = flap.get("every", 2), flap.get("times", 1)
        return [lambda subject: Event(at, plain, every=every, times=times, **subject)]
    if not given:
        faults.add(f"{path}.set", "nothing changes")
    made: list[Callable[[dict[str, Any]], Event]] = []
    for key, on in given.items():
        if key not in _ALLOWED[target]:
            faults.add(f"{path}.set.{key}", f"is nothing a {target} has; expected {', '.join(_ALLOWED[target])}")
            continue
        action = _STATES.get(key, plain)
        made.append(_setter(at, action, on=on))
    return made


def _setter(at: int, action: Action, *, on: bool) -> Callable[[dict[str, Any]], Event]:
    return lambda subject: Event(at, action, on=on, **subject)


def _subjects(value: Any, target: str, path: str, ground: Ground, faults: Faults) -> list[dict[str, Any]]:  # noqa: ANN401 -- read by records
    """Return the fields of an event that say to what it happens."""
    where = f"{path}.{target}"
    if target == "cable":
        if len(value) != _ENDS:
            faults.add(where, f"expected the two ends of the cable, not {len(value)}")
            return []
        missing = [end for end in value if not ground.names.check(end.partition("/")[0], where, faults)]
        if missing:
            return []
        try:
            return [{"cable": ground.finder.find(value[0], value[1])}]
        except ValueError as error:
            faults.add(where, str(error))
            return []
    if target == "nic":
        port = ground.finder.port(value)
        _check_port(port, where, ground, faults)
        if port.device in ground.switches:
            faults.add(where, f"{shown(port.device)} is a switch, and NICs belong to servers")
        return [{"ports": (port,)}]
    found = []
    for name in value:
        if ground.names.check(name, where, faults) and (name in ground.switches) != (target == "switch"):
            faults.add(where, f"{shown(name)} is a {'server' if target == 'switch' else 'switch'}")
        found.append({"device": name})
    return found
