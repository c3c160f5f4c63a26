"""The books of the queues for one engine: what workloads hold and ask for, what is due to whom, whose turn it is.

Where no queue is declared nothing is kept and nothing is asked: there is one queue, without limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import GPU, Amounts, add, of_pod, of_ranks
from railwise.engine.gangs.needed import needed_leaves
from railwise.engine.gangs.record import Record
from railwise.engine.queues.demanded import Demanded
from railwise.engine.queues.guarantee import read_guarantee
from railwise.engine.queues.guard import Gate, Guard, Rule, Search
from railwise.engine.queues.order import Turns, in_order
from railwise.engine.queues.promised import with_quotas
from railwise.engine.queues.queue_shares import Shares, capacity_of, capacity_with, queue_shares
from railwise.engine.queues.queue_tree import QueueTree
from railwise.engine.queues.usage import Usage
from railwise.engine.reasons.verdict import Verdict
from railwise.model.queue import Queue


class Accounts:
    """The tree of queues with its books.

    ``demand`` and ``capacity`` are those of the current round, and so are ``shares`` and ``quotas``.
    """

    def __init__(self, queues: Iterable[Queue], state: ClusterState, verdict: Verdict) -> None:
        """Open empty books."""
        self.tree: Final = QueueTree(with_quotas(tuple(queues), state))
        self.guarantee: Final = read_guarantee(self.tree, state)
        half_life = state.policy.usage_half_life if self.tree.declared else 0
        self.usage: Final = Usage(self.tree, half_life) if half_life else None
        self.state: Final = state
        self.verdict: Final = verdict
        self.demand: dict[str, Amounts] = {}
        self.capacity: Amounts = {}
        self.rounds = 0
        self._there: Amounts = {}
        self._there_at = -1
        self._demanded: Final = Demanded()
        self._stirred: dict[Record, None] = {}
        self._held: dict[str, Amounts] = {}
        self._shares: Shares = {}
        self._quotas: Shares = {}
        self._shared = True

    @property
    def shares(self) -> Shares:
        """Return what is due to every queue, in base units per resource."""
        self._share()
        return self._shares

    @property
    def quotas(self) -> Shares:
        """Return the quotas, shrunk where they promise more than there is."""
        self._share()
        return self._quotas

    def _share(self) -> None:
        """Share out by what was asked for and held when the round began, once somebody wants to know."""
        if not self._shared:
            self._shared = True
            self._shares, self._quotas = queue_shares(self.tree, self.demand, self.capacity, held=self._held)

    def enter(self, record: Record) -> None:
        """Hear of a workload that is new."""
        if self.tree.declared:
            self._stirred[record] = None

    def recharge(self, record: Record) -> None:
        """Count in its queue what a workload holds now."""
        if not self.tree.declared:
            return
        now: Amounts = {}
        leaves = record.demand.leaves
        for (number, _), (node, grant) in record.pods.items():
            shape = leaves[number].shape
            if shape is not None:
                add(now, of_pod(shape, node, grant, self.state))
        record.wanted = None
        self._stirred[record] = None
        if now != record.charged:
            firm = not record.workload.preemptible
            self.tree.charge(record.workload.queue, record.charged, -1, firm=firm)
            self.tree.charge(record.workload.queue, now, 1, firm=firm)
            record.charged = now
        if self.guarantee is not None:
            self.guarantee.recharge(record)

    def elapse(self, now: int) -> None:
        """Let time pass up to ``now`` (µs), before anything changes."""
        if self.usage is not None:
            self.usage.elapse(now)

    def adopt(self, record: Record, now: int) -> None:
        """Count what a workload that is found running has used so far."""
        if self.usage is not None and record.pods:
            self.usage.adopt(record.workload.queue, record.charged.get(GPU, 0), record.began, now)

    def open_round(self, records: dict[str, Record]) -> None:
        """Find out what there is and what is asked for before the first decision of a round."""
        self.rounds += 1
        if not self.tree.declared:
            return
        if self.guarantee is not None:
            self.guarantee.open_round()
        rooms = self.state.rooms.all
        running: list[Amounts] = []
        if any(rooms[room_id].closed for room_id in self.state.room_count):
            for record in records.values():
                running += self._on_closed(record)
        self._ask_who_changed(records)
        facts = self.verdict.facts
        if self._there_at != facts:
            self._there, self._there_at = capacity_of(self.state), facts
        self.capacity = capacity_with(self._there, running)
        self.demand = self._demanded.by_queue
        if self.usage is not None:
            self.usage.weigh()
        self._held = {name: amounts.copy() for name, amounts in self.tree.held.items()}
        self._shared = False

    def _ask_who_changed(self, records: dict[str, Record]) -> None:
        """Count what those ask for who came, went or changed; everybody, where facts about nodes are new."""
        facts = self.verdict.facts
        stirred = self._stirred if self._there_at == facts else {**self._stirred, **dict.fromkeys(records.values())}
        self._stirred = {}
        for record in stirred:
            queue = record.workload.queue
            if records.get(record.workload.name) is not record or queue not in self.tree.sound:
                self._demanded.forget(record)
                continue
            if record.wanted is None or record.wanted_at != facts:
                record.wanted, record.wanted_at = self._demand(record), facts
            self._demanded.count(record, queue, record.wanted)

    def _on_closed(self, record: Record) -> list[Amounts]:
        """Return what each pod counts that runs on a node that takes no new ones."""
        leaves, state = record.demand.leaves, self.state
        found: list[Amounts] = []
        for (number, _), (node, grant) in record.pods.items():
            shape = leaves[number].shape
            if shape is not None and state.room_of[node].closed:
                found.append(of_pod(shape, node, grant, state))
        return found

    def _demand(self, record: Record) -> Amounts:
        """Return what a workload asks for in all, surplus included; nothing where it can never run."""
        workload = record.workload
        demand = record.demand
        missing = {leaf.index: [r for r in range(leaf.group.pods) if r not in leaf.fixed] for leaf in demand.leaves}
        least = {
            leaf.index: missing[leaf.index][: max(leaf.group.min_pods - len(leaf.fixed), 0)]
            for leaf in needed_leaves(demand.root)
        }
        record.ask = of_ranks(demand, least, self.state)
        total: Amounts = dict(record.charged)
        if workload.invalid or record.unreadable is not None or demand.unsupported:
            return total
        if not record.pods:
            code, _ = self.tree.refuses(workload.queue)
            limit = self.tree.by_name[workload.queue].limit
            beyond = any(amount > limit.get(resource, amount) for resource, amount in record.ask.items())
            if workload.suspend or code is not None or beyond or self.verdict.never_fits(demand):
                return total
        add(total, of_ranks(demand, missing, self.state))
        return total

    def turns(self, waiting: Sequence[Record]) -> Iterable[Record]:
        """Return the waiting workloads in the order of their turns, each chosen when the one before is decided."""
        if not self.tree.declared:
            return in_order(waiting)
        if len(waiting) < 2:  # noqa: PLR2004 -- whose turn it is, is asked of several
            self.tree.journal.clear()
            return waiting
        return Turns(waiting, self.tree, self.shares)

    def guard(self, record: Record, search: Search, rules: Sequence[Rule] = ()) -> Guard:
        """Return a workload's view of the search, behind the rules that concern it and those of its queue."""
        gates: list[Gate] = []
        for rule in rules:
            gate = rule.around(record, gates[-1] if gates else search)
            if gate is not None:
                gates.append(gate)
        return Guard(search, self.tree, record, self.state, self.capacity, gates)
