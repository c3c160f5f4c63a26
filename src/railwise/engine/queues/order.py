"""Who is served next: repairs first, then down the tree of queues, then by priority and time inside a queue.

The next workload is the one at which the queues' keys point: top-down the child with the lowest (not within its
quota after admission, share after admission, minus priority, name). Since every admission changes what is held, the
queues it concerns are judged again after each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from heapq import heappop, heappush
from typing import Final, NamedTuple

from railwise.engine.gangs.charges import Amounts
from railwise.engine.gangs.record import Record
from railwise.engine.queues.queue_shares import Shares
from railwise.engine.queues.queue_tree import TOP, QueueTree

Key = tuple[bool, bool, int, Fraction, int, str]
"""(not within quota, endless share, share rounded down, share, minus priority, name): a smaller one is served first.

The share is rounded to 2^-64, so that shares are told apart by whole numbers unless they are all but equal.
"""

NOTHING: Final = Fraction(0)


class Offer(NamedTuple):
    """A queue's standing among its siblings, and the leaf at or below it from which it would be served."""

    key: Key
    leaf: str


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
        self._repairs: Final = [record for record in reversed(ordered) if record.started]
        self._leaves: Final[dict[str, list[Record]]] = {}
        self._homeless: Final[list[Record]] = []
        self._offers: Final[dict[str, list[Offer]]] = {}
        self._current: Final[dict[str, Offer]] = {}
        self._read = 0
        tree.journal.clear()
        for record in ordered:
            if record.started:
                continue
            queue = record.workload.queue
            if queue in tree.sound and queue not in tree.children:
                self._leaves.setdefault(queue, []).append(record)
            else:
                self._homeless.append(record)
        for waiting in self._leaves.values():
            waiting.reverse()

    def __iter__(self) -> Iterator[Record]:
        """Hand out every workload once."""
        yield from self._homeless
        for leaf in self._leaves:
            self._offer(leaf)
        while True:
            self._follow()
            queue = self._next_queue(TOP)
            new = self._leaves[queue][-1] if queue else None
            if self._repairs and (new is None or self._repairs[-1].workload.priority >= new.workload.priority):
                yield self._repairs.pop()
            elif new is not None:
                self._leaves[queue].pop()
                self._offer(queue)
                yield new
            else:
                return

    def _follow(self) -> None:
        """Judge the queues again whose books changed."""
        journal = self.tree.journal
        for name in dict.fromkeys(journal[self._read :]):
            if name in self.tree.sound:
                self._offer(name)
        self._read = len(journal)

    def _offer(self, name: str) -> None:
        """Judge a queue, and all queues above it, by what they would hold after the first workload they offer."""
        for queue in self.tree.chain(name):
            leaf = self._next_queue(queue.name) if queue.name in self.tree.children else queue.name
            waiting = self._leaves.get(leaf)
            if not waiting:
                self._current.pop(queue.name, None)
                continue
            offer = Offer(self._key(queue.name, waiting[-1].ask), leaf)
            self._current[queue.name] = offer
            heappush(self._offers.setdefault(queue.parent, []), offer)

    def _next_queue(self, parent: str) -> str:
        """Return the leaf queue whose turn it is below a parent, empty where none has a workload left."""
        offers = self._offers.get(parent)
        while offers:
            if self._current.get(offers[0].key[-1]) is offers[0]:
                return offers[0].leaf
            heappop(offers)
        return ""

    def _key(self, name: str, ask: Amounts) -> Key:
        endless, share = self.share_after(name, ask)
        queue = self.tree.by_name[name]
        rounded = (share.numerator << 64) // share.denominator
        return not self.tree.within_quota(name, ask), endless, rounded, share, -queue.priority, name

    def share_after(self, name: str, ask: Amounts) -> tuple[bool, Fraction]:
        """Return (endless, allocated divided by fair share) of the dominant resource with these amounts more."""
        worst = NOTHING
        held, due = self.tree.held[name], self.shares[name]
        for resource in self.tree.counted:
            amount = held.get(resource, 0) + ask.get(resource, 0)
            if not amount or not self.tree.counts(name, resource):
                continue
            own = due.get(resource)
            if not own:
                return True, NOTHING
            share = Fraction(amount * own.denominator, own.numerator)
            worst = share if worst is NOTHING else max(worst, share)
        return False, worst
