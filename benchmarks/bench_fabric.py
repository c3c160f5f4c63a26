"""Leaf groups of 100,000 NICs from nothing: from what 3,132 switches report to the map with every label."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from benchmarks.calibration import speed
from benchmarks.result import Bars, Quantity, Result
from railwise.fabric.designs import DESIGNS
from railwise.fabric.mapper import Mapper, build
from railwise.fabric.observations import Inventory, Report
from railwise.fabric.telling import SWITCHES, tell
from railwise.fabric.wires import Wires

UNITS = 391
"""Units of 32 servers with 8 NICs: 100,096 NICs."""

CHANGED_UNITS = 125
"""As many units make 1,000 leaves, each with 32 servers and 32 uplinks."""

BAR = 5.0
CHANGE_BAR = 0.05
SECOND = 1_000_000
TURNS = 3


def _reports(units: int, spines: int) -> tuple[list[Report], Inventory]:
    design = DESIGNS["rail-optimised"]
    fabric = design.draw(replace(design.usual, units=units, servers=32, rails=8, spines=spines))
    return list(tell(Wires(fabric), 0, (SWITCHES,))), Inventory(tuple(server.name for server in fabric.servers))


def group() -> Result:
    """Return the seconds of CPU from reports to the map, the best of some turns."""
    reports, nodes = _reports(UNITS, 4)
    turns: list[tuple[float, float]] = []
    for _ in range(TURNS):
        before = speed()
        start = time.process_time()
        found = build(reports, inventory=nodes)
        taken = time.process_time() - start
        rate = (before + speed()) / 2
        turns.append((taken, rate))
        assert len(found.places) == UNITS * 32
        assert not found.findings
        del found
    return _best(turns, BAR)


def change() -> Result:
    """Return the seconds of CPU for one moved cable among 1,000 leaves of 64 ports."""
    reports, nodes = _reports(CHANGED_UNITS, 32)
    mapper = Mapper(inventory=nodes)
    for report in reports:
        mapper.hear(report)
    mapper.map(0)
    turns: list[tuple[float, float]] = []
    now = 0
    for turn in range(TURNS):
        before = speed()
        one = reports[turn]
        moved = replace(one, time=now + SECOND, observations=one.observations[1:])
        start = time.process_time()
        mapper.hear(moved)
        now += 10 * SECOND
        found = mapper.map(now)
        taken = time.process_time() - start
        rate = (before + speed()) / 2
        turns.append((taken, rate))
        assert sum(map(len, found.dead_rails.values())) == turn + 1
    return _best(turns, CHANGE_BAR)


def _best(turns: list[tuple[float, float]], bar: float) -> Result:
    """Return the turn that was the quickest for the speed of the machine during it."""
    taken, rate = min(turns, key=lambda turn: turn[0] * turn[1])
    return Result(taken, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(bar, bar), speed=rate)


BENCHMARKS: dict[str, Callable[[], Result]] = {"group-100k": group, "group-change": change}
