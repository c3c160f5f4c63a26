"""One workload that wants room which others hold, and what may be taken for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import KIND_NONE, KIND_WHOLE
from railwise.engine.cluster.state import ClusterState
from railwise.engine.eviction.quality import Key, quality
from railwise.engine.eviction.rehousing import TryOut
from railwise.engine.eviction.rights import Held, Rights, Victim, books
from railwise.engine.eviction.units import FREE, Cost, Unit, added
from railwise.engine.gangs.charges import Amounts, add, of_pod, of_ranks
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.needed import needed_leaves
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.queues.order import queue_order
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import ranks_for
from railwise.engine.workloads import Pods, Workloads

MOST_UNITS: Final = 1 << 30
"""More than any workload needs."""

Minimum = Callable[[Record, int], Found | None]
"""Searches for the minimum of a workload's demand of this index, on the state as it is, by every rule of its queue."""


Again = Callable[[Record, Iterable[PodKey]], Found | None]
"""Searches for places for just these pods of a workload that had to go, by every rule of its queue."""

Place = tuple[int, int, int, int]
"""A place in the order of turns, negated: (queue, priority, submit, order)."""

WayKey = tuple[Cost, tuple[int, ...], tuple[int, ...], Key, tuple[Place, ...]]
"""(cost, own surplus that goes: number and ranks, highest first; starts; quality of the place; order of turns)."""


class Way(NamedTuple):
    """One way to make room: who goes, at what cost, and where the claimant then goes. Smaller keys are better."""

    key: WayKey
    units: list[Unit]
    found: Found


class Claim:
    """One demand of one workload.

    ``before`` is what the queues held before anybody went; at most ``most`` units may go.
    """

    def __init__(
        self, record: Record, index: int, workloads: Workloads, search: Minimum, again: Again | None = None
    ) -> None:
        """Work out what the claimant asks its queues for; ``again`` searches for new places of victims."""
        self.record: Final = record
        self.demand: Final = record.demands[index]
        self.index: Final = index
        self.workloads: Final = workloads
        self.state: Final[ClusterState] = workloads.state
        self._search: Final = search
        self._again: Final = again
        self.ask: Final = _least(self.demand, self.state)
        self.rights: Rights = Rights(record, self.ask, workloads.accounts, workloads.now)
        self.before: Final[Held] = books(workloads.accounts)
        self.most: int = MOST_UNITS
        self._relief: Held = {}
        self._victims: Final[dict[Unit, Victim]] = {}
        self._turns: Final[dict[str, int]] = {}

    def fits(self) -> Found | None:
        """Return where the claimant's minimum fits on the state as it is."""
        return self._search(self.record, self.index)

    def valid(self, units: list[Unit], taken: dict[Record, Pods], found: Found) -> bool:
        """Return whether just these may go so that the claimant goes there; ``taken`` holds their pods.

        Who leaves a queue of the claimant's and runs on elsewhere has made no room in its quota or share.
        """
        victims = [self.victim(unit, taken) for unit in units]
        if not self.rights.valid(victims, self.before):
            return False
        near = [unit for unit in units if self.rights.is_near(unit.record.workload.queue)]
        if all(unit.record.workload.queue == self.rights.queue for unit in units) or self.rights.valid(
            victims, self.before, [self.victim(unit, taken) for unit in near]
        ):
            return True
        housed = self._housed(units, taken, found)
        return self.rights.valid(victims, self.before, [self.victim(unit, taken) for unit in near if unit in housed])

    def _housed(self, units: list[Unit], taken: dict[Record, Pods], found: Found) -> list[Unit]:
        """Return the victims that would run on elsewhere once the claimant has its place."""
        tried = TryOut(self.workloads)
        tried.put(self.record, found.pods, self.index)
        housed: list[Unit] = []
        for unit in sorted(units, key=lambda unit: queue_order(unit.record)):
            keys = taken[unit.record] if unit.whole else unit.keys
            place = self._again(unit.record, keys) if self._again is not None else None
            if place is not None:
                tried.put(unit.record, place.pods, unit.record.current)
                housed.append(unit)
        tried.undo()
        return housed

    def look_at(self, taken: dict[Record, Pods]) -> None:
        """Note who may go at most: what leaves the claimant's own queues helps its rights elsewhere."""
        everybody = [(record.workload.queue, self._amounts(record, pods, list(pods))) for record, pods in taken.items()]
        self._relief = self.rights.relief(everybody)

    def conceivable(self, units: list[Unit], taken: dict[Record, Pods]) -> bool:
        """Return whether these may go at all, whoever goes beside them."""
        return self.rights.conceivable([self.victim(unit, taken) for unit in units], self.before, self._relief)

    def effect(self, unit: Unit) -> object | None:
        """Return what a unit frees, equal for those that free just the same; None where that is not for sure."""
        freed: list[tuple[int, int]] = []
        for key, (node, grant) in unit.record.pods.items():
            shape = unit.record.demand.leaves[key[0]].shape
            plain = self.state.room_of[node].spec.simple and not grant.shares and not self.state.ledgers[node].debt
            if shape is None or shape.kind not in {KIND_WHOLE, KIND_NONE} or not plain:
                return None
            freed.append((node, shape.index))
        return unit.record.workload.queue, tuple(sorted(freed))

    def victim(self, unit: Unit, taken: dict[Record, Pods]) -> Victim:
        """Return the queue of a unit and what it holds there."""
        known = self._victims.get(unit)
        if known is None:
            known = (unit.record.workload.queue, self._amounts(unit.record, taken[unit.record], unit.keys))
            self._victims[unit] = known
        return known

    def _amounts(self, record: Record, pods: Pods, keys: list[PodKey]) -> Amounts:
        amounts: Amounts = {}
        for key in keys:
            shape = record.demand.leaves[key[0]].shape
            node, grant = pods[key]
            if shape is not None:
                add(amounts, of_pod(shape, node, grant, self.state))
        return amounts

    def way(self, units: list[Unit], found: Found) -> Way:
        """Return a way that is carried out on the state just now, but for the claimant."""
        others = [unit for unit in units if unit.record is not self.record]
        own = sorted([-rank for unit in units if unit.record is self.record for _, rank in unit.keys])
        key = (total(units), (len(own), *own), starts(others), self.better(found), self._last_in_order(others))
        return Way(key, units, found)

    def _last_in_order(self, units: list[Unit]) -> tuple[Place, ...]:
        """Return the places of the victims in the order of turns, negated: those served last compare as less."""
        return tuple(sorted([self.place_of(unit) for unit in units]))

    def place_of(self, unit: Unit) -> Place:
        """Return the place of a unit in the order of turns, negated."""
        workload = unit.record.workload
        return -self._turn_of(workload.queue), workload.priority, -workload.submit, -workload.order

    def _turn_of(self, queue: str) -> int:
        """Return the position of a queue among all leaf queues in the order of turns before anybody went."""
        if not self._turns and self.rights.tree.declared:
            leaves = [name for name in self.before if name not in self.rights.tree.children]
            leaves.sort(key=self.rights.standing)
            self._turns.update({name: position for position, name in enumerate(leaves)})
        return self._turns.get(queue, 0)

    def better(self, found: Found) -> Key:
        """Return how good a placement is on the state as it is."""
        return quality(self.demand, found.pods, self.state)


def total(units: Iterable[Unit]) -> Cost:
    """Return what it costs that all of these go; a training gang pays once, however many parts of it go."""
    cost = FREE
    paid: set[Record] = set()
    for unit in units:
        more = unit.cost if unit.record not in paid else (0, *unit.cost[1:])
        cost = added(cost, more)
        if unit.record.workload.kind == "training":
            paid.add(unit.record)
    return cost


def starts(units: Iterable[Unit]) -> tuple[int, ...]:
    """Return the starts of the victims, oldest first, so that the set whose oldest is youngest compares as less."""
    return tuple(sorted([-unit.since for unit in units], reverse=True))


def _least(demand: Demand, state: ClusterState) -> Amounts:
    counts = {leaf.index: leaf.group.min_pods for leaf in needed_leaves(demand.root)}
    return of_ranks(demand, ranks_for(demand, counts), state)
