"""Work that was written for Kueue: the queue it enters, its priority, and where its pods may lie."""

from __future__ import annotations

import pytest

from railwise.model.requirement import Requirement
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import Segment, Toleration, TopologyRule
from tests.formats.kubernetes.dialects.kueue import FLAVOR, GPU, NODES, PREFIX, TREE, cluster_queue, kueue, quota
from tests.formats.kubernetes.objects import Object, job, pod, read, reading, template, workload

LOCAL = kueue("LocalQueue", "gpus", space="default", clusterQueue="a")


def entered(queue: Object, *more: Object, annotations: Object | None = None, labels: Object | None = None) -> Scenario:
    marks = {PREFIX + "queue-name": "gpus", **(labels or {})}
    return read(*NODES, queue, LOCAL, *more, job("j", 4, template(2, annotations), meta={"labels": marks}))


def test_a_label_leads_through_a_local_queue_and_the_flavors_nodes_are_the_pods() -> None:
    flavor = kueue("ResourceFlavor", "f", nodeLabels={"pool": "x"}, tolerations=[{"key": "gpu", "operator": "Exists"}])
    found = entered(cluster_queue("a", quota(8)), flavor)
    one = workload(found, "j")
    assert (one.queue, one.unsupported) == ("a", "")
    assert one.root.selection.terms == ((Requirement("pool", "In", ("x",)),),)
    assert one.root.selection.tolerations == (Toleration("gpu", "Exists"),)


def test_of_several_flavors_any_will_do_and_who_asks_for_none_of_it_is_free() -> None:
    two = {"coveredResources": [GPU], "flavors": [{"name": "f", "resources": []}, {"name": "g", "resources": []}]}
    flavors = [kueue("ResourceFlavor", name, nodeLabels={"pool": name}) for name in "fg"]
    found = entered(
        cluster_queue("a", two), *flavors, job("idle", 1, template(0), meta={"labels": {PREFIX + "queue-name": "gpus"}})
    )
    assert workload(found, "j").root.selection.terms == (
        (Requirement("pool", "In", ("f",)),),
        (Requirement("pool", "In", ("g",)),),
    )
    assert workload(found, "idle").root.selection.terms == ()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"admissionChecks": ["prov"]}, "admissionChecks"),
        ({"namespaceSelector": None}, "selects no namespace"),
        ({"namespaceSelector": {"matchLabels": {"team": "x"}}}, "not by team"),
        ({"resourceGroups": [quota(8, flavor="gone")]}, "there is no ResourceFlavor 'gone'"),
    ],
)
def test_a_queue_that_asks_for_what_nobody_keeps_is_closed(spec: Object, words: str) -> None:
    found = entered(cluster_queue("a", quota(8)) | {"spec": cluster_queue("a", quota(8))["spec"] | spec}, FLAVOR)
    assert workload(found, "j").unsupported.startswith("its queue a is closed: ")
    assert any(words in warning for warning in found.warnings)


def test_a_queue_takes_the_namespaces_it_names() -> None:
    selector = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["other"]}]}
    found = entered(cluster_queue("a", quota(8), namespaceSelector=selector), FLAVOR)
    assert workload(found, "j").unsupported == "its queue takes no work of the namespace default"
    selector["matchExpressions"][0]["values"] = ["default"]
    found = entered(cluster_queue("a", quota(8), namespaceSelector=selector), FLAVOR)
    assert workload(found, "j").unsupported == ""


def test_a_stopped_local_queue_holds_what_does_not_run_yet() -> None:
    stopped = kueue("LocalQueue", "gpus", space="default", clusterQueue="a", stopPolicy="Hold")
    labels = {PREFIX + "queue-name": "gpus"}
    found = read(
        *NODES,
        FLAVOR,
        cluster_queue("a", quota(8), stopPolicy="Hold"),
        stopped,
        pod("waits", 1, meta={"labels": labels}),
        pod("runs", 1, meta={"labels": labels}, nodeName="n-1"),
    )
    assert found.queues[0].stopped
    assert {one.name: one.suspend for one in found.workloads} == {"waits": True, "runs": False}


def test_a_name_that_leads_nowhere_leads_to_no_queue() -> None:
    found = read(*NODES, job("j", 4, template(2), meta={"labels": {PREFIX + "queue-name": "gone"}}))
    assert workload(found, "j").queue == "kueue.unknown.gone"


def test_priorities_of_kueue_come_before_those_of_pods() -> None:
    classes = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass", "metadata": {"name": "high"}}
    labels = {PREFIX + "priority-class": "high"}
    found = entered(cluster_queue("a", quota(8)), FLAVOR, classes | {"value": 700}, labels=labels)
    assert workload(found, "j").priority == 700
    assert [fault.path for fault in reading(classes | {"value": "x"}).faults] == ["in.yaml[0].value"]


@pytest.mark.parametrize(
    ("annotations", "rule", "segment"),
    [
        ({"podset-required-topology": "example.com/rack"}, TopologyRule("", "rack"), None),
        ({"podset-preferred-topology": "example.com/row"}, TopologyRule("", "", "row"), None),
        ({"podset-required-topology": "kubernetes.io/hostname"}, TopologyRule("", "node"), None),
        ({"podset-unconstrained-topology": "true"}, TopologyRule("", "", "none"), None),
        ({"podset-unconstrained-topology": "false"}, TopologyRule(), None),
        (
            {"podset-slice-required-topology": "example.com/rack", "podset-slice-size": "2"},
            TopologyRule(),
            Segment(2, "rack"),
        ),
        (
            {"podset-slice-required-topology-constraints": '[{"topology": "example.com/rack", "size": 2}]'},
            TopologyRule(),
            Segment(2, "rack"),
        ),
    ],
)
def test_where_the_pods_of_a_podset_lie(annotations: Object, rule: TopologyRule, segment: Segment | None) -> None:
    tree = kueue("Topology", "hall", levels=TREE)
    written = {PREFIX + key: value for key, value in annotations.items()}
    found = read(*NODES, tree, job("j", 4, template(2, written)))
    assert found.topologies[0] == Topology("hall", (Level("row", "example.com/row"), Level("rack", "example.com/rack")))
    root = workload(found, "j").root
    assert (root.topology, root.segment) == (rule, segment)


def test_levels_belong_to_the_topology_of_the_queues_flavor() -> None:
    other = kueue("Topology", "other", levels=[{"nodeLabel": "example.com/rack"}])
    tree = kueue("Topology", "hall", levels=TREE)
    flavor = kueue("ResourceFlavor", "f", topologyName="other")
    asked = {PREFIX + "podset-required-topology": "example.com/rack"}
    found = entered(cluster_queue("a", quota(8)), tree, other, flavor, annotations=asked)
    assert [one.name for one in found.topologies] == ["hall", "other"]
    assert workload(found, "j").root.topology == TopologyRule("other", "rack")


def test_a_label_of_another_topology_than_the_first_is_found() -> None:
    trees = [kueue("Topology", name, levels=[{"nodeLabel": f"example.com/{name}"}]) for name in ("rack", "row")]
    written = {PREFIX + "podset-required-topology": "example.com/row"}
    assert workload(read(*NODES, *trees, job("j", 4, template(2, written))), "j").root.topology.name == "row"


@pytest.mark.parametrize(
    "layers",
    ["[]", "nonsense", '[{"topology": "a/b", "size": 4}, {"topology": "a/c", "size": 2}]', "{}", "[" * 9000],
)
def test_slices_in_slices_are_refused(layers: str) -> None:
    written = {PREFIX + "podset-slice-required-topology-constraints": layers}
    found = workload(read(*NODES, job("j", 4, template(2, written))), "j")
    assert found.unsupported.endswith("with other than one layer is not supported")


def replicated(name: str, copies: int, annotations: Object) -> Object:
    written = {PREFIX + key: value for key, value in annotations.items()}
    spec = {"parallelism": 2, "completions": 2, "template": template(1, written)}
    return {"name": name, "replicas": copies, "template": {"spec": spec}}


def jobset(*jobs: Object) -> Object:
    meta = {"name": "js", "namespace": "default"}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": meta,
        "spec": {"replicatedJobs": list(jobs)},
    }


RACK = {"podset-required-topology": "example.com/rack"}


def test_in_a_jobset_the_rule_is_one_of_all_copies_and_a_slice_is_a_copy() -> None:
    tree = kueue("Topology", "hall", levels=TREE)
    sliced = {"podset-required-topology": "example.com/row", "podset-slice-required-topology": "example.com/rack"}
    root = workload(read(*NODES, tree, jobset(replicated("w", 2, sliced))), "js").root
    assert (root.topology.required, [one.topology.required for one in root.groups]) == ("row", ["rack", "rack"])
    root = workload(read(*NODES, tree, jobset(replicated("a", 2, RACK), replicated("b", 1, RACK))), "js").root
    assert [(one.name, one.topology.required, len(one.groups)) for one in root.groups] == [
        ("a", "rack", 2),
        ("b-0", "rack", 0),
    ]
    assert [one.name for one in root.groups[0].groups] == ["a-0", "a-1"]


def test_podsets_that_lie_together_share_one_rule() -> None:
    tree = kueue("Topology", "hall", levels=TREE)
    both = RACK | {"podset-group-name": "g"}
    root = workload(read(*NODES, tree, jobset(replicated("a", 1, both), replicated("b", 1, both))), "js").root
    assert (root.topology.required, [one.topology.required for one in root.groups]) == ("rack", ["", ""])
    found = workload(read(*NODES, tree, jobset(replicated("a", 1, both), replicated("b", 1, RACK))), "js")
    assert "beside such that do not" in found.unsupported


def test_plain_pods_with_a_group_name_are_one_gang_in_the_order_of_their_index() -> None:
    pods = [
        pod(
            f"p-{index}",
            1,
            meta={
                "labels": {PREFIX + "pod-group-name": "g", PREFIX + "pod-group-pod-index": str(2 - index)},
                "annotations": {PREFIX + "pod-group-total-count": "3"},
            },
        )
        for index in range(3)
    ]
    found = reading(*NODES, *pods)
    (one,) = found.scenario.workloads
    assert (one.name, one.root.pods, one.root.min_pods) == ("g", 3, 3)
    assert [found.pods["g", "", rank].name for rank in range(3)] == ["p-2", "p-1", "p-0"]


def test_the_least_parallelism_is_what_a_job_needs() -> None:
    meta = {"annotations": {PREFIX + "job-min-parallelism": "2"}}
    assert workload(read(*NODES, job("j", 4, template(2), meta=meta)), "j").root.min_pods == 2
