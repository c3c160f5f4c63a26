"""Moves that let a waiting workload start: running work goes elsewhere at once, and nobody stops for good.

Any preemptible workload may be moved, whoever it belongs to, but only so many at a time, at so much lost work, and only
if the waiting one starts by it.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from railwise.engine.eviction.claim import Claim, Minimum, Way, total
from railwise.engine.eviction.holders import Holders
from railwise.engine.eviction.loss import CARD_SECOND
from railwise.engine.eviction.proposals import Proposals
from railwise.engine.eviction.rehousing import TryOut, places_for
from railwise.engine.eviction.rights import Rights
from railwise.engine.eviction.survey import Survey
from railwise.engine.eviction.trial import Trial
from railwise.engine.eviction.units import Unit, whole_unit
from railwise.engine.gangs.record import Record
from railwise.engine.queues.order import queue_order
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import Search
from railwise.engine.workloads import Pods, Workloads

MOST_DOMAINS: Final = 16
"""So many domains of a large cluster are tried."""


class Movable(Rights):
    """Whoever may be stopped may be moved, of any queue and priority."""

    def may_take(self, other: Record) -> bool:
        """Return whether a running workload may be moved."""
        return other.workload.preemptible and other.started and bool(other.pods) and other is not self.record

    def may_take_from(self, queue: str, priority: int, *, preemptible: bool) -> bool:
        """Return whether workloads of a queue and priority may be moved."""
        del queue, priority
        return preemptible

    def youth_counts(self, name: str) -> bool:
        """Return whether a queue protects workloads that have not run for long: not from being moved."""
        del name
        return False


class MoveClaim(Claim):
    """A claim that others move for: at most ``most`` workloads, with at most ``lost`` GPU-seconds (0: no bound).

    ``only``: the nodes to which the claimant may go, None for any.
    """

    def __init__(
        self, record: Record, index: int, workloads: Workloads, search: Minimum, again: Search, most: int, lost: int
    ) -> None:
        """Keep the bounds; ``again`` searches for places for those that move, whatever their queues hold."""
        super().__init__(record, index, workloads, search, None)
        self.rights: Rights = Movable(record, self.ask, workloads.accounts, workloads.now)
        self.again: Final = again
        self.most: int = most
        self.lost: Final = lost
        self.only: frozenset[int] | None = None

    def valid(self, units: list[Unit], taken: dict[Record, Pods], found: Found) -> bool:
        """Return whether these, and no more than allowed, fit elsewhere once the claimant has its place."""
        if self.only is not None and not self.only.issuperset([spot.node for spot in found.pods]):
            return False
        if not self.conceivable(units, taken):
            return False
        tried = TryOut(self.workloads)
        tried.put(self.record, found.pods, self.index)
        housed = self._house(units, taken, tried)
        tried.undo()
        return housed

    def conceivable(self, units: list[Unit], taken: dict[Record, Pods]) -> bool:
        """Return whether so many, and so much lost work, are allowed."""
        del taken
        return len(units) <= self.most and (not self.lost or total(units)[0] <= self.lost * CARD_SECOND)

    def effect(self, unit: Unit) -> object | None:
        """Return None: two that free the same do not find the same places elsewhere."""
        del unit
        return None

    def _house(self, units: list[Unit], taken: dict[Record, Pods], tried: TryOut) -> bool:
        """Return whether all of these fit elsewhere, one after the other."""
        for unit in sorted(units, key=lambda unit: queue_order(unit.record)):
            found = places_for(unit.record, taken[unit.record], self.again)
            if found is None:
                return False
            tried.put(unit.record, found.pods, unit.record.current)
        return True


def moves_for(claim: MoveClaim, holders: Holders | None, small: int) -> Way | None:
    """Return the cheapest moves by which the claimant starts; without an index all of at most ``small`` are tried."""
    workloads = claim.workloads
    if holders is None:
        units = [
            whole_unit(record, claim.state, workloads.now)
            for record in workloads.records.values()
            if claim.rights.may_take(record)
        ]
        return Trial(claim, units).run() if len(units) <= small else None
    shape = claim.demand.root.shape
    if not claim.demand.simple or shape is None or not holders.manners:
        return None
    pods = claim.demand.root.group.min_pods - len(claim.demand.root.fixed)
    highest = max(manner.priority for manner in holders.manners)
    best: Way | None = None
    proposals = Proposals(claim, Survey(claim, holders, shape, pods, highest), pods)
    for proposal in islice(proposals.each(), MOST_DOMAINS):
        if len(proposal.units) <= 2 * claim.most:
            way = Trial(claim, proposal.units, 4 * len(proposal.units) + 16).run()
            if way is not None and (best is None or way.key < best.key):
                best = way
    return best
