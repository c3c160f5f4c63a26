"""How far a workload is: work done and saved, work lost when it stops, and when it will be done at the present rate.

Work is counted in pods times µs, so that a workload with half its pods takes twice as long and nothing is lost or
invented. A gang without its minimum does nothing. Stopping throws it back to its last checkpoint.
"""

from __future__ import annotations

from typing import Final

from railwise.model.workload import Group, Workload


def all_pods(group: Group) -> int:
    """Return the pods of a group with all groups below it."""
    return sum(all_pods(child) for child in group.groups) if group.groups else group.pods


class Progress:
    """The work of one workload of known or unknown (endless) duration. ``rate`` is the number of pods at work."""

    def __init__(self, workload: Workload) -> None:
        """Start with nothing done."""
        self.workload: Final = workload
        self.total: Final = workload.duration * all_pods(workload.root) if workload.duration else 0
        self.done = 0
        self.lost = 0
        self.rate = 0
        self.pods = all_pods(workload.root)
        self._since = 0
        self._busy_from = 0
        self._ran = False

    def advance(self, now: int) -> None:
        """Count the work done until now."""
        start = max(self._since, self._busy_from)
        if now > start:
            self.done += self.rate * (now - start)
        self._since = now

    def run(self, pods: int, now: int, *, fresh: bool) -> None:
        """Go on with so many pods from now on; ``fresh``: it starts anew, and first restores what it had saved."""
        self.advance(now)
        if fresh and self._ran and self.workload.checkpoint is not None and self.done:
            self._busy_from = now + self.workload.checkpoint.restore
        self._ran = True
        self.rate = pods

    def ran_since(self, since: int, pods: int, now: int) -> None:
        """Take a workload that the document says is running since then."""
        self._ran = True
        self.done = pods * max(now - since, 0)
        self._since = now
        self.rate = pods

    def stop(self, now: int) -> None:
        """Stop; what was done since the last checkpoint is lost."""
        self.advance(now)
        self.rate = 0
        checkpoint = self.workload.checkpoint
        step = checkpoint.every * self.pods if checkpoint is not None else 0
        saved = self.done // step * step if step else 0
        self.lost += self.done - saved
        self.done = saved

    def end(self, now: int) -> int | None:
        """Return when the work is done if nothing changes, None where that is never."""
        if not self.total or not self.rate:
            return None
        left = max(self.total - self.done, 0)
        return max(now, self._busy_from) + -(-left // self.rate)
