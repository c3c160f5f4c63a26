"""Findings about single ports and devices: who disagrees, who cannot be told, who has gone silent."""

from __future__ import annotations

from collections.abc import Iterable

from railwise.fabric.elements import Port
from railwise.fabric.fabric_map import Device
from railwise.fabric.findings import Finding, Kind
from railwise.fabric.intent import Intended
from railwise.fabric.names import NOBODY
from railwise.fabric.observations import SERVER
from railwise.fabric.survey import Survey
from railwise.fabric.wiring import Key
from railwise.model.natural import natural_key

SECOND = 1_000_000
MOST_TOLD = 8
"""So many of a finding's names are told; of more only how many they are."""


class PortFindings:
    """The findings of each port, kept until the port is looked at again."""

    def __init__(self) -> None:
        """Start empty."""
        self._by_port: dict[Port, tuple[Finding, ...]] = {}

    def refresh(self, ports: Iterable[Port], survey: Survey, intended: Intended) -> None:
        """Judge some ports again, and with each the one it is meant to lead to."""
        near = set(ports)
        near |= {intended.peer[port] for port in near if port in intended.peer}
        for port in near:
            found = tuple(_judge(port, survey, intended))
            if found:
                self._by_port[port] = found
            else:
                self._by_port.pop(port, None)

    def refresh_all(self, survey: Survey, intended: Intended) -> None:
        """Judge every port: all of them where there is an intention, else those that anybody could object to."""
        self._by_port.clear()
        doubtful = set(survey.contested)
        several = survey.wiring.speakers()
        for port, edge in survey.wiring.edges.items():
            if port == edge.a and (intended.peer or (edge.a.device in several and edge.b.device in several)):
                doubtful.add(port)
        self.refresh([*doubtful, *intended.peer], survey, intended)

    def all(self) -> set[Finding]:
        """Return every finding once."""
        return {finding for findings in self._by_port.values() for finding in findings}


def _judge(port: Port, survey: Survey, intended: Intended) -> Iterable[Finding]:
    wiring = survey.wiring
    wrong = intended.judge(port, wiring)
    if wrong is not None:
        yield wrong
    edge = wiring.edges.get(port)
    if edge is not None and edge.a == port:
        denying = wiring.denied(edge)
        if denying is not None:
            teller = edge.other(denying)
            yield Finding(Kind.ONE_SIDED, teller.text(), edge.ports(), facts=(("denied", denying.text()),))
    rivals = wiring.rejected(port)
    if not rivals:
        return
    several = len(wiring.heard(port)) > 1
    kind = Kind.SEVERAL_NEIGHBOURS if several and len(wiring.heard(port)) == len(rivals) + 1 else Kind.CONFLICT
    told = " ".join(rival.text() for rival in rivals[:MOST_TOLD])
    facts = (("others", told), ("count", str(len(rivals))))
    ports = (port.text(), edge.other(port).text()) if edge else (port.text(),)
    yield Finding(kind, port.text(), ports, facts=facts)


def device_findings(survey: Survey, devices: dict[str, Device]) -> list[Finding]:
    """Return what is odd about devices and their names."""
    findings = [*_names(survey), *_strangers(survey, devices)]
    findings += [Finding(Kind.MAINTENANCE, device.name) for device in devices.values() if device.maintenance]
    for chassis, sharing in survey.directory.shared_chassis.items():
        told = sorted(sharing, key=natural_key)
        facts = (("chassis", chassis), ("devices", " ".join(told[:MOST_TOLD])), ("count", str(len(told))))
        findings.append(Finding(Kind.DUPLICATE_CHASSIS, told[0], facts=facts))
    return findings


def _names(survey: Survey) -> Iterable[Finding]:
    odd = survey.odd
    for (port, _), refused in odd.ambiguous.items():
        for heard, meant in refused:
            facts = (("name", heard.name or heard.chassis), ("rule", meant.rule), ("fits", " ".join(meant.candidates)))
            yield Finding(Kind.AMBIGUOUS_NAME, port.text(), (port.text(),), facts=facts)
    for (port, _), clashing in odd.clashes.items():
        for far in clashing:
            yield Finding(Kind.PORT_NAME_CLASH, port.text(), (port.text(), far.text()))
    for (port, _), silent in odd.unknown.items():
        yield Finding(Kind.UNKNOWN_NEIGHBOUR, port.text(), (port.text(),), facts=(("count", str(len(silent))),))


def _strangers(survey: Survey, devices: dict[str, Device]) -> Iterable[Finding]:
    """Yield one finding for each stranger that will not be labelled although it is a server."""
    for name, rows in survey.odd.strangers.items():
        device = devices.get(name)
        if not rows or (device is not None and (device.kind != SERVER or device.known)):
            continue
        ports = sorted({port.text() for port, _ in rows}, key=natural_key)
        facts = (("name", name.partition(NOBODY)[0]), ("count", str(len(ports))))
        yield Finding(Kind.UNKNOWN_NEIGHBOUR, name, tuple(ports[:MOST_TOLD]), facts=facts)


def table_findings(survey: Survey, now: int) -> Iterable[Finding]:
    """Yield what is odd about sources at a moment: silent for long, suddenly empty, or with far too much to say."""
    heard = heard_at(survey)
    limit = survey.patience.stale
    for key, time in heard.items():
        if now - time > limit:
            facts = (("source", key[0]), ("seconds", str((now - time) // SECOND)))
            yield Finding(Kind.STALE, survey.directory.device(key[1]), facts=facts)
    for key, table in survey.tables.items():
        device = survey.directory.device(key[1])
        if table.suspect is not None:
            lost = sum(not told for told, _ in table.waiting.values())
            loss = (("source", key[0]), ("lost", str(lost)), ("of", str(len(table.rows))))
            yield Finding(Kind.QUARANTINED, device, facts=loss)
        if table.excess:
            yield Finding(Kind.HOSTILE, device, facts=(("source", key[0]), ("left", str(table.excess))))


def heard_at(survey: Survey) -> dict[Key, int]:
    """Return when each source last confirmed each device, also those that have not spoken since the last map."""
    heard = {key: time for key, time in survey.previous.heard.items() if key not in survey.tables}
    heard.update((key, table.confirmed) for key, table in survey.tables.items())
    return heard
