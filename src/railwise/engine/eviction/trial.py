"""The cheapest set of victims by trial: everything that may go is taken off, and put back piece by piece.

Whoever can be put back while the claimant still fits does not help and stays; what cannot must go. Trying both answers
for each, dearest first, finds the cheapest set; where the budget of trials ends first, what was found until then is a
set of which nobody can be spared.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.eviction.claim import Claim, Way
from railwise.engine.eviction.units import FREE, Cost, Unit, added, lives_on
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.workloads import Pods

MOST_TRIALS: Final = 400
"""How many searches for the claimant one trial may take."""


class Trial:
    """One search among a pool of units, all of which the claimant may take as far as each alone can tell."""

    def __init__(self, claim: Claim, pool: list[Unit], trials: int = MOST_TRIALS) -> None:
        """Sort the pool: dearest first, a whole before its parts; ``trials`` bounds the searches for the claimant."""
        self.claim: Final = claim
        self.units: Final = sorted(pool, key=_dearest_first)
        self.taken: Final[dict[Record, Pods]] = {}
        self.best: Way | None = None
        self.exact = True
        self._best_cost: Cost | None = None
        self._left = trials
        self._chosen: Final[list[Unit]] = []

    def run(self) -> Way | None:
        """Return the cheapest way, None where there is none; the state is as before."""
        freed = self.claim.state.freed
        keys: dict[Record, set[PodKey]] = {}
        for unit in self.units:
            keys.setdefault(unit.record, set()).update(unit.keys)
        for record, mine in keys.items():
            self.taken[record] = self.claim.workloads.lift(record, sorted(mine))
        if self.claim.fits() is not None:
            self._decide(0, FREE, set())
        for record, pods in self.taken.items():
            self.claim.workloads.set_back(record, {key: pods[key] for key in pods if key not in record.pods})
        self.claim.state.freed = freed
        return self.best

    def _decide(self, number: int, cost: Cost, gone: set[tuple[Record, PodKey]]) -> None:
        """Decide on the units from this one on; the claimant fits while all of these are off."""
        if self._best_cost is not None and cost > self._best_cost:
            return
        if number == len(self.units):
            self._note(cost)
            return
        unit = self.units[number]
        if all((unit.record, key) in gone for key in unit.keys):
            self._decide(number + 1, cost, gone)
            return
        kept = self._keep(number, gone)
        if kept is None or self._fits():
            self._decide(number + 1, cost, gone)
        if kept:
            self.claim.workloads.lift(unit.record, kept)
        if self._left <= 0 and self.best is not None:
            self.exact = False
            return
        if (unit.after is not None and unit.after not in self._chosen) or len(self._chosen) >= self.claim.most:
            return
        more = gone | {(unit.record, key) for key in unit.keys}
        if not unit.whole and unit.record is not self.claim.record and not self._survives(unit.record, more):
            return
        self._chosen.append(unit)
        self._decide(number + 1, added(cost, unit.cost), more)
        self._chosen.pop()

    def _survives(self, record: Record, gone: set[tuple[Record, PodKey]]) -> bool:
        """Return whether a workload that gives pods only keeps its minimum, if all undecided pods stay."""
        everything = {*record.pods, *self.taken[record]}
        return lives_on(record, everything, [key for key in everything if (record, key) not in gone])

    def _keep(self, number: int, gone: set[tuple[Record, PodKey]]) -> list[PodKey] | None:
        """Put back what stays when a unit stays, but for pods that later units may still take; None for nothing."""
        unit = self.units[number]
        open_keys = {key for later in self.units[number + 1 :] if later.record is unit.record for key in later.keys}
        keys = [key for key in unit.keys if key not in open_keys and (unit.record, key) not in gone]
        if not keys:
            return None
        pods = self.taken[unit.record]
        self.claim.workloads.set_back(unit.record, {key: pods[key] for key in keys})
        return keys

    def _fits(self) -> bool:
        self._left -= 1
        return self.claim.fits() is not None

    def _note(self, cost: Cost) -> None:
        """Remember the way that is carried out just now, if it is one and the best so far."""
        chosen = list(self._chosen)
        found = self.claim.fits()
        if found is None or not self.claim.valid(chosen, self.taken, found):
            return
        way = self.claim.way(chosen, found)
        if self.best is None or way.key < self.best.key:
            self.best, self._best_cost = way, cost


def _dearest_first(unit: Unit) -> tuple[int, int, int, int, int, int]:
    lost, wholes, cards = unit.cost
    return (-unit.priority, -lost, -wholes, -cards, -len(unit.keys), unit.since)
