"""What would be different: a document changed in thought, planned, and compared with the plan of the document as it is.

Both plans are complete decisions by the same rules, so a what-if says what would be done, not what might fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from railwise.engine.cycle import Engine
from railwise.engine.eviction.loss import CARD_SECOND, loss_of_surplus
from railwise.engine.explain import advise_all, earliest
from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.workload import Group

RUNS: Final = frozenset({State.PLACED, State.RUNNING, State.MOVED})


class Effect(Enum):
    """What a what-if does to one workload, compared with the plan without it."""

    STARTS = "starts"
    STAYS = "keeps running"
    STOPS = "stops"
    STAYS_OUT = "does not start"
    MOVES = "moves"
    FEWER = "fewer pods"
    MORE = "more pods"
    REASON = "another reason"


WORSE: Final = frozenset({Effect.STOPS, Effect.STAYS_OUT, Effect.FEWER})
"""What nobody wishes for."""


@dataclass(frozen=True)
class Difference:
    """One workload with its entries in the plan without and with the what-if (None: it is in only one of them).

    ``runs`` tells whether it runs now; ``lost`` is the work in GPU-seconds that its pods lose which must leave a node.
    """

    name: str
    effect: Effect
    before: WorkloadPlan | None
    after: WorkloadPlan | None
    runs: bool
    lost: int = 0


def drained(scenario: Scenario, nodes: Iterable[str]) -> Scenario:
    """Return the scenario with nodes closed to new pods and their pods gone from them, wanted elsewhere."""
    gone = set(nodes)
    closed = tuple(replace(node, unschedulable=True) if node.name in gone else node for node in scenario.nodes)
    workloads = tuple(replace(one, root=_without(one.root, gone)) for one in scenario.workloads)
    return replace(scenario, nodes=closed, workloads=workloads)


def _without(group: Group, nodes: set[str]) -> Group:
    if group.groups:
        return replace(group, groups=tuple(_without(child, nodes) for child in group.groups))
    running = group.running
    if running is None or not nodes.intersection(name for name in running.nodes if name is not None):
        return group
    left = tuple(None if name in nodes else name for name in running.nodes)
    cards = tuple(() if name in nodes else own for name, own in zip(running.nodes, running.cards, strict=False))
    return replace(group, running=replace(running, nodes=left, cards=cards))


def with_quota(scenario: Scenario, queue: str, quota: Mapping[str, int]) -> Scenario:
    """Return the scenario with amounts of a queue's quota replaced, in base units."""
    queues = tuple(replace(one, quota={**one.quota, **quota}) if one.name == queue else one for one in scenario.queues)
    return replace(scenario, queues=queues)


def differences(scenario: Scenario, before: Plan, after: Plan, left: Iterable[str] = ()) -> list[Difference]:
    """Return the workloads for which it makes a difference, in the order of the plan with the what-if.

    Args:
        scenario: the document as it is.
        before: its plan.
        after: the plan with the what-if.
        left: nodes that pods must leave, for the work that is lost.
    """
    first = {entry.name: entry for entry in before.workloads}
    last = {entry.name: entry for entry in after.workloads}
    running = {workload.name for workload in scenario.workloads if _runs(workload.root)}
    lost = lost_work(scenario, left)
    found: list[Difference] = []
    for name in [*last, *[name for name in first if name not in last]]:
        effect = _effect(first.get(name), last.get(name), runs=name in running)
        if effect is not None:
            found.append(Difference(name, effect, first.get(name), last.get(name), name in running, lost.get(name, 0)))
    return found


def _runs(group: Group) -> bool:
    if group.groups:
        return any(_runs(child) for child in group.groups)
    return group.running is not None and any(name is not None for name in group.running.nodes)


def _effect(before: WorkloadPlan | None, after: WorkloadPlan | None, *, runs: bool) -> Effect | None:
    ran = before is not None and before.state in RUNS
    will = after is not None and after.state in RUNS
    if ran != will:
        if runs:
            return Effect.STAYS if will else Effect.STOPS
        return Effect.STARTS if will else Effect.STAYS_OUT
    if before is None or after is None:
        return Effect.STAYS_OUT if after is not None else None
    if not will:
        codes = [entry.reason.code if entry.reason else None for entry in (before, after)]
        return Effect.REASON if codes[0] != codes[1] else None
    if len(before.pods) != len(after.pods):
        return Effect.MORE if len(after.pods) > len(before.pods) else Effect.FEWER
    places = [{pod.name: pod.node for pod in entry.pods} for entry in (before, after)]
    return Effect.MOVES if places[0] != places[1] else None


def lost_work(scenario: Scenario, nodes: Iterable[str]) -> dict[str, int]:
    """Return the work in GPU-seconds that workloads lose whose pods on some nodes stop; a training gang stops whole."""
    engine = Engine(scenario)
    engine.workloads.book(scenario.workloads)
    gone = {engine.state.index_of[name] for name in nodes if name in engine.state.index_of}
    lost: dict[str, int] = {}
    for name, record in engine.records.items():
        keys = [key for key, (node, _) in record.pods.items() if node in gone]
        if keys:
            lost[name] = loss_of_surplus(record, keys, engine.state, engine.workloads.now) // CARD_SECOND
    return lost


@dataclass(frozen=True)
class Outlook:
    """For one who waits: when there is room at the earliest (µs, -1: not known), by whose end, and what would do."""

    start: int
    after: str
    steps: tuple[str, ...]


def outlook(scenario: Scenario, plan: Plan, name: str) -> Outlook:
    """Return what can be said to a workload that waits in a plan: its reservation or known ends, and next steps."""
    entry = next(entry for entry in plan.workloads if entry.name == name)
    engine = Engine(scenario)
    engine.cycle(())
    steps = tuple(advise_all(engine, name, entry.reason)) if entry.reason is not None else ()
    kept = [one.start for one in plan.reservations if one.workload == name and one.start >= 0]
    if kept:
        return Outlook(kept[0], "", steps)
    known = earliest(engine, name)
    return Outlook(*known, steps) if known is not None else Outlook(-1, "", steps)
