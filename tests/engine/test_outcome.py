"""A plan carried out is a document that can be planned again."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.cycle import plan_scenario
from railwise.engine.outcome import after
from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.workload import Alternative, Group, Running
from tests.engine.policies.clusters import scenario
from tests.engine.small import flat, gang, group, grouped, racks, request, running


def test_pods_run_where_they_were_placed_group_by_group() -> None:
    workload = grouped("a", group("x", 2, request(4)), group("y", 1, request(8)))
    known = scenario(racks(2), workload)
    (later,) = after(known, plan_scenario(known)).workloads
    assert [child.running for child in later.root.groups] == [
        Running(("n0", "n0"), 0, (("0", "1", "2", "3"), ("4", "5", "6", "7"))),
        Running(("n1",), 0, (tuple("01234567"),)),
    ]


def test_who_ran_before_keeps_the_time_since_when() -> None:
    old = running("old", ["n0"], request(8))
    old = replace(old, root=replace(old.root, running=Running(("n0",), -5_000_000)))
    known = scenario(flat(8), old)
    (later,) = after(known, replace(plan_scenario(known), time=7)).workloads
    assert later.root.running == Running(("n0",), -5_000_000, (tuple("01234567"),))


def test_who_waits_goes_on_waiting() -> None:
    known = scenario(flat(8), gang("a", 2, request(8)))
    assert after(known, plan_scenario(known)) == known


def test_the_alternative_that_was_taken_is_the_workload_from_then_on() -> None:
    roots = (Group(pods=1, min_pods=1, request=request(16)), Group(pods=2, min_pods=2, request=request(8)))
    workload = replace(gang("a", 1, request(16)), alternatives=tuple(Alternative(root) for root in roots))
    known = scenario(flat(8, 8), workload)
    (later,) = after(known, plan_scenario(known)).workloads
    assert later.alternatives == ()
    assert later.root == replace(roots[1], running=Running(("n0", "n1"), 0, (tuple("01234567"),) * 2))


def test_what_has_finished_is_gone_and_what_was_not_decided_stays() -> None:
    known = scenario(flat(8), running("a", ["n0"], request(2)), gang("b", 1, request(1)))
    plan = Plan("small", 0, (WorkloadPlan("a", "default", State.FINISHED),))
    assert [one.name for one in after(known, plan).workloads] == ["b"]


def test_a_rank_that_does_not_run_leaves_a_gap() -> None:
    known = scenario(flat(8, 8), gang("a", 3, request(1)))
    plan = plan_scenario(known)
    (decided,) = plan.workloads
    partly = replace(plan, workloads=(replace(decided, pods=decided.pods[::2]),))
    (later,) = after(known, partly).workloads
    assert later.root.running == Running(("n0", None, "n0"), 0, (("0",), (), ("2",)))
