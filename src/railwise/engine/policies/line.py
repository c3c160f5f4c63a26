"""One line for the whole cluster in which nobody overtakes: while the first one waits, all behind it wait.

``fifo`` orders it by time alone, ``priority`` by priority and then by time. Running workloads that lost pods come
before everyone and block nobody. Nor does a workload that is refused at the door (suspended, not readable, stopped
queue) or that fits no empty cluster: a line that blocks on those stands still until somebody deletes the job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.guard import Gate, Search
from railwise.engine.search.placement import Found, Refused
from railwise.engine.workloads import Workloads
from railwise.model.plan import Reservation
from railwise.model.reason import Code
from railwise.model.scenario import Scenario

Order = Callable[[Record], tuple[int, ...]]
"""The place of a workload in the line, as a key that grows."""


def by_time(record: Record) -> tuple[int, ...]:
    """Return the key of first come, first served."""
    return record.workload.submit, record.workload.order


def by_priority(record: Record) -> tuple[int, ...]:
    """Return the key of highest priority first, then first come, first served."""
    return -record.workload.priority, record.workload.submit, record.workload.order


class Line:
    """Hands out workloads in order; ``stuck`` is the first one that searched and did not get its minimum."""

    def __init__(self, workloads: Workloads, order: Order) -> None:
        """Start with an empty line."""
        self.workloads: Final = workloads
        self.order: Final = order
        self.stuck: Record | None = None
        self.behind: Final[dict[Record, int]] = {}
        self.searched: Record | None = None

    def turns(self, waiting: Iterable[Record]) -> Iterator[Record]:
        """Hand out repairs, then everybody in order."""
        self.stuck = None
        self.behind.clear()
        for record in in_line(waiting, self.order):
            if self.stuck is not None:
                self.behind[record] = len(self.behind) + 1
            yield record
            waits = not record.started and self.searched is record and record.short()
            if self.stuck is None and waits and not self.workloads.accounts.verdict.never_fits(record.demand):
                self.stuck = record

    def listed(self) -> tuple[Reservation, ...]:
        """Return nothing: a line keeps no room, it lets it stand empty."""
        return ()

    def around(self, record: Record, search: Search) -> Gate:
        """Return a search that finds nothing for who stands behind one that is stuck."""
        return Behind(self, record, search)


def in_line(waiting: Iterable[Record], order: Order) -> list[Record]:
    """Return repairs first, then everybody in order; ties by name."""
    return sorted(waiting, key=lambda record: (not record.started, order(record), record.workload.name))


class Behind:
    """One workload's view of the search: from its place in the line."""

    def __init__(self, line: Line, record: Record, search: Search) -> None:
        """Start with nothing refused."""
        self.line: Final = line
        self.record: Final = record
        self.search: Final = search
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search; what is found behind a stuck workload is not taken."""
        self.line.searched = self.record
        found = self.search.place(demand, ranks, chosen)
        stuck = self.line.stuck
        position = self.line.behind.get(self.record)
        if stuck is None or position is None or not isinstance(found, Found):
            return found
        self.refusal = (
            Code.BEHIND_OTHERS,
            f"number {position} behind {stuck.workload.name}, which waits for room; nobody overtakes",
        )
        return Refused(proven=True)


def fifo(workloads: Workloads, scenario: Scenario) -> Line:
    """Return the line of first come, first served."""
    del scenario
    return Line(workloads, by_time)


def priority(workloads: Workloads, scenario: Scenario) -> Line:
    """Return the line by priority."""
    del scenario
    return Line(workloads, by_priority)
