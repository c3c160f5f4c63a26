"""How long the steps of each workload took over its life, against the best that an empty cluster could give."""

from __future__ import annotations

from typing import NamedTuple


class StepSummary(NamedTuple):
    """Nanoseconds of a step: at the best place, on average over the time at work, and in the worst stretch of it."""

    best: int
    mean: int
    worst: int


class StepRecord:
    """The steps of one workload. ``lasts`` is the ns of a step at present, 0 while it does not work."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.best = 0
        self.lasts = 0
        self.worst = 0
        self._since = 0
        self._time = 0
        self._steps = 0

    def go_on(self, lasts: int, best: int, now: int) -> None:
        """Take steps of ``lasts`` ns from ``now`` µs on; ``best`` is the ns of one at the best place."""
        self._count(now)
        self.lasts, self.best = lasts, best
        self.worst = max(self.worst, lasts)

    def stop(self, now: int) -> None:
        """Take no steps from now on."""
        self._count(now)
        self.lasts = 0

    def summary(self, now: int) -> StepSummary | None:
        """Return what there is to tell up to a time in µs; None where no step was ever taken."""
        lasting = now - self._since if self.lasts else 0
        time, steps = self._time + lasting, self._steps + lasting * self.lasts
        if not self.worst:
            return None
        return StepSummary(self.best, steps // time if time else self.worst, self.worst)

    def _count(self, now: int) -> None:
        if self.lasts:
            self._time += now - self._since
            self._steps += self.lasts * (now - self._since)
        self._since = now
