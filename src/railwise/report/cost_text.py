"""A predicted time as a table of its terms, each with the link, the steps or bytes, and the time it adds."""

from __future__ import annotations

from typing import Any

from railwise.report.table import DIM, STRONG, Cell, Column, Table, row, table
from railwise.report.wording import counted
from railwise.traffic.links import Cost
from railwise.traffic.placement_time import Step

_TIMES = (("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000))
_SIZES = (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
_ALMOST = 1999
"""Below 9.995 there are two decimals, below 99.95 one."""


def time_text(nanoseconds: int) -> str:
    """Return ``6.60 µs``, ``45.2 ms``, ``120 s``: three digits in the unit that fits."""
    for unit, size in _TIMES:
        if nanoseconds >= size:
            return f"{_three_digits(nanoseconds, size)} {unit}"
    return f"{nanoseconds} ns"


def size_text(size: int) -> str:
    """Return bytes as ``16 MiB``, ``1.75 GiB``."""
    for unit, whole in _SIZES:
        if size >= whole:
            return f"{_three_digits(size, whole)} {unit}" if size % whole else f"{size // whole} {unit}"
    return counted(size, "byte")


def rate_text(bits_per_second: int) -> str:
    """Return ``400 Gbit/s``."""
    return f"{_three_digits(bits_per_second, 10**9)} Gbit/s".replace(".00", "")


def _three_digits(value: int, unit: int) -> str:
    digits = 2 if 200 * value < _ALMOST * unit else 1 if 20 * value < _ALMOST * unit else 0
    scaled = (value * 10**digits * 2 + unit) // (2 * unit)
    whole, rest = divmod(scaled, 10**digits)
    return f"{whole}.{rest:0{digits}d}" if digits else str(whole)


def cost_table(cost: Cost) -> Table:
    """Return the terms of a cost; transfers that a longer one covers stand in brackets and are not added."""
    rows = [row("start", "", "launch of the collective", Cell(time_text(cost.launch)))]
    for one in cost.phases:
        if one.steps:
            each = time_text(one.latency // one.steps)
            rows.append(row(f"steps {one.name}", one.link, f"{one.steps} × {each}", Cell(time_text(one.latency))))
    longest = max(cost.phases, key=lambda one: one.transfer, default=None)
    for one in cost.phases:
        if one.carried:
            time = time_text(one.transfer)
            last = Cell(time) if one is longest else Cell(f"({time} meanwhile)", DIM)
            rows.append(row(f"bytes {one.name}", one.link, size_text(one.carried), last))
    rows.append(row("filling the pipe", "", "√(steps and start × bytes)", Cell(time_text(cost.ramp))))
    rows.append(row(Cell("together", STRONG), "", "", Cell(time_text(cost.once()), STRONG)))
    if cost.times > 1:
        what = f"{cost.times} × in a step"
        rows.append(row(Cell("in all", STRONG), "", what, Cell(time_text(cost.total()), STRONG)))
    return table(["TERM", "LINK", "WHAT", Column("TIME", right=True)], rows)


def step_lines(step: Step) -> list[tuple[str, Table]]:
    """Return a heading and the table of terms for everything that is said in a step."""
    return [(f"{one.name}: {time_text(one.total())} a step", cost_table(one)) for one in step.costs]


def cost_document(cost: Cost) -> dict[str, Any]:
    """Return a cost as plain data; times in ns, sizes in bytes."""
    return {
        "name": cost.name,
        "nanoseconds": cost.total(),
        "times": cost.times,
        "launch": cost.launch,
        "latency": cost.latency,
        "transfer": cost.transfer,
        "ramp": cost.ramp,
        "phases": [one._asdict() for one in cost.phases],
    }


def step_document(step: Step | None) -> dict[str, Any] | None:
    """Return a step as plain data; times in ns, sizes in bytes; None where there is none."""
    if step is None:
        return None
    return {
        "nanoseconds": step.total(),
        "compute": step.compute,
        "assumed": list(step.assumed),
        "costs": [cost_document(one) for one in step.costs],
    }
