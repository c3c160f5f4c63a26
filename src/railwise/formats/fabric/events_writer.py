"""Events of a fabric as entries of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from railwise.fabric.elements import Action, Event, Fabric
from railwise.model.quantity import format_duration

_STATES = {Action.MAINTENANCE: "maintenance", Action.TELEMETRY: "telemetry"}


def events_documents(fabric: Fabric, events: Sequence[Event], *, timed: bool) -> list[dict[str, Any]]:
    """Return one entry an event; ``timed`` says whether they carry a time."""
    return [({"at": format_duration(event.at)} if timed else {}) | _event(fabric, event) for event in events]


def _event(fabric: Fabric, event: Event) -> dict[str, Any]:
    if event.action is Action.REPLUG:
        return {"replug": [port.text() for port in event.ports]}
    if event.times:
        flap = {"every": format_duration(event.every), "times": event.times}
        return _subject(fabric, event) | {"flap": flap}
    return _subject(fabric, event) | {"set": {_STATES.get(event.action, "up"): event.on}}


def _subject(fabric: Fabric, event: Event) -> dict[str, Any]:
    if event.action is Action.CABLE:
        cable = fabric.cables[event.cable]
        return {"cable": [cable.a.text(), cable.b.text()]}
    if event.action is Action.NIC:
        return {"nic": event.ports[0].text()}
    return {"server" if event.action is Action.SERVER else "switch": event.device}
