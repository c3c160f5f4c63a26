"""What is known of each device besides its cables: kind, role, unit, rack, rail, plane; whoever says it first.

Several sources speak of one device, an intended wiring may too, and the last map remembers what silent ones said.
Each attribute is taken from the first of these that has it, sources in order of their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from railwise.fabric.elements import NO_RAIL, Port
from railwise.fabric.fabric_map import Device
from railwise.fabric.names import NAMELESS, NOBODY
from railwise.fabric.observations import SERVER, SWITCH, ScaleUp
from railwise.fabric.survey import Survey
from railwise.fabric.tiers import Hints
from railwise.fabric.wiring import Key
from railwise.model.natural import natural_key


def describe(survey: Survey) -> dict[str, Device]:
    """Return every device, tiers not known yet, in natural order of names."""
    found: dict[str, Device] = {}
    intent = survey.intent
    for key in sorted(survey.tables):
        speaker = survey.tables[key].report.speaker
        name = survey.directory.device(speaker.name)
        told = Device(
            name,
            speaker.kind,
            role=speaker.role,
            unit=speaker.unit,
            rack=speaker.rack,
            rail=speaker.rail,
            plane=speaker.plane,
            maintenance=speaker.maintenance,
        )
        if name in found:
            worked_on = told.maintenance or found[name].maintenance
            told = replace(_both(found[name], told), maintenance=worked_on)
        found[name] = told
    for switch in intent.switches if intent else ():
        named = Device(
            switch.name,
            SWITCH,
            role=switch.role,
            unit=switch.unit,
            rack=switch.rack,
            rail=switch.rail,
            plane=switch.plane,
        )
        found[switch.name] = _both(found[switch.name], named) if switch.name in found else named
    for server in intent.servers if intent else ():
        named = Device(server.name, SERVER, unit=server.unit, rack=server.rack)
        found[server.name] = _both(found[server.name], named) if server.name in found else named
    for name in survey.inventory.names:
        found.setdefault(name, Device(name, SERVER))
    _add_others(survey, found)
    nodes = set(survey.inventory.names)
    for name, device in found.items():
        if nodes and device.kind == SERVER and device.known and name not in nodes:
            found[name] = _with(device, known=False)
    return {name: found[name] for name in sorted(found, key=natural_key)}


def _add_others(survey: Survey, found: dict[str, Device]) -> None:
    """Add strangers, who are known by their cables alone, and what the last map says of anybody."""
    old = survey.previous.devices
    cabled = {port.device for port in survey.wiring.edges}
    for name in survey.odd.strangers:
        if name not in found and name in cabled:
            found[name] = Device(name, survey.kind(name), known=NOBODY not in name and not NAMELESS.fullmatch(name))
    for name, device in old.items():
        if name in found:
            found[name] = _both(found[name], device)
        elif name in cabled:
            found[name] = device


def _with(device: Device, *, known: bool) -> Device:
    place = (device.role, device.unit, device.rack, device.rail, device.plane, device.maintenance)
    return Device(device.name, device.kind, known, device.tier, *place)


def _both(first: Device, second: Device) -> Device:
    """Return the first with what only the second knows."""
    return Device(
        first.name,
        first.kind,
        first.known,
        first.tier,
        first.role or second.role,
        first.unit or second.unit,
        first.rack or second.rack,
        first.rail if first.rail != NO_RAIL else second.rail,
        first.plane or second.plane,
        first.maintenance,
    )


def hints_of(devices: Mapping[str, Device], survey: Survey) -> Hints:
    """Return what is known of the switches' roles and planes."""
    switches = [device for device in devices.values() if device.kind == SWITCH]
    planes = {plane.name: plane.role for plane in survey.intent.planes} if survey.intent else {}
    return Hints(
        {device.name: device.role for device in switches if device.role},
        {device.name: device.plane for device in switches if device.plane},
        planes,
    )


def rails_of_nics(survey: Survey) -> dict[Port, int]:
    """Return the rail of every NIC of which somebody says it: the NIC's own server first, then the intention."""
    found: dict[Port, int] = {}
    for key in sorted(survey.tables):
        report = survey.tables[key].report
        if report.speaker.kind == SERVER:
            device = survey.directory.device(report.speaker.name)
            for port in report.ports:
                if port.rail != NO_RAIL:
                    found.setdefault(Port(device, port.name), port.rail)
    for server in survey.intent.servers if survey.intent else ():
        for nic in server.nics:
            if nic.rail != NO_RAIL:
                found.setdefault(Port(server.name, nic.name), nic.rail)
    return found


def said_of_scale_up(survey: Survey) -> dict[Key, tuple[ScaleUp, ...]]:
    """Return what each source says of each server's scale-up domain; what a silent one said last stands."""
    said = {key: said for key, said in survey.previous.said.items() if key not in survey.tables}
    for key, table in survey.tables.items():
        if table.report.scale_up:
            said[key] = table.report.scale_up
    return {key: said[key] for key in sorted(said)}


def by_server(said: Mapping[Key, tuple[ScaleUp, ...]], survey: Survey) -> dict[str, dict[Key, tuple[ScaleUp, ...]]]:
    """Return the same by server."""
    found: dict[str, dict[Key, tuple[ScaleUp, ...]]] = {}
    for key, domains in said.items():
        found.setdefault(survey.directory.device(key[1]), {})[key] = domains
    return found
