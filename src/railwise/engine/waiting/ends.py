"""When what runs is known to end, in the order of the ends and node by node; follows the changes of workloads.

Thousands run while one of them ends: whoever wants to know about ends may not look at all of them again.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Final, NamedTuple

from railwise.engine.gangs.record import Record
from railwise.engine.waiting.promise import run_time
from railwise.engine.workloads import Workloads

NO_END: Final = -1


class Ending(NamedTuple):
    """What frees on one node when a workload ends at ``end`` µs: whole cards, and pods that share cards."""

    end: int
    order: int
    name: str
    record: Record
    whole: int
    sharing: int


def expected_end(record: Record, now: int, grace: int) -> int | None:
    """Return when a running workload ends, µs; None where that is not known.

    Who outlives its duration counts as about to end for ``grace`` µs, and as endless from then on.
    """
    duration = run_time(record.demand)
    if not duration or not record.pods:
        return None
    end = record.began + duration
    if end >= now:
        return end
    return now if now - end <= grace else None


class Ends:
    """The known ends as they were when ``follow`` was last called.

    ``all`` holds (end, order, name, workload), ascending; ``on[node]`` the endings there, ascending likewise.
    """

    def __init__(self, workloads: Workloads) -> None:
        """Know nothing yet."""
        self.workloads: Final = workloads
        self.all: Final[list[tuple[int, int, str, Record]]] = []
        self.on: Final[dict[int, list[Ending]]] = {}
        self._known: Final[dict[Record, tuple[int, tuple[int, ...]]]] = {}
        self._read = 0
        self._nodes_read = 0
        self._epoch = -1

    def follow(self) -> set[int] | None:
        """Catch up, and return the nodes on which anything changed; None where everything was read anew."""
        workloads = self.workloads
        if self._epoch != workloads.epoch:
            self._epoch = workloads.epoch
            self._read, self._nodes_read = len(workloads.journal), len(workloads.altered_nodes)
            self.all.clear()
            self.on.clear()
            self._known.clear()
            for record in workloads.records.values():
                self._enter(record)
            return None
        nodes = set(workloads.altered_nodes[self._nodes_read :])
        records = dict.fromkeys(workloads.journal[self._read :])
        self._read, self._nodes_read = len(workloads.journal), len(workloads.altered_nodes)
        for record in records:
            nodes.update(self._leave(record))
            nodes.update(self._enter(record))
        return nodes

    def nodes_of(self, record: Record) -> tuple[int, ...]:
        """Return the nodes on which a workload ran when its changes were last followed."""
        return self._known.get(record, (NO_END, ()))[1]

    def until(self, now: int) -> Iterator[tuple[int, Record]]:
        """Yield (end, workload) of those who should have ended by a time."""
        for end, _, _, record in self.all:
            if end > now:
                return
            yield end, record

    def _leave(self, record: Record) -> tuple[int, ...]:
        end, nodes = self._known.pop(record, (NO_END, ()))
        if end != NO_END:
            key = (end, record.workload.order, record.workload.name)
            place = bisect_left(self.all, key, key=lambda entry: entry[:3])
            del self.all[place]
            for node in nodes:
                here = self.on[node]
                here[:] = [ending for ending in here if ending.record is not record]
                if not here:
                    del self.on[node]
        return nodes

    def _enter(self, record: Record) -> tuple[int, ...]:
        if not record.pods:
            return ()
        counts: dict[int, list[int]] = {}
        for node, grant in record.pods.values():
            here = counts.setdefault(node, [0, 0])
            if grant.whole:
                here[0] += grant.whole.bit_count()
            elif grant.shares:
                here[1] += 1
        duration = run_time(record.demand)
        end = record.began + duration if duration else NO_END
        if duration:
            order, name = record.workload.order, record.workload.name
            insort(self.all, (end, order, name, record), key=lambda entry: entry[:3])
            for node, (whole, sharing) in counts.items():
                ending = Ending(end, order, name, record, whole, sharing)
                insort(self.on.setdefault(node, []), ending, key=lambda one: one[:3])
        self._known[record] = (end, tuple(counts))
        return self._known[record][1]
