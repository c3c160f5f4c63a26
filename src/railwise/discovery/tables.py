"""What every source says about every device, kept as whole tables, and made into reports when one has changed.

A stream tells single ports; whoever draws the map wants whole tables, so that a port which is missing means something.
So the table is kept here, by (source, device). When a source fails, its tables stay: they get old, they are not taken
back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from railwise.discovery.hearing import Failed, Gone, Hearing, State, Told, Whole
from railwise.fabric.observations import MAC, SERVER, SWITCH, Observation, Report, Speaker
from railwise.formats.lldp.record import MOST_PORTS, LldpRecord


class Standing(NamedTuple):
    """How a source is doing for one device: since when (µs) it is silent (0: it is not), and why; how often it failed.

    ``confirmed`` is when it last said anything, µs; -1 when it never did.
    """

    confirmed: int = -1
    silent_since: int = 0
    reason: str = ""
    failures: int = 0


Key = tuple[str, str]
Rows = tuple[Observation, ...]
"""Whom one port hears."""


class Tables:
    """The tables of all devices. Times are µs of one clock that only the caller knows."""

    def __init__(self, speakers: Mapping[str, Speaker]) -> None:
        """Start empty; ``speakers`` says more about devices than their names, where anybody does."""
        self._speakers: Final = dict(speakers)
        self._rows: Final[dict[Key, dict[str, Rows]]] = {}
        self._kinds: Final[dict[str, str]] = {}
        self._worked_on: Final[set[str]] = set()
        self._reports: Final[dict[Key, Report]] = {}
        self._standing: Final[dict[Key, Standing]] = {}

    def take(self, hearing: Hearing, now: int) -> Report | None:
        """Return the new report of a device if its table has changed; None where nothing is new or a source failed."""
        key = (hearing.source, hearing.device)
        standing = self._standing.get(key, Standing())
        if isinstance(hearing, Gone):
            for kept in (self._standing, self._rows, self._reports):
                kept.pop(key, None)
            return None
        if isinstance(hearing, Failed):
            since = standing.silent_since or now
            self._standing[key] = Standing(standing.confirmed, since, hearing.reason, standing.failures + 1)
            return None
        self._well(hearing.source)
        self._standing[key] = Standing(now, 0, "", standing.failures)
        if isinstance(hearing, Told):
            return self._told(key, replace(hearing.report, source=hearing.source, time=now))
        if isinstance(hearing, State):
            return self._state(key, hearing, now)
        before = self._rows.get(key)
        told = {port: tuple(map(observation, records)) for port, records in hearing.ports.items()}
        if isinstance(hearing, Whole):
            self._kinds[hearing.device] = hearing.kind
        elif before is not None and all(before.get(port, ()) == rows for port, rows in told.items()):
            return None
        table = _table({} if isinstance(hearing, Whole) else dict(before or {}), told)
        if table == before:
            return None
        self._rows[key] = table
        return self._report(key, now)

    def _well(self, source: str) -> None:
        """Forget that a source, or its whole kind, had failed as such: it tells of devices again."""
        for whole in {source, source.partition(":")[0]}:
            self._standing.pop((whole, whole), None)

    def reports(self) -> list[Report]:
        """Return all tables as reports, each as of when its source last said anything, in order of their names."""
        found = {key: self._report(key, self._standing[key].confirmed) for key in self._rows}
        found |= {key: replace(report, time=self._standing[key].confirmed) for key, report in self._reports.items()}
        return [found[key] for key in sorted(found)]

    def standing(self) -> Mapping[Key, Standing]:
        """Return how every source is doing for every device."""
        return self._standing

    def confirmed(self) -> Iterable[tuple[Key, int]]:
        """Return when each table was last confirmed by its source, µs."""
        return [(key, standing.confirmed) for key, standing in self._standing.items() if standing.confirmed >= 0]

    def _state(self, key: Key, hearing: State, now: int) -> Report | None:
        if hearing.maintenance == (hearing.device in self._worked_on):
            return None
        (self._worked_on.add if hearing.maintenance else self._worked_on.discard)(hearing.device)
        return self._report(key, now) if key in self._rows else None

    def _told(self, key: Key, report: Report) -> Report | None:
        before = self._reports.get(key)
        self._reports[key] = report
        return report if before is None or replace(before, time=report.time) != report else None

    def _report(self, key: Key, time: int) -> Report:
        source, device = key
        speaker = self._speakers.get(device, Speaker(device, self._kinds.get(device, SWITCH)))
        if device in self._worked_on:
            speaker = replace(speaker, maintenance=True)
        rows = self._rows[key]
        return Report(source, speaker, time, tuple(one for port in sorted(rows) for one in rows[port]))


def _table(table: dict[str, Rows], told: Mapping[str, Rows]) -> dict[str, Rows]:
    """Return a table with what was told; ports that hear nobody are not in it."""
    for port, rows in told.items():
        if rows and (port in table or len(table) < MOST_PORTS):
            table[port] = rows
        else:
            table.pop(port, None)
    return table


def observation(record: LldpRecord) -> Observation:
    """Return what an LLDP record says in the words of the fabric."""
    kind = SWITCH if {"bridge", "router"} & set(record.capabilities) else ""
    return Observation(
        port=record.port,
        name=record.system_name,
        chassis=record.chassis_id,
        remote_port=record.port_id,
        port_kind=record.port_id_kind,
        description=record.port_description,
        mac=record.port_id if record.port_id_kind == MAC else "",
        addresses=record.management,
        kind=kind or (SERVER if record.capabilities == ("station",) else ""),
    )
