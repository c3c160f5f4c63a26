"""Running workloads that lost pods: a spare place, a cheap victim, a restart of the whole, or a wait."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.events import NodeChange
from railwise.model.plan import Plan, State
from railwise.model.policy import Policy
from railwise.model.workload import Workload
from tests.engine.eviction.scenes import MINUTE, gone, nodes, pods, runs, scene

WAIT = 5


def hurt(*others: Workload, racks: tuple[int, ...] = (2, 2), priority: int = 5) -> Engine:
    """Return an engine with a gang of two whole nodes in rack r0 (n0, n1); n1 has died."""
    gang = runs("gang", ["n0", "n1"], 4, priority=priority)
    gang = replace(gang, root=pods(2, 4, ["n0", "n1"], required="rack"))
    made = Engine(scene(nodes(*racks), gang, *others, policy=Policy(repair_wait=WAIT * MINUTE)))
    made.cycle(())
    return made


def after_failure(made: Engine, minute: int = 1) -> Plan:
    return made.cycle([NodeChange("n1", {"ready": False})], minute * MINUTE)


def broken(made: Engine) -> int | None:
    return made.records["gang"].broken


def state(plan: Plan) -> State | None:
    return next((one.state for one in plan.workloads if one.name == "gang"), None)


def test_a_spare_place_in_the_domain_comes_first() -> None:
    made = hurt(runs("low", ["n3"], 4), racks=(3, 2))
    plan = after_failure(made)
    assert gone(plan) == {}
    assert [pod.node for pod in plan.workloads[0].pods] == ["n0", "n2"]


def test_then_the_cheapest_victim_in_the_domain() -> None:
    made = hurt(runs("dear", ["n2"], 4, since=50), runs("cheap", ["n3"], 4, since=5), racks=(4, 2))
    plan = after_failure(made)
    assert state(plan) is State.RUNNING
    assert [one.workload for one in plan.moves] == ["cheap"]
    assert gone(plan) == {}


def test_then_the_gang_restarts_whole_elsewhere() -> None:
    made = hurt(racks=(2, 2))
    plan = after_failure(made)
    assert state(plan) is State.MOVED
    (moved,) = plan.moves
    assert [(pod.name, pod.source, pod.target) for pod in moved.pods] == [("gang-0", "n0", "n2")]
    assert moved.beneficiary == "gang"
    assert made.records["gang"].began == MINUTE


def test_nobody_is_evicted_for_a_restart_and_survivors_keep_their_places_for_a_while() -> None:
    firm = runs("firm", ["n2"], 4, preemptible=False)
    made = hurt(firm, runs("high", ["n3"], 4, priority=9), racks=(2, 2))
    plan = after_failure(made)
    assert state(plan) is State.PENDING
    assert list(made.records["gang"].pods) == [(0, 0)]
    assert made.records["gang"].began == -10 * MINUTE
    later = made.cycle((), (WAIT - 1) * MINUTE)
    assert list(made.records["gang"].pods) == [(0, 0)], later
    assert gone(later) == {}


def test_after_the_wait_it_gives_up_its_places_and_waits_whole() -> None:
    made = hurt(runs("firm", ["n2", "n3"], 4, preemptible=False))
    after_failure(made)
    plan = made.cycle((), (WAIT + 1) * MINUTE)
    assert state(plan) is State.PENDING
    assert made.records["gang"].pods == {}
    assert not made.records["gang"].started
    assert "gang" in made.workloads.waiting


def test_a_pod_that_is_back_ends_the_wait() -> None:
    made = hurt(runs("firm", ["n2", "n3"], 4, preemptible=False))
    gang = made.records["gang"]
    after_failure(made)
    assert broken(made) == MINUTE
    plan = made.cycle([NodeChange("n1", {"ready": True})], 3 * MINUTE)
    assert state(plan) is State.RUNNING
    assert broken(made) is None
    made.cycle((), 20 * MINUTE)
    assert len(gang.pods) == 2


@pytest.mark.parametrize(("priority", "expected"), [(5, State.RUNNING), (0, State.PENDING)])
def test_a_repair_has_no_more_rights_than_a_new_workload(priority: int, expected: State) -> None:
    others = [runs("low", ["n2"], 4), runs("firm", ["n3", "n4"], 4, preemptible=False)]
    made = hurt(*others, racks=(3, 2), priority=priority)
    assert state(after_failure(made)) is expected


def test_own_surplus_comes_before_anybody_else() -> None:
    left = pods(2, 4, ["n0", "n1"], name="a", least=1)
    right = pods(1, 4, ["n2"], name="b")
    root = replace(left, name="", pods=0, min_pods=0, request=pods(1, 0).request, running=None)
    workload = Workload("w", replace(root, groups=(left, right), min_groups=2), priority=5)
    made = Engine(scene(nodes(4), workload, runs("low", ["n3"], 4)))
    made.cycle(())
    plan = made.cycle([NodeChange("n2", {"ready": False})], MINUTE)
    assert gone(plan) == {"w": ["w-a-1"]}
    assert made.records["low"].pods
    assert sorted(made.records["w"].pods) == [(0, 0), (1, 0)]
    assert plan.evictions[0].why == "surplus of its own makes up for what it lost"
