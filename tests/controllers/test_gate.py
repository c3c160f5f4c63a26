"""Gate mode without a server: marks on pods, what the engine sees, who is released together, who is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from railwise.controllers.admission import policy_objects, webhook_object
from railwise.controllers.binder import Batch
from railwise.controllers.cache import Binding, Stop
from railwise.controllers.gate_cache import OURS, GateCache, SeenPod
from railwise.controllers.gate_release import Releaser, release
from railwise.controllers.gate_watch import PATIENCE, ReleaseWatch
from railwise.formats.kubernetes.gate_marks import (
    GATE,
    NODE,
    as_ours,
    is_gated,
    pinned,
    released_to,
    required,
    terms_of,
    unpinned,
)
from railwise.formats.kubernetes.schema import PodSpec
from railwise.formats.kubernetes.workloads import LivePod
from railwise.kubeapi.recorder import Regarding
from tests.controllers.world import Clock, node

if TYPE_CHECKING:
    from railwise.kubeapi.client import Client

HERE = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
ZONE = {"key": "zone", "operator": "In", "values": ["a", "b"]}
FIELD = {"key": "metadata.name", "operator": "NotIn", "values": ["n9"]}


def gated(name: str = "p", terms: list[dict[str, Any]] | None = None, **more: Any) -> SeenPod:
    """Return a pod as a server with the policy makes it; ``owner`` is ``Kind/name``."""
    spec: dict[str, Any] = {"schedulerName": "default-scheduler", "schedulingGates": [{"name": GATE}]}
    spec["containers"] = [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]
    if terms is not None:
        spec["affinity"] = required(terms)
    kind, _, owner = more.pop("owner", "").partition("/")
    owners = [{"kind": kind, "name": owner, "controller": True}] if owner else []
    meta = {"name": name, "namespace": "a", "uid": f"u-{name}", "ownerReferences": owners}
    return msgspec.convert({"metadata": meta, "spec": {**spec, **more}}, SeenPod)


def released(pod: SeenPod, node: str, word: str = "", message: str = "0/3 nodes are available") -> SeenPod:
    """Return a pod as a server makes it of our patch; ``word`` is what the stock scheduler says."""
    patch: Any = release(pod, node)
    found = msgspec.to_builtins(pod)
    found["metadata"]["annotations"] = patch["metadata"]["annotations"]
    found["spec"]["affinity"] = patch["spec"]["affinity"]
    found["spec"]["schedulingGates"] = []
    if word:
        found["status"] = {
            "conditions": [{"type": "PodScheduled", "status": "False", "reason": word, "message": message}]
        }
    return msgspec.convert(found, SeenPod)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (None, [{"matchFields": [HERE]}]),
        ([{"matchExpressions": [ZONE]}], [{"matchExpressions": [ZONE], "matchFields": [HERE]}]),
        ([{"matchFields": [FIELD]}], [{"matchFields": [FIELD, HERE]}]),
        ([{"matchFields": [HERE]}], [{"matchFields": [HERE, HERE]}]),
        ([{}, {"matchExpressions": [ZONE]}], [{}, {"matchExpressions": [ZONE], "matchFields": [HERE]}]),
    ],
)
def test_a_pin_tightens_every_term_and_comes_off_again(
    terms: list[dict[str, Any]] | None, expected: list[dict[str, Any]]
) -> None:
    pod = gated(terms=terms)
    assert pinned(terms_of(pod.spec), ("n1",)) == expected
    there = released(pod, "n1")
    assert released_to(there) == "n1"
    assert unpinned(there.spec).affinity == pod.spec.affinity


def test_several_nodes_are_terms_of_their_own() -> None:
    spec = msgspec.convert({"affinity": required([{"matchExpressions": [ZONE]}, {}])}, PodSpec)
    terms = pinned(terms_of(spec), ("n1", "n2"))
    assert [term.get("matchFields", [{}])[-1].get("values") for term in terms] == [["n1"], None, ["n2"]]


@pytest.mark.parametrize(
    ("change", "held"),
    [
        ({}, True),
        ({"schedulerName": ""}, True),
        ({"schedulerName": "volcano"}, False),
        ({"schedulingGates": []}, False),
        ({"schedulingGates": [{"name": GATE}, {"name": "example.com/quota"}]}, False),
    ],
)
def test_whose_gate_holds_a_pod(change: dict[str, Any], held: bool) -> None:
    assert is_gated(gated(**change)) is held


def test_an_annotation_alone_releases_nobody() -> None:
    pod = gated(schedulingGates=[])
    marked = msgspec.structs.replace(pod, metadata=msgspec.structs.replace(pod.metadata, annotations={NODE: "n1"}))
    assert released_to(marked) == ""
    assert as_ours(marked, OURS) is marked


def test_the_engine_sees_equal_pods_running_where_they_were_told() -> None:
    waiting, there = as_ours(gated(), OURS), as_ours(released(gated(), "n1"), OURS)
    assert waiting.spec.scheduler_name == there.spec.scheduler_name == OURS
    assert (waiting.spec.node_name, there.spec.node_name) == ("", "n1")
    assert msgspec.structs.replace(there.spec, node_name="") == waiting.spec
    assert NODE not in there.metadata.annotations


class Ears:
    """Who replaces pods and who speaks: they only listen."""

    def __init__(self, cache: GateCache) -> None:
        self.cache = cache
        self.stops: list[Stop] = []
        self.said: list[tuple[str, str]] = []

    def add(self, stops: list[Stop]) -> None:
        self.stops += stops
        for stop in stops:
            self.cache.pods.leaves(stop.pod.uid, stop.node)

    def say(self, about: Regarding, reason: str, note: str, **rest: Any) -> bool:
        assert note
        assert rest["warning"]
        self.said.append((about.name, reason))
        return True

    def work(self, doing: Any) -> None:
        doing.close()


class Room:
    """A watch over a cache, with a clock that a test moves."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.cache = GateCache(steady=self.clock)
        self.ears = Ears(self.cache)
        ears: Any = self.ears
        self.watch = ReleaseWatch(self.cache, ears, ears, self.clock)

    def pass_time(self, seconds: float) -> list[str]:
        """Let time pass in small steps and return who was replaced meanwhile."""
        before = len(self.ears.stops)
        for _ in range(round(seconds * 2)):
            self.clock.now += 0.5
            self.watch.look()
        return [stop.pod.name for stop in self.ears.stops[before:]]


def test_who_is_refused_for_long_is_replaced_each_time_later() -> None:
    room = Room()
    waits = []
    for number in range(4):
        pod = gated(f"p{number}", owner="Job/j")
        room.cache.pods.put(released(pod, "n1", "Unschedulable"))
        seconds = 0.0
        while not room.pass_time(0.5):
            seconds += 0.5
        waits.append(seconds)
        room.cache.pods.drop(f"u-p{number}")
    assert waits == [PATIENCE * 2**number for number in range(4)]
    assert [reason for _, reason in room.ears.said] == ["RoomTaken"] * 4


def test_pods_of_one_try_have_the_same_patience() -> None:
    room = Room()
    for number in range(3):
        room.cache.pods.put(released(gated(f"p{number}", owner="Job/j"), "n1", "Unschedulable"))
        room.pass_time(1)
    assert room.pass_time(PATIENCE) == ["p0", "p1", "p2"]


def test_a_refusal_that_passes_replaces_nobody() -> None:
    room = Room()
    pod = gated(owner="Job/j")
    for _ in range(4):
        room.cache.pods.put(released(pod, "n1", "Unschedulable"))
        assert room.pass_time(PATIENCE - 1) == []
        room.cache.pods.put(released(pod, "n1"))
        room.watch.look()
    spec = msgspec.structs.replace(released(pod, "n1", "Unschedulable").spec, node_name="n1")
    room.cache.pods.put(msgspec.structs.replace(released(pod, "n1", "Unschedulable"), spec=spec))
    assert room.pass_time(60) == [], "it is bound"


def test_why_it_waited_at_the_gate_is_no_refusal() -> None:
    room = Room()
    room.cache.pods.put(released(gated(owner="Job/j"), "n1", "Unschedulable", "NotEnoughFree: 0 of 3 nodes"))
    assert room.pass_time(30) == []
    assert room.ears.said == []


def test_a_pod_without_an_owner_is_never_replaced_but_told() -> None:
    room = Room()
    room.cache.pods.put(released(gated(), "n1", "Unschedulable"))
    assert room.pass_time(600) == []
    assert room.ears.said == [("p", "RoomTaken")]


def test_a_stock_scheduler_that_says_nothing_is_asked_for() -> None:
    room = Room()
    room.cache.pods.put(released(gated(), "n1"))
    room.pass_time(59)
    assert room.ears.said == []
    room.pass_time(120)
    assert room.ears.said == [("p", "NotBound")]


def test_admission_looks_into_labelled_namespaces_only() -> None:
    policy, binding = policy_objects("v1beta1", ["railwise-system"])
    hook = webhook_object({"url": "https://x"}, ["railwise-system"])["webhooks"][0]
    constraints = policy["spec"]["matchConstraints"]
    assert policy["apiVersion"] == binding["apiVersion"] == "admissionregistration.k8s.io/v1beta1"
    for asked in (constraints["namespaceSelector"], hook["namespaceSelector"]):
        assert asked["matchLabels"] == {GATE: "enabled"}
        assert asked["matchExpressions"][0]["values"] == ["kube-system", "railwise-system"]
    assert constraints["resourceRules"] == hook["rules"]
    assert policy["spec"]["matchConditions"] == hook["matchConditions"]


class Gathered(Releaser):
    """A releaser that notes what it would send."""

    def __init__(self, cache: GateCache) -> None:
        super().__init__(cast("Client", None), cache, lambda _binding: None, lambda _binding, _answer: None)
        self.sent: list[list[str]] = []

    def start(self, batch: Batch) -> None:
        self.sent.append([one.pod.name for one in batch])


def test_a_gang_is_let_through_whole_once_nobody_leaves_its_nodes() -> None:
    cache = GateCache()
    cache.replace_nodes([node("n1"), node("n2"), node("n3")])
    for name in ("a-0", "a-1", "b-0"):
        cache.pods.put(gated(name, owner=f"X/{name[0]}"))
    victim = gated("victim")
    cache.pods.put(released(victim, "n1"))
    cache.begin()
    cache.pods.leaves("u-victim", "n1")
    releaser = Gathered(cache)
    places = {"a-0": "n1", "a-1": "n2", "b-0": "n3"}
    for name, where in places.items():
        cache.pods.assumed[f"u-{name}"] = where
    releaser.add([Binding(LivePod("a", name, f"u-{name}"), where, name[0]) for name, where in places.items()])
    assert releaser.sent == [["b-0"]]
    cache.pods.drop("u-victim")
    releaser.look_again()
    assert releaser.sent == [["b-0"], ["a-0", "a-1"]]


def test_nobody_of_a_gang_goes_if_one_of_it_is_gone() -> None:
    cache = GateCache()
    cache.replace_nodes([node("n1"), node("n2")])
    for name in ("a-0", "a-1"):
        cache.pods.put(gated(name, owner="X/a"))
    cache.begin()
    cache.pods.assumed["u-a-0"] = "n1"
    releaser = Gathered(cache)
    releaser.add([Binding(LivePod("a", f"a-{index}", f"u-a-{index}"), f"n{index + 1}", "a") for index in range(2)])
    assert releaser.sent == []
    assert cache.pods.assumed == {}, "both wait for another plan"
