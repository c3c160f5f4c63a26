"""Without backfill: nobody overtakes inside a leaf queue.

Who cannot start holds up those behind him, unless he waits for something that no end of others can give: a request
larger than his queue, or one that fits no node, blocks nobody. Repairs stand in no line.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.gangs.charges import Amounts
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.guard import Gate, Search
from railwise.engine.queues.queue_tree import QueueTree
from railwise.engine.search.placement import Found, Refused
from railwise.model.reason import Code, Reason

HOLDS_UP: Final = frozenset(
    {
        Code.OVER_LIMIT,
        Code.OVER_QUOTA,
        Code.NOT_ENOUGH_FREE,
        Code.TOO_FRAGMENTED,
        Code.RESERVED,
        Code.WAITING_FOR_VICTIMS,
        Code.WAITING_FOR_QUOTA,
        Code.BEHIND_OTHERS,
        Code.UNPROVEN,
    }
)
"""Who is refused so would start once others end."""


class Line:
    """Those of each queue who could not start in this round, in order, and the rule that nobody passes them."""

    def __init__(self, tree: QueueTree) -> None:
        """Start with nobody."""
        self.tree: Final = tree
        self.ahead: Final[dict[str, list[Record]]] = {}

    def refused(self, record: Record, reason: Reason) -> None:
        """Hear that a workload cannot start."""
        if reason.code in HOLDS_UP and not record.started and not self._hopeless(record, reason.code):
            self.ahead.setdefault(record.workload.queue, []).append(record)

    def around(self, record: Record, search: Search) -> Gate | None:
        """Return a search that finds nothing for who has somebody before him."""
        ahead = self.ahead.get(record.workload.queue)
        if ahead is None or record.started or not record.short():
            return None
        if record in ahead:
            ahead = ahead[: ahead.index(record)]
        before = [other for other in ahead if other.short()]
        return Behind(record, search, before) if before else None

    def _hopeless(self, record: Record, code: Code) -> bool:
        """Return whether a queue is too small for a workload even with nothing else in it."""
        if code not in {Code.OVER_LIMIT, Code.OVER_QUOTA}:
            return False
        for queue in self.tree.chain(record.workload.queue):
            most: Amounts = queue.limit if code == Code.OVER_LIMIT else self.tree.quota[queue.name]
            if any(amount > most.get(resource, amount) for resource, amount in record.ask.items()):
                return True
        return False


class Behind:
    """A search that finds places and gives none: others come first."""

    def __init__(self, record: Record, search: Search, before: list[Record]) -> None:
        """Start with nothing refused."""
        self.record: Final = record
        self.search: Final = search
        self.before: Final = before
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search, so that who would not fit anyway hears that instead."""
        found = self.search.place(demand, ranks, chosen)
        if isinstance(found, Refused):
            return found
        if self.refusal is None:
            queue, first = self.record.workload.queue, self.before[0].workload.name
            place = len(self.before) + 1
            text = f"position {place} in queue '{queue}', and without backfill nobody overtakes {first}"
            self.refusal = (Code.BEHIND_OTHERS, text)
        return Refused(proven=True)
