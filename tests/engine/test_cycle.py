"""Rounds of decisions: whose turn it is, what a plan speaks of, and lives of several rounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine, plan_scenario
from railwise.engine.events import Finish, NodeChange, Submit
from railwise.model.plan import Plan, State
from railwise.model.queue import Queue
from railwise.model.reason import Act, Code
from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_MIG, Alternative, CardRequest, Group, Request, Running, Workload
from tests.engine.policies.clusters import scenario
from tests.engine.small import engine, flat, gang, group, grouped, locked, racks, request, running, submitted, where


def _states(plan: Plan) -> dict[str, State]:
    return {one.name: one.state for one in plan.workloads}


def test_priority_then_time_then_place_in_the_document_decide_who_is_first() -> None:
    workloads = [
        replace(gang("late", 1, request(8)), submit=5),
        gang("second", 1, request(8)),
        replace(gang("early", 1, request(8)), submit=-5),
        replace(gang("urgent", 1, request(8)), submit=9, priority=1),
    ]
    for free, served in enumerate((["urgent"], ["urgent", "early"], ["urgent", "early", "second"]), 1):
        plan = plan_scenario(scenario(flat(*[8] * free), *workloads))
        assert sorted(served) == sorted(name for name, state in _states(plan).items() if state is State.PLACED)


def test_minima_come_before_anybody_s_surplus() -> None:
    greedy = Workload("greedy", group("", 4, request(8), least=1))
    plan = plan_scenario(scenario(flat(8, 8, 8), greedy, gang("modest", 2, request(8))))
    assert [len(one.pods) for one in plan.workloads] == [1, 2]


def test_a_running_workload_that_lost_pods_comes_before_new_ones_of_its_priority() -> None:
    lost = running("old", ["n0", None], request(8))
    plan = plan_scenario(scenario(flat(8, 8), gang("new", 1, request(8)), lost))
    assert _states(plan) == {"new": State.PENDING, "old": State.RUNNING}
    urgent = replace(gang("new", 1, request(8)), priority=1)
    assert _states(plan_scenario(scenario(flat(8, 8), urgent, lost)))["new"] is State.PLACED


def test_a_plan_speaks_of_what_changed_or_waits_and_of_nothing_else() -> None:
    lived = engine(flat(8, 8))
    assert _states(lived.cycle([Submit(gang("a", 1, request(8))), Submit(gang("b", 2, request(8)))])) == {
        "a": State.PLACED,
        "b": State.PENDING,
    }
    assert _states(lived.cycle([])) == {"b": State.PENDING}
    assert _states(lived.cycle([Finish("a")])) == {"b": State.PLACED}
    assert _states(lived.cycle([])) == {}


def test_an_idle_engine_would_say_the_same_again() -> None:
    lived = engine(flat(8, 8))
    lived.cycle([Submit(gang("a", 1, request(8))), Submit(gang("b", 2, request(8)))])
    assert lived.idle(0)
    assert lived.cycle([]) == lived.cycle([])
    lived.cycle([Finish("a")])
    assert lived.cycle([]).workloads == ()
    assert lived.idle(0)


def test_a_gang_is_never_placed_in_part() -> None:
    lived = engine(flat(8, 8))
    for pods in (3, 9):
        plan = submitted(lived, gang("a", pods, request(8)))
        assert (plan.state, plan.pods) == (State.PENDING, ())
        assert [room.slots for room in lived.state.room_of] == [8, 8]


def test_a_name_that_comes_again_is_a_new_workload() -> None:
    lived = engine(flat(8, 8))
    submitted(lived, gang("a", 1, request(8)))
    assert where(submitted(lived, gang("a", 2, request(8)))) == ["n0", "n1"]
    lived.cycle([Finish("a")])
    assert [room.slots for room in lived.state.room_of] == [8, 8]


def test_who_is_submitted_and_withdrawn_at_once_leaves_nothing() -> None:
    lived = engine(flat(8))
    assert lived.cycle([Submit(gang("a", 1, request(8))), Finish("a")]).workloads == ()
    assert lived.state.room_of[0].slots == 8


def test_the_alternative_with_the_least_slowdown_that_fits_is_taken_and_kept() -> None:
    roots = [group("", 1, request(16)), group("", 4, request(4)), group("", 2, request(8))]
    ways = tuple(Alternative(root, slow) for root, slow in zip(roots, (1000, 1200, 1100), strict=True))
    workload = Workload("a", roots[0], alternatives=ways)
    plan = submitted(engine(flat(8, 8)), workload)
    assert (plan.alternative, len(plan.pods)) == (2, 2)
    lived = engine(flat(8, 4, 4))
    assert submitted(lived, workload).alternative == 1
    (again,) = lived.cycle([NodeChange("n1", {"ready": False})]).workloads
    assert (again.alternative, again.state) == (1, State.PENDING)


SUSPENDED = replace(gang("a", 1, request(1)), suspend=True)
INVALID = replace(gang("a", 1, request(1)), invalid="minPods 3 is above pods 1", suspend=True, queue="nowhere")
ODD_RULE = locked(gang("a", 1, request(1)), required="row")


@pytest.mark.parametrize(
    ("workload", "code", "act"),
    [
        (INVALID, Code.INVALID_REQUEST, Act.USER),
        (replace(ODD_RULE, queue="nowhere"), Code.UNKNOWN_QUEUE, Act.USER),
        (replace(gang("a", 1, request(1)), queue="parent"), Code.UNKNOWN_QUEUE, Act.USER),
        (replace(gang("a", 1, request(1)), queue="circle"), Code.UNKNOWN_QUEUE, Act.USER),
        (replace(ODD_RULE, suspend=True), Code.UNKNOWN_LEVEL, Act.USER),
        (locked(gang("a", 1, request(1)), name="torus"), Code.UNKNOWN_TOPOLOGY, Act.USER),
        (replace(SUSPENDED, queue="shut"), Code.SUSPENDED, Act.USER),
        (replace(gang("a", 99, request(9)), queue="shut"), Code.QUEUE_STOPPED, Act.ADMIN),
        (replace(gang("a", 1, request(1)), unsupported="no such thing"), Code.UNSUPPORTED, Act.USER),
        (gang("a", 1, Request(CardRequest(CARDS_MIG))), Code.UNSUPPORTED, Act.USER),
    ],
)
def test_what_lies_in_the_workload_or_its_queue_is_said_first(workload: Workload, code: Code, act: Act) -> None:
    queues = (
        Queue("parent"),
        Queue("shut", parent="parent", stopped=True),
        Queue("circle", parent="round"),
        Queue("round", parent="circle"),
    )
    made = Engine(replace(scenario(racks(2)), queues=queues))
    plan = submitted(made, workload)
    assert plan.reason is not None
    assert (plan.state, plan.reason.code, plan.reason.act) == (State.PENDING, code, act)
    assert plan.reason.next


def test_suspending_or_stopping_takes_nothing_from_what_runs() -> None:
    old = replace(running("old", ["n0"], request(8)), suspend=True, queue="shut")
    made = Engine(replace(scenario(flat(8), old), queues=(Queue("shut", stopped=True),)))
    assert made.cycle([]).workloads == ()
    assert made.records["old"].pods


def test_what_cannot_be_read_goes_on_running_and_is_not_repaired() -> None:
    old = locked(running("old", ["n0", None], request(4)), required="row")
    old = replace(old, root=replace(old.root, running=Running(("n0", None))))
    made = Engine(scenario(racks(2), old))
    (plan,) = made.cycle([]).workloads
    assert (plan.state, where(plan)) == (State.PENDING, ["n0"])
    assert plan.reason is not None
    assert plan.reason.code is Code.UNKNOWN_LEVEL


@pytest.mark.parametrize(
    ("kind", "elastic", "pods"),
    [("batch", False, 4), ("inference", False, 4), ("training", False, 2), ("training", True, 4)],
)
def test_who_may_grow_after_the_start(kind: str, elastic: bool, pods: int) -> None:
    lived = engine(flat(8, 8, 8, 8), running("busy-a", ["n2"], request(8)), running("busy-b", ["n3"], request(8)))
    workload = Workload("a", group("", 4, request(8), least=1), kind=kind, elastic=elastic)
    assert len(submitted(lived, workload).pods) == 2
    lived.cycle([Finish("busy-a"), Finish("busy-b")])
    lived.cycle([])
    assert len(lived.records["a"].pods) == pods


def test_training_gets_back_what_it_lost_but_not_what_never_started() -> None:
    lived = engine(flat(8, 8, 0))
    workload = Workload("a", group("", 4, request(8), least=1), kind="training")
    assert len(submitted(lived, workload).pods) == 2
    lived.cycle([NodeChange("n1", {"ready": False})])
    assert len(lived.records["a"].pods) == 1
    lived.cycle([NodeChange("n1", {"ready": True})])
    lived.cycle([])
    assert sorted(lived.records["a"].pods) == [(0, 0), (0, 1)]


def test_optional_groups_come_when_there_is_room() -> None:
    lived = engine(flat(8, 8), running("busy", ["n1"], request(8)))
    workload = grouped("a", group("x", 1, request(8)), group("y", 1, request(8)), least=1)
    assert [pod.group for pod in submitted(lived, workload).pods] == ["x"]
    (plan,) = lived.cycle([Finish("busy")]).workloads
    assert [pod.group for pod in plan.pods] == ["x", "y"]


def test_a_whole_document_is_answered_in_its_own_order() -> None:
    low, high = gang("low", 1, request(8)), replace(gang("high", 1, request(8)), priority=9)
    plan = plan_scenario(scenario(flat(8), low, running("old", ["n0"], request(1)), high))
    assert list(_states(plan)) == ["low", "old", "high"]
    assert plan.slots_left["cluster"] == {1: 0}
    assert plan.decisions == 2


@pytest.mark.parametrize("nodes", [(), tuple(flat(0))])
def test_clusters_without_a_card_or_a_node(nodes: tuple[object, ...]) -> None:
    empty = Scenario("empty", nodes=nodes)  # type: ignore[arg-type]
    lived = Engine(empty)
    for name, workload in enumerate((gang("a", 1, request(1)), locked(gang("b", 3, request(1)), distinct="node"))):
        reason = submitted(lived, replace(workload, name=str(name))).reason
        assert reason is not None
        assert reason.code is Code.NEVER_FITS


def test_a_workload_that_asks_for_no_pods_is_placed_with_none() -> None:
    plan = submitted(engine(flat(8)), Workload("a", Group(pods=0, min_pods=0, request=request(1))))
    assert (plan.state, plan.pods) == (State.PLACED, ())


def test_a_round_without_news_says_who_waits_and_why_and_a_later_one_decides_again() -> None:
    lived = engine(flat(8), running("old", ["n0"], request(8)))
    first = lived.cycle([Submit(gang("a", 1, request(4))), Submit(gang("b", 1, request(16)))])
    again = lived.cycle([])
    assert again.workloads == first.workloads
    assert (again.evictions, again.moves, again.decisions) == ((), (), 2)
    assert _states(lived.cycle([Finish("old")])) == {"a": State.PLACED, "b": State.PENDING}
    assert list(_states(lived.cycle([]))) == ["b"]


def test_a_wait_that_is_over_is_decided_on_without_an_event() -> None:
    protected = Queue("q", preempt_min_runtime=60)
    old = replace(running("old", ["n0"], request(8)), queue="q")
    made = Engine(replace(scenario(flat(8), old), queues=(protected,)))
    urgent = replace(gang("urgent", 1, request(8)), queue="q", priority=9)
    assert _states(made.cycle([Submit(urgent)], 0)) == {"urgent": State.PENDING}
    assert _states(made.cycle([], 59)) == {"urgent": State.PENDING}
    assert _states(made.cycle([], 60))["urgent"] is State.PLACED
