"""One round of decisions as a story: events in, plan out.

The engine books what already runs, then goes through everything that waits: first running workloads that lost pods,
then new ones by priority and time of submission, each on the state the earlier ones left. Minima come first; a
second round in the same order hands out surplus. Whatever stays pending gets its reason. Nothing is ever bound in
part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from railwise.engine.cluster.alter import alter_node
from railwise.engine.cluster.state import ClusterState
from railwise.engine.events import Event, Finish, NodeChange, Submit
from railwise.engine.gangs.record import Record
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.queues.accounts import Accounts
from railwise.engine.queues.guard import Search
from railwise.engine.reasons.verdict import Verdict
from railwise.engine.reasons.warnings import overfull
from railwise.engine.search.placement import Found, Placer
from railwise.engine.search.sizing import find_lost, find_minimum, find_most
from railwise.engine.search.step_time import StepTime
from railwise.engine.slots import slots_left
from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.reason import Code, Reason
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload

__all__ = ["Engine", "Event", "Finish", "NodeChange", "Policy", "Search", "Submit", "plan_scenario"]


Policy = Callable[[ClusterState], Search]
"""Makes a search for a state."""

Timing = Callable[[ClusterState], StepTime]
"""Makes what predicts step times on a state."""


class Engine:
    """A cluster with its workloads. ``cycle`` is the only way to change it."""

    def __init__(
        self,
        scenario: Scenario,
        policy: Policy | None = None,
        step_time: Timing | None = None,
    ) -> None:
        """Build the state of the scenario's nodes; its workloads are submitted by the first cycle.

        ``policy`` is a baseline to compare with; ``step_time`` makes what fills criterion 3.
        """
        self.scenario: Final = scenario
        self.state: Final = ClusterState(scenario.nodes, scenario.topologies, scenario.policy)
        timed = None if step_time is None else step_time(self.state)
        self.search: Final[Search] = Placer(self.state, timed) if policy is None else policy(self.state)
        indexes = self.search.indexes if isinstance(self.search, Placer) else Indexes(self.state)
        self.verdict: Final = Verdict(self.state, indexes)
        self.accounts: Final = Accounts(scenario.queues, self.state, self.verdict)
        self.records: Final[dict[str, Record]] = {}
        self.waiting: Final[dict[str, Record]] = {}
        self.warnings: Final[list[str]] = list(scenario.warnings)
        self._first: tuple[Workload, ...] = scenario.workloads

    def cycle(self, events: Sequence[Event], now: int = 0) -> Plan:
        """Apply events, decide, and return what was decided about every workload that changed or waits.

        ``now`` is µs. Workloads that go on running unchanged are not part of the plan.
        """
        if self.state.overgrown():
            self.state.compact()
        if self._first:
            self._book_first()
        for event in events:
            self._apply(event)
        reasons: dict[str, Reason] = {}
        placed: list[Record] = []
        queue: list[Record] = []
        self.accounts.open_round(self.records.values())
        for record in self.accounts.turns(list(self.waiting.values())):
            queue.append(record)
            reason = self._decide(record)
            if reason is not None:
                reasons[record.workload.name] = reason
            else:
                placed.append(record)
        if self._surplus(queue, reasons):
            placed += self._ask_again(queue, reasons)
        for record in placed:
            if not self._wants_more(record):
                del self.waiting[record.workload.name]
        return self._plan(queue, reasons, now)

    def _surplus(self, queue: list[Record], reasons: dict[str, Reason]) -> bool:
        """Hand out surplus in the order of the round; return whether a workload left places that others may want."""
        moved = False
        for record in queue:
            if record.workload.name not in reasons and self._wants_more(record):
                before = set(record.pods.values())
                self._grow(record)
                moved = moved or not before <= set(record.pods.values())
        return moved

    def _ask_again(self, queue: list[Record], reasons: dict[str, Reason]) -> list[Record]:
        """Decide once more on those refused, now that others have left room by moving; return who starts."""
        started: list[Record] = []
        for record in queue:
            if record.workload.name in reasons and self._decide(record) is None:
                del reasons[record.workload.name]
                started.append(record)
        self._surplus(started, reasons)
        return started

    def _book_first(self) -> None:
        """Submit the scenario's workloads: running pods whose cards are named are booked before the others."""
        records = [Record(workload, self.state) for workload in self._first]
        self._first = ()
        for record in sorted(records, key=lambda record: not record.names_cards()):
            record.occupy(self.state)
        for record in records:
            self.accounts.recharge(record)
            self._enter(record)
        self.warnings.extend(overfull(self.state))

    def _enter(self, record: Record) -> None:
        self.records[record.workload.name] = record
        if not record.started or record.short() or self._wants_more(record):
            self.waiting[record.workload.name] = record

    def _apply(self, event: Event) -> None:
        if isinstance(event, Submit):
            self._withdraw(event.workload.name)
            record = Record(event.workload, self.state)
            if event.workload.root.running is not None or event.workload.root.groups:
                record.occupy(self.state)
                self.accounts.recharge(record)
            self._enter(record)
        elif isinstance(event, Finish):
            self._withdraw(event.name)
        else:
            self._alter(event)

    def _withdraw(self, name: str) -> None:
        """Forget a workload and free what it holds; a workload of the same name that comes again is a new one."""
        gone = self.records.pop(name, None)
        self.waiting.pop(name, None)
        if gone is not None:
            gone.release(self.state)
            self.accounts.recharge(gone)

    def _alter(self, event: NodeChange) -> None:
        node = self.state.index_of.get(event.name)
        if node is None:
            return
        running = [shape for record in self.records.values() for shape in record.shapes_on(node)]
        alter_node(self.state, node, event.values, running)
        self.verdict.forget()
        if event.values.get("ready") is False and self.state.policy.node_grace == 0:
            for record in self.records.values():
                keys = [key for key, (where, _) in record.pods.items() if where == node]
                if keys:
                    record.take_away(self.state, keys)
                    record.lost.update(keys)
                    self.accounts.recharge(record)
                    self.waiting[record.workload.name] = record
        elif event.values.get("ready") is True or "gpu.unhealthy" in event.values:
            for record in self.records.values():
                if self._wants_more(record):
                    self.waiting[record.workload.name] = record

    def _wants_more(self, record: Record) -> bool:
        if record.workload.invalid:
            return False
        if record.started and not self._may_grow(record):
            return bool(record.lost)
        return record.demand.pods > len(record.pods)

    def _may_grow(self, record: Record) -> bool:
        return record.workload.kind != "training" or record.workload.elastic

    def _decide(self, record: Record) -> Reason | None:
        """Give a workload its minimum; return why not, None where it has it."""
        refusal = self._static_refusal(record)
        if refusal is not None:
            return refusal
        return self._start(record) if record.short() else None

    def _static_refusal(self, record: Record) -> Reason | None:
        """Return the reason that lies in the workload or its queue, whatever is free."""
        workload = record.workload
        if workload.invalid:
            return self.verdict.plain(Code.INVALID_REQUEST, workload.invalid)
        code, text = self.accounts.tree.refuses(workload.queue)
        if code == Code.UNKNOWN_QUEUE:
            return self.verdict.plain(code, text)
        if record.unreadable is not None:
            return self.verdict.plain(record.unreadable.code, record.unreadable.text)
        if workload.suspend and not record.pods:
            return self.verdict.plain(Code.SUSPENDED, "the workload is suspended")
        if code is not None and not record.pods:
            return self.verdict.plain(code, text)
        if workload.unsupported and (not record.started or record.short()):
            return self.verdict.plain(Code.UNSUPPORTED, workload.unsupported)
        if record.demand.unsupported and (not record.started or record.short()):
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
        guard = self.accounts.guard(record, self.search)
        for index in order_list:
            found = find_minimum(record.demands[index], guard.place)
            if isinstance(found, Found):
                record.choose(index)
                self._put(record, found)
                return None
            proven = proven and found.proven
        if guard.refusal is not None and (not guard.searched or guard.refusal[0] == Code.WAITING_FOR_QUOTA):
            return self.verdict.plain(*guard.refusal)
        return self.verdict.refuse(record.demands[0], proven=proven)

    def _put(self, record: Record, found: Found) -> None:
        if found.pods or not record.pods:
            record.met, record.exact = found.met, found.exact
        record.put(self.state, found.pods)
        self.accounts.recharge(record)

    def _grow(self, record: Record) -> None:
        """Give a workload as much surplus as fits; one that was placed in this round is placed again, whole."""
        guard = self.accounts.guard(record, self.search)
        if record.started:
            grown = find_most(record.demand, guard.place) if self._may_grow(record) else find_lost(record, guard.place)
            if isinstance(grown, Found) and grown.pods:
                self._put(record, grown)
            return
        pods = dict(record.pods)
        record.take_away(self.state, list(pods))
        self.accounts.recharge(record)
        found = find_most(record.demand, guard.place)
        if found is not None and len(found.pods) > len(pods):
            self._put(record, found)
        else:
            record.put_back(self.state, pods)
            self.accounts.recharge(record)

    def _plan(self, queue: list[Record], reasons: dict[str, Reason], now: int) -> Plan:
        workloads: list[WorkloadPlan] = []
        for record in queue:
            reason = reasons.get(record.workload.name)
            if reason is not None or not record.started or record.changed:
                workloads.append(self.describe(record, reason))
            record.changed = False
            if not record.short():
                record.started = True
        return Plan(
            scenario=self.scenario.name,
            time=now,
            workloads=tuple(workloads),
            warnings=tuple(self.warnings),
            decisions=len(queue),
        )

    def describe(self, record: Record, reason: Reason | None) -> WorkloadPlan:
        """Return what a plan says about one workload; call before it is marked as started."""
        workload = record.workload
        running = State.RUNNING if record.started else State.PLACED
        state = State.PENDING if record.short() else running
        known = record.unreadable is None
        return WorkloadPlan(
            name=workload.name,
            queue=workload.queue,
            state=state,
            pods=record.placements(self.state) if record.pods else (),
            domains=record.domains(self.state) if record.pods and known else {},
            preferred_met=record.prefers_where_it_runs(self.state) if record.started else record.met,
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
