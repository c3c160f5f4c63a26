"""``quota``: admission by quota alone, as Kueue does without topology-aware scheduling; kube-scheduler places the pods.

A leaf queue is a ClusterQueue that serves its workloads by priority and time and moves aside what cannot be admitted
(BestEffortFIFO). Queues above are cohorts, and the queues at the top share one. In each pass the head of every queue is
looked at: first those that need not borrow, then by priority, then by time. A workload is admitted when its whole
request is within its queue's quota, or can be borrowed from the cohort within its limit and what others lend. Quotas
are nominal: nodes are not looked at. So a gang may be admitted that fits nowhere; it holds its quota while its pods
wait, and others wait for that quota. Preemption is off, as it is by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import Amounts, add, of_ranks
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.policies.line import by_priority, in_line
from railwise.engine.queues.guard import Gate, Search
from railwise.engine.queues.queue_tree import TOP, QueueTree
from railwise.engine.search.placement import Found, Refused
from railwise.engine.workloads import Workloads
from railwise.model.plan import Reservation
from railwise.model.reason import Code
from railwise.model.scenario import Scenario


class QuotaOnly:
    """Books of nominal quotas. ``admitted`` are the workloads that hold quota while their pods wait, with how much."""

    def __init__(self, workloads: Workloads, scenario: Scenario) -> None:
        """Open the books of the declared queues."""
        self.workloads: Final = workloads
        self.scenario: Final = scenario
        self.tree = QueueTree(scenario.queues)
        self.nominal: Final[Amounts] = {}
        for name in self.tree.children[TOP]:
            add(self.nominal, self.tree.quota[name])
        self.admitted: Final[dict[str, Amounts]] = {}

    def turns(self, waiting: Iterable[Record]) -> Iterator[Record]:
        """Hand out repairs and what is admitted already, then pass after pass the head of every queue."""
        self._count()
        queues: dict[str, list[Record]] = {}
        for record in in_line(waiting, by_priority):
            if record.started or record.workload.name in self.admitted:
                yield record
            else:
                queues.setdefault(record.workload.queue, []).append(record)
        while queues:
            heads = [line.pop(0) for line in queues.values()]
            for record in sorted(heads, key=self._place):
                yield record
            for name in [name for name, line in queues.items() if not line]:
                del queues[name]

    def listed(self) -> tuple[Reservation, ...]:
        """Return nothing: quota is kept, not room."""
        return ()

    def around(self, record: Record, search: Search) -> Gate | None:
        """Return a search that looks at quota first; None for what has been admitted."""
        if not self.tree.declared or record.started or record.workload.queue not in self.tree.sound:
            return None
        return Admission(self, record, search)

    def request(self, record: Record) -> Amounts:
        """Return what a workload asks for with all of its pods."""
        demand = record.demand
        return of_ranks(demand, {leaf.index: list(range(leaf.group.pods)) for leaf in demand.leaves}, self._state())

    def refuses(self, queue: str, amounts: Amounts) -> tuple[Code, str] | None:
        """Return why a request cannot be admitted now, None where it can."""
        text = self.tree.over_limit(queue, amounts)
        if text:
            return Code.OVER_LIMIT, text
        text = self.tree.not_lent(queue, amounts, self.nominal)
        return (Code.WAITING_FOR_QUOTA, text) if text else None

    def admit(self, record: Record, amounts: Amounts) -> None:
        """Count a request as used."""
        self.admitted[record.workload.name] = amounts
        self.tree.charge(record.workload.queue, amounts, 1, firm=False)

    def _count(self) -> None:
        """Count anew what runs, and what is admitted and still waits with no pod running."""
        self.tree = QueueTree(self.scenario.queues)
        records = self.workloads.records
        for name in list(self.admitted):
            if name not in records or records[name].pods:
                del self.admitted[name]
        for name, record in records.items():
            self.tree.charge(record.workload.queue, self.admitted.get(name, record.charged), 1, firm=False)

    def _place(self, record: Record) -> tuple[bool, tuple[int, ...], str]:
        workload = record.workload
        within = workload.queue not in self.tree.sound or self.tree.within_quota(workload.queue, self.request(record))
        return not within, by_priority(record), workload.name

    def _state(self) -> ClusterState:
        return self.workloads.state


class Admission:
    """One workload's view of the search: behind the quota of its queue."""

    def __init__(self, books: QuotaOnly, record: Record, search: Search) -> None:
        """Start with nothing refused."""
        self.books: Final = books
        self.record: Final = record
        self.search: Final = search
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Admit the workload, unless it is; then let the scheduler find nodes for its pods."""
        if self.record.workload.name not in self.books.admitted:
            amounts = self.books.request(self.record)
            self.refusal = self.books.refuses(self.record.workload.queue, amounts)
            if self.refusal is not None:
                return Refused(proven=True)
            self.books.admit(self.record, amounts)
        return self.search.place(demand, ranks, chosen)
