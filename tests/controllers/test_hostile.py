"""Objects that are wrong, huge or nonsense: each is told what is wrong with it, everybody else is served as before."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from railwise.formats.kubernetes.schema import NodeObject, Pod
from tests.controllers.world import SCHEDULER, World, job, node, pod

HUGE = "x" * (1 << 20)
DIGITS = "9" * (1 << 20)
OWN = "railwise.dev/"
ROOM = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}
FABRIC = "fabric.railwise.dev/"


def made(meta: dict[str, Any] | None = None, spec: dict[str, Any] | None = None, **amounts: str) -> Pod:
    """Return a pod of ours that somebody has got wrong; ``amounts`` are what it asks for."""
    limits = {"nvidia.com/gpu": "1"} | {key.replace("gpu", "nvidia.com/gpu"): value for key, value in amounts.items()}
    plain = {
        "metadata": {"name": "odd", "namespace": "a", "uid": "u-odd", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"schedulerName": SCHEDULER, "containers": [{"name": "main", "resources": {"limits": limits}}]},
        "status": {"phase": "Pending"},
    }
    plain["metadata"] |= meta or {}  # type: ignore[operator]
    plain["spec"] |= spec or {}  # type: ignore[operator]
    return msgspec.convert(plain, Pod)


def noted(**notes: str) -> Pod:
    """Return a pod with annotations of ours."""
    return made({"annotations": {OWN + key.replace("_", "-"): value for key, value in notes.items()}})


def owned(kind: str, name: str) -> Pod:
    return made({"ownerReferences": [{"kind": kind, "name": name, "controller": True, "uid": "u"}]})


INVALID, PLACED = "InvalidRequest", ""
SELECTORS = [{"matchExpressions": [{"key": f"k{index}", "operator": "Exists"}]} for index in range(1000)]
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": SELECTORS}}}

ODD: dict[str, tuple[Pod, str]] = {
    "a level that is not there": (noted(required="galaxy"), "UnknownLevel"),
    "a topology that is not there": (noted(topology="nowhere", required="rack"), "UnknownTopology"),
    "a megabyte of a level": (noted(required=HUGE), INVALID),
    "a megabyte of a group": (noted(group=HUGE), INVALID),
    "a megabyte of a queue": (noted(queue=HUGE), INVALID),
    "a megabyte of a segment": (noted(segment_size=DIGITS), INVALID),
    "a very long duration": (noted(duration="1h" * (1 << 15)), INVALID),
    "a megabyte that is somebody else's": (made({"annotations": {"example.com/notes": HUGE}}), PLACED),
    "ten thousand keys that nobody knows": (noted(**{f"key{index}": "" for index in range(10_000)}), PLACED),
    "a key of a megabyte": (noted(**{HUGE: ""}), PLACED),
    "1e30 cards": (made(gpu="1e30"), INVALID),
    "1e1000000 cards": (made(gpu="1e1000000"), INVALID),
    "half a card": (made(gpu="0.5"), INVALID),
    "1e30 cores": (made(cpu="1e30"), INVALID),
    "a megabyte of cores": (made(cpu=DIGITS), INVALID),
    "less than nothing": (made(cpu="-1"), INVALID),
    "no number": (made(cpu="nan"), INVALID),
    "more bytes than there are": (made(memory="9999999999999999Ei"), INVALID),
    "a pod that owns itself": (owned("Pod", "odd"), PLACED),
    "a name of the greatest length": (made({"name": "n" * 253}), PLACED),
    "a creation in the far future": (made({"creationTimestamp": "9999-12-31T23:59:59Z"}), PLACED),
    "a creation that is no time": (made({"creationTimestamp": "yesterday"}), PLACED),
    "a thousand selectors": (made(spec={"affinity": AFFINITY}), "NodesExcluded"),
    "a million ranks": (made({"labels": {"batch.kubernetes.io/job-completion-index": "999999999"}}), PLACED),
}


def small(*more: NodeObject) -> World:
    return World(*(node(f"n{index}", 8, rack=f"r{index // 2}") for index in range(4)), *more)


def rest(world: World) -> None:
    world.settle()
    world.clock.now += 10.0
    world.settle()


@pytest.mark.parametrize("case", ODD)
def test_an_odd_pod_is_told_and_all_others_are_placed(case: str) -> None:
    odd, code = ODD[case]
    world = small()
    world.put(odd, pod("well", 1))
    rest(world)
    assert "well" in world.places()
    assert world.reasons() == ({f"a/{odd.metadata.name}": code} if code else {})
    assert (odd.metadata.name in world.places()) == (code == PLACED)
    assert world.plan is not None
    told = [entry.reason.summary for entry in world.plan.workloads if entry.reason is not None]
    assert max(map(len, told), default=0) <= 500
    assert world.cache.events() == [], "it is read once, not in every round"


NODES: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "a rack in two places": ({"superpod": "p1", "rack": "r0"}, {}, ""),
    "levels the wrong way round": ({"superpod": "r0", "rack": "p0"}, {}, ""),
    "levels with odd names": ({"": "a", "weird_LEVEL.x": "v", "rack": "x" * 63}, {}, ""),
    "1e30 of everything": ({}, {"nvidia.com/gpu": "1e30", "cpu": "1e30"}, "at most"),
    "more cards than can be": ({}, {"nvidia.com/gpu": "9000000000000000000"}, "no more than"),
    "fewer than none": ({}, {"nvidia.com/gpu": "-5", "cpu": "much"}, "cpu"),
    "odd parts of cards": ({}, {"nvidia.com/mig-1g.5gb": "1e30", "nvidia.com/mig-99g.zz": "5"}, "mig-1g.5gb"),
    "a thousand resources": ({}, {f"example.com/r{index}": "5" for index in range(1000)}, ""),
}


@pytest.mark.parametrize("case", NODES)
def test_an_odd_node_is_told_and_all_others_are_used(case: str) -> None:
    labels, room, trouble = NODES[case]
    plain = {
        "metadata": {"name": "odd", "uid": "n-odd", "labels": {FABRIC + key: value for key, value in labels.items()}},
        "status": {"allocatable": ROOM | room, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    world = small(msgspec.convert(plain, NodeObject))
    world.cache.put_maker(job("gang", 2, required="rack"))
    world.put(*(pod(f"gang-{index}", 8, owner="Job/gang", notes={"required": "rack"}) for index in range(2)))
    world.put(pod("well", 1))
    rest(world)
    places = world.places()
    assert len(places) == 3
    assert {int(places[f"gang-{index}"][1:]) // 2 for index in range(2)} in ({0}, {1})
    told = world.cache.nodes.trouble()
    assert [name for name, _, text in told if trouble in text] == (["odd"] if trouble else [])
    assert world.cache.nodes.trouble() == [], "once"


@pytest.mark.slow
def test_ten_thousand_pods_of_one_group_wait_as_one_and_keep_nobody() -> None:
    world = small()
    world.put(*(pod(f"g-{index}", 1, owner="Thing/g", notes={"min-pods": "20000"}) for index in range(10_000)))
    world.put(pod("well", 1))
    rest(world)
    assert world.places().keys() == {"well"}
    assert str(world.cache.lacking["a/g"]) == "10000 of 20000"
    world.put(pod("next", 1))
    assert world.round()
    assert world.told == 1, "what waits is not told again"


@pytest.mark.slow
def test_ten_thousand_pods_of_one_gang_are_placed_as_one() -> None:
    world = World(*(node(f"n{index}", 8, rack=f"r{index // 8}") for index in range(1250)))
    world.put(*(pod(f"g-{index}", 1, owner="Thing/g", notes={"min-pods": "10000"}) for index in range(10_000)))
    assert len(world.settle()) == 10_000


def test_a_job_of_a_million_pods_costs_what_is_there() -> None:
    world = small()
    world.cache.put_maker(job("vast", 1_000_000))
    world.put(pod("vast-0", 1, owner="Job/vast"), pod("well", 1))
    rest(world)
    assert world.places().keys() == {"well"}
    assert str(world.cache.lacking["a/vast"]) == "1 of 1000000"
