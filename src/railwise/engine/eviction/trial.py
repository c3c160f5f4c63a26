"""The cheapest set of victims by trial: everything that may go is taken off, and put back piece by piece.

Whoever can be put back while the claimant still fits does not help and stays; what cannot must go. Trying both answers
for each, dearest first, finds the cheapest set. A branch ends where no right reaches that far, where even the cheapest
rest would cost more than what is known (``Bound``), and where a dearer victim would go for a cheaper one that does the
same. If the budget of trials ends first, what was found until then is a set of which nobody can be spared.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from railwise.engine.eviction.bound import Bound
from railwise.engine.eviction.claim import Claim, Way, total
from railwise.engine.eviction.units import Unit, lives_on
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.workloads import Pods

MOST_TRIALS: Final = 400
"""How many searches for the claimant one trial may take; twice as many while nothing is found."""

STEPS_PER_TRIAL: Final = 16
"""So many decisions weigh as much as a search."""

Twins = tuple[list[int], list[int]]
"""Units that free just the same as another: (dearer, cheaper) ones before it."""

Gone = set[tuple[Record, PodKey]]


class Trial:
    """One search among a pool of units, all of which the claimant may take as far as each alone can tell.

    ``exact`` is False when the budget ended before everything was tried.
    """

    def __init__(self, claim: Claim, pool: list[Unit], trials: int = MOST_TRIALS) -> None:
        """Sort the pool; ``trials`` bounds the searches for the claimant."""
        self.claim: Final = claim
        self.units: Final = _in_order(pool)
        self.taken: Final[dict[Record, Pods]] = {}
        self.best: Way | None = None
        self.exact = True
        self._left = trials * STEPS_PER_TRIAL
        self._overdraft: Final = trials * STEPS_PER_TRIAL
        self._chosen: Final[list[Unit]] = []
        self._twins: list[Twins] = []
        self._bound: Bound | None = None

    def run(self) -> Way | None:
        """Return the cheapest way, None where none was found; the state is as before."""
        freed = self.claim.state.freed
        keys: dict[Record, set[PodKey]] = {}
        for unit in self.units:
            keys.setdefault(unit.record, set()).update(unit.keys)
        self._twins = _twins(self.claim, self.units)
        for record, mine in keys.items():
            self.taken[record] = self.claim.workloads.lift(record, sorted(mine))
        if self.claim.fits() is not None:
            self.claim.look_at(self.taken)
            self._decide(0, set())
        for record, pods in self.taken.items():
            self.claim.workloads.set_back(record, {key: pods[key] for key in pods if key not in record.pods})
        self.claim.state.freed = freed
        return self.best

    def _decide(self, number: int, gone: Gone) -> None:
        """Decide on the units from this one on; the claimant fits while all of these are off."""
        self._left -= 1
        if self._over() or self._hopeless(gone):
            return
        if number == len(self.units):
            self._note()
            return
        unit = self.units[number]
        if all(key in unit.record.pods or (unit.record, key) in gone for key in unit.keys):
            self._decide(number + 1, gone)
            return
        dearer, cheaper = self._twins[number]
        if not any(self.units[twin] in self._chosen for twin in dearer):
            self._let_stay(number, gone)
        if self._over() or any(self.units[twin] not in self._chosen for twin in cheaper):
            return
        if self._may_go(unit, gone):
            self._chosen.append(unit)
            if self.claim.conceivable(self._chosen, self.taken):
                self._let_go(number, gone | {(unit.record, key) for key in unit.keys})
            self._chosen.pop()

    def _let_stay(self, number: int, gone: Gone) -> None:
        """Go on with a unit that stays, and those that could only follow it, if the claimant still fits then."""
        staying = [self.units[number]]
        for later in self._later(number):
            if later.after in staying:
                staying.append(later)
        self._go_on(number, staying, gone)

    def _let_go(self, number: int, gone: Gone) -> None:
        """Go on with a unit that goes; those of which its workload can now spare none stay."""
        unit = self.units[number]
        staying = [] if unit.whole else [later for later in self._later(number) if not self._can_spare(later, gone)]
        self._go_on(number, staying, gone)

    def _go_on(self, number: int, staying: list[Unit], gone: Gone) -> None:
        """Put back those who stay, but for pods that others may still take, and go on if the claimant still fits."""
        record = self.units[number].record
        open_keys = {key for later in self._later(number) if later not in staying for key in later.keys}
        closed = {key for unit in staying for key in unit.keys if (record, key) not in gone}
        keys = sorted(key for key in closed if key not in open_keys and key not in record.pods)
        if keys:
            pods = self.taken[record]
            self.claim.workloads.set_back(record, {key: pods[key] for key in keys})
        if not keys or self._fits():
            self._decide(number + 1, gone)
        if keys:
            self.claim.workloads.lift(record, keys)

    def _later(self, number: int) -> list[Unit]:
        record = self.units[number].record
        return [later for later in self.units[number + 1 :] if later.record is record]

    def _may_go(self, unit: Unit, gone: Gone) -> bool:
        """Return whether a unit may be chosen beside those chosen so far."""
        if (unit.after is not None and unit.after not in self._chosen) or len(self._chosen) >= self.claim.most:
            return False
        return unit.whole or self._can_spare(unit, gone)

    def _can_spare(self, unit: Unit, gone: Gone) -> bool:
        """Return whether the workload of a unit that is a part of it lives on without it, too."""
        record = unit.record
        if record is self.claim.record:
            return True
        everything = {*record.pods, *self.taken[record]}
        stays = [key for key in everything if (record, key) not in gone and key not in unit.keys]
        return lives_on(record, everything, stays)

    def _fits(self) -> bool:
        self._left -= STEPS_PER_TRIAL
        return self.claim.fits() is not None

    def _over(self) -> bool:
        """Return whether the budget is spent."""
        if self._left > (0 if self.best is not None else -self._overdraft):
            return False
        self.exact = False
        return True

    def _hopeless(self, gone: Gone) -> bool:
        """Return whether nothing better than the best can come of what is chosen."""
        if self.best is None:
            return False
        cost, best = total(self._chosen), self.best.key[0]
        if cost > best:
            return True
        if self._bound is None:
            self._bound = Bound(self.claim, self.units, self.taken)
        return cost[0] + self._bound.least(gone) > best[0]

    def _note(self) -> None:
        """Remember the way that is carried out just now, if it is one and the best so far."""
        chosen = list(self._chosen)
        found = self.claim.fits()
        if found is None or not self.claim.valid(chosen, self.taken, found):
            return
        way = self.claim.way(chosen, found)
        if self.best is None or way.key < self.best.key:
            self.best = way


def _twins(claim: Claim, units: list[Unit]) -> list[Twins]:
    """Return, per unit, which before it are dearer, and which cheaper, and free just the same."""
    parts = Counter(unit.record for unit in units)
    alike: dict[object, list[int]] = {}
    twins: list[Twins] = []
    worth = [(unit.cost, -unit.since, claim.place_of(unit)) for unit in units]
    for number, unit in enumerate(units):
        effect = claim.effect(unit) if parts[unit.record] == 1 else None
        known = alike.setdefault(effect, []) if effect is not None else []
        dearer = [other for other in known if worth[number] < worth[other]]
        twins.append((dearer, [other for other in known if other not in dearer]))
        known.append(number)
    return twins


def _in_order(pool: list[Unit]) -> list[Unit]:
    """Sort units: the workloads that are dearest to stop first, of each workload the whole before its parts.

    What a workload can spare is decided at once, so that a dead end shows before others are decided on.
    """
    ordered = sorted(pool, key=_dearest_first)
    first: dict[Record, int] = {}
    for number, unit in enumerate(ordered):
        first.setdefault(unit.record, number)
    return sorted(ordered, key=lambda unit: first[unit.record])


def _dearest_first(unit: Unit) -> tuple[int, int, int, int, int, int]:
    lost, wholes, cards = unit.cost
    return (-unit.priority, -lost, -wholes, -cards, -len(unit.keys), unit.since)
