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

ORDER: Final[dict[Code, int]] = {code: number for number, code in enumerate(Code)}
"""The precedence of the codes."""


class Search(Protocol):
    """Anything that finds places for pods: the topology-aware search, or a baseline to compare with."""

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts, changing nothing."""
        ...


class Gate(Search, Protocol):
    """A search behind a rule; ``refusal`` is (code, text) of the first placement that the rule forbade."""

    @property
    def refusal(self) -> tuple[Code, str] | None:
        """Return what stood in the way, None where nothing did."""
        ...


class Rule(Protocol):
    """A rule about the cluster as a whole that some placements would break: a promise, a reservation."""

    def around(self, record: Record, search: Search) -> Gate | None:
        """Return a search for one workload that keeps the rule, None where it cannot be broken by it."""
        ...


class Guard:
    """One workload's view of a search. ``refusal`` is (code, text) of the first queue rule that stood in the way.

    ``searched`` tells whether any try passed the ceilings; ``gates`` are the rules between the queues and the search.
    """

    def __init__(
        self, search: Search, tree: QueueTree, record: Record, state: ClusterState, capacity: Amounts, gates: list[Gate]
    ) -> None:
        """Start with nothing refused."""
        self.search: Final = gates[-1] if gates else search
        self.gates: Final = gates
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

    def headline(self) -> tuple[Code, str] | None:
        """Return the first reason by precedence why a place that was free was not taken, None where none was free."""
        refusals = [gate.refusal for gate in self.gates if gate.refusal is not None]
        if self.refusal is not None and (not self.searched or self.refusal[0] == Code.WAITING_FOR_QUOTA):
            refusals.append(self.refusal)
        return min(refusals, key=_precedence, default=None)

    def _refuse(self, code: Code, text: str) -> Refused:
        if self.refusal is None or code == Code.WAITING_FOR_QUOTA:
            self.refusal = (code, text)
        return Refused(proven=True)


def _precedence(refusal: tuple[Code, str]) -> int:
    return ORDER[refusal[0]]
