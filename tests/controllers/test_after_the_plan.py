"""Between a plan and what becomes of it: news that come before a bind, room of who moves, pods of lost nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from railwise.controllers.binder import Batch, Binder
from railwise.controllers.cache import Binding, ClusterCache
from railwise.controllers.held_rooms import PATIENCE
from tests.controllers.ruled import OTHERS, far, host, with_port
from tests.controllers.world import World, job, node, pod

if TYPE_CHECKING:
    from railwise.kubeapi.client import Client


@pytest.mark.parametrize("change", ["room", "port", "label", "taint", "gone", "cordon", "avoided"])
def test_a_bind_is_not_sent_where_the_pod_does_not_fit_any_more(change: str) -> None:
    world = World(host("n", 2, pool="a"))
    pods, nodes = world.cache.pods, world.cache.nodes
    spec: dict[str, Any] = {"nodeSelector": {"pool": "a"}, "containers": with_port(80), "labels": {"app": "p"}}
    world.put(pod("p", affinity=far("p"), **spec))
    (binding,) = world.round()
    assert world.cache.wanted(binding)
    pods.put(pod("harmless", 0, on="n", scheduler=OTHERS))
    assert world.cache.wanted(binding)
    if change == "room":
        pods.put(pod("theirs", 0, on="n", scheduler=OTHERS, containers=[_asks("65")]))
    elif change == "port":
        pods.put(pod("theirs", 0, on="n", scheduler=OTHERS, containers=with_port(80)))
    elif change == "label":
        nodes.put(host("n", 2, pool="b"))
    elif change == "taint":
        found = host("n", 2, pool="a")
        taints = msgspec.convert({"taints": [{"key": "x", "effect": "NoExecute"}]}, type(found.spec))
        nodes.put(msgspec.structs.replace(found, spec=taints))
    elif change == "gone":
        nodes.drop("n")
    elif change == "cordon":
        found = host("n", 2, pool="a")
        nodes.put(msgspec.structs.replace(found, spec=msgspec.convert({"unschedulable": True}, type(found.spec))))
    else:
        pods.put(pod("theirs", 0, on="n", scheduler=OTHERS, affinity=far("p")))
    assert not world.cache.wanted(binding)


def _asks(cpu: str) -> dict[str, Any]:
    return {"name": "main", "resources": {"requests": {"cpu": cpu}}}


def moved(world: World) -> Binding:
    """Let a pod move for a more important one, and return where it is to go."""
    world.cache.put_maker(job("low", 1))
    world.put(pod("low-0", 2, owner="Job/low", created="2026-01-01T00:00:00Z"))
    assert world.settle() == {"low-0": "n"}
    world.cache.nodes.put(host("m", 2))
    world.put(pod("high", 4, priority=9))
    world.round()
    assert world.plan is not None
    ((move,),) = [one.pods for one in world.plan.moves]
    assert (move.source, move.target) == ("n", "m")
    (stop,) = world.cache.stopped(world.plan)
    world.cache.pods.leaves(stop.pod.uid, stop.node)
    return Binding(stop.pod, move.target, stop.workload)


def test_who_moves_finds_the_room_that_was_found_for_it() -> None:
    world = World(host("n", 4))
    gone = moved(world)
    world.put(pod("thief", 2))
    assert world.round() == []
    world.cache.pods.drop(gone.pod.uid)
    assert world.round() == []
    world.put(pod("low-again", 2, owner="Job/low"))
    (binding,) = world.round()
    assert (binding.pod.name, binding.node) == ("low-again", "m")
    world.confirm(binding)
    assert world.settle()["low-again"] == "m"
    assert "thief" not in world.places()


def test_room_is_held_for_a_while_and_not_for_ever() -> None:
    world = World(host("n", 4))
    gone = moved(world)
    world.cache.pods.drop(gone.pod.uid)
    world.put(pod("thief", 2))
    assert world.round() == []
    assert world.cache.wake() is not None
    world.clock.now += PATIENCE
    (binding,) = world.round()
    assert (binding.pod.name, binding.node) == ("thief", "m")


def test_a_move_that_is_refused_holds_nothing() -> None:
    world = World(host("n", 4))
    gone = moved(world)
    world.put(pod("thief", 2))
    world.round()
    world.cache.pods.stays(gone.pod.uid)
    world.cache.pods.refute("u-high")
    bound = {binding.pod.name: binding.node for binding in world.round()}
    assert bound == {"thief": "m"}


def test_pods_of_a_node_that_is_lost_are_given_up_and_others_are_not() -> None:
    world = World(host("n"), host("m"))
    world.cache.put_maker(job("j", 2))
    world.put(*(pod(f"j-{index}", 8, owner="Job/j") for index in range(2)))
    world.settle()
    world.put(pod("theirs", 0, on="n", scheduler=OTHERS))
    world.round()
    dead = host("n")
    down = msgspec.structs.replace(dead.status, conditions=node("x", ready=False).status.conditions)
    world.cache.nodes.put(msgspec.structs.replace(dead, status=down))
    world.round()
    assert world.engine is not None
    assert not world.engine.workloads.fallen
    world.engine.cycle((), world.cache.clock.now() + 61_000_000)
    stops = [
        stop
        for record, keys, _ in world.engine.workloads.fallen
        for stop in world.cache.fallen(record.workload.name, {record.pod_name(key) for key in keys})
    ]
    assert [stop.node for stop in stops] == ["n"]
    assert {stop.workload for stop in stops} == {"a/j"}
    lost = stops[0].pod
    world.cache.pods.leaves(lost.uid, "n")
    world.cache.nodes.put(host("o"))
    world.put(pod("j-again", 8, owner="Job/j"))
    assert world.settle()["j-again"] == "o"


def test_a_bind_without_news_costs_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(host("n"))
    world.put(pod("p"))
    (binding,) = world.round()
    monkeypatch.setattr("railwise.controllers.cache.still_fits", lambda *_: pytest.fail("asked without news"))
    assert world.cache.wanted(binding)


def test_who_moves_and_is_evicted_from_there_too_has_no_room_any_more() -> None:
    world = World(host("n", 4))
    gone = moved(world)
    world.cache.pods.drop(gone.pod.uid)
    world.put(pod("higher", 2, priority=10))
    (binding,) = world.round()
    assert (binding.pod.name, binding.node) == ("higher", "m")
    world.put(pod("low-again", 2, owner="Job/low"))
    assert world.round() == []


class Noted(Binder):
    """A binder that notes what it would send."""

    def __init__(self, cache: ClusterCache) -> None:
        super().__init__(cast("Client", None), cache, lambda _binding: None, lambda _binding, _answer: None)
        self.sent: list[str] = []

    def start(self, batch: Batch) -> None:
        self.sent += [one.pod.name for one in batch]


def test_who_avoids_a_pod_in_its_zone_waits_until_that_has_left() -> None:
    world = World(host("n", 2, zone="1"), host("m", 2, zone="1"))
    world.put(pod("low", 2, labels={"app": "db"}), pod("keeps", 2, priority=10))
    world.settle()
    elsewhere = "m" if world.places()["low"] == "n" else "n"
    world.cache.pods.drop("u-keeps")
    world.put(pod("high", 2, priority=9, affinity=far("db", "zone")), pod("plain", 0))
    bindings = world.round()
    assert {one.pod.name for one in bindings} == {"high", "plain"}
    assert world.plan is not None
    (stop,) = world.cache.stopped(world.plan)
    assert stop.node != elsewhere
    world.cache.pods.leaves(stop.pod.uid, stop.node)
    binder = Noted(world.cache)
    binder.add(bindings)
    assert "high" not in binder.sent
    assert binder.clearing() == {"a/high": 1}
    world.cache.pods.drop("u-low")
    binder.look_again()
    assert "high" in binder.sent
