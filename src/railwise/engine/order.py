"""Who is served first, and which queues serve nobody.

Workloads go by priority, then time of submission, then place in the document; running ones that lost pods go before new
ones of the same or lower priority. Quota, limits and fair shares have their place here once queues are more than names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.record import Record
from railwise.model.queue import Queue
from railwise.model.reason import Code

DEFAULT_QUEUE: Final = "default"


class QueueTree:
    """The queues of a scenario; those in a cycle or below an unknown parent stand in no tree and serve nobody."""

    def __init__(self, queues: Iterable[Queue]) -> None:
        """Sort sound queues from the others."""
        self.by_name: Final = {queue.name: queue for queue in queues}
        self.sound: Final = {name for name in self.by_name if self._reaches_root(name)}
        self.parents: Final = {queue.parent for queue in self.by_name.values() if queue.parent}

    def _reaches_root(self, name: str) -> bool:
        seen: set[str] = set()
        while name:
            if name in seen or name not in self.by_name:
                return False
            seen.add(name)
            name = self.by_name[name].parent
        return True

    def refuses(self, name: str) -> tuple[Code | None, str]:
        """Return why a queue serves nobody (code, text), or (None, "") where it does."""
        if name not in self.by_name:
            if name == DEFAULT_QUEUE:
                return None, ""
            known = ", ".join(sorted(self.by_name)) or DEFAULT_QUEUE
            return Code.UNKNOWN_QUEUE, f"there is no queue '{name}' (known: {known})"
        if name not in self.sound:
            return Code.UNKNOWN_QUEUE, f"queue '{name}' stands in no tree: its parents are unknown or form a circle"
        while name:
            queue = self.by_name[name]
            if queue.stopped:
                return Code.QUEUE_STOPPED, f"queue '{name}' is stopped"
            name = queue.parent
        return None, ""


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return workloads in the order in which they are served."""
    return sorted(
        records,
        key=lambda record: (
            -record.workload.priority,
            not record.started,
            record.workload.submit,
            record.workload.order,
            record.workload.name,
        ),
    )
