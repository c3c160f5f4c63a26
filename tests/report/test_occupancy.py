"""Who sits where is what the engine booked, card by card."""

from __future__ import annotations

from dataclasses import replace

from railwise.model.plan import Reservation, State
from railwise.model.workload import CardRequest, Group, Request, Running, Workload
from railwise.report.occupancy import empty_slots, occupancy
from tests.report.clusters import cluster, entry, gang, nodes, plan_of


def test_running_pods_without_cards_take_the_lowest_free_ones() -> None:
    moment = occupancy(cluster([gang("a", 1, 2, running=["n1"]), gang("b", 1, 4, running=["n1"])]))
    assert moment.uses[0].runs() == (("a", 0, 2), ("b", 2, 4), ("", 6, 2))
    assert [use.free for use in moment.uses] == [2, 8, 8, 8, 8, 8, 8, 8]


def test_a_plan_is_carried_out_before_it_is_shown() -> None:
    old, new = gang("old", 1, running=["n1"]), gang("new", 2)
    plan = plan_of(entry(old, [], State.EVICTED), entry(new, ["n1", "n2"]))
    moment = occupancy(cluster([old, new]), plan)
    assert [use.pods for use in moment.uses[:3]] == [(("new", 1),), (("new", 1),), ()]


def test_a_plan_leaves_the_scenario_as_it_is() -> None:
    new = gang("new", 2)
    scenario = cluster([new])
    occupancy(scenario, plan_of(entry(new, ["n1", "n2"])))
    assert occupancy(scenario).uses[0].pods == ()


def test_states_sick_cards_and_reservations_are_told() -> None:
    first, second, third, *rest = nodes()
    bad = [replace(first, unhealthy=frozenset({7})), replace(second, unschedulable=True), replace(third, ready=False)]
    plan = plan_of(reservations=(Reservation("big", "p1/r1", ("n1",)), Reservation("later", "p1/r1", ("n1", "n4"))))
    uses = occupancy(cluster([], [*bad, *rest]), plan).uses
    assert [use.state for use in uses[:4]] == ["ready", "cordoned", "notReady", "ready"]
    assert uses[0].runs() == (("", 0, 7), ("!", 7, 1))
    assert [use.kept_for for use in uses[:4]] == ["big", "", "", "later"]
    assert [use.free for use in uses[:4]] == [7, 0, 0, 8]


def test_cards_that_several_share_are_one_run() -> None:
    half = Request(CardRequest("share", 1, fraction=500))
    running = Running(("n1",), cards=(("0",),))
    workloads = [Workload(name, Group(pods=1, min_pods=1, request=half, running=running)) for name in ("a", "b")]
    assert occupancy(cluster(workloads)).uses[0].runs() == (("+", 0, 1), ("", 1, 7))


def test_slots_now_and_in_an_empty_cluster() -> None:
    scenario = cluster([gang("a", 1, 1, running=["n1"])])
    assert occupancy(scenario).slots["rack"] == {1: 7, 2: 3}
    assert empty_slots(scenario)["rack"] == {1: 8, 2: 4}
