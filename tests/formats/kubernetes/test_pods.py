from __future__ import annotations

import pytest

from railwise.model.errors import InputError
from railwise.model.requirement import Requirement
from railwise.model.workload import Running, Selection, Toleration
from tests.formats.kubernetes.objects import Object, container, node, node_of, pod, read, reading, workload

OTHERS = "default-scheduler"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TEAM: Object = {"matchLabels": {"team": "ml"}}


def terms(*expressions: Object) -> Object:
    selector: Object = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


def test_a_pod_of_ours_that_waits_is_a_workload_of_one() -> None:
    found = workload(read(pod("a", 2, priority=7)), "a")
    assert (found.root.pods, found.root.min_pods, found.root.running) == (1, 1, None)
    assert (found.priority, found.queue, found.kind, found.preemptible) == (7, "default", "batch", True)


def test_pods_that_run_keep_their_room_whoever_placed_them() -> None:
    scenario = read(
        node("n1", gpu=8), pod("ours", 4, nodeName="n1"), pod("theirs", 2, nodeName="n1", schedulerName=OTHERS)
    )
    ours, theirs = workload(scenario, "ours"), workload(scenario, "theirs")
    assert ours.root.running == theirs.root.running == Running(("n1",))
    assert ours.preemptible
    assert ours.root.selection == Selection()
    assert not theirs.preemptible
    here = Requirement("metadata.name", "In", ("n1",), of_field=True)
    assert theirs.root.selection == Selection(terms=((here,),))


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_pods_that_have_ended_hold_nothing(phase: str) -> None:
    ended = pod("a", 8, nodeName="n1")
    ended["status"] = {"phase": phase}
    assert read(node("n1", gpu=8), ended).workloads == ()


def test_pods_that_are_going_away_keep_their_room_until_they_are_gone() -> None:
    gone: Object = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    scenario = read(node("n1", gpu=8), pod("a", 8, nodeName="n1", meta=gone), pod("b", 8, meta=gone))
    assert [one.name for one in scenario.workloads] == ["a"]
    assert not workload(scenario, "a").preemptible


def test_waiting_pods_of_others_are_left_to_them() -> None:
    gate: list[Object] = [{"name": "kueue.x-k8s.io/topology"}]
    scenario = read(
        pod("a", schedulerName=OTHERS),
        pod("b", schedulerName=OTHERS),
        pod("c", schedulerName="volcano"),
        pod("d", schedulingGates=gate),
    )
    assert scenario.workloads == ()
    assert scenario.warnings == (
        "1 waiting pod is left to another scheduling gate",
        "2 waiting pods are left to default-scheduler",
        "1 waiting pod is left to volcano",
    )


@pytest.mark.parametrize(
    "mark",
    [
        {"schedulerName": OTHERS, "meta": {"annotations": {"railwise.dev/queue": "research"}}},
        {"schedulerName": OTHERS, "schedulingGates": [{"name": "railwise.dev/placement"}]},
        {"schedulerName": None},
    ],
    ids=["annotation", "gate", "no scheduler named"],
)
def test_waiting_pods_are_ours_by_annotation_by_our_gate_and_where_no_scheduler_is_named(mark: Object) -> None:
    meta = mark.pop("meta", None)
    assert isinstance(meta, dict | None)
    assert [one.name for one in read(pod("a", meta=meta, **mark)).workloads] == ["a"]


def test_rules_about_nodes_are_read() -> None:
    affinity = terms(
        {"key": "pool", "operator": "In", "values": ["gold"]}, {"key": "cores", "operator": "Gt", "values": ["8"]}
    )
    tolerations: list[Object] = [
        {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "a", "value": "b"},
    ]
    found = workload(read(pod("a", nodeSelector={"b": "2", "a": "1"}, affinity=affinity, tolerations=tolerations)), "a")
    assert found.root.selection == Selection(
        (("a", "1"), ("b", "2")),
        ((Requirement("pool", "In", ("gold",)), Requirement("cores", "Gt", ("8",))),),
        (Toleration("gpu", "Exists", "", "NoSchedule"), Toleration("a", "Equal", "b", "")),
    )


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        (
            {"affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "zone", "namespaceSelector": TEAM}]}}},
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector",
        ),
        ({"affinity": {"podAntiAffinity": {REQUIRED: [{}]}}}, "podAntiAffinity"),
        ({"topologySpreadConstraints": [{"maxSkew": 1}]}, "topologySpreadConstraints[0].topologyKey"),
        ({"resourceClaims": [{"name": "gpu"}]}, "spec.resourceClaims"),
        ({"volumes": [{"ephemeral": {}}]}, "spec.volumes[0].ephemeral"),
        ({"volumes": [{}, {"rbd": {}}]}, "spec.volumes[1].rbd"),
        ({"volumes": [{"persistentVolumeClaim": {"claimName": "data"}}]}, "spec.volumes[0].persistentVolumeClaim"),
    ],
)
def test_rules_that_cannot_be_honoured_are_named_not_dropped(rule: Object, word: str) -> None:
    assert word in workload(read(pod("a", **rule)), "a").unsupported


def test_preferences_do_not_stand_in_the_way() -> None:
    preferred: list[Object] = [{"weight": 1}]
    spread: list[Object] = [{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]
    affinity: Object = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    assert workload(read(pod("a", affinity=affinity, topologySpreadConstraints=spread)), "a").unsupported == ""


def test_priorities_come_from_the_pod_or_from_its_class() -> None:
    def cls(name: str, value: int, *, default: bool = False) -> Object:
        meta: Object = {"name": name}
        return {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": meta,
            "value": value,
            "globalDefault": default,
        }

    scenario = read(
        cls("high", 1000),
        cls("normal", 10, default=True),
        pod("a", priorityClassName="high"),
        pod("b", priorityClassName="high", priority=5),
        pod("c"),
        pod("d", priorityClassName="system-node-critical"),
        pod("e", priorityClassName="lost"),
    )
    assert [one.priority for one in scenario.workloads] == [1000, 5, 10, 2_000_001_000, 0]
    assert scenario.warnings == ("in.yaml[6]: no PriorityClass 'lost' in the input: priority 0",)


def test_order_is_creation_time_then_name_then_the_order_of_the_documents() -> None:
    def at(time: str) -> Object:
        return {"creationTimestamp": time}

    scenario = read(
        pod("z"),
        pod("late", meta=at("2026-01-01T00:10:00Z")),
        pod("pod-10", meta=at("2026-01-01T00:00:00Z")),
        pod("pod-9", meta=at("2026-01-01T00:00:00Z")),
        pod("a"),
    )
    assert [one.name for one in scenario.workloads] == ["pod-9", "pod-10", "late", "z", "a"]
    assert [one.order for one in scenario.workloads] == [0, 1, 2, 3, 4]
    assert [one.submit for one in scenario.workloads] == [-600_000_000, -600_000_000, 0, 0, 0]


def test_the_newest_time_stamp_is_now() -> None:
    meta: Object = {"creationTimestamp": "2026-01-01T00:00:00Z"}
    old = pod("old", 1, nodeName="n1", meta=meta)
    old["status"] = {"phase": "Running", "startTime": "2026-01-01T01:00:00+01:00"}
    new = pod("new", meta={"creationTimestamp": "2026-01-01T00:30:00Z"})
    scenario = read(node("n1", gpu=8), old, new)
    assert workload(scenario, "old").root.running == Running(("n1",), since=-1_800_000_000)
    assert workload(scenario, "new").submit == 0


def test_pods_on_nodes_that_are_gone_are_not_there() -> None:
    scenario = read(node("n1"), pod("ours", nodeName="n9"), pod("theirs", nodeName="n9", schedulerName=OTHERS))
    assert [one.name for one in scenario.workloads] == ["ours"]
    assert workload(scenario, "ours").root.running is None


def test_pods_of_others_on_a_node_that_is_not_ready_leave_it_no_room_for_later() -> None:
    lost = node("n1", gpu=8, cpu=16)
    lost["status"] = {
        "allocatable": {"nvidia.com/gpu": 8, "cpu": 16},
        "conditions": [{"type": "Ready", "status": "Unknown"}],
    }
    busy = pod("busy", nodeName="n1", schedulerName=OTHERS, containers=[container(3, cpu=4)])
    scenario = read(lost, busy)
    assert scenario.workloads == ()
    assert node_of(scenario, "n1").unhealthy == {0, 1, 2}
    assert node_of(scenario, "n1").resources == {"cpu": 12000}


def test_who_holds_a_rank_can_be_looked_up() -> None:
    found = reading(node("n1", gpu=8), pod("a", 1, namespace="ml", nodeName="n1", meta={"uid": "u-1"}))
    assert found.pods == {("a", "", 0): ("ml", "a", "u-1")}


def test_a_pod_with_only_the_start_of_a_name_gets_one() -> None:
    one, two = pod(""), pod("")
    for value in (one, two):
        value["metadata"] = {"generateName": "run-"}
    assert [found.name for found in read(one, two).workloads] == ["run-0", "run-1"]


def test_what_a_pod_cannot_mean_is_refused_with_its_path() -> None:
    bad_terms = terms({"key": "a", "operator": "Is"}, {"key": "a", "operator": "In"}, {"key": "a", "operator": "Lt"})
    bad: list[Object] = [{"key": "a", "operator": "Like"}]
    with pytest.raises(InputError) as caught:
        read(
            pod("a", affinity=bad_terms, tolerations=bad),
            pod("a"),
            pod("b", meta={"creationTimestamp": "yesterday"}),
            pod("c", containers="none"),
            {"kind": "Pod", "apiVersion": "v1", "metadata": {}},
        )
    path = "in.yaml[0].spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
    assert [fault.path for fault in caught.value.faults] == [
        f"{path}.matchExpressions[0].operator",
        f"{path}.matchExpressions[1].values",
        f"{path}.matchExpressions[2].values",
        "in.yaml[0].spec.tolerations[0].operator",
        "in.yaml[1].metadata.name",
        "in.yaml[2].metadata.creationTimestamp",
        "in.yaml[3].spec.containers",
        "in.yaml[4].metadata.name",
    ]


def test_a_fault_in_one_workload_leaves_the_others_readable() -> None:
    found = reading(pod("a", meta={"annotations": {"railwise.dev/duration": "soon"}}), pod("b"))
    assert [fault.path for fault in found.faults] == ["in.yaml[0].metadata.annotations.railwise.dev/duration"]
    assert "duration" in workload(found.scenario, "a").invalid
    assert workload(found.scenario, "b").invalid == ""
