"""One round of decisions as a story: events in, plan out.

The engine books what already runs, then goes through everything that waits: first running workloads that lost pods,
then new ones, each on the state the earlier ones left. Minima come first; a second round in the same order hands out
surplus. Whatever stays pending gets its reason. Nothing is ever bound in part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.deciding import Decider
from railwise.engine.discipline import Policy
from railwise.engine.events import Event, Finish, NodeChange, Submit, UplinkChange
from railwise.engine.eviction.news import News
from railwise.engine.gangs.record import Record
from railwise.engine.queues.accounts import Accounts
from railwise.engine.queues.bandwidth import read_promises
from railwise.engine.queues.bandwidth_gate import BandwidthRule
from railwise.engine.queues.guard import Search
from railwise.engine.queues.order import in_order
from railwise.engine.queues.promise_gate import PromiseRule
from railwise.engine.reasons.verdict import Verdict
from railwise.engine.reasons.warnings import overfull
from railwise.engine.search.link_time import LinkTime, has_links
from railwise.engine.search.neighbours import with_rules
from railwise.engine.search.placement import Placer
from railwise.engine.search.step_time import StepTime
from railwise.engine.slots import slots_left
from railwise.engine.waiting.backfill import EASY, Backfill
from railwise.engine.waiting.crowd import Crowd
from railwise.engine.wakes import Wakes
from railwise.engine.workloads import Workloads
from railwise.model.plan import Plan, Reservation, State, WorkloadPlan
from railwise.model.reason import Reason
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload

__all__ = ["Engine", "Event", "Finish", "NodeChange", "Policy", "Search", "Submit", "UplinkChange", "plan_scenario"]


NANOSECONDS: Final = 1_000_000_000

MOST_UNREAD: Final = 1024
"""When so many workloads have changed without anybody asking for the load of links, it is brought up to date."""

Timing = Callable[[ClusterState], StepTime]
"""Makes what predicts step times on a state."""


class Engine:
    """A cluster with its workloads. ``cycle`` is the only way to change it."""

    def __init__(
        self,
        scenario: Scenario,
        policy: Policy | None = None,
        step_time: Timing | None = None,
        *,
        brief: bool = False,
    ) -> None:
        """Build the state of the scenario's nodes; its workloads are submitted by the first cycle.

        ``policy`` is a baseline to compare with; ``step_time`` makes what fills criterion 3 (default: the links of
        the document, where it names any). ``brief``: the same is decided, but nobody is told why he waits, and plans
        speak only of those whose pods changed.
        """
        self.scenario: Final = scenario
        self.state: Final = ClusterState(scenario.nodes, scenario.topologies, scenario.policy)
        self.link_time: Final = LinkTime(self.state) if has_links(scenario.topologies) else None
        timed: StepTime | None = self.link_time if step_time is None else step_time(self.state)
        self.search: Final[Search] = Placer(self.state, timed) if policy is None else policy.search(self.state)
        self.brief: Final = brief
        self.verdict: Final = Verdict(self.state)
        self.verdict.brief = brief
        queues = scenario.queues if policy is None else policy.queues(scenario.queues)
        self.accounts: Final = Accounts(queues, self.state, self.verdict)
        self.workloads: Final = Workloads(self.state, self.accounts)
        self.records: Final = self.workloads.records
        self.wakes: Final = Wakes(self.workloads)
        if self.link_time is not None:
            self.workloads.speaking = self.link_time.loads.changed
        own = isinstance(self.search, Placer)
        search: Search = with_rules(self.search.place, self.state, self.workloads.ruled, own=own)
        self.decider: Final = Decider(self.workloads, search, self.accounts, self.verdict, evicts=policy is None)
        self.decider.step_time = timed if policy is None else None
        self.discipline: Final = policy.discipline(self.workloads, scenario) if policy and policy.discipline else None
        if self.discipline is not None:
            self.decider.rules.append(self.discipline)
        self.backfill: Final = Backfill(self.decider) if policy is None else None
        plain = brief and self.backfill is not None and timed is None and not self.accounts.tree.declared
        easy = scenario.policy.backfill == EASY and not scenario.policy.defrag_max_moves
        self.crowd: Final = Crowd(self.decider, self.backfill) if self.backfill is not None and plain and easy else None
        self.warnings: Final[list[str]] = list(scenario.warnings)
        if self.accounts.guarantee is not None:
            self.warnings.extend(self.accounts.guarantee.warnings)
            self.decider.lasting.append(PromiseRule(self.accounts.guarantee))
        promises = read_promises(self.accounts.tree, self.link_time) if policy is None else None
        if promises is not None:
            self.decider.lasting.append(BandwidthRule(promises, self.state))
        self.decider.rules.extend(self.decider.lasting)
        self._first: tuple[Workload, ...] = scenario.workloads
        self._settled: Plan | None = None
        self._quiet = False
        self._moment = (-1, -1, -1)

    def cycle(self, events: Sequence[Event], now: int = 0) -> Plan:
        """Apply events, decide, and return what was decided about every workload that changed or waits.

        ``now`` is µs. Workloads that go on running unchanged are not part of the plan.
        """
        if not events and self._settled is not None and self._nothing_new(self._settled, now):
            return self._as_before(self._settled, now)
        self._take_in(events, now)
        freed = self.state.freed
        waiting = self.workloads.waiting
        reasons: dict[str, Reason] = {}
        placed: list[Record] = []
        queue: list[Record] = []
        news = self.decider.open_round()
        self.accounts.open_round(self.records)
        if self.backfill is not None:
            self.backfill.open_round()
        crowd = self.crowd
        for record in self._turns():
            if news.stopped(record):
                continue
            queue.append(record)
            reason = self.decider.decide(record)
            if reason is not None:
                reasons[record.workload.name] = reason
                if self.backfill is not None and not record.demand.kept:
                    self.backfill.refused(record, reason)
                if crowd is not None:
                    crowd.answer = reason
            else:
                placed.append(record)
        self.decider.rehouse()
        moved = self._surplus([*queue, *news.others(queue)], reasons)
        if moved:
            again = queue if crowd is None else in_order([one for one in waiting.values() if not news.about(one)])
            placed += self._ask_again(again, reasons, queue)
        for record in placed:
            if not record.short() and not self.workloads.wants_more(record):
                self.workloads.wait_no_more(record)
        plan = self._plan(queue, reasons, news)
        beside = bool(placed and self.workloads.ruled) and any(record.demand.ruled for record in queue)
        self._settled = None if moved or beside or self.state.freed != freed else plan
        self._quiet = False
        self._moment = (self.workloads.changes, self.state.freed, self.state.generation)
        return plan

    def idle(self, now: int) -> bool:
        """Return whether a cycle without events would change nothing and tell nothing that was not told."""
        return self._settled is not None and self._nothing_new(self._settled, now)

    def _nothing_new(self, plan: Plan, now: int) -> bool:
        """Return whether a round would decide as the last one did: since then nothing changed and no wait is over.

        In a round that only took room whoever was refused is refused again: nothing has come free for him.
        """
        workloads = self.workloads
        if self._first or self._moment != (workloads.changes, self.state.freed, self.state.generation):
            return False
        if now == workloads.now:
            return True
        timed = plan.reservations or self.accounts.usage is not None or self.discipline is not None
        return not timed and now < min(self.wakes.all(), default=now + 1)

    def _as_before(self, plan: Plan, now: int) -> Plan:
        """Return the last plan without what it changed: who waits, and why."""
        self.workloads.open_round(now)
        if not self._quiet:
            waiting = tuple(entry for entry in plan.workloads if entry.reason is not None)
            plan = replace(plan, workloads=waiting, evictions=(), moves=(), decisions=len(waiting))
            self._settled, self._quiet = plan, True
        return replace(plan, time=now)

    def _take_in(self, events: Sequence[Event], now: int) -> None:
        """Bring the books up to date."""
        self.workloads.open_round(now)
        self.accounts.elapse(now)
        if self.state.overgrown():
            self.state.compact()
        if self._first:
            first, self._first = self._first, ()
            self.workloads.book(first)
            self.warnings.extend(overfull(self.state))
        if self.link_time is not None and len(self.link_time.loads.changed) > MOST_UNREAD:
            self.link_time.loads.refresh()
        self.workloads.lose_overdue()
        for event in events:
            if isinstance(event, UplinkChange) and self.link_time is not None:
                self.link_time.narrow(event)
            if self.workloads.apply(event) and isinstance(event, NodeChange):
                self.verdict.forget(self.state.index_of[event.name])

    def _surplus(self, queue: list[Record], reasons: dict[str, Reason]) -> bool:
        """Hand out surplus in the order of the round; return whether a workload left places that others may want."""
        moved = False
        for record in queue:
            if record.pods and record.workload.name not in reasons and self.workloads.wants_more(record):
                before = set(record.pods.values())
                self.decider.grow(record)
                moved = moved or not before <= set(record.pods.values())
        return moved

    def _turns(self) -> Iterable[Record]:
        """Return who is to be decided on, by turn."""
        if self.crowd is not None:
            return self.crowd.turns()
        return (self.discipline or self.accounts).turns(list(self.workloads.waiting.values()))

    def _ask_again(self, refused: list[Record], reasons: dict[str, Reason], queue: list[Record]) -> list[Record]:
        """Decide once more on those refused, now that others have left room by moving; return who starts.

        Who was passed over because he was known to be refused comes into the ``queue`` of the round by starting.
        """
        started: list[Record] = []
        asked = set(queue)
        for record in refused:
            if record in asked and record.workload.name not in reasons:
                continue
            if self.decider.decide(record) is None:
                reasons.pop(record.workload.name, None)
                started.append(record)
                if record not in asked:
                    queue.append(record)
        self._surplus(started, reasons)
        queue[:] = in_order(queue) if self.crowd is not None else queue
        return started

    def _plan(self, queue: list[Record], reasons: dict[str, Reason], news: News) -> Plan:
        workloads: list[WorkloadPlan] = []
        for record in [*queue, *news.others(queue)]:
            reason = reasons.get(record.workload.name)
            if record.changed or (not self.brief and (reason is not None or not record.started)):
                workloads.append(self.describe(record, reason))
            record.changed = False
            if not record.short():
                record.started = True
        return Plan(
            scenario=self.scenario.name,
            time=self.workloads.now,
            workloads=tuple(workloads),
            evictions=news.evictions(),
            moves=news.moves(self.state),
            reservations=self._listed(),
            warnings=tuple(self.warnings),
            decisions=len(queue),
        )

    def wake_times(self) -> list[int]:
        """Return when, in µs, waiting workloads should be decided on again although nothing happens till then."""
        return self.wakes.all()

    def _listed(self) -> tuple[Reservation, ...]:
        if self.backfill is not None:
            return self.backfill.listed()
        return () if self.discipline is None else self.discipline.listed()

    def describe(self, record: Record, reason: Reason | None) -> WorkloadPlan:
        """Return what a plan says about one workload; call before it is marked as started."""
        workload = record.workload
        running = State.RUNNING if record.started else State.PLACED
        state = State.PENDING if record.short() else running
        news = self.decider.news
        if news.about(record):
            state = news.state(record)
        known = record.unreadable is None
        seconds, best = self._seconds(record) if known else (0.0, 0.0)
        return WorkloadPlan(
            name=workload.name,
            queue=workload.queue,
            state=state,
            pods=record.placements(self.state) if record.pods else (),
            domains=record.domains(self.state) if record.pods and known else {},
            preferred_met=record.prefers_where_it_runs(self.state) if record.started else record.met,
            reason=reason,
            victims=news.victims_of(record),
            alternative=record.demand.alternative if known else -1,
            seconds_per_step=seconds,
            best_seconds=best,
            exact=record.exact,
        )

    def _seconds(self, record: Record) -> tuple[float, float]:
        """Return the predicted seconds of a step where the workload runs, and at the best place; 0: unknown."""
        step = None if self.link_time is None else self.link_time.step_here(record.demand)
        if step is None or self.link_time is None:
            return 0.0, 0.0
        here = step.total()
        best = self.link_time.best(record.demand)
        return here / NANOSECONDS, min(best or here, here) / NANOSECONDS


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
        evictions=decided.evictions,
        moves=decided.moves,
        reservations=decided.reservations,
        warnings=tuple(engine.warnings),
        decisions=decided.decisions,
        slots_left=slots_left(engine.state),
    )
