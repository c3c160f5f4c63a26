"""A search behind the rules of queues: what a limit or a quota forbids is not placed, however much is free."""

from __future__ import annotations

from typing import Final, Protocol

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import Amounts, of_ranks
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.queue_tree import QueueTree
from railwise.engine.search.placement import Found, Refused
from railwise.model.reason import Code


class Search(Protocol):
    """Anything that finds places for pods: the topology-aware search, or a baseline to compare with."""

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts, changing nothing."""
        ...


class Guard:
    """One workload's view of a search. ``refusal`` is (code, text) of the first queue rule that stood in the way.

    ``searched`` tells whether any try passed the ceilings.
    """

    def __init__(self, search: Search, tree: QueueTree, record: Record, state: ClusterState, capacity: Amounts) -> None:
        """Start with nothing refused."""
        self.search: Final = search
        self.tree: Final = tree
        self.queue: Final = record.workload.queue
        self.firm: Final = not record.workload.preemptible
        self.state: Final = state
        self.capacity: Final = capacity
        self.guarded: Final = tree.declared and self.queue in tree.sound
        self.refusal: tuple[Code, str] | None = None
        self.searched = False

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search, unless a ceiling forbids it; a place that could only be borrowed needs a lender."""
        if not self.guarded:
            self.searched = True
            return self.search.place(demand, ranks, chosen)
        amounts = of_ranks(demand, ranks, self.state)
        text = self.tree.over_limit(self.queue, amounts)
        if text:
            return self._refuse(Code.OVER_LIMIT, text)
        text = self.tree.over_quota(self.queue, amounts) if self.firm else ""
        if text:
            return self._refuse(Code.OVER_QUOTA, text)
        self.searched = True
        found = self.search.place(demand, ranks, chosen)
        if isinstance(found, Found):
            text = self.tree.not_lent(self.queue, amounts, self.capacity)
            if text:
                return self._refuse(Code.WAITING_FOR_QUOTA, text)
        return found

    def _refuse(self, code: Code, text: str) -> Refused:
        if self.refusal is None or code == Code.WAITING_FOR_QUOTA:
            self.refusal = (code, text)
        return Refused(proven=True)
