"""Who is served first, which queues serve nobody, and how much a queue may hold.

Workloads go by priority, then time of submission, then place in the document; running ones that lost pods go before
new ones of the same or lower priority. A queue's limit and the limits above it are ceilings. Quota and fair shares
have their place here once they are decided by.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.charges import GPU, Amounts, add
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
        self.held: Final[dict[str, Amounts]] = {name: {} for name in self.sound}
        self.limited: Final = {name for name in self.sound if any(queue.limit for queue in self.chain(name))}

    def _reaches_root(self, name: str) -> bool:
        seen: set[str] = set()
        while name:
            if name in seen or name not in self.by_name:
                return False
            seen.add(name)
            name = self.by_name[name].parent
        return True

    def chain(self, name: str) -> list[Queue]:
        """Return a sound queue and the queues above it, from below."""
        found: list[Queue] = []
        while name in self.by_name and name in self.sound:
            found.append(self.by_name[name])
            name = self.by_name[name].parent
        return found

    def refuses(self, name: str) -> tuple[Code | None, str]:
        """Return why a queue serves nobody (code, text), or (None, "") where it does."""
        if name not in self.by_name:
            if name == DEFAULT_QUEUE:
                return None, ""
            known = ", ".join(sorted(self.by_name)) or DEFAULT_QUEUE
            return Code.UNKNOWN_QUEUE, f"there is no queue '{name}' (known: {known})"
        if name not in self.sound:
            return Code.UNKNOWN_QUEUE, f"queue '{name}' stands in no tree: its parents are unknown or form a circle"
        if name in self.parents:
            below = ", ".join(sorted(queue.name for queue in self.by_name.values() if queue.parent == name))
            return Code.UNKNOWN_QUEUE, f"queue '{name}' has queues below it and takes no workloads itself (use {below})"
        for queue in self.chain(name):
            if queue.stopped:
                return Code.QUEUE_STOPPED, f"queue '{queue.name}' is stopped"
        return None, ""

    def charge(self, name: str, amounts: Amounts, times: int = 1) -> None:
        """Count amounts in a queue and all queues above it; ``times`` -1 takes them back."""
        if name in self.limited:
            for queue in self.chain(name):
                add(self.held[queue.name], amounts, times)

    def over_limit(self, name: str, amounts: Amounts) -> str:
        """Return which limit the amounts would break, empty where none."""
        if name not in self.limited:
            return ""
        for queue in self.chain(name):
            held = self.held[queue.name]
            for resource, limit in sorted(queue.limit.items()):
                asked = amounts.get(resource, 0)
                if asked and held.get(resource, 0) + asked > limit:
                    return (
                        f"queue '{queue.name}' may hold {_shown(resource, limit)} {resource} and holds "
                        f"{_shown(resource, held.get(resource, 0))}; {_shown(resource, asked)} more are asked for"
                    )
        return ""


def _shown(resource: str, amount: int) -> str:
    """Return an amount for people: cards from thousandths, the rest as it is."""
    if resource != GPU:
        return str(amount)
    whole, part = divmod(amount, 1000)
    return f"{whole}.{part:03d}".rstrip("0").rstrip(".") if part else str(whole)


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
