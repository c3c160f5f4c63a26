"""When to decide again although nothing happens: waits by the policy that will be over at a known time.

A grace, a wait for a repair or for a reservation, the protected youth of who runs: all are known when they begin. Who
asks after every round would look through everything again and again, so he may ask for what is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from railwise.engine.gangs.record import Record
from railwise.engine.workloads import Workloads


class Wakes:
    """The times at which waits are over."""

    def __init__(self, workloads: Workloads) -> None:
        """Have told nothing yet."""
        self.workloads: Final = workloads
        tree = workloads.accounts.tree
        queues = tree.by_name.values() if tree.declared else ()
        self._youth: Final = any(queue.preempt_min_runtime or queue.reclaim_min_runtime for queue in queues)
        self._young: Final[dict[Record, None]] = {}
        self._epoch = -1
        self._read = 0

    def all(self) -> list[int]:
        """Return the times (µs) after now at which a wait is over."""
        workloads = self.workloads
        if not (workloads.waiting or workloads.dark):
            return []
        times = set(self._of_nodes())
        times.update(self._of_waiting(workloads.waiting.values()))
        if workloads.waiting and self._youth:
            times.update(self._of_young(workloads.records.values()))
        return sorted(time for time in times if time > workloads.now)

    def fresh(self) -> list[int]:
        """Return those times of ``all`` that were not among them when this was asked last; some may be told twice."""
        workloads = self.workloads
        waiting = workloads.waiting
        if self._epoch != workloads.epoch:
            self._epoch, stirred = workloads.epoch, dict.fromkeys(workloads.records.values())
        else:
            stirred = dict.fromkeys(workloads.journal[self._read :])
        self._read = len(workloads.journal)
        self._young.update(stirred if self._youth else {})
        times: set[int] = set()
        if waiting or workloads.dark:
            times.update(self._of_nodes())
            times.update(self._of_waiting(record for record in stirred if waiting.get(record.workload.name) is record))
        if waiting and self._young:
            records = workloads.records
            times.update(self._of_young(one for one in self._young if records.get(one.workload.name) is one))
            self._young.clear()
        return sorted(time for time in times if time > workloads.now)

    def _of_nodes(self) -> Iterator[int]:
        grace = self.workloads.state.policy.node_grace
        return (since + grace for since in self.workloads.dark.values())

    def _of_waiting(self, records: Iterable[Record]) -> Iterator[int]:
        policy = self.workloads.state.policy
        for record in records:
            if record.broken is not None:
                yield record.broken + policy.repair_wait
            if not record.pods:
                yield record.workload.submit + policy.reserve_after

    def _of_young(self, records: Iterable[Record]) -> Iterator[int]:
        tree = self.workloads.accounts.tree
        for record in records:
            for queue in tree.chain(record.workload.queue) if record.pods else ():
                for least in (queue.preempt_min_runtime, queue.reclaim_min_runtime):
                    if least:
                        yield record.began + least
