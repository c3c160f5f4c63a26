"""What one round took from whom: evictions and moves, as the plan tells them.

A pod that was taken off and runs again by the end of the round has moved; one that does not was evicted. So it does not
matter by which step it found its new place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from railwise.engine.cluster.ledger import card_names
from railwise.engine.cluster.state import ClusterState
from railwise.engine.eviction.loss import CARD_SECOND, cards_of
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.workloads import Pods
from railwise.model.plan import Eviction, Move, PodMove, State


class Evicted(NamedTuple):
    """Pods that one workload lost for another; ``lost`` work is in thousandths of a card times µs."""

    record: Record
    pods: Pods
    cards: dict[PodKey, int]
    beneficiary: Record
    lost: int
    why: str


class News:
    """What happened to running workloads in one round, in the order in which it happened."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.evicted: Final[list[Evicted]] = []
        self.restarted: Final[list[Evicted]] = []

    def about(self, record: Record) -> bool:
        """Return whether a workload lost pods or changed its place in this round."""
        return any(one.record is record for one in [*self.evicted, *self.restarted])

    def stopped(self, record: Record) -> bool:
        """Return whether a workload lost all it had, or moved: its turn has been."""
        return self.about(record) and self.state(record) in {State.EVICTED, State.MOVED}

    def victims_of(self, record: Record) -> tuple[str, ...]:
        """Return the names of those that made room for a workload."""
        names = [one.record.workload.name for one in self.evicted if one.beneficiary is record]
        return tuple(dict.fromkeys(name for name in names if name != record.workload.name))

    def state(self, record: Record) -> State:
        """Return the state after the round of a workload that lost pods in it: gone, elsewhere, or still running."""
        if not record.pods:
            return State.EVICTED
        if record.short():
            return State.PENDING
        if any(one.record is record for one in self.restarted):
            return State.MOVED
        before: set[PodKey] = set()
        for one in [*self.evicted, *self.restarted]:
            if one.record is record:
                before.update(one.pods)
        return State.MOVED if record.pods.keys() <= before else State.RUNNING

    def others(self, decided: list[Record]) -> list[Record]:
        """Return the workloads that lost pods without having had a turn."""
        known = {record.workload.name for record in decided}
        found = {one.record.workload.name: one.record for one in self.evicted}
        return [record for name, record in found.items() if name not in known]

    def evictions(self) -> tuple[Eviction, ...]:
        """Return who lost pods for good."""
        found: list[Eviction] = []
        for one, pods in self._once(self.evicted):
            keys = [key for key in pods if key not in one.record.pods]
            if keys:
                names = tuple(one.record.pod_name(key) for key in keys)
                lost = self._lost(one, keys)
                found.append(Eviction(one.record.workload.name, names, one.beneficiary.workload.name, lost, one.why))
        return tuple(found)

    def moves(self, state: ClusterState) -> tuple[Move, ...]:
        """Return whose pods run elsewhere now."""
        found: list[Move] = []
        for one, pods in self._once([*self.evicted, *self.restarted]):
            keys = [key for key in pods if key in one.record.pods and one.record.pods[key] != one.pods[key]]
            if keys:
                moved = tuple(self._moved(one, key, state) for key in keys)
                lost = self._lost(one, keys)
                found.append(Move(one.record.workload.name, moved, one.beneficiary.workload.name, lost))
        return tuple(found)

    def _once(self, several: list[Evicted]) -> Iterator[tuple[Evicted, list[PodKey]]]:
        """Yield each with its pods that had not lost their first place before: for whom they left that counts."""
        seen: set[tuple[str, PodKey]] = set()
        for one in several:
            name = one.record.workload.name
            yield one, [key for key in sorted(one.pods) if (name, key) not in seen]
            seen.update((name, key) for key in one.pods)

    def _moved(self, one: Evicted, key: PodKey, state: ClusterState) -> PodMove:
        node, grant = one.record.pods[key]
        source = state.nodes[one.pods[key][0]].name
        return PodMove(one.record.pod_name(key), source, state.nodes[node].name, card_names(grant))

    def _lost(self, one: Evicted, keys: list[PodKey]) -> int:
        """Return the part of the lost work that falls on these pods, in GPU-seconds, rounded up."""
        cards = sum(one.cards.values())
        part = sum(one.cards[key] for key in keys)
        lost = one.lost * part // cards if cards else one.lost
        return -(-lost // CARD_SECOND)


def taken_from(record: Record, keys: list[PodKey], state: ClusterState) -> dict[PodKey, int]:
    """Return the cards of pods that are about to go, in thousandths."""
    return {key: cards_of(record, key, state) for key in keys}
