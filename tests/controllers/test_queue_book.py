"""Queues and topologies that come, change and go, told to a cache as watches would tell them."""

from __future__ import annotations

from typing import Any

import msgspec

from railwise.controllers.look import look_of
from railwise.formats.inputs import read_inputs
from railwise.formats.kubernetes.dialects.sources import (
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    OWN_QUEUE,
    OWN_TOPOLOGY,
    RESOURCE_FLAVOR,
    TRAINING_JOBS,
    VOLCANO_POD_GROUP,
    Foreign,
    Kind,
)
from railwise.formats.kubernetes.kinds import PriorityClass
from railwise.model.requirement import Requirement
from tests.controllers.world import World, node, pod
from tests.formats.kubernetes.objects import job, template


def foreign(name: str, spec: dict[str, Any], status: dict[str, Any] | None = None) -> Foreign:
    return msgspec.convert({"metadata": {"name": name, "uid": f"q-{name}"}, "spec": spec, "status": status}, Foreign)


def declare(world: World, kind: Kind, name: str, **spec: Any) -> None:
    world.cache.queues.put(kind, foreign(name, spec))


def test_a_queue_decides_as_soon_as_it_is_there_and_as_long() -> None:
    world = World(node("n-1"))
    for index in range(3):
        world.put(pod(f"p-{index}", 2, notes={"queue": "team"}))
    assert world.settle() == {}
    assert set(world.reasons().values()) == {"UnknownQueue"}
    declare(world, OWN_QUEUE, "team", quota={"gpu": 2}, limit={"gpu": 2})
    assert len(world.settle()) == 1
    declare(world, OWN_QUEUE, "team", quota={"gpu": 2}, limit={"gpu": 4})
    assert len(world.settle()) == 2
    world.cache.queues.drop(OWN_QUEUE, "q-team")
    assert len(world.settle()) == 2, "who runs is not asked to leave by a queue that has gone"
    assert set(world.reasons().values()) == {"UnknownQueue"}


def test_a_status_that_changes_is_no_news() -> None:
    world = World(node("n-1"))
    declare(world, OWN_QUEUE, "team", quota={"gpu": 2})
    world.settle()
    engines = world.engines
    world.cache.queues.put(OWN_QUEUE, foreign("team", {"quota": {"gpu": 2}}, {"conditions": []}))
    world.cache.queues.replace(OWN_QUEUE, [foreign("team", {"quota": {"gpu": 2}}, {})])
    world.settle()
    assert world.engines == engines
    world.cache.queues.replace(OWN_QUEUE, [])
    world.settle()
    assert world.engines == engines + 1


def test_a_topology_that_comes_gives_its_levels_and_takes_them_when_it_goes() -> None:
    world = World(node("n-1", rack="a"), node("n-2", rack="b"))
    labels = [{"name": "hall", "label": "fabric.railwise.dev/rack"}]
    world.put(pod("p-1", 8, notes={"required": "hall"}))
    assert world.settle() == {}
    assert set(world.reasons().values()) == {"UnknownLevel"}
    declare(world, OWN_TOPOLOGY, "fabric", levels=labels)
    assert world.settle() == {"p-1": "n-1"}
    world.cache.queues.drop(OWN_TOPOLOGY, "q-fabric")
    world.put(pod("p-2", 8, notes={"required": "hall"}))
    world.settle()
    assert world.reasons() == {"a/p-2": "UnknownLevel"}


def test_an_object_that_cannot_be_read_is_found_and_the_others_count() -> None:
    world = World(node("n-1"))
    declare(world, OWN_QUEUE, "odd", quota={"gpus": 2})
    declare(world, OWN_QUEUE, "team", quota={"gpu": 2})
    world.put(pod("p-1", 2, notes={"queue": "team"}))
    assert world.settle() == {"p-1": "n-1"}
    (found,) = world.cache.queues.catalog.findings
    assert found.told().startswith("Queue odd.spec.quota.gpus: unknown resource")


def test_classes_of_priority_are_known_by_name() -> None:
    queues = World(node("n-1")).cache.queues
    queues.replace_classes([msgspec.convert({"metadata": {"name": "high", "uid": "c"}, "value": 7}, PriorityClass)])
    assert (queues.classes, queues.changed) == ({"high": 7}, True)
    queues.changed = False
    queues.put_class(msgspec.convert({"metadata": {"name": "high", "uid": "c"}, "value": 7}, PriorityClass))
    assert not queues.changed
    queues.drop_class("c")
    assert (queues.classes, queues.changed) == ({}, True)


def test_pods_that_look_alike_enter_the_queue_of_their_namespace() -> None:
    world = World(node("n-1"))
    world.cache.queues.put(RESOURCE_FLAVOR, foreign("f", {}))
    for name, room in (("a", 2), ("b", 1)):
        resources = [{"name": "nvidia.com/gpu", "nominalQuota": room}]
        group = {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "f", "resources": resources}]}
        declare(world, CLUSTER_QUEUE, f"of-{name}", namespaceSelector={}, resourceGroups=[group])
        way = {"metadata": {"name": "gpus", "namespace": name, "uid": name}, "spec": {"clusterQueue": f"of-{name}"}}
        world.cache.queues.put(LOCAL_QUEUE, msgspec.convert(way, Foreign))
    for space in "ab":
        for index in range(3):
            labels = {"kueue.x-k8s.io/queue-name": "gpus"}
            world.put(pod(f"{space}-{index}", 1, space=space, labels=labels))
    assert sorted(name[0] for name in world.settle()) == ["a", "a", "b"]


def test_a_gang_of_plain_pods_waits_until_as_many_are_there_as_they_say() -> None:
    world = World(node("n-1"))
    for index in range(3):
        one = pod(f"p-{index}", 1, labels={"kueue.x-k8s.io/pod-group-name": "g"})
        notes = {"kueue.x-k8s.io/pod-group-total-count": "3"}
        meta = msgspec.structs.replace(one.metadata, annotations=notes)
        assert world.settle() == {}
        world.put(msgspec.structs.replace(one, metadata=meta))
    assert len(world.settle()) == 3


def test_manifests_are_read_by_the_queues_of_the_cluster_they_are_meant_for() -> None:
    world = World(node("n-1", rack="a"))
    world.cache.queues.put(RESOURCE_FLAVOR, foreign("f", {"nodeLabels": {"pool": "x"}}))
    group = {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "f", "resources": []}]}
    declare(world, CLUSTER_QUEUE, "team", namespaceSelector={}, resourceGroups=[group])
    way = {"metadata": {"name": "gpus", "namespace": "default", "uid": "w"}, "spec": {"clusterQueue": "team"}}
    world.cache.queues.put(LOCAL_QUEUE, msgspec.convert(way, Foreign))
    look = look_of(world.cache)
    labels = {"kueue.x-k8s.io/queue-name": "gpus"}
    text = msgspec.json.encode(job("j", 2, template(1), meta={"labels": labels}))
    one = next(
        one
        for one in read_inputs([("job.json", text)], base=look.scenario, known=look.known).workloads
        if one.name == "j"
    )
    assert (one.queue, one.root.selection.terms) == ("team", ((Requirement("pool", "In", ("x",)),),))


def test_a_training_job_says_how_many_pods_will_come() -> None:
    world = World(node("n-1"), node("n-2"))
    spec = {"pytorchReplicaSpecs": {"Worker": {"replicas": 3, "template": {}}}}
    made = {"metadata": {"name": "t", "namespace": "a", "uid": "t"}, "spec": spec}
    world.cache.put_rule(TRAINING_JOBS[0], msgspec.convert(made, Foreign))
    for index in range(3):
        assert world.settle() == {}
        world.clock.now += 60
        world.put(pod(f"t-worker-{index}", 4, owner="PyTorchJob/t"))
    assert len(world.settle()) == 3
    world.cache.replace_rules(TRAINING_JOBS[0], [])
    assert len(world.settle()) == 3


def test_a_pod_group_that_comes_or_changes_while_its_pods_wait_is_obeyed() -> None:
    world = World(node("n-1", rack="a"), node("n-2", rack="b"))

    def rule(least: int) -> None:
        spec = {"minMember": least, "queue": "default"}
        found = {"metadata": {"name": "g", "namespace": "a", "uid": "g"}, "spec": spec}
        world.cache.put_rule(VOLCANO_POD_GROUP, msgspec.convert(found, Foreign))

    rule(3)
    for index in range(2):
        one = pod(f"p-{index}", 8)
        meta = msgspec.structs.replace(one.metadata, annotations={"scheduling.k8s.io/group-name": "g"})
        world.put(msgspec.structs.replace(one, metadata=meta))
    assert world.settle() == {}
    rule(2)
    assert len(world.settle()) == 2
    (_, findings) = world.cache.makers.told()
    assert findings == []
