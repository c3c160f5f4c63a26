"""Decisions per second on clusters of 1,000, 10,000 and 100,000 nodes; ``growth`` makes a table of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.growth import SIZES, measure
from benchmarks.result import Result


def decisions(name: str) -> Result:
    """Return decisions per second on one cluster."""
    size = measure(name)
    return Result(size.rate, "decisions/s", speed=size.speed)


BENCHMARKS: dict[str, Callable[[], Result]] = {f"growth-{name}": partial(decisions, name) for name in SIZES}
