"""What a cluster says and what the engine is told: once, whole, and never something that is not so."""

from __future__ import annotations

import msgspec
import pytest

from railwise.controllers.cache import OVERDUE
from railwise.controllers.pod_book import SPARED
from tests.controllers.world import World, job, node, pod


def test_a_pod_is_placed_and_its_confirmation_is_no_news() -> None:
    world = World(node("n"))
    world.put(pod("p"))
    (binding,) = world.round()
    assert (binding.pod.name, binding.node, binding.workload) == ("p", "n", "a/p")
    assert world.round() == []
    world.confirm(binding)
    world.round()
    assert (world.told, world.places(), world.cache.pods.assumed) == (0, {"p": "n"}, {})


def test_news_of_a_pod_that_decide_nothing_are_no_news() -> None:
    world = World(node("n"))
    world.put(pod("p"))
    world.settle()
    bound = world.cache.pods.pods["u-p"]
    world.put(msgspec.structs.replace(bound, status=msgspec.structs.replace(bound.status, phase="Running")))
    world.put(pod("p", on="n", phase="Running"))
    world.round()
    assert world.told == 0


def test_a_node_heartbeat_is_no_news_and_a_cordon_is() -> None:
    world = World(node("n"), node("m"))
    world.round()
    world.cache.nodes.put(node("n"))
    world.round()
    assert (world.told, world.engines) == (0, 1)
    world.cache.nodes.put(node("n", unschedulable=True))
    world.put(pod("p"))
    assert [binding.node for binding in world.round()] == ["m"]
    assert world.engines == 1


def test_a_new_node_means_a_new_engine_that_knows_everything() -> None:
    world = World(node("n", 1))
    world.put(pod("p"), pod("q"))
    assert world.settle() == {"p": "n"}
    world.cache.nodes.put(node("m", 1))
    assert world.settle() == {"p": "n", "q": "m"}
    assert world.engines == 2
    world.cache.nodes.drop("m")
    world.round()
    assert (world.engines, world.believed()) == (3, {"a/p-0": "n"})


def test_pods_of_others_keep_their_room_and_agents_take_it_from_the_node() -> None:
    world = World(node("n", 2))
    world.put(
        pod("theirs", scheduler="default-scheduler", on="n"),
        pod("agent", 0, scheduler="other", owner="DaemonSet/d", on="n"),
    )
    world.put(pod("waiting", scheduler="default-scheduler"))
    world.put(pod("p"), pod("q"))
    assert world.settle() == {"p": "n"}
    assert world.reasons() == {"a/q": "NotEnoughFree"}
    world.cache.pods.drop("u-theirs")
    assert world.settle() == {"p": "n", "q": "n"}


def test_an_agent_that_comes_later_changes_what_its_node_has() -> None:
    world = World(node("n"))
    world.round()
    containers = [{"name": "main", "resources": {"requests": {"cpu": "63"}}}]
    world.put(pod("agent", 0, scheduler="other", owner="DaemonSet/d", on="n", containers=containers))
    world.put(pod("p", 0, containers=[{"name": "main", "resources": {"requests": {"cpu": "2"}}}]))
    assert (world.settle(), world.engines) == ({}, 1)
    world.cache.pods.drop("u-agent")
    assert world.settle() == {"p": "n"}


def test_a_pod_on_its_way_out_holds_its_room_until_it_is_gone() -> None:
    world = World(node("n", 1))
    world.put(pod("p"), pod("q", created="2026-01-01T00:00:01Z"))
    world.settle()
    world.put(pod("p", on="n", leaving=True))
    assert "q" not in world.settle()
    world.cache.pods.drop("u-p")
    assert world.settle() == {"q": "n"}


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_has_ended_holds_nothing(phase: str) -> None:
    world = World(node("n", 1))
    world.put(pod("p", on="n", phase=phase), pod("q"))
    world.settle()
    assert world.places()["q"] == "n"


def test_a_gang_is_placed_when_all_its_pods_are_there() -> None:
    world = World(node("n"), node("m"))
    world.cache.put_maker(job("j", 3))
    world.put(pod("j-0", 8, owner="Job/j"), pod("j-1", 8, owner="Job/j"))
    assert world.round() == []
    lack = world.cache.lacking["a/j"]
    assert (lack.there, lack.needed) == (2, 3)
    world.put(pod("j-2", 8, owner="Job/j"))
    assert world.round() == []
    assert world.reasons() == {"a/j": "NeverFits"}
    world.cache.nodes.put(node("o"))
    assert sorted(world.settle()) == ["j-0", "j-1", "j-2"]


def test_a_gang_that_loses_a_pod_is_made_whole_again() -> None:
    world = World(node("n"), node("m"), node("o"))
    world.cache.put_maker(job("j", 2))
    world.put(pod("j-0", 8, owner="Job/j"), pod("j-1", 8, owner="Job/j"))
    before = world.settle()
    world.cache.pods.drop("u-j-1")
    assert world.settle() == {"j-0": before["j-0"]}
    world.put(pod("j-9", 8, owner="Job/j"))
    after = world.settle()
    assert after["j-0"] == before["j-0"]
    assert sorted(after) == ["j-0", "j-9"]
    assert len(set(after.values())) == 2


def test_a_gang_without_a_known_maker_is_waited_for() -> None:
    world = World(node("n"), node("m"))
    world.put(pod("w-0", 8, owner="PyTorchJob/w"))
    assert world.round() == []
    world.clock.now = 0.5
    world.put(pod("w-1", 8, owner="PyTorchJob/w"))
    world.clock.now = 1.2
    assert world.round() == []
    assert world.cache.wake() == pytest.approx(0.3)
    world.clock.now = 1.6
    assert sorted(world.settle()) == ["w-0", "w-1"]


def test_an_annotation_says_how_many_are_needed() -> None:
    world = World(node("n"), node("m"))
    notes = {"min-pods": "2"}
    world.put(pod("w-0", 8, owner="PyTorchJob/w", notes=notes))
    world.clock.now = 100.0
    assert world.round() == []
    world.put(pod("w-1", 8, owner="PyTorchJob/w", notes=notes))
    assert sorted(world.settle()) == ["w-0", "w-1"]
    world.cache.pods.drop("u-w-1")
    world.round()
    assert world.reasons() == {}, "who runs is not below a minimum that only counts for the start"


def test_a_rule_of_a_gang_is_kept() -> None:
    world = World(*(node(f"n{index}", rack=f"r{index // 2}") for index in range(4)))
    world.put(pod("x", 8))
    world.settle()
    world.cache.put_maker(job("j", 2, required="rack"))
    world.put(*(pod(f"j-{index}", 8, owner="Job/j", notes={"required": "rack"}) for index in range(2)))
    places = world.settle()
    assert {places["j-0"], places["j-1"]} in ({"n0", "n1"}, {"n2", "n3"})


def test_a_bind_that_fails_is_tried_again_later() -> None:
    world = World(node("n"), node("m"))
    world.put(pod("p", 8))
    (binding,) = world.round()
    world.cache.pods.refute("u-p", 5.0)
    assert world.round() == []
    assert world.believed() == {}
    assert world.cache.wake() == 5.0
    world.clock.now = 5.0
    (again,) = world.round()
    assert again.pod == binding.pod


def test_a_pod_that_was_bound_elsewhere_is_believed_there() -> None:
    world = World(node("n"), node("m"))
    world.put(pod("p", 8))
    (binding,) = world.round()
    other = {"n": "m", "m": "n"}[binding.node]
    world.put(pod("p", 8, on=other))
    world.round()
    assert world.believed() == {"a/p-0": other}
    world.put(pod("q", 8))
    assert world.settle()["q"] == binding.node


def test_a_gang_whose_pod_cannot_be_bound_waits_as_a_whole_unless_others_run() -> None:
    world = World(node("n"), node("m"))
    world.cache.put_maker(job("j", 2))
    world.put(pod("j-0", 8, owner="Job/j"), pod("j-1", 8, owner="Job/j"))
    first, second = world.round()
    world.cache.pods.refute(first.pod.uid, 5.0)
    world.round()
    assert list(world.believed().values()) == [second.node], "the other may be bound already: its place stays"
    world.confirm(second)
    world.clock.now = 5.0
    assert sorted(world.settle()) == ["j-0", "j-1"]


def test_a_victim_leaves_and_its_room_is_not_counted_twice() -> None:
    world = World(node("n", 1))
    world.put(pod("low"))
    world.settle()
    world.put(pod("high", priority=10))
    assert world.engine is not None
    events = world.cache.events()
    plan = world.engine.cycle(events or [], world.cache.clock.now())
    (stop,) = world.cache.stopped(plan)
    (binding,) = world.cache.decided(plan)
    assert (stop.pod.name, stop.node, stop.beneficiary, binding.pod.name) == ("low", "n", "a/high", "high")
    world.cache.pods.leaves(stop.pod.uid, stop.node)
    world.put(pod("low", on="n", leaving=True))
    assert world.round() == []
    assert world.believed() == {"a/high-0": "n"}
    world.cache.pods.drop("u-low")
    assert world.cache.pods.leaving == {}
    world.put(pod("low", uid="again"))
    world.round()
    assert world.reasons() == {"a/low": "NotEnoughFree"}


def test_a_victim_that_stays_is_spared_for_a_while() -> None:
    world = World(node("n", 1))
    world.put(pod("low"))
    world.settle()
    world.put(pod("high", priority=10))
    assert world.engine is not None
    plan = world.engine.cycle(world.cache.events() or [], world.cache.clock.now())
    (stop,) = world.cache.stopped(plan)
    (binding,) = world.cache.decided(plan)
    world.cache.pods.leaves(stop.pod.uid, stop.node)
    world.cache.pods.refute(binding.pod.uid)
    world.cache.pods.stays(stop.pod.uid)
    assert world.round() == []
    assert world.believed() == {"a/low-0": "n"}
    assert world.plan is not None
    assert not world.plan.evictions
    world.clock.now = SPARED
    world.round()
    assert [one.workload for one in world.plan.evictions] == ["a/low"]


def test_workloads_of_one_name_are_told_apart() -> None:
    world = World(node("n"))
    world.put(pod("x"), pod("y", owner="Widget/x"))
    world.clock.now = 2.0
    assert sorted(world.settle()) == ["x", "y"]
    assert world.engine is not None
    assert sorted(world.engine.records) == ["a/widget/x", "a/x"]


def test_a_spoiled_request_waits_alone() -> None:
    world = World(node("n"))
    world.put(pod("bad", containers=[{"name": "m", "resources": {"requests": {"cpu": "many"}}}]), pod("good"))
    assert world.settle() == {"good": "n"}
    assert world.reasons() == {"a/bad": "InvalidRequest"}


def test_a_list_that_lacks_a_pod_means_that_it_is_gone() -> None:
    world = World(node("n", 1))
    world.put(pod("p"), pod("q"))
    world.settle()
    world.cache.pods.replace([pod("q")])
    world.cache.replace_nodes([node("n", 1)])
    assert (world.settle(), world.engines) == ({"q": "n"}, 1)


def test_an_incomplete_gang_is_told_so_once_and_not_at_once() -> None:
    world = World(node("n"))
    world.cache.put_maker(job("j", 3))
    world.put(pod("j-0", owner="Job/j"))
    world.round()
    assert (world.cache.incomplete(), world.cache.wake()) == ([], OVERDUE)
    world.clock.now = OVERDUE
    ((name, lack),) = world.cache.incomplete()
    assert (name, lack.there, lack.needed) == ("a/j", 1, 3)
    assert (world.cache.incomplete(), world.cache.wake()) == ([], None)
    world.put(pod("j-1", owner="Job/j"))
    world.round()
    assert world.cache.wake() == OVERDUE


def test_labels_that_come_later_make_a_topology() -> None:
    world = World(*(node(f"n{index}") for index in range(4)))
    world.cache.put_maker(job("gang", 2, required="rack"))
    world.put(*(pod(f"gang-{index}", 8, owner="Job/gang", notes={"required": "rack"}) for index in range(2)))
    assert world.settle() == {}
    assert world.reasons() == {"a/gang": "UnknownLevel"}
    for index in range(4):
        world.cache.nodes.put(node(f"n{index}", rack=f"r{index // 2}"))
    assert len(world.settle()) == 2
    world.cache.nodes.put(node("n0", rack="r0", row="w0"))
    world.settle()
    engines = world.engines
    world.cache.nodes.put(node("n0", rack="r0", row="w0", unschedulable=True))
    world.settle()
    assert world.engines == engines, "what is no label makes no engine"
