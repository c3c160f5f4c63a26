"""One round of decisions as a story: events in, plan out.

The engine books what already runs, then goes through everything that waits: first running workloads that lost pods,
then new ones by priority and time of submission, each on the state the earlier ones left. Minima come first; a
second round in the same order hands out surplus. Whatever stays pending gets its reason. Nothing is ever bound in
part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from railwise.engine.alter import alter_node
from railwise.engine.demand import Demand
from railwise.engine.events import Event, Finish, NodeChange, Submit
from railwise.engine.gang import Indexes
from railwise.engine.order import QueueTree, in_order
from railwise.engine.placement import Found, Placer, Refused
from railwise.engine.record import Record, minimum_met
from railwise.engine.sizing import find_minimum, find_most
from railwise.engine.slots import slots_left
from railwise.engine.state import ClusterState
from railwise.engine.verdict import Verdict
from railwise.engine.warnings import overfull
from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.reason import Code, Reason
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload

__all__ = ["Engine", "Event", "Finish", "NodeChange", "Submit", "plan_scenario"]


class Search(Protocol):
    """Anything that finds places for pods: the topology-aware search, or a baseline to compare with."""

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts, changing nothing."""
        ...


Policy = Callable[[ClusterState], Search]
"""Makes a search for a state."""


class Engine:
    """A cluster with its workloads. ``cycle`` is the only way to change it."""

    def __init__(self, scenario: Scenario, policy: Policy | None = None) -> None:
        """Build the state of the scenario's nodes; its workloads are submitted by the first cycle."""
        self.scenario: Final = scenario
        self.state: Final = ClusterState(scenario.nodes, scenario.topologies, scenario.policy)
        self.search: Final[Search] = Placer(self.state) if policy is None else policy(self.state)
        indexes = self.search.indexes if isinstance(self.search, Placer) else Indexes(self.state)
        self.verdict: Final = Verdict(self.state, indexes)
        self.queues: Final = QueueTree(scenario.queues)
        self.records: Final[dict[str, Record]] = {}
        self.waiting: Final[dict[str, Record]] = {}
        self.warnings: Final[list[str]] = list(scenario.warnings)
        self._first: tuple[Workload, ...] = scenario.workloads

    def cycle(self, events: Sequence[Event], now: int = 0) -> Plan:
        """Apply events, decide, and return what was decided about every workload that changed or waits.

        ``now`` is µs. Workloads that go on running unchanged are not part of the plan.
        """
        if self._first:
            self._book_first()
        for event in events:
            self._apply(event)
        reasons: dict[str, Reason] = {}
        placed: list[Record] = []
        decisions = 0
        queue = in_order(self.waiting.values()) if len(self.waiting) > 1 else list(self.waiting.values())
        for record in queue:
            decisions += 1
            reason = self._decide(record)
            if reason is not None:
                reasons[record.workload.name] = reason
            else:
                placed.append(record)
        for record in queue:
            if record.workload.name not in reasons and self._wants_more(record):
                self._grow(record)
        for record in placed:
            del self.waiting[record.workload.name]
        return self._plan(queue, reasons, now, decisions)

    def _book_first(self) -> None:
        """Submit the scenario's workloads: running pods whose cards are named are booked before the others."""
        records = [Record(workload, self.state) for workload in self._first]
        self._first = ()
        for record in sorted(records, key=lambda record: not record.names_cards()):
            record.occupy(self.state)
        for record in records:
            self._enter(record)
        self.warnings.extend(overfull(self.state))

    def _enter(self, record: Record) -> None:
        self.records[record.workload.name] = record
        if not record.started or self._short(record) or self._wants_more(record):
            self.waiting[record.workload.name] = record

    def _apply(self, event: Event) -> None:
        if isinstance(event, Submit):
            record = Record(event.workload, self.state)
            if event.workload.root.running is not None or event.workload.root.groups:
                record.occupy(self.state)
            self._enter(record)
        elif isinstance(event, Finish):
            gone = self.records.pop(event.name, None)
            self.waiting.pop(event.name, None)
            if gone is not None:
                gone.take_away(self.state, list(gone.pods))
        else:
            self._alter(event)

    def _alter(self, event: NodeChange) -> None:
        node = self.state.index_of.get(event.name)
        if node is None:
            return
        alter_node(self.state, node, event.values)
        self.verdict.empty.forget()
        if event.values.get("ready") is False and self.state.policy.node_grace == 0:
            for record in self.records.values():
                keys = [key for key, (where, _) in record.pods.items() if where == node]
                if keys:
                    record.take_away(self.state, keys)
                    record.lost.update(keys)
                    self.waiting[record.workload.name] = record
        elif event.values.get("ready") is True or "gpu.unhealthy" in event.values:
            for record in self.records.values():
                if self._wants_more(record):
                    self.waiting[record.workload.name] = record

    def _short(self, record: Record) -> bool:
        counts = {leaf.index: len(leaf.fixed) for leaf in record.demand.leaves}
        return not minimum_met(record.demand.root, counts)

    def _wants_more(self, record: Record) -> bool:
        if record.unreadable is not None or record.workload.invalid:
            return False
        return sum(leaf.group.pods for leaf in record.demand.leaves) > len(record.pods)

    def _decide(self, record: Record) -> Reason | None:
        """Give a workload its minimum; return why not, None where it has it."""
        refusal = self._static_refusal(record)
        if refusal is not None:
            return refusal
        if record.started and not self._short(record):
            return None
        return self._start(record)

    def _static_refusal(self, record: Record) -> Reason | None:
        """Return the reason that lies in the workload or its queue, whatever is free."""
        workload = record.workload
        if workload.invalid:
            return self.verdict.plain(Code.INVALID_REQUEST, workload.invalid)
        code, text = self.queues.refuses(workload.queue)
        if code == Code.UNKNOWN_QUEUE:
            return self.verdict.plain(code, text)
        if record.unreadable is not None and self._short(record):
            return self.verdict.plain(record.unreadable.code, record.unreadable.text)
        if workload.suspend and not record.pods:
            return self.verdict.plain(Code.SUSPENDED, "the workload is suspended")
        if code is not None and not record.pods:
            return self.verdict.plain(code, text)
        if record.demand.unsupported and (not record.started or self._short(record)):
            return self.verdict.plain(
                Code.UNSUPPORTED, "MIG slices and time slices are not placed yet; refused rather than guessed"
            )
        return None

    def _start(self, record: Record) -> Reason | None:
        order = range(len(record.demands))
        if record.workload.alternatives and not record.started:
            slow = record.workload.alternatives
            order_list = sorted(order, key=lambda index: (slow[index].slowdown, index))
        else:
            order_list = [record.current]
        proven = True
        for index in order_list:
            found = find_minimum(record.demands[index], self.search.place)
            if isinstance(found, Found):
                record.current = index
                self._put(record, found)
                return None
            proven = proven and found.proven
        return self.verdict.refuse(record.demands[0], proven=proven)

    def _put(self, record: Record, found: Found) -> None:
        if found.pods or not record.pods:
            record.met, record.exact = found.met, found.exact
        record.put(self.state, found.pods)

    def _grow(self, record: Record) -> bool:
        """Give a workload as much surplus as fits; one that was placed in this round is placed again, whole."""
        workload = record.workload
        if record.started:
            if workload.kind == "training" and not workload.elastic:
                return False
            before = len(record.pods)
            found = find_most(record.demand, self.search.place)
            if found is None or not found.pods:
                return False
            self._put(record, found)
            return len(record.pods) > before
        pods = dict(record.pods)
        met, exact = record.met, record.exact
        record.take_away(self.state, list(record.pods))
        found = find_most(record.demand, self.search.place)
        if found is None or len(found.pods) <= len(pods):
            record.put_back(self.state, pods)
            record.met, record.exact = met, exact
            return False
        self._put(record, found)
        return True

    def _plan(self, queue: list[Record], reasons: dict[str, Reason], now: int, decisions: int) -> Plan:
        workloads: list[WorkloadPlan] = []
        for record in queue:
            workload = record.workload
            reason = reasons.get(workload.name)
            workloads.append(self.describe(record, reason))
            if reason is None:
                record.started = True
        return Plan(
            scenario=self.scenario.name,
            time=now,
            workloads=tuple(workloads),
            warnings=tuple(self.warnings),
            decisions=decisions,
        )

    def describe(self, record: Record, reason: Reason | None) -> WorkloadPlan:
        """Return what a plan says about one workload; call before it is marked as started."""
        workload = record.workload
        running = State.RUNNING if record.started else State.PLACED
        state = State.PENDING if reason is not None else running
        known = record.unreadable is None
        return WorkloadPlan(
            name=workload.name,
            queue=workload.queue,
            state=state,
            pods=record.placements(self.state) if record.pods else (),
            domains=record.domains(self.state) if record.pods and known else {},
            preferred_met=record.met,
            reason=reason,
            alternative=record.demand.alternative if known else -1,
            exact=record.exact,
        )


def plan_scenario(scenario: Scenario, policy: Policy | None = None) -> Plan:
    """Return one decision on a whole document, about all of its workloads in document order."""
    engine = Engine(scenario, policy)
    decided = engine.cycle(())
    by_name = {workload.name: workload for workload in decided.workloads}
    workloads = tuple(
        by_name[workload.name] if workload.name in by_name else engine.describe(engine.records[workload.name], None)
        for workload in scenario.workloads
    )
    return Plan(
        scenario=scenario.name,
        time=0,
        workloads=workloads,
        warnings=tuple(engine.warnings),
        decisions=decided.decisions,
        slots_left=slots_left(engine.state),
    )
