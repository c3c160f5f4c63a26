"""Rules of pods on a live cluster: what arrives later matters too."""

from __future__ import annotations

from typing import Any

import msgspec

from railwise.formats.kubernetes.storage import BOUND, Claim, CSINode, Volume
from tests.controllers.ruled import HOST, OTHERS, REQUIRED, far, host, near, with_port
from tests.controllers.world import World, job, pod


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
