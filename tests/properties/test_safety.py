"""Safety of a plan with several waiting workloads, judged by the reference's own book of cards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import plan_scenario
from railwise.engine.outcome import after
from railwise.model.plan import Plan, PodPlacement, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload
from tests.oracle.cluster import Cluster, leaves
from tests.oracle.instances import crowd
from tests.oracle.rules import Placed

seeds = st.integers(0, 2**32 - 1)


def _planned(seed: int) -> tuple[Scenario, Plan]:
    scenario = crowd(seed)
    return scenario, plan_scenario(scenario)


def _root(workload: Workload, plan: WorkloadPlan) -> Group:
    return workload.alternatives[plan.alternative].root if workload.alternatives and plan.pods else workload.root


def _new(scenario: Scenario, plan: Plan) -> list[tuple[Workload, WorkloadPlan]]:
    pairs = zip(scenario.workloads, plan.workloads, strict=True)
    return [(workload, one) for workload, one in pairs if one.state is State.PLACED]


def _around(scenario: Scenario, plan: Plan) -> Scenario:
    """Return the scenario with what ran before where it runs after the plan: what new workloads find."""
    later = after(scenario, plan)
    placed = {workload.name for workload, _ in _new(scenario, plan)}
    kept = [old if old.name in placed else new for old, new in zip(scenario.workloads, later.workloads, strict=True)]
    return replace(scenario, workloads=tuple(kept))


def _leaf(workload: Workload, plan: WorkloadPlan, pod: PodPlacement) -> Group:
    groups = {"/".join(path): group for path, group in leaves(_root(workload, plan))}
    return groups[pod.group]


@given(seeds)
def test_every_workload_is_answered_once_and_in_order(seed: int) -> None:
    scenario, plan = _planned(seed)
    assert [one.name for one in plan.workloads] == [workload.name for workload in scenario.workloads]
    for one in plan.workloads:
        assert (one.state is State.PENDING) == (one.reason is not None)
        assert bool(one.pods) == (one.state not in {State.PENDING, State.EVICTED})


@given(seeds)
def test_never_partial(seed: int) -> None:
    scenario, plan = _planned(seed)
    around = _around(scenario, plan)
    for workload, one in _new(scenario, plan):
        faults = Placed(around, workload, one.pods, _root(workload, one)).faults
        assert [fault for fault in faults if "needed" in fault or "ranks" in fault] == []


@given(seeds)
def test_never_double_booked(seed: int) -> None:
    scenario, plan = _planned(seed)
    empty = Cluster(replace(scenario, workloads=()))
    for workload, one in zip(scenario.workloads, plan.workloads, strict=True):
        for pod in one.pods:
            group = _leaf(workload, one, pod)
            cards = [int(card) for card in pod.cards]
            assert empty.by_name[pod.node].put(group.request, group.card_rule, cards) == "", pod


@given(seeds)
def test_required_always_honoured(seed: int) -> None:
    scenario, plan = _planned(seed)
    around = _around(scenario, plan)
    for workload, one in _new(scenario, plan):
        placed = Placed(around, workload, one.pods, _root(workload, one))
        assert placed.faults == []
        assert placed.unordered() == []


@given(seeds)
def test_whoever_runs_runs_on_unless_the_plan_says_for_whom_not(seed: int) -> None:
    scenario, plan = _planned(seed)
    touched = {one.workload for one in plan.evictions} | {one.workload for one in plan.moves}
    placed = {one.name for one in plan.workloads if one.state is State.PLACED}
    assert {one.beneficiary for one in plan.evictions} | {one.beneficiary for one in plan.moves} <= placed
    for workload, one in zip(scenario.workloads, plan.workloads, strict=True):
        if workload.root.running is not None and workload.name not in touched:
            assert one.state is State.RUNNING
            assert tuple(pod.node for pod in one.pods) == workload.root.running.nodes
            assert tuple(pod.cards for pod in one.pods) == workload.root.running.cards


@given(seeds)
def test_counts_add_up(seed: int) -> None:
    scenario, plan = _planned(seed)
    for one in plan.workloads:
        if one.reason is not None and (one.reason.nodes or one.reason.total):
            assert one.reason.total == len(scenario.nodes)
            assert sum(one.reason.nodes.values()) == one.reason.total
            assert all(count > 0 for count in one.reason.nodes.values())


@given(seeds)
def test_plan_idempotent(seed: int) -> None:
    _check_idempotent(seed)


@pytest.mark.parametrize("seed", [4584, 6961])
def test_plan_idempotent_where_the_second_round_moves_a_workload_closer(seed: int) -> None:
    _check_idempotent(seed)


def _check_idempotent(seed: int) -> None:
    scenario, plan = _planned(seed)
    again = plan_scenario(after(scenario, plan))
    for first, second in zip(plan.workloads, again.workloads, strict=True):
        assert second.pods == first.pods, first.name
        kept = {State.PENDING: State.PENDING, State.EVICTED: State.PENDING}.get(first.state, State.RUNNING)
        assert second.state is kept, first.name
    assert not again.evictions
    assert not again.moves
