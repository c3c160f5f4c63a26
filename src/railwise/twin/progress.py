"""How far a workload is: work done and saved, work lost when it stops, and when it will be done at the present rate.

Work is counted in pods times µs of an undisturbed run, so that a workload with half its pods takes twice as long, one
that is slowed to a third of its pace three times as long, and nothing is lost or invented. It is kept in whole parts of
such a unit, made finer whenever a pace needs it. A gang without its minimum does nothing. Stopping throws it back to
its last checkpoint.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Final

from railwise.model.workload import Group, Workload
from railwise.twin.pace import FULL, Rate


def all_pods(group: Group) -> int:
    """Return the pods of a group with all groups below it."""
    return sum(all_pods(child) for child in group.groups) if group.groups else group.pods


class Progress:
    """The work of one workload of known or unknown (endless) duration. ``rate`` is the number of pods at work."""

    def __init__(self, workload: Workload) -> None:
        """Start with nothing done."""
        self.workload: Final = workload
        self.pods: Final = all_pods(workload.root)
        self.endless: Final = not workload.duration or not self.pods
        self.rate = 0
        self._parts = 1
        self._total = workload.duration * self.pods
        self._done = 0
        self._lost = 0
        self._brought = 0
        self._speed = 0
        self._way: Rate = FULL
        self._pace: Rate = FULL
        self._since = 0
        self._busy_from = 0
        self._ran = False

    @property
    def total(self) -> Fraction:
        """All work there is, in pods times µs; 0 where that is not known."""
        return Fraction(self._total, self._parts)

    @property
    def done(self) -> Fraction:
        """Work that counts so far, in pods times µs."""
        return Fraction(self._done, self._parts)

    @property
    def lost(self) -> Fraction:
        """Work that was done and has to be done again, in pods times µs."""
        return Fraction(self._lost, self._parts)

    @property
    def brought(self) -> Fraction:
        """Work that was done before the run began, in pods times µs."""
        return Fraction(self._brought, self._parts)

    def advance(self, now: int) -> None:
        """Count the work done until now."""
        start = max(self._since, self._busy_from)
        if now > start:
            self._done += self._speed * (now - start)
        self._since = now

    def run(self, pods: int, now: int, *, fresh: bool, way: Rate = FULL) -> None:
        """Go on with so many pods from now on; ``fresh``: it starts anew, and first restores what it had saved.

        ``way`` is the work that one of these pods does in its time compared with one of the workload's own.
        """
        self.advance(now)
        if fresh and self._ran and self.workload.checkpoint is not None and self._done:
            self._busy_from = now + self.workload.checkpoint.restore
        self._ran = True
        self.rate = pods
        self._way = way
        self._renew()

    def at_pace(self, pace: Rate, now: int) -> None:
        """Go on at another pace from now on."""
        self.advance(now)
        self._pace = pace
        self._renew()

    def ran_since(self, since: int, pods: int, now: int) -> None:
        """Take a workload that the document says is running since then."""
        self._ran = True
        self._done = self._brought = pods * max(now - since, 0) * self._parts
        self._since = now
        self.rate = pods
        self._renew()

    def stop(self, now: int) -> None:
        """Stop; what was done since the last checkpoint is lost."""
        self.advance(now)
        self.rate = self._speed = 0
        checkpoint = self.workload.checkpoint
        step = checkpoint.every * self.pods * self._parts if checkpoint is not None else 0
        saved = self._done // step * step if step else 0
        self._lost += self._done - saved
        self._done = saved

    def end(self, now: int) -> int | None:
        """Return when the work is done if nothing changes, None where that is never."""
        if self.endless or not self._speed:
            return None
        left = max(self._total - self._done, 0)
        return max(now, self._busy_from) + -(-left // self._speed)

    def _renew(self) -> None:
        """Find the work done in a µs, in parts that make it a whole number."""
        above, below = self.rate * self._way[0] * self._pace[0], self._way[1] * self._pace[1]
        if above % below:
            finer = below // gcd(below, above * self._parts)
            self._parts *= finer
            self._total *= finer
            self._done *= finer
            self._brought *= finer
            self._lost *= finer
        self._speed = above * self._parts // below
