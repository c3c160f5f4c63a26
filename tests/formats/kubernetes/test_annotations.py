from __future__ import annotations

import pytest

from railwise.model.errors import InputError
from railwise.model.workload import Segment, TopologyRule, Traffic
from tests.formats.kubernetes.objects import (
    Object,
    job,
    job_pod,
    node,
    own,
    pod,
    read,
    template,
    workload,
)


def test_a_job_is_a_gang_before_its_pods_exist() -> None:
    notes = own(
        queue="research",
        kind="training",
        required="superpod",
        preferred="rack",
        topology="fabric",
        segment_size="4",
        segment_required="rack",
        segment_preferred="node",
        duration="1h30m",
        min_pods="6",
        traffic="moe",
    )
    found = workload(read(job("llama", 8, template(8, notes))), "llama")
    assert (found.root.pods, found.root.min_pods) == (8, 6)
    assert found.root.topology == TopologyRule("fabric", "superpod", "rack")
    assert found.root.segment == Segment(4, "rack", "node")
    assert (found.queue, found.kind, found.duration) == ("research", "training", 5_400_000_000)
    assert found.traffic == Traffic("moe")


def test_traffic_is_what_is_said_and_nothing_else() -> None:
    def traffic(**notes: str) -> Traffic | None:
        return workload(read(job("a", 1, template(8, own(**notes)))), "a").traffic

    assert traffic(kind="training") is None
    assert traffic(kind="training", traffic="none") == Traffic("none")


def test_a_gang_that_contradicts_itself_waits_as_invalid() -> None:
    found = workload(read(job("a", 2, template(8, own(min_pods="3")))), "a")
    assert found.invalid == "minPods 3 is more than pods 2"


def test_the_annotation_nearest_to_the_pod_counts() -> None:
    outer: Object = {"annotations": own(required="zone", queue="a")}
    found = workload(read(job("llama", 2, template(8, own(required="rack")), meta=outer)), "llama")
    assert (found.root.topology.required, found.queue) == ("rack", "a")


def test_an_upstream_pod_group_says_how_many_and_where() -> None:
    group: Object = {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "pg"},
        "spec": {
            "schedulingPolicy": {"gang": {"minCount": 2}},
            "schedulingConstraints": {"topology": [{"key": "topology.kubernetes.io/zone"}]},
        },
    }
    members = [pod(f"w-{index}", 8, schedulingGroup={"podGroupName": "pg"}) for index in range(3)]
    found = workload(read(node("n1", {"topology.kubernetes.io/zone": "a"}), group, *members), "pg")
    assert (found.root.pods, found.root.min_pods, found.root.topology.required) == (3, 2, "zone")


def test_a_level_may_be_named_by_its_node_label() -> None:
    zone = node("n1", {"topology.kubernetes.io/zone": "a"})
    found = workload(read(zone, job("a", 2, template(8, own(required="topology.kubernetes.io/zone")))), "a")
    assert found.root.topology.required == "zone"
    unknown = workload(read(zone, job("a", 2, template(8, own(required="example.com/rack")))), "a")
    assert unknown.root.topology.required == "example.com.rack"


def test_an_annotation_on_the_job_alone_makes_its_pods_ours() -> None:
    outer: Object = {"annotations": own(queue="research")}
    theirs = template(8, schedulerName="default-scheduler")
    running = job_pod("a", 0, 8, "n1", schedulerName="default-scheduler")
    scenario = read(node("n1", gpu=8), job("a", 2, theirs, meta=outer), running)
    assert [(one.name, one.root.pods, one.queue) for one in scenario.workloads] == [("a", 2, "research")]


def test_annotations_that_cannot_be_read_are_refused_with_their_path() -> None:
    bad = own(
        queue="A queue",
        group="Prefill",
        preferred="a/b/c",
        kind="urgent",
        traffic="loud",
        duration="5",
        segment_size="0",
        min_pods="some",
    )
    half = own(segment_required="rack")
    with pytest.raises(InputError) as caught:
        read(job("a", 2, template(8, bad)), pod("b", meta={"annotations": half}))
    where = "in.yaml[0].spec.template.metadata.annotations.railwise.dev"
    assert [fault.path for fault in caught.value.faults] == [
        f"{where}/duration",
        f"{where}/group",
        f"{where}/kind",
        f"{where}/min-pods",
        f"{where}/preferred",
        f"{where}/queue",
        f"{where}/segment-size",
        f"{where}/traffic",
        "in.yaml[1].metadata.annotations.railwise.dev/segment-required",
    ]


def test_unknown_annotations_of_ours_are_told_with_a_guess() -> None:
    scenario = read(pod("a", meta={"annotations": {**own(requierd="rack"), "example.com/x": "y"}}))
    (warning,) = scenario.warnings
    assert warning.startswith("in.yaml[0].metadata.annotations.railwise.dev/requierd: unknown annotation")
    assert warning.endswith("did you mean 'railwise.dev/required'?")
