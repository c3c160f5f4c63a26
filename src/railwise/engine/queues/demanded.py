"""What is asked for in each queue, as sums that follow the workloads: a round may not look at all of them again."""

from __future__ import annotations

from typing import Final

from railwise.engine.gangs.charges import Amounts, add
from railwise.engine.gangs.record import Record


class Demanded:
    """``by_queue`` holds what the workloads of a queue ask for, running ones included; no entry where it has none."""

    def __init__(self) -> None:
        """Start with nobody."""
        self.by_queue: Final[dict[str, Amounts]] = {}
        self._counted: Final[dict[Record, tuple[str, Amounts]]] = {}
        self._members: Final[dict[str, int]] = {}

    def count(self, record: Record, queue: str, amounts: Amounts) -> None:
        """Count what a workload asks for now, in place of what it asked for before."""
        self.forget(record)
        self._counted[record] = queue, amounts
        self._members[queue] = self._members.get(queue, 0) + 1
        add(self.by_queue.setdefault(queue, {}), amounts)

    def forget(self, record: Record) -> None:
        """Count a workload no longer."""
        known = self._counted.pop(record, None)
        if known is None:
            return
        queue, amounts = known
        left = self._members[queue] - 1
        if left:
            self._members[queue] = left
            add(self.by_queue[queue], amounts, -1)
        else:
            del self._members[queue]
            del self.by_queue[queue]
