from __future__ import annotations

import pytest

from railwise.formats.inputs import read_inputs
from railwise.formats.scenario.reader import read_scenario
from railwise.model.errors import InputError
from railwise.model.policy import Policy

HEAD = "apiVersion: railwise.dev/v1alpha1\nkind: Scenario\n"
CLUSTER = (
    HEAD + "metadata: {name: cluster}\n"
    "spec:\n"
    "  seed: 7\n"
    "  topologies: [{name: fabric, levels: [{name: rack, label: example.com/rack}]}]\n"
    "  nodes: [{name: n1, gpus: 8, in: {rack: r1}}]\n"
    "  queues: [{name: team, quota: {gpu: 8}}]\n"
    "  policy: {largestGang: 4}\n"
)
JOBS = (
    HEAD + "spec:\n"
    "  workloads: [{name: a, queue: team, request: {gpu: 8}, running: {nodes: [n1]}}, {name: b}]\n"
    "  events: [{at: 1m, node: n1, set: {ready: false}}]\n"
)
NODE = (
    "apiVersion: v1\n"
    "kind: Node\n"
    "metadata: {name: k1, labels: {example.com/rack: r2}}\n"
    "status:\n"
    "  capacity: {nvidia.com/gpu: '8', cpu: '64'}\n"
    "  allocatable: {nvidia.com/gpu: '8', cpu: '64'}\n"
    "  conditions: [{type: Ready, status: 'True'}]\n"
)
POD = (
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: app}\n"
    "spec:\n"
    "  schedulerName: railwise\n"
    "  containers: [{name: main, image: main, resources: {requests: {cpu: '1'}}}]\n"
)


def faults(*sources: tuple[str, str]) -> tuple[str, list[tuple[str, str]]]:
    with pytest.raises(InputError) as refusal:
        read_inputs([(name, text.encode()) for name, text in sources])
    return refusal.value.source, [(fault.path, fault.message) for fault in refusal.value.faults]


def inputs(*texts: str) -> list[tuple[str, bytes]]:
    return [(f"f{number}.yaml", text.encode()) for number, text in enumerate(texts)]


def test_a_single_scenario_is_read_as_it_is() -> None:
    scenario = read_inputs(inputs(CLUSTER))
    assert scenario.name == "cluster"
    assert [node.name for node in scenario.nodes] == ["n1"]


def test_a_cluster_here_and_jobs_there_are_one_scenario() -> None:
    scenario = read_inputs(inputs(CLUSTER, JOBS))
    assert (scenario.name, scenario.seed, scenario.policy) == ("cluster", 7, Policy(largest_gang=4))
    assert [workload.name for workload in scenario.workloads] == ["a", "b"]
    assert [change.names for change in scenario.changes] == [("n1",)]
    assert scenario.warnings == ()


def test_several_documents_of_a_file_are_one_scenario_too() -> None:
    assert read_inputs([("all.yaml", f"{CLUSTER}---\n{JOBS}".encode())]) == read_inputs(inputs(CLUSTER, JOBS))


def test_workloads_keep_their_order_over_all_inputs() -> None:
    more = HEAD + "spec: {workloads: [{name: c}]}\n"
    scenario = read_inputs(inputs(more, CLUSTER, JOBS))
    assert [(one.name, one.order) for one in scenario.workloads] == [("c", 0), ("a", 1), ("b", 2)]


def test_kubernetes_nodes_stand_in_the_topologies_of_the_scenario() -> None:
    scenario = read_inputs(inputs(NODE, CLUSTER, POD))
    assert [node.name for node in scenario.nodes] == ["n1", "k1"]
    assert scenario.nodes[1].places == {"fabric": {"rack": "r2"}}
    assert [topology.name for topology in scenario.topologies] == ["fabric"]
    assert [workload.name for workload in scenario.workloads] == ["app"]


def test_kubernetes_objects_alone_are_a_scenario() -> None:
    scenario = read_inputs(inputs(NODE, POD), levels="rack=example.com/rack")
    assert scenario.nodes[0].places == {"fabric": {"rack": "r2"}}


def test_manifests_of_a_scenario_are_inline_or_files() -> None:
    text = CLUSTER + "  manifests: [k8s/, {apiVersion: v1, kind: Node, metadata: {name: inline}}]\n"
    asked = []

    def read_file(path: str) -> list[tuple[str, bytes]]:
        asked.append(path)
        return [("k8s/all.yaml", f"{NODE}---\n{POD}".encode())]

    scenario = read_inputs([("f", text.encode())], read_file=read_file)
    assert asked == ["k8s/"]
    assert [node.name for node in scenario.nodes] == ["n1", "inline", "k1"]
    assert scenario.nodes[2].places == {"fabric": {"rack": "r2"}}
    assert scenario.nodes[1].places == {}
    assert [workload.name for workload in scenario.workloads] == ["app"]


@pytest.mark.parametrize(
    ("files", "path", "part"),
    [
        ([("k8s/a.yaml", b"a: [")], "k8s/a.yaml", "line 2"),
        ([("k8s/a.yaml", b"- 1")], "k8s/a.yaml", "expected a Kubernetes object"),
        (
            [("k8s/a.yaml", b"apiVersion: v1\nkind: Node\nmetadata: {name: n1}")],
            "spec.manifests",
            "already a node 'n1'",
        ),
        ([("k8s/a.yaml", b"kind: Node\nmetadata: 3")], "k8s/a.yaml.metadata", "object"),
        (None, "spec.manifests[0]", "cannot read 'k8s': No such file or directory"),
    ],
)
def test_faults_of_manifests_are_named_with_their_file(
    files: list[tuple[str, bytes]] | None, path: str, part: str
) -> None:
    def read_file(path: str) -> list[tuple[str, bytes]]:
        if files is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        return files

    with pytest.raises(InputError) as refusal:
        read_inputs([("f", f"{CLUSTER}  manifests: [k8s]\n".encode())], read_file=read_file)
    fault = refusal.value.faults[0]
    assert fault.path == path
    assert part in fault.message


def test_faults_of_one_input_come_with_its_name() -> None:
    assert faults(("jobs.yaml", JOBS.replace("gpu: 8", "gpus: 8"))) == (
        "jobs.yaml",
        [
            ("spec.workloads[0].request.gpus", "unknown resource, did you mean 'gpu'?"),
            ("spec.events[0].node", "there is no node 'n1'"),
        ],
    )


def test_a_document_among_several_is_named_by_its_number() -> None:
    source, found = faults(("all.yaml", f"{CLUSTER}---\n{JOBS.replace('gpu: 8', 'gpus: 8')}"))
    assert source == "all.yaml"
    assert [path for path, _ in found] == ["documents[1].spec.workloads[0].request.gpus"]


def test_faults_of_several_inputs_are_named_in_one_go() -> None:
    source, found = faults(
        ("a.yaml", ""),
        ("b.yaml", CLUSTER),
        ("c.yaml", CLUSTER.replace("gpu: 8", "gpu: 9").replace("largestGang: 4", "largestGang: 5")),
        ("d.yaml", "[1]"),
        ("e.yaml", "{apiVersion: v1, kind: Pod, metadata: 3}"),
    )
    assert source == ""
    assert found == [
        ("a.yaml", "the document is empty"),
        ("d.yaml", "expected a mapping with apiVersion, kind and spec, not a list"),
        ("c.yaml: spec", "two documents give a policy, and the two differ"),
        ("c.yaml: spec", "there is already a node 'n1'"),
        ("c.yaml: spec", "there is already another queue 'team'"),
        ("e.yaml.metadata", "Expected `object`, got `int`"),
    ]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("workloads: [{name: a}]", "workloads: [{name: a}]", "there is already a workload 'a'"),
        (
            "topologies: [{name: t, levels: [a]}]",
            "topologies: [{name: t, levels: [b]}]",
            "there is already another topology 't'",
        ),
        ("fabric: a.yaml", "fabric: b.yaml", "two documents name a fabric, and the two differ"),
    ],
)
def test_documents_must_not_contradict_each_other(first: str, second: str, message: str) -> None:
    _, found = faults(("a", f"{HEAD}spec: {{{first}}}"), ("b", f"{HEAD}spec: {{{second}}}"))
    assert found == [("b: spec", message)]


def test_what_documents_have_in_common_is_there_once() -> None:
    shared = HEAD + "spec: {topologies: [{name: t, levels: [a]}], queues: [{name: q}], policy: {largestGang: 2}}"
    scenario = read_inputs(inputs(shared, shared))
    assert len(scenario.topologies) == len(scenario.queues) == 1


def test_of_very_many_faults_the_number_is_told() -> None:
    _, found = faults(("f", "---\na: 1\n" * 1200))
    assert len(found) == 1001
    assert found[-1] == ("", "and 200 more faults")


def test_no_input_is_said_to_be_none() -> None:
    with pytest.raises(InputError, match="there is no input"):
        read_inputs([])


def test_paths_of_manifests_need_somebody_who_reads_files() -> None:
    document = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "spec": {"manifests": ["a.yaml"]}}
    with pytest.raises(InputError, match=r"spec.manifests\[0\]: names a file"):
        read_scenario(document)
