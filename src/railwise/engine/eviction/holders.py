"""Which running workloads stand on which node: the index from which large clusters are searched for victims.

It is built when room has to be made for the first time, and then follows the workloads whose pods change. Per node it
adds up the pods of like workloads (same queue, priority and manner), so that thousands of nodes are judged without a
look at each of their pods.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.eviction.loss import cards_of
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.workloads import Workloads


class Manner(NamedTuple):
    """What workloads have in common that decides whether they may go, and how their loss is counted.

    ``plain``: nothing is saved before the end, so that loss grows with time alone.
    """

    queue: str
    priority: int
    preemptible: bool
    plain: bool


Entry = tuple[int, int, int, int]
"""One pod as it was counted: node, shape, thousandths of cards, start."""


class Heap:
    """The pods of like workloads on one node: how many per shape, their cards, and the sum of cards times start."""

    def __init__(self) -> None:
        """Start empty."""
        self.shapes: Final[dict[int, int]] = {}
        self.cards = 0
        self.moment = 0

    def shift(self, shape: int, cards: int, since: int, sign: int) -> None:
        """Count one pod in (+1) or out (-1)."""
        left = self.shapes.get(shape, 0) + sign
        if left:
            self.shapes[shape] = left
        else:
            self.shapes.pop(shape, None)
        self.cards += sign * cards
        self.moment += sign * cards * since


class Holders:
    """The pods on every node: by workload, and in heaps by manner; ``elastic`` are those that may shrink."""

    def __init__(self, workloads: Workloads) -> None:
        """Note that changes are wanted from now on; everything is read at the first ``refresh``."""
        self.workloads: Final = workloads
        count = len(workloads.state.nodes)
        self.on: Final[list[dict[Record, list[PodKey]]]] = [{} for _ in range(count)]
        self.heaps: Final[list[dict[Manner, Heap]]] = [{} for _ in range(count)]
        self.manners: Final[dict[Manner, int]] = {}
        self.elastic: Final[dict[Record, None]] = {}
        self._later: Final[dict[Record, None]] = {}
        self._entered: Final[dict[Record, tuple[Manner, list[Entry]]]] = {}
        workloads.touched = dict.fromkeys(workloads.records.values())

    def refresh(self) -> None:
        """Take in what changed since the last time; what has not started yet is no victim and is read later."""
        later = self._later
        if self.workloads.touched:
            for record in self.workloads.touched:
                later.pop(record, None)
                self._leave(record)
                if record.pods and record.started:
                    self._enter(record)
                elif record.pods:
                    later[record] = None
            self.workloads.touched = {}
        for record in [record for record in later if record.started]:
            del later[record]
            self._enter(record)

    def _enter(self, record: Record) -> None:
        state, workload = self.workloads.state, record.workload
        plain = workload.checkpoint is None and not record.later
        manner = Manner(workload.queue, workload.priority, workload.preemptible, plain)
        leaves = record.demand.leaves
        entered: list[Entry] = []
        for key, (node, _) in record.pods.items():
            shape = leaves[key[0]].shape
            if shape is None:
                continue
            cards = cards_of(record, key, state)
            self.on[node].setdefault(record, []).append(key)
            heap = self.heaps[node].get(manner)
            if heap is None:
                heap = self.heaps[node][manner] = Heap()
            heap.shift(shape.index, cards, record.began, 1)
            entered.append((node, shape.index, cards, record.began))
        self._entered[record] = (manner, entered)
        if workload.kind != "training" and len(entered) > record.demand.least:
            self.elastic[record] = None
        self.manners[manner] = self.manners.get(manner, 0) + 1

    def _leave(self, record: Record) -> None:
        self.elastic.pop(record, None)
        known = self._entered.pop(record, None)
        if known is None:
            return
        manner, entered = known
        for node, shape, cards, began in entered:
            self.on[node].pop(record, None)
            heap = self.heaps[node][manner]
            heap.shift(shape, cards, began, -1)
            if not heap.shapes:
                del self.heaps[node][manner]
        left = self.manners[manner] - 1
        if left:
            self.manners[manner] = left
        else:
            del self.manners[manner]
