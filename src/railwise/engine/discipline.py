"""What may differ between schedulers on one engine: who searches, whose turn it is, who must wait for whom.

Railwise itself is no such description: it is what the engine does when none is given. The baselines are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple, Protocol

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.record import Record
from railwise.engine.queues.guard import Rule, Search
from railwise.engine.workloads import Workloads
from railwise.model.plan import Reservation
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario


class Discipline(Rule, Protocol):
    """Whose turn it is, and, as a rule around every search, who must wait for whom."""

    def turns(self, waiting: Iterable[Record]) -> Iterable[Record]:
        """Open a round and hand out its workloads; each is decided before the next one is asked for."""
        ...

    def listed(self) -> tuple[Reservation, ...]:
        """Return what is kept for whom after the round."""
        ...


class Policy(NamedTuple):
    """A scheduler to compare with. ``search`` makes what finds nodes; a policy never evicts.

    ``discipline`` makes order and rules of waiting for an engine's workloads and scenario; None: turns by fair share,
    and anybody may overtake. ``quotas`` and ``limits`` tell whether those of the queues hold.
    """

    search: Callable[[ClusterState], Search]
    discipline: Callable[[Workloads, Scenario], Discipline] | None = None
    quotas: bool = True
    limits: bool = True

    def queues(self, declared: Iterable[Queue]) -> tuple[Queue, ...]:
        """Return the queues without what does not hold; promises of domains are known to nobody."""
        kept: list[Queue] = []
        for queue in declared:
            bare = replace(queue, guarantee={})
            bare = bare if self.quotas else replace(bare, quota={}, lend=None)
            kept.append(bare if self.limits else replace(bare, limit={}))
        return tuple(kept)
