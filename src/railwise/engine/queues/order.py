"""Who is served next: repairs first, then down the tree of queues, then by priority and time inside a queue.

The next workload is the one at which the queues' keys point: top-down the child with the lowest (not within its
quota after admission, share after admission, minus priority, name). Since every admission changes what is held, the
choice is made again for each workload.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from railwise.engine.gangs.charges import Amounts
from railwise.engine.gangs.record import Record
from railwise.engine.queues.queue_shares import Shares
from railwise.engine.queues.queue_tree import TOP, QueueTree

Key = tuple[bool, bool, Fraction, int, str]


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return workloads of one queue in the order in which they are served."""
    return sorted(records, key=queue_order)


def queue_order(record: Record) -> tuple[int, bool, int, int, str]:
    """Return the place of a workload in its queue, as a key that grows."""
    workload = record.workload
    return -workload.priority, not record.started, workload.submit, workload.order, workload.name


class Turns:
    """The waiting workloads of one round, handed out one by one on what the queues hold at that moment."""

    def __init__(self, records: Iterable[Record], tree: QueueTree, shares: Shares) -> None:
        """Sort repairs and the workloads of each queue."""
        ordered = in_order(records)
        self.tree: Final = tree
        self.shares: Final = shares
        self.repairs: Final = [record for record in ordered if record.started]
        self.leaves: Final[dict[str, list[Record]]] = {}
        self.homeless: Final[list[Record]] = []
        for record in ordered:
            if record.started:
                continue
            queue = record.workload.queue
            if queue in tree.sound and queue not in tree.children:
                self.leaves.setdefault(queue, []).append(record)
            else:
                self.homeless.append(record)

    def __iter__(self) -> Iterator[Record]:
        """Hand out every workload once."""
        yield from self.homeless
        while True:
            queue = self._next_queue(TOP)
            new = self.leaves[queue][0] if queue else None
            if self.repairs and (new is None or self.repairs[0].workload.priority >= new.workload.priority):
                yield self.repairs.pop(0)
            elif new is not None:
                self.leaves[queue].pop(0)
                yield new
            else:
                return

    def _next_queue(self, parent: str) -> str:
        """Return the leaf queue whose turn it is below a parent, empty where none has a workload left."""
        best = ""
        best_key: Key | None = None
        for name in self.tree.children.get(parent, []):
            leaf = self._next_queue(name) if name in self.tree.children else name
            if not leaf or not self.leaves.get(leaf):
                continue
            key = self._key(name, self.leaves[leaf][0].ask)
            if best_key is None or key < best_key:
                best, best_key = leaf, key
        return best

    def _key(self, name: str, ask: Amounts) -> Key:
        endless, share = self.share_after(name, ask)
        queue = self.tree.by_name[name]
        return not self.tree.within_quota(name, ask), endless, share, -queue.priority, name

    def share_after(self, name: str, ask: Amounts) -> tuple[bool, Fraction]:
        """Return (endless, allocated divided by fair share) of the dominant resource with these amounts more."""
        worst = Fraction(0)
        for resource in self.tree.counted:
            held = self.tree.held[name].get(resource, 0) + ask.get(resource, 0)
            if not held or not self.tree.counts(name, resource):
                continue
            due = self.shares[name].get(resource, Fraction(0))
            if due == 0:
                return True, Fraction(0)
            worst = max(worst, held / due)
        return False, worst
