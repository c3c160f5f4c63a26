"""What a benchmark hands back, and how a number of one machine is compared with a bar set on another.

A bare number of seconds says more about the machine than about the code. So a result states what kind of quantity it
is, and only then can it be set against the calibration loop: a rate grows with a quicker machine, a duration shrinks,
and a share or a ratio to a peer does neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Quantity(StrEnum):
    """How a value depends on the speed of the machine."""

    RATE = "rate"
    """Work per second: proportional to the speed."""

    DURATION = "duration"
    """Seconds for a piece of work: inversely proportional."""

    PLAIN = "plain"
    """A share, a count, a size, a ratio to a peer measured in the same benchmark: independent."""


@dataclass(frozen=True, slots=True)
class Bars:
    """What the value must reach on a machine as quick as the reference, per build; ``None`` where nothing is asked."""

    pure: float | None = None
    compiled: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One measured value: in ``unit``, for a duration always seconds (``s``).

    ``speed`` is the calibration's rounds per second where the benchmark itself measured them beside its work.
    """

    value: float
    unit: str
    quantity: Quantity = Quantity.RATE
    higher_is_better: bool = True
    bars: Bars = Bars()
    speed: float | None = None

    def ratio(self, speed: float) -> float:
        """Return the value per unit of calibration.

        ``speed`` is the calibration's rounds per second. A rate becomes pieces of work per thousand rounds, a duration
        becomes thousands of rounds that pass meanwhile, a plain value stays what it is.
        """
        match self.quantity:
            case Quantity.RATE:
                return self.value / speed * 1000
            case Quantity.DURATION:
                return self.value * speed / 1000
            case Quantity.PLAIN:
                return self.value

    def bar(self, build: str) -> float | None:
        """Return the bar for a build (``pure`` or ``compiled``), as for the reference machine."""
        return self.bars.compiled if build == "compiled" else self.bars.pure

    def reaches(self, build: str, speed: float, reference: float) -> bool | None:
        """Tell whether the value, scaled to the reference machine's speed, reaches its bar; ``None`` without a bar."""
        bar = self.bar(build)
        if bar is None:
            return None
        factor = {Quantity.RATE: reference / speed, Quantity.DURATION: speed / reference, Quantity.PLAIN: 1.0}
        scaled = self.value * factor[self.quantity]
        return scaled >= bar if self.higher_is_better else scaled <= bar


Registry = Mapping[str, Callable[[], Result]]
"""What each ``benchmarks/bench_*.py`` exposes as ``BENCHMARKS``: name, and the function that measures."""
