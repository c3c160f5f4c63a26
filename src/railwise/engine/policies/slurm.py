"""``slurm``: jobs by priority and time; who cannot start is given a start, and only who delays no such start passes.

This is Slurm's backfill: going down the line, every job that cannot start now is planned for the earliest moment at
which enough nodes are idle, known from the time limits (``duration``) of what runs and of what is planned before it,
and gets these nodes from then on for its own time. A later job starts now if it finds nodes that nobody before it needs
until its end.
A job without a time limit is endless: what it runs on is never free, and it starts only on nodes that nobody planned.
Starts are planned for a day ahead and for the first hundred jobs that cannot start (``bf_window``,
``bf_max_job_test``); who stands behind them is not looked at.

Limits of queues hold, as limits of associations do (a job above them waits and is in nobody's way); quotas do not:
Slurm has none that others may use. Priorities are those of the workloads; the factors behind them (age, fair share) are
not computed. There is no preemption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from railwise.engine.gangs.charges import GPU
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.policies.line import by_priority, in_line
from railwise.engine.policies.whole_nodes import WholeNodes
from railwise.engine.queues.fairness import CARD
from railwise.engine.queues.guard import Gate, Search
from railwise.engine.search.placement import Found, Refused
from railwise.engine.search.sizing import find_minimum
from railwise.engine.workloads import Workloads
from railwise.model.plan import Reservation
from railwise.model.reason import Code
from railwise.model.scenario import Scenario

WINDOW: Final = 24 * 3600 * 1_000_000
"""How far ahead starts are planned, µs."""

MOST_TESTED: Final = 100
"""How many jobs that cannot start are planned in one round."""

ENDLESS: Final = 1 << 62


class Planned(NamedTuple):
    """Nodes that a job gets from ``start`` until ``end``, µs."""

    record: Record
    start: int
    end: int
    nodes: frozenset[int]


class Backfill:
    """The starts planned in the current round, in the order in which they were planned."""

    def __init__(self, workloads: Workloads, scenario: Scenario) -> None:
        """Plan nothing yet."""
        del scenario
        self.workloads: Final = workloads
        self.planned: Final[list[Planned]] = []
        self.refused = 0
        self.nodes: Final = WholeNodes(workloads.state)
        self.searched: Record | None = None

    def turns(self, waiting: Iterable[Record]) -> Iterator[Record]:
        """Hand out repairs, then everybody by priority and time; plan a start for who cannot start."""
        self.planned.clear()
        self.refused = 0
        verdict = self.workloads.accounts.verdict
        for record in in_line(waiting, by_priority):
            yield record
            if record.short() and self.searched is record and not verdict.never_fits(record.demand):
                self.refused += 1
                if self.refused <= MOST_TESTED:
                    self._plan(record)

    def listed(self) -> tuple[Reservation, ...]:
        """Return the planned starts with their nodes."""
        nodes = self.workloads.state.nodes
        return tuple(
            Reservation(one.record.workload.name, "", tuple(nodes[node].name for node in sorted(one.nodes)), one.start)
            for one in self.planned
        )

    def around(self, record: Record, search: Search) -> Gate:
        """Return a search that keeps off the nodes of planned starts."""
        return Between(self, record, search)

    def planned_nodes(self, start: int, end: int) -> set[int]:
        """Return the nodes that are somebody's at some time from ``start`` until ``end``."""
        return {node for one in self.planned if one.start < end and start < one.end for node in one.nodes}

    def end_of(self, record: Record, start: int) -> int:
        """Return when a job that starts then ends at the latest."""
        return start + record.workload.duration if record.workload.duration else ENDLESS

    def _plan(self, record: Record) -> None:
        """Find the earliest moment within the window at which the job could start, and give it its nodes."""
        now, search = self.workloads.now, self.nodes
        busy = self._ends(now)
        ends = {one.end for one in self.planned}.union(busy.values())
        enough = len(self.workloads.state.nodes) - self._fewest_nodes(record)
        for moment in sorted(end for end in ends if end <= now + WINDOW):
            search.closed = self.planned_nodes(moment, self.end_of(record, moment))
            search.closed.update(node for node, end in busy.items() if end > moment)
            if len(search.closed) > enough:
                continue
            search.opened = busy.keys() - search.closed
            found = find_minimum(record.demand, search.select)
            if isinstance(found, Found):
                nodes = frozenset(spot.node for spot in found.pods)
                self.planned.append(Planned(record, moment, self.end_of(record, moment), nodes))
                break

    def _fewest_nodes(self, record: Record) -> int:
        """Return how many nodes the minimum needs at least, by its cards alone."""
        most = max((spec.cards for spec in self.workloads.state.specs_in_use()), default=0)
        return -(-record.ask.get(GPU, 0) // (CARD * most)) if most else 0

    def _ends(self, now: int) -> dict[int, int]:
        """Return when each open node is idle that is not idle now: when the last job on it has ended."""
        nodes = self.workloads.state.nodes
        busy: dict[int, int] = {}
        for record in self.workloads.records.values():
            if record.pods:
                end = max(self.end_of(record, record.began), now + 1)
                for node, _ in record.pods.values():
                    if nodes[node].ready and not nodes[node].unschedulable:
                        busy[node] = max(busy.get(node, 0), end)
        return busy


class Between:
    """One job's view of the search: off the nodes that somebody before it needs before it would end."""

    def __init__(self, backfill: Backfill, record: Record, search: Search) -> None:
        """Start with nothing refused."""
        self.backfill: Final = backfill
        self.record: Final = record
        self.search: Final = search
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search on nodes that nobody planned for a time in which the job would run."""
        backfill = self.backfill
        if backfill.refused > MOST_TESTED and not self.record.started:
            self.refusal = (Code.BEHIND_OTHERS, f"only the first {MOST_TESTED} jobs that cannot start are looked at")
            return Refused(proven=True)
        backfill.searched = self.record
        state = backfill.workloads.state
        now = backfill.workloads.now
        kept = backfill.planned_nodes(now, backfill.end_of(self.record, now)) if not self.record.started else set()
        if not kept:
            return self.search.place(demand, ranks, chosen)
        shut = state.shut(sorted(kept))
        try:
            found = self.search.place(demand, ranks, chosen)
        finally:
            state.open_again(shut)
        if isinstance(found, Refused) and isinstance(self.search.place(demand, ranks, chosen), Found):
            names = ", ".join(dict.fromkeys(one.record.workload.name for one in backfill.planned))
            self.refusal = (Code.RESERVED, f"it would delay the planned start of a job before it ({names})")
        return found
