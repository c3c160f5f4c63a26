"""Jobs that are held as a whole, without a server: what is shown of them, and how places are taken over."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.controllers.gate_cache import GateCache, SeenPod
from railwise.controllers.look import look_of
from railwise.engine.cycle import Engine
from railwise.formats.kubernetes.gate_jobs import (
    Hold,
    as_maker,
    bare_template,
    held_again,
    hold_of,
    is_placeholder,
    let_through,
    planned,
    pods_of,
    refusal_of,
    shown,
    written,
)
from railwise.formats.kubernetes.gate_marks import GATE
from railwise.formats.kubernetes.kinds import Job, PriorityClass
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Named, Pod
from tests.controllers.world import Clock, node, pod

ZONE = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}


def job(pods: int = 2, plan: str | None = None, *, suspend: bool = True, **more: Any) -> Job:
    """Return a Job with the label; ``plan`` is the annotation of one that was let through."""
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    spec = {"schedulerName": "default-scheduler", "containers": [container], **more.pop("template", {})}
    notes = {f"railwise.dev/{key}": value for key, value in more.pop("notes", {}).items()}
    meta: dict[str, Any] = {"name": "j", "namespace": "a", "uid": "u", "labels": {GATE: more.pop("label", "suspend")}}
    meta["annotations"] = {} if plan is None else {"railwise.dev/nodes": plan}
    status = more.pop("status", {})
    pattern = {"metadata": {"annotations": notes}, "spec": spec}
    rules = {"parallelism": pods, "completions": pods, "suspend": suspend, "template": pattern, **more}
    return msgspec.convert({"metadata": meta, "spec": rules, "status": status}, Job)


def made(name: str, on: str = "", rank: int = -1, **meta: Any) -> SeenPod:
    """Return a pod that the Job has made."""
    labels = {"job-name": "j", GATE: "released"}
    if rank >= 0:
        labels["batch.kubernetes.io/job-completion-index"] = str(rank)
    owner = {"kind": "Job", "name": "j", "controller": True}
    meta = {"name": name, "namespace": "a", "uid": f"u-{name}", "labels": labels, "ownerReferences": [owner], **meta}
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    spec = {"schedulerName": "default-scheduler", "nodeName": on, "containers": [container]}
    return msgspec.convert({"metadata": meta, "spec": spec}, SeenPod)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (job(), Hold.WAITING),
        (job(label="enabled"), Hold.NONE),
        (job(suspend=False), Hold.NONE),
        (job(plan="n1,n2", suspend=False), Hold.RELEASED),
        (job(plan="n1,n2"), Hold.NONE),
        (job(template={"schedulerName": "volcano"}), Hold.NONE),
        (job(pods=0), Hold.NONE),
        (job(status={"conditions": [{"type": "Complete", "status": "True"}]}), Hold.NONE),
    ],
)
def test_how_a_job_stands(one: Job, expected: Hold) -> None:
    assert hold_of(one) is expected


@given(st.lists(st.sampled_from(["n1", "n2", "gpu-003.example"]), min_size=1, max_size=40))
def test_a_plan_is_read_as_it_was_written(nodes: list[str]) -> None:
    assert planned(job(len(nodes), written(nodes), suspend=False)) == nodes


@pytest.mark.parametrize("text", ["", "n1*x", "*2", "n1*99999999999999", "n1,,n2"])
def test_what_is_no_plan_is_none(text: str) -> None:
    assert planned(job(2, text, suspend=False)) == []


def test_a_plan_is_never_longer_than_the_job() -> None:
    assert planned(job(3, "n1*999999", suspend=False)) == ["n1"] * 3


def test_segments_need_pods_that_are_held_one_by_one() -> None:
    assert "segments" in refusal_of(job(notes={"segment-size": "2"}))
    assert refusal_of(job(notes={"required": "rack"})) == ""


def places(one: Job, pods: list[Pod]) -> dict[str, str]:
    return {pod.metadata.name: pod.spec.node_name for pod in shown(one, pods, "us").values()}


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        ([], {"j-0": "n1", "j-1": "n1", "j-2": "n2"}),
        ([made("x")], {"x": "n1", "j-1": "n1", "j-2": "n2"}),
        ([made("x", rank=2)], {"x": "n2", "j-0": "n1", "j-1": "n1"}),
        ([made("x", on="n2", rank=0)], {"x": "n2", "j-0": "n1", "j-1": "n1"}),
        ([made("x", on="n2"), made("y", on="n2")], {"x": "n2", "y": "n2", "j-0": "n1"}),
        ([made("x", on="n1"), made("y"), made("z")], {"x": "n1", "y": "n1", "z": "n2"}),
        ([made("x", deletionTimestamp="2026-01-01T00:00:00Z")], {"j-0": "n1", "j-1": "n1", "j-2": "n2"}),
    ],
)
def test_pods_take_places_over_from_placeholders(pods: list[Pod], expected: dict[str, str]) -> None:
    assert places(job(3, "n1*2,n2", suspend=False), pods) == expected


def test_more_pods_than_places_have_none() -> None:
    assert places(job(1, "n1", suspend=False), [made("x"), made("y")]) == {"x": "n1"}


def test_a_waiting_job_is_shown_by_placeholders() -> None:
    seen = shown(job(), [], "us")
    assert list(seen) == ["u/0", "u/1"]
    assert all(is_placeholder(uid) for uid in seen)
    assert {(pod.spec.scheduler_name, pod.spec.node_name) for pod in seen.values()} == {("us", "")}


@pytest.mark.parametrize(
    ("conditions", "pods", "count"),
    [
        ([], [], 0),
        ([{"type": "Suspended", "status": "True"}], [made("x")], 0),
        ([{"type": "Suspended", "status": "True"}], [], 2),
    ],
)
def test_a_stopped_job_is_shown_when_its_pods_are_gone(
    conditions: list[dict[str, str]], pods: list[Pod], count: int
) -> None:
    one = job(status={"startTime": "2026-01-01T00:00:00Z", "conditions": conditions})
    assert len(shown(one, pods, "us")) == count


def test_marks_come_off_again_and_the_whole_is_needed() -> None:
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [ZONE]}}}
    one = job(2, template={"affinity": affinity}, notes={"min-pods": "1"})
    patch: Any = let_through(one, ["n1", "n2"], "7")
    assert patch["metadata"]["annotations"] == {"railwise.dev/nodes": "n1,n2"}
    assert patch["spec"]["suspend"] is False
    template = msgspec.to_builtins(one.spec.template)
    template["metadata"]["labels"] = patch["spec"]["template"]["metadata"]["labels"]
    template["spec"]["affinity"] = patch["spec"]["template"]["spec"]["affinity"]
    begun = msgspec.convert({**msgspec.to_builtins(one), "spec": {"template": template}}, Job)
    assert len(template["spec"]["affinity"]["nodeAffinity"].popitem()[1]["nodeSelectorTerms"]) == 2
    assert bare_template(begun).spec.affinity == one.spec.template.spec.affinity
    assert "railwise.dev/min-pods" not in as_maker(one, "us").spec.template.metadata.annotations
    assert not as_maker(one, "us").spec.suspend
    again: Any = held_again(one)
    assert again["metadata"]["annotations"] == {"railwise.dev/nodes": None}


class Held:
    """A cache with two nodes, an engine, and one Job."""

    def __init__(self) -> None:
        self.cache = GateCache(steady=Clock())
        self.cache.replace_nodes([node("n1"), node("n2")])
        self.engine: Engine | None = None
        self.key = ObjectName("a", "job", "j")

    def round(self) -> dict[str, str]:
        """Decide, and return which pods are to be let through where."""
        events = self.cache.events()
        if events is None or self.engine is None:
            self.engine, events = Engine(self.cache.begin()), []
        plan = self.engine.cycle(events, self.cache.clock.now())
        return {one.pod.uid: one.node for one in self.cache.decided(plan)}

    def believed(self) -> list[str]:
        """Return the nodes on which the engine believes the Job's pods to be."""
        gang = self.cache.pods.by_name.get("a/j")
        return sorted(gang.places.values()) if gang is not None else []


def test_the_life_of_a_held_job() -> None:
    held = Held()
    held.cache.put_maker(job())
    assert held.round() == {"u/0": "n1", "u/1": "n2"}
    held.cache.put_maker(job(plan="n1,n2", suspend=False))
    assert held.cache.events() == [], "that it was let through is no news"
    held.cache.pods.put(made("x"))
    held.cache.pods.put(made("y", on="n2"))
    assert held.round() == {}
    assert held.believed() == ["n1", "n2"]
    assert set(held.cache.pods.released) == {"u-x"}
    held.cache.pods.drop("u-x")
    assert held.round() == {}
    assert held.believed() == ["n1", "n2"], "the place is kept for the pod that the Job will make"


@pytest.mark.parametrize(("name", "expected"), [("", 3), ("high", 9), ("system-node-critical", 2_000_001_000)])
def test_a_job_has_the_priority_that_its_pods_will_have(name: str, expected: int) -> None:
    held = Held()
    for meta, value, default in (("high", 9, False), ("usual", 3, True)):
        one = {"metadata": {"name": meta, "uid": meta}, "value": value, "globalDefault": default}
        held.cache.queues.put_class(msgspec.convert(one, PriorityClass))
    held.cache.put_maker(job(template={"priorityClassName": name}))
    (told,) = held.cache.begin().workloads
    assert told.priority == expected


def test_a_job_that_is_stopped_gives_its_room_away_and_waits_again() -> None:
    held = Held()
    begun = job(plan="n1,n2", suspend=False)
    held.cache.put_maker(begun)
    held.cache.pods.put(made("x", on="n1"))
    held.round()
    assert held.believed() == ["n1", "n2"]
    book = held.cache.pods
    book.halt(held.key)
    for uid, where in book.made_by(held.key):
        book.leaves(uid, where)
    held.cache.put_maker(begun)
    held.round()
    assert held.believed() == [], "news of the Job from before its end change nothing"
    stopped = {"startTime": "2026-01-01T00:00:00Z", "conditions": [{"type": "Suspended", "status": "True"}]}
    held.cache.put_maker(job(status=stopped))
    assert held.round() == {}
    book.drop("u-x")
    assert held.round() == {"u/0": "n1", "u/1": "n2"}


def test_a_job_that_cannot_be_stopped_keeps_its_room() -> None:
    held = Held()
    held.cache.put_maker(job(plan="n1,n2", suspend=False))
    held.round()
    held.cache.pods.halt(held.key)
    held.round()
    assert held.believed() == []
    held.cache.pods.resume(held.key)
    held.round()
    assert held.believed() == ["n1", "n2"]


def test_a_job_that_somebody_pauses_or_deletes_is_forgotten() -> None:
    for end in ("pause", "delete"):
        held = Held()
        held.cache.put_maker(job(plan="n1,n2", suspend=False))
        held.round()
        if end == "pause":
            held.cache.put_maker(job(plan="n1,n2"))
        else:
            held.cache.drop_maker("u")
        held.round()
        assert held.believed() == []
        assert not held.cache.pods.pods


def test_a_relist_keeps_placeholders() -> None:
    held = Held()
    held.cache.put_maker(job(plan="n1,n2", suspend=False))
    held.cache.pods.put(made("x", on="n1"))
    held.cache.pods.replace([made("x", on="n1")])
    held.round()
    assert sorted(held.cache.pods.pods) == ["u-x", "u/1"]
    held.cache.pods.replace([])
    held.round()
    assert sorted(held.cache.pods.pods) == ["u/0", "u/1"]


def test_a_pod_that_is_bound_is_not_on_its_way_any_more() -> None:
    held = Held()
    held.cache.put_maker(job(plan="n1,n2", suspend=False))
    held.cache.pods.put(made("x"))
    held.round()
    assert set(held.cache.pods.released) == {"u-x"}
    held.cache.pods.put(made("x", on="n1"))
    assert set(held.cache.pods.released) == set()


def test_so_many_pods_does_a_job_have() -> None:
    assert pods_of(job(3)) == 3
    assert pods_of(job(3, status={"succeeded": 2})) == 1


def test_a_look_at_a_cluster_sees_who_waits_at_the_gate_and_whom_it_let_through() -> None:
    cache = GateCache(steady=Clock(), scheduler="railwise")
    cache.replace_nodes([node("n1"), node("n2")])
    cache.put_maker(job(1, "n1", suspend=False))
    gated = pod("gated", scheduler="default-scheduler", space="a")
    held = msgspec.structs.replace(gated.spec, scheduling_gates=(Named(name=GATE),))
    cache.pods.put(msgspec.structs.replace(gated, spec=held))
    cache.pods.put(pod("named", scheduler="railwise", space="a"))
    look = look_of(cache)
    running = {one.name: one.root.running for one in look.scenario.workloads}
    assert running["gated"] is None
    assert running["named"] is None
    found = running["j"]
    assert found is not None
    assert found.nodes == ("n1",)
