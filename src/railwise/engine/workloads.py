"""The workloads an engine knows: who runs where, since when, and who waits for something.

Every change of what runs goes through here, so that the state, the books of the queues and the times of the pods
never disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.alter import alter_node
from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.events import Event, Finish, NodeChange, Submit
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.queues.accounts import Accounts
from railwise.model.workload import Workload

Pods = dict[PodKey, tuple[int, Grant]]
"""Pods with their nodes and cards, as a record holds them."""

MOST_JOURNAL: Final = 100_000
"""So many entries a journal has before it begins anew."""


class Workloads:
    """All workloads by name. ``waiting`` are those that still want pods; ``now`` is the time of the round in µs.

    ``ruled`` are those whose pods have rules about other pods, or are asked for by such rules.

    ``touched`` collects the workloads whose pods changed, once somebody wants to know; ``changes`` counts such changes.
    ``altered`` names those whose pods changed in this round, gone ones included; ``fallen`` holds what it took as lost,
    as (workload, pods, node). ``journal`` lists every workload whose pods changed or that began or ceased to wait, and
    ``altered_nodes`` the nodes about which facts changed, until a new ``epoch`` begins; who follows them reads on from
    where he stopped. ``speaking`` collects those whose traffic may have changed, pods that are only lifted
    included, where anybody wants to know.
    ``dark`` are the nodes that are not ready, with the time since when: their pods are lost after ``nodeGrace``.
    """

    def __init__(self, state: ClusterState, accounts: Accounts) -> None:
        """Start with none."""
        self.state: Final = state
        self.accounts: Final = accounts
        self.records: Final[dict[str, Record]] = {}
        self.waiting: Final[dict[str, Record]] = {}
        self.ruled: Final[dict[Record, None]] = {}
        self.touched: dict[Record, None] | None = None
        self.altered: Final[dict[str, None]] = {}
        self.journal: Final[list[Record]] = []
        self.altered_nodes: Final[list[int]] = []
        self.epoch = 0
        self.speaking: dict[Record, None] | None = None
        self.fallen: Final[list[tuple[Record, list[PodKey], int]]] = []
        self.dark: Final[dict[int, int]] = {}
        self.timed: Final[dict[Record, None]] = {}
        self.stoppable: Final[dict[tuple[str, int], int]] = {}
        self.changes = 0
        self.now = 0

    def open_round(self, now: int) -> None:
        """Start a round at a time (µs), in which nothing has changed yet."""
        self.now = now
        self.altered.clear()
        self.fallen.clear()
        if len(self.journal) + len(self.altered_nodes) > MOST_JOURNAL:
            self.journal.clear()
            self.altered_nodes.clear()
            self.epoch += 1

    def book(self, workloads: Iterable[Workload]) -> None:
        """Enter the workloads of a document: running pods whose cards are named are booked before the others."""
        if self.state.policy.node_grace:
            self.dark.update((index, self.now) for index, node in enumerate(self.state.nodes) if not node.ready)
        records = [Record(workload, self.state) for workload in workloads]
        for record in sorted(records, key=lambda record: not record.names_cards()):
            record.occupy(self.state, self.now)
        for record in records:
            self._changed(record)
            self.accounts.adopt(record, self.now)
            self._enter(record)

    def apply(self, event: Event) -> bool:
        """Take an event; return whether facts about a node changed."""
        if isinstance(event, Submit):
            self.withdraw(event.workload.name)
            record = Record(event.workload, self.state)
            if event.workload.root.running is not None or event.workload.root.groups:
                record.occupy(self.state, self.now)
                self._changed(record)
                self.accounts.adopt(record, self.now)
            self._enter(record)
        elif isinstance(event, Finish):
            self.withdraw(event.name)
        elif isinstance(event, NodeChange):
            return self._alter(event)
        return False

    def withdraw(self, name: str) -> None:
        """Forget a workload and free what it holds; a workload of the same name that comes again is a new one."""
        gone = self.records.pop(name, None)
        self.waiting.pop(name, None)
        if gone is not None:
            self.ruled.pop(gone, None)
            gone.release(self.state)
            self._changed(gone)

    def place(self, record: Record, spots: list[Spot]) -> None:
        """Put pods where a search found room for them; they start now."""
        record.put(self.state, spots, self.now)
        self._changed(record)

    def take(self, record: Record, keys: Iterable[PodKey]) -> Pods:
        """Take pods off their nodes and return them, for ``restore``."""
        pods = {key: record.pods[key] for key in keys}
        record.take_away(self.state, list(pods))
        self._changed(record)
        return pods

    def restore(self, record: Record, pods: Pods) -> None:
        """Put pods back on the nodes and cards they had: the inverse of ``take``."""
        record.put_back(self.state, pods)
        self._changed(record)

    def lift(self, record: Record, keys: Iterable[PodKey]) -> Pods:
        """Take pods off for a moment, to be undone by ``set_back``: nobody who follows changes is told."""
        pods = {key: record.pods[key] for key in keys}
        record.take_away(self.state, list(pods))
        self._recharge(record)
        return pods

    def set_back(self, record: Record, pods: Pods) -> None:
        """Undo ``lift``."""
        record.put_back(self.state, pods)
        self._recharge(record)

    def stop(self, record: Record, keys: Iterable[PodKey]) -> Pods:
        """Evict pods: what is below its minimum afterwards waits as if it had just come; return the pods."""
        pods = self.take(record, keys)
        record.forget_times(pods)
        if not record.pods:
            record.started = False
            record.lost.clear()
        self.wait(record)
        return pods

    def wait(self, record: Record) -> None:
        """Let a workload wait for its turn in every round from the next one on."""
        self.waiting[record.workload.name] = record
        self.journal.append(record)

    def wait_no_more(self, record: Record) -> None:
        """Let a workload that has all it may get wait no longer."""
        del self.waiting[record.workload.name]
        self.journal.append(record)

    def wants_more(self, record: Record) -> bool:
        """Return whether a workload still wants pods that it may get."""
        if record.workload.invalid:
            return False
        if record.started and not self.may_grow(record):
            return bool(record.lost)
        return record.demand.pods > len(record.pods)

    def may_grow(self, record: Record) -> bool:
        """Return whether pods that never started may still come to a running workload."""
        return record.workload.kind != "training" or record.workload.elastic

    def _changed(self, record: Record) -> None:
        self.altered[record.workload.name] = None
        self.journal.append(record)
        if bool(record.pods) is not record.counted:
            record.counted = not record.counted
            workload = record.workload
            if workload.duration and record.counted:
                self.timed[record] = None
            elif workload.duration:
                del self.timed[record]
            if workload.preemptible:
                kind = (workload.queue, workload.priority)
                self.stoppable[kind] = self.stoppable.get(kind, 0) + (1 if record.counted else -1)
        self.changes += 1
        if self.touched is not None:
            self.touched[record] = None
        self._recharge(record)

    def _recharge(self, record: Record) -> None:
        if self.speaking is not None:
            self.speaking[record] = None
        self.accounts.recharge(record)

    def _enter(self, record: Record) -> None:
        self.records[record.workload.name] = record
        self.accounts.enter(record)
        if record.demand.ruled:
            self.ruled[record] = None
        if not record.started or record.short() or self.wants_more(record):
            self.wait(record)

    def _alter(self, event: NodeChange) -> bool:
        node = self.state.index_of.get(event.name)
        if node is None:
            return False
        running: list[Shape] = []
        for record in self.records.values():
            here = record.shapes_on(node)
            running += here
            if here and self.speaking is not None:
                self.speaking[record] = None
        alter_node(self.state, node, event.values, running)
        self.altered_nodes.append(node)
        if event.values.get("ready") is False:
            self.dark.setdefault(node, self.now)
            self.lose_overdue()
        elif event.values.get("ready") is True:
            self.dark.pop(node, None)
        if event.values.get("ready") is True or "gpu.unhealthy" in event.values:
            for record in self.records.values():
                if self.wants_more(record):
                    self.wait(record)
        return True

    def lose_overdue(self) -> None:
        """Take the pods of nodes that have not been ready for longer than ``nodeGrace`` as lost."""
        grace = self.state.policy.node_grace
        for node in [node for node, since in self.dark.items() if self.now - since >= grace]:
            del self.dark[node]
            self._lose(node)

    def _lose(self, node: int) -> None:
        """Take the pods of a dead node as lost."""
        for record in self.records.values():
            keys = [key for key, (where, _) in record.pods.items() if where == node]
            if keys:
                self.take(record, keys)
                record.lose(keys, self.now)
                self.fallen.append((record, keys, node))
                self.wait(record)
