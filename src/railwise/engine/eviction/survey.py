"""What every node could hold if all that may go were gone: the ground on which victims are chosen in large clusters.

Nodes with the same room and the same heaps of victims are one question. A domain in which even that is too little is
never looked at again, however many victims stand in it.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.fit import changed
from railwise.engine.cluster.room import Figures, Room
from railwise.engine.cluster.shapes import KIND_NONE, KIND_WHOLE, UNLIMITED, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.eviction.claim import Claim
from railwise.engine.eviction.holders import Holders, Manner
from railwise.engine.gangs.record import PodKey, Record

Removed = tuple[tuple[int, int], ...]
"""What is taken off a node: (shape, number of pods), sorted."""


class Survey:
    """One shape on all nodes, with victims of at most one priority."""

    def __init__(
        self,
        claim: Claim,
        holders: Holders,
        shape: Shape,
        most: int,
        priority: int,
        queues: frozenset[str] | None = None,
    ) -> None:
        """Find out which manners of workloads may go (of some ``queues`` only).

        ``most`` pods are the most that matter on one node.
        """
        self.claim: Final = claim
        self.holders: Final = holders
        self.state: Final[ClusterState] = claim.state
        self.shape: Final = shape
        self.most: Final = most
        self.now: Final = claim.workloads.now
        self.manners: Final[set[Manner]] = {
            manner
            for manner in holders.manners
            if manner.priority <= priority
            and (queues is None or manner.queue in queues)
            and claim.rights.may_take_from(manner.queue, manner.priority, preemptible=manner.preemptible)
        }
        self.queues: Final = queues
        self.mixed: Final = any(claim.rights.youth_counts(manner.queue) for manner in self.manners)
        self._answers: Final[dict[tuple[int, Removed], int]] = {}

    def victims(self, node: int) -> list[Record]:
        """Return the workloads on a node that may go."""
        return [
            record
            for record in self.holders.on[node]
            if record.workload.priority <= self._highest()
            and (self.queues is None or record.workload.queue in self.queues)
            and self.claim.rights.may_take(record)
        ]

    def _highest(self) -> int:
        return max([manner.priority for manner in self.manners], default=0)

    def room_for(self, node: int) -> int:
        """Return how many pods a node could take without any of its victims."""
        if self.mixed:
            return self.pods_after(node, {record: self.holders.on[node][record] for record in self.victims(node)})
        counts: dict[int, int] = {}
        for manner, heap in self.holders.heaps[node].items():
            if manner in self.manners:
                for shape, number in heap.shapes.items():
                    counts[shape] = counts.get(shape, 0) + number
        return self._answer(node, tuple(sorted(counts.items())), None)

    def pods_after(self, node: int, gone: dict[Record, list[PodKey]]) -> int:
        """Return how many pods a node could take without these pods of its workloads."""
        counts: dict[int, int] = {}
        for record, keys in gone.items():
            for number, _ in keys:
                shape = record.demand.leaves[number].shape
                if shape is not None:
                    counts[shape.index] = counts.get(shape.index, 0) + 1
        return self._answer(node, tuple(sorted(counts.items())), gone)

    def loss(self, node: int) -> int:
        """Return about what the victims of a node would lose: exact for work that is not saved before its end."""
        total = 0
        for manner, heap in self.holders.heaps[node].items():
            if manner in self.manners and manner.plain:
                total += heap.cards * self.now - heap.moment
        return total

    def _answer(self, node: int, removed: Removed, gone: dict[Record, list[PodKey]] | None) -> int:
        allowed = self.state.allowed(self.shape)
        if allowed is not None and not allowed[node]:
            return 0
        room = self.state.room_of[node]
        if not removed:
            return len(self.state.rooms.left(self.shape, room, self.most))
        ledger = self.state.ledgers[node]
        shapes = self.state.shapes.all
        if (
            room.spec.simple
            and not ledger.left
            and not ledger.debt
            and all(shapes[index].kind in {KIND_WHOLE, KIND_NONE} for index, _ in removed)
        ):
            known = self._answers.get((room.index, removed))
            if known is None:
                known = len(self.state.rooms.left(self.shape, self._without(room, removed), self.most))
                self._answers[room.index, removed] = known
            return known
        if gone is None:
            gone = {record: self.holders.on[node][record] for record in self.victims(node)}
        return self._tried(node, gone)

    def _without(self, room: Room, removed: Removed) -> Room:
        """Return the room of a node of equal whole cards after some pods have left it."""
        whole, cpu, memory, pods, others = room.whole[0], room.cpu, room.memory, room.pods, room.others
        for index, number in removed:
            shape = self.state.shapes.all[index]
            whole += number * shape.cards if shape.kind == KIND_WHOLE else 0
            cpu = cpu if cpu == UNLIMITED else cpu + number * shape.cpu
            memory = memory if memory == UNLIMITED else memory + number * shape.memory
            pods = pods if pods == UNLIMITED else pods + number * shape.pods
            if shape.others:
                others = changed(others, shape, number)
        return self.state.rooms.intern(
            room.spec, Figures(room.closed, (whole,), room.partial, cpu, memory, pods, others)
        )

    def _tried(self, node: int, gone: dict[Record, list[PodKey]]) -> int:
        """Take the pods off, count, and put them back."""
        freed = self.state.freed
        taken = {record: self.claim.workloads.lift(record, keys) for record, keys in gone.items()}
        count = len(self.state.rooms.left(self.shape, self.state.room_of[node], self.most))
        for record, pods in taken.items():
            self.claim.workloads.set_back(record, pods)
        self.state.freed = freed
        return count
