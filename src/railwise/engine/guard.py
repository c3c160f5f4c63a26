"""A search behind the ceilings of queues: what would break a limit is refused before it is looked for."""

from __future__ import annotations

from typing import Final, Protocol

from railwise.engine.charges import of_ranks
from railwise.engine.demand import Demand
from railwise.engine.order import QueueTree
from railwise.engine.placement import Found, Refused
from railwise.engine.record import Record
from railwise.engine.state import ClusterState


class Search(Protocol):
    """Anything that finds places for pods: the topology-aware search, or a baseline to compare with."""

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts, changing nothing."""
        ...


class Guard:
    """One workload's view of a search; ``broken`` names a limit that refused, ``searched`` tells if a try was made."""

    def __init__(self, search: Search, queues: QueueTree, record: Record, state: ClusterState) -> None:
        """Start with nothing refused."""
        self.search: Final = search
        self.queues: Final = queues
        self.queue: Final = record.workload.queue
        self.state: Final = state
        self.limited: Final = self.queue in queues.limited
        self.broken = ""
        self.searched = False

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search, unless the pods would break a limit of the queue or of one above it."""
        if self.limited:
            broken = self.queues.over_limit(self.queue, of_ranks(demand, ranks, self.state))
            if broken:
                self.broken = broken
                return Refused(proven=True)
        self.searched = True
        return self.search.place(demand, ranks, chosen)
