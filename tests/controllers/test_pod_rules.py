"""Rules of pods on a live cluster: what arrives later matters too, and what changed since a plan was made."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from railwise.controllers.cache import Binding
from railwise.controllers.held_rooms import PATIENCE
from railwise.formats.kubernetes.schema import NodeObject
from railwise.formats.kubernetes.storage import BOUND, Claim, CSINode, Volume
from tests.controllers.world import World, job, node, pod

OTHERS = "default-scheduler"
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def host(name: str, gpus: int = 8, **labels: str) -> NodeObject:
    found = node(name, gpus)
    meta = msgspec.structs.replace(found.metadata, labels={HOST: name, **labels})
    return msgspec.structs.replace(found, metadata=meta)


def far(app: str, key: str = HOST) -> dict[str, Any]:
    return {"podAntiAffinity": {REQUIRED: [{"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}]}}


def near(app: str, key: str = HOST) -> dict[str, Any]:
    return {"podAffinity": far(app, key)["podAntiAffinity"]}


def with_port(number: int, **more: Any) -> list[dict[str, Any]]:
    return [{"name": "main", "ports": [{"hostPort": number, **more}]}]


def claiming(name: str) -> list[dict[str, Any]]:
    return [{"persistentVolumeClaim": {"claimName": name}}]


def claim(name: str, volume: str = "", mode: str = "ReadWriteOnce") -> Claim:
    meta = {"name": name, "namespace": "a", "uid": f"c-{name}", "annotations": {BOUND: "yes"} if volume else {}}
    return msgspec.convert({"metadata": meta, "spec": {"volumeName": volume, "accessModes": [mode]}}, Claim)


def volume(name: str, *, on: str = "", driver: str = "") -> Volume:
    spec: dict[str, Any] = {}
    if on:
        terms = [{"matchExpressions": [{"key": HOST, "operator": "In", "values": [on]}]}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    if driver:
        spec["csi"] = {"driver": driver}
    return msgspec.convert({"metadata": {"name": name, "uid": f"v-{name}"}, "spec": spec}, Volume)


def test_labels_of_pods_that_run_are_known_once_somebody_asks_for_them() -> None:
    world = World(host("n"), host("m"))
    world.put(
        pod("db", on="n", scheduler=OTHERS, labels={"app": "db"}),
        pod("agent", 0, on="m", owner="DaemonSet/log", scheduler=OTHERS),
    )
    world.settle()
    world.put(pod("far", affinity=far("db")), pod("near", affinity=near("db")))
    assert world.settle() == {"far": "m", "near": "n"}


def test_a_pod_keeps_off_those_of_others_that_avoid_it() -> None:
    world = World(host("n", zone="1"), host("m", zone="1"), host("o", zone="2"))
    world.put(pod("shy", on="n", scheduler=OTHERS, affinity=far("web", "zone")), pod("p", labels={"app": "web"}))
    assert world.settle() == {"p": "o"}


def test_pods_of_a_gang_that_avoid_each_other_are_told_apart() -> None:
    world = World(*(host(f"n{index}") for index in range(4)))
    world.cache.put_maker(job("j", 4))
    world.put(*(pod(f"j-{index}", owner="Job/j", labels={"app": "j"}, affinity=far("j")) for index in range(4)))
    assert sorted(world.settle().values()) == ["n0", "n1", "n2", "n3"]


def test_who_waits_for_company_goes_where_it_has_come() -> None:
    world = World(host("n"), host("m"))
    world.put(pod("p", affinity=near("db")))
    assert world.settle() == {}
    assert world.reasons() == {"a/p": "NotEnoughFree"}
    world.put(pod("db", on="m", scheduler=OTHERS, labels={"app": "db"}))
    assert world.settle() == {"p": "m"}


def test_spread_counts_pods_of_others_but_none_that_are_leaving() -> None:
    rule = {"topologyKey": HOST, "maxSkew": 1, "labelSelector": {"matchLabels": {"app": "web"}}}
    world = World(host("n"), host("m"))
    world.put(pod("old", on="n", scheduler=OTHERS, labels={"app": "web"}))
    world.put(pod("going", on="m", scheduler=OTHERS, labels={"app": "web"}, leaving=True))
    world.put(pod("p", labels={"app": "web"}, topologySpreadConstraints=[rule]))
    assert world.settle() == {"p": "m"}


def test_ports_of_agents_are_taken() -> None:
    world = World(host("n"), host("m"))
    world.put(pod("agent", 0, on="n", owner="DaemonSet/log", scheduler=OTHERS, containers=with_port(9100)))
    world.put(pod("p", containers=with_port(9100)))
    world.put(*(pod(f"q-{index}", containers=with_port(9100, protocol="UDP")) for index in range(2)))
    found = world.settle()
    assert (found["p"], {found["q-0"], found["q-1"]}) == ("m", {"n", "m"})
    world.put(pod("r", containers=with_port(9100)))
    assert world.settle() == found


def test_a_pod_of_a_daemon_set_that_names_us_is_ours() -> None:
    world = World(host("n"), host("m"))
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]}]
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
    world.put(pod("d", 0, owner="DaemonSet/log", affinity=affinity))
    assert world.settle() == {"d": "m"}


def test_a_claim_ties_a_pod_to_its_volume_once_it_is_bound() -> None:
    world = World(host("n"), host("m"))
    volumes = world.cache.pods.volumes
    world.put(pod("p", volumes=claiming("data")))
    world.settle()
    assert world.reasons() == {"a/p": "Unsupported"}
    volumes.put_claim(claim("data"))
    assert world.settle() == {}
    volumes.put_volume(volume("v", on="m"))
    volumes.put_claim(claim("data", "v"))
    assert world.settle() == {"p": "m"}


def test_a_claim_for_one_pod_is_had_by_one_pod() -> None:
    world = World(host("n"))
    volumes = world.cache.pods.volumes
    volumes.put_volume(volume("v"))
    volumes.put_claim(claim("data", "v", "ReadWriteOncePod"))
    world.put(pod("p", volumes=claiming("data")))
    assert world.settle() == {"p": "n"}
    world.put(pod("q", volumes=claiming("data")))
    assert world.settle() == {"p": "n"}
    assert world.reasons() == {"a/q": "Unsupported"}
    world.cache.pods.drop("u-p")
    assert world.settle() == {"q": "n"}


def test_a_node_attaches_so_many_volumes_and_no_more() -> None:
    world = World(host("n"))
    volumes = world.cache.pods.volumes
    drivers = {"drivers": [{"name": "csi.example.com", "allocatable": {"count": 1}}]}
    volumes.put_drivers(msgspec.convert({"metadata": {"name": "n", "uid": "d"}, "spec": drivers}, CSINode))
    for name in ("x", "y"):
        volumes.put_volume(volume(name, driver="csi.example.com"))
        volumes.put_claim(claim(name, name))
        world.put(pod(name, volumes=claiming(name)))
    assert len(world.settle()) == 1
    volumes.drop_drivers("d")
    assert len(world.settle()) == 2


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
