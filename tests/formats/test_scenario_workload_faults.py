from __future__ import annotations

import pytest

from tests.formats.reading import fault_lines

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    ("entry", "path", "part"),
    [
        ("pods: 0", "pods", "expected a whole number from 1 to 1000000, not the number 0"),
        ("pods: 1000001", "pods", "expected a whole number from 1 to 1000000"),
        ("pods: '4'", "pods", "not the text '4'"),
        ("replicas: 4", "replicas", "unknown field, did you mean 'pods'?"),
        ("minpods: 4", "minpods", "unknown field, did you mean 'minPods'?"),
        ("min_pods: 4", "min_pods", "unknown field, did you mean 'minPods'?"),
        ("gpus: 4", "gpus", "unknown field, cards of one pod stand in 'request' as 'gpu'"),
        ("queue: 7", "queue", "not the number 7: quote it"),
        ("priority: high", "priority", "expected a whole number"),
        (
            "kind: train",
            "kind",
            "expected batch, training or inference, not the text 'train', did you mean 'training'?",
        ),
        ("submit: 5", "submit", "expected a duration with its unit"),
        ("duration: -5m", "duration", "expected a duration with its unit, such as 90s or 1h30m, not '-5m'"),
        ("checkpoint: {restore: 3m}", "checkpoint.every", "the field 'every' is required"),
        ("checkpoint: {every: 0s}", "checkpoint.every", "not '0s'"),
        ("request: {gpu: 1, mig-1g.5gb: 1}", "request", "MIG slices and 'gpu' exclude each other"),
        ("request: {gpu-shared: 1, gpu: 1}", "request", "'gpu-shared' and 'gpu' exclude each other"),
        ("request: {gpu-shared: 1, gpu-compute: 10%}", "request", "'gpu-shared' and 'gpu-compute' exclude each other"),
        ("request: {gpu-compute: 30}", "request.gpu-compute", "expected whole percent such as 30%"),
        ("request: {gpu-memory: 2.5%}", "request.gpu-memory", "expected whole percent such as 30%"),
        ("request: {gpu-memory: [1]}", "request.gpu-memory", "or percent such as 25%, not a list"),
        ("request: {mig-foo: 1}", "request.mig-foo", "expected a MIG profile such as 1g.10gb"),
        ("request: {pods: 1}", "request.pods", "takes one pod slot of its node by itself"),
        ("request: {gpu: yes}", "request.gpu", "not yes (true)"),
        ("request: {gpu: .inf}", "request.gpu", "not a number far too large"),
        ("request: {gpu: .nan}", "request.gpu", "not the number nan"),
        ("request: 8", "request", "expected a mapping of resources to amounts, not the number 8"),
        ("gpu: {model: []}", "gpu.model", "expected at least 1 item"),
        ("gpu: {island: preferred}", "gpu.island", "expected 'required'"),
        ("topology: {requires: rack}", "topology.requires", "did you mean 'required'?"),
        ("topology: {required: 3}", "topology.required", "quote it"),
        ("topology: {required: null}", "topology.required", "not nothing"),
        ("topology: {balance: evenly}", "topology.balance", "expected pack or even"),
        ("topology: rack", "topology", "expected a mapping, not the text 'rack'"),
        ("segment: {required: rack}", "segment.size", "the field 'size' is required"),
        ("segment: {size: 0}", "segment.size", "from 1 to"),
        ("minGroups: 1", "minGroups", "there are no groups"),
        ("groups: []", "groups", "expected at least 1 item"),
        ("pods: 2, groups: [{name: g}]", "", "'pods' and 'groups' exclude each other"),
        ("request: {gpu: 1}, groups: [{name: g}]", "request", "belongs to the groups that hold them"),
        ("nodeSelector: {a: b}, groups: [{name: g}]", "nodeSelector", "belongs to the groups that hold them"),
        ("groups: [{name: g}, {name: g}]", "groups[1].name", "'g' is already the name of groups[0]"),
        ("groups: [{pods: 2}]", "groups[0].name", "the field 'name' is required"),
        ("groups: [{name: g, queue: q}]", "groups[0].queue", "unknown field"),
        (
            "groups: [{name: a-b}, {name: a, groups: [{name: b}]}]",
            "groups",
            "the pods of a-b and a/b would have the same names",
        ),
        ("pods: 2, alternatives: [{pods: 1}]", "", "'pods' and 'alternatives' exclude each other"),
        ("alternatives: []", "alternatives", "expected at least 1 item"),
        ("alternatives: [{name: x}]", "alternatives[0].name", "unknown field"),
        (
            "alternatives: [{}], running: {nodes: [n1], alternative: 1}",
            "running.alternative",
            "there are 1 alternatives",
        ),
        ("running: {nodes: n1, cards: [[0], [1]]}", "running.cards", "there are cards for 2 pods and nodes for 1"),
        ("running: {nodes: [n1], cards: [[x]]}", "running.cards[0][0]", "expected a card such as 0, or a MIG slice"),
        ("running: {nodes: [N1]}", "running.nodes[0]", "expected a name of small letters"),
        ("running: {since: 0s}", "running.nodes", "the field 'nodes' is required"),
        ("traffic: rings", "traffic", "expected dense, moe, pipeline, pd or none"),
        ("traffic: {tokens: 1}", "traffic.pattern", "the field 'pattern' is required"),
        ("traffic: {pattern: moe, token: 1}", "traffic.token", "did you mean 'tokens'?"),
        ("traffic: {pattern: dense, gradients: 14GB}", "traffic.gradients", "expected a size such as"),
        ("tolerations: [{operator: Equal}]", "tolerations[0]", "without a key only 'operator: Exists' is possible"),
        ("tolerations: [{key: a, operator: Exists, value: b}]", "tolerations[0].value", "'Exists' compares no value"),
        ("nodeAffinity: {}", f"nodeAffinity.{REQUIRED}", "is required"),
        ("nodeAffinity: {preferred: []}", "nodeAffinity.preferred", "unknown field"),
        ("nodeAffinity: [{}]", "nodeAffinity[0]", "an empty term holds for no node"),
        (
            "nodeAffinity: [{matchExpressions: [{key: a, operator: In}]}]",
            "nodeAffinity[0].matchExpressions[0]",
            "'In' needs values",
        ),
        (
            "nodeAffinity: [{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]",
            "nodeAffinity[0].matchExpressions[0]",
            "'Exists' compares no values",
        ),
        (
            "nodeAffinity: [{matchExpressions: [{key: a, operator: Gt, values: [b]}]}]",
            "nodeAffinity[0].matchExpressions[0]",
            "'Gt' needs one whole number",
        ),
        (
            "nodeAffinity: [{matchFields: [{key: x, operator: In, values: [a]}]}]",
            "nodeAffinity[0].matchFields[0].key",
            "expected 'metadata.name'",
        ),
    ],
)
def test_a_workload_of_a_wrong_form_is_refused_with_its_path(entry: str, path: str, part: str) -> None:
    lines = fault_lines(f"workloads: [{{name: a, {entry}}}]")
    where = f"spec.workloads[0].{path}: " if path else "spec.workloads[0]: "
    assert lines[0].startswith(where), lines
    assert part in lines[0]


def test_names_are_unique_over_hostlists() -> None:
    assert fault_lines('workloads: [{name: a1}, {name: "a[0-2]"}]') == [
        "spec.workloads[1].name: 'a1' is already the name of spec.workloads[0]"
    ]
