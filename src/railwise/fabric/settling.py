"""Tables that flicker: when is a change believed?

SONiC deletes an entry and writes it again, a switch that restarts its agents loses two hundred neighbours for a minute,
a cable that is moved is gone before it is back. A label that followed each of these would move work for nothing. So a
changed port must stay changed for a while (``hold``), and a device that loses most of its neighbours at once must stay
without them for longer (``quarantine``), because a table breaks far more often than a whole switch is unplugged.

State in, state out: times are passed in, nothing waits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from railwise.fabric.observations import MOST_NEIGHBOURS, MOST_PORTS, Observation, Report

SECOND: Final = 1_000_000

Rows = tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a change must last to be believed, and how long a report counts as fresh; all in µs.

    ``most_lost`` and ``few`` say what a suspicious loss is: at least ``few`` neighbours, and that part (in hundredths)
    of all that the device had.
    """

    hold: int = 2 * SECOND
    quarantine: int = 60 * SECOND
    stale: int = 90 * SECOND
    most_lost: int = 50
    few: int = 4


@dataclass(slots=True)
class Table:
    """What one source says of one device: what is believed by port, and what is waiting for belief, since when."""

    report: Report
    confirmed: int = 0
    """When the source last said that it still stands, µs: at the report or later."""

    rows: dict[str, Rows] = field(default_factory=dict)
    since: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, tuple[Rows, int]] = field(default_factory=dict)
    suspect: int | None = None
    """Since when the device seems to have lost most of its neighbours."""

    excess: int = 0
    """Neighbours and ports that were left out because no device has so many."""


def first(report: Report) -> Table:
    """Return the table of a source's first report on a device: there is nothing before it to hold on to."""
    rows, excess = _by_port(report)
    return Table(report, report.time, rows, dict.fromkeys(rows, report.time), excess=excess)


def hear(table: Table, report: Report, patience: Patience) -> None:
    """Note a further report; what differs begins to wait, what is as believed no longer waits."""
    rows, table.excess = _by_port(report)
    table.report, table.confirmed = report, report.time
    for port in {*table.rows, *rows, *table.waiting}:
        told = rows.get(port, ())
        if told == table.rows.get(port, ()):
            table.waiting.pop(port, None)
        elif port not in table.waiting or table.waiting[port][0] != told:
            table.waiting[port] = (told, report.time)
    lost = sum(not told for told, _ in table.waiting.values())
    if lost >= patience.few and PERCENT * lost >= patience.most_lost * len(table.rows):
        if table.suspect is None:
            table.suspect = report.time
    else:
        table.suspect = None


PERCENT: Final = 100


def settle(table: Table, now: int, patience: Patience) -> list[str]:
    """Believe what has waited long enough and return its ports, in order of names."""
    due = []
    for port, (told, since) in table.waiting.items():
        suspicious = not told and table.suspect is not None
        if now - since >= (patience.quarantine if suspicious else patience.hold):
            due.append(port)
    for port in due:
        told, since = table.waiting.pop(port)
        if told:
            table.rows[port] = told
            table.since[port] = since
        else:
            table.rows.pop(port, None)
            table.since.pop(port, None)
    if not any(not told for told, _ in table.waiting.values()):
        table.suspect = None
    return sorted(due)


def next_due(table: Table, patience: Patience) -> int | None:
    """Return when the next waiting change will be believed; None if none waits."""
    times = []
    for told, since in table.waiting.values():
        suspicious = not told and table.suspect is not None
        times.append(since + (patience.quarantine if suspicious else patience.hold))
    return min(times, default=None)


def stale(table: Table, now: int, patience: Patience) -> bool:
    """Return whether the source has not confirmed the device for too long."""
    return now - table.confirmed > patience.stale


def _by_port(report: Report) -> tuple[dict[str, Rows], int]:
    """Return the observations by port, within bounds and in an order of their own, and how many were left out."""
    lists: dict[str, list[Observation]] = {}
    excess = 0
    for row in report.observations:
        mine = lists.get(row.port)
        if mine is None:
            if len(lists) >= MOST_PORTS:
                excess += 1
                continue
            lists[row.port] = [row]
        else:
            mine.append(row)
    rows: dict[str, Rows] = {}
    for port, mine in lists.items():
        if len(mine) == 1:
            rows[port] = (mine[0],)
            continue
        distinct = sorted(set(mine))
        rows[port] = tuple(distinct[:MOST_NEIGHBOURS])
        excess += len(distinct) - len(rows[port])
    return rows, excess
