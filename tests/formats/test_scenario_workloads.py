from __future__ import annotations

import pytest

from railwise.model.requirement import Requirement
from railwise.model.workload import (
    CARDS_MIG,
    CARDS_SHARE,
    CARDS_TIME_SLICE,
    CARDS_WHOLE,
    Alternative,
    CardRequest,
    CardRule,
    Checkpoint,
    Group,
    Request,
    Running,
    Segment,
    Selection,
    Toleration,
    TopologyRule,
    Traffic,
    Workload,
)
from tests.formats.reading import spec, workload

MINUTE = 60_000_000


def test_a_workload_has_everything_in_base_units() -> None:
    read = workload(
        "{name: llama, queue: nlp, priority: 100, submit: -5m, pods: 16, minPods: 8, "
        'request: {gpu: 8, cpu: "64", memory: 512Gi, rdma/hca: 8}, '
        "gpu: {model: [H100-80GB], memory: 40Gi, island: required}, "
        "topology: {name: fabric, required: superpod, preferred: none, distinct: node, balance: even}, "
        "segment: {size: 4, required: rack, preferred: node}, "
        "traffic: {pattern: moe, expertParallel: 64, gradients: 14Gi}, "
        "kind: training, elastic: true, preemptible: false, suspend: true, duration: 2h, "
        "checkpoint: {every: 20m, restore: 3m}, "
        "nodeSelector: {pool: gold}, tolerations: [{key: gpu, operator: Exists}], "
        "running: {nodes: [n1, null], since: -30m, cards: [[0, 1]]}}"
    )
    assert read == Workload(
        name="llama",
        root=Group(
            pods=16,
            min_pods=8,
            request=Request(CardRequest(CARDS_WHOLE, 8), (("cpu", 64_000), ("memory", 512 * 1024), ("rdma/hca", 8))),
            card_rule=CardRule(("H100-80GB",), 40 * 1024, island=True),
            topology=TopologyRule("fabric", "superpod", "none", "node", "even"),
            segment=Segment(4, "rack", "node"),
            selection=Selection((("pool", "gold"),), (), (Toleration("gpu", "Exists"),)),
            running=Running(("n1", None), -30 * MINUTE, (("0", "1"),)),
        ),
        queue="nlp",
        priority=100,
        submit=-5 * MINUTE,
        kind="training",
        elastic=True,
        preemptible=False,
        suspend=True,
        duration=120 * MINUTE,
        checkpoint=Checkpoint(20 * MINUTE, 3 * MINUTE),
        traffic=Traffic("moe", {"expertParallel": 64, "gradients": "14Gi"}),
    )


def test_what_is_not_given_has_its_default() -> None:
    assert workload("{name: a}") == Workload("a", Group(pods=1, min_pods=1))


@pytest.mark.parametrize(
    ("request_text", "cards"),
    [
        ("{}", CardRequest()),
        ("{gpu: 0}", CardRequest()),
        ("{gpu: 8}", CardRequest(CARDS_WHOLE, 8)),
        ('{gpu: "8"}', CardRequest(CARDS_WHOLE, 8)),
        ("{gpu: 1000000000}", CardRequest(CARDS_WHOLE, 1_000_000_000)),
        ("{gpu: 2000m}", CardRequest(CARDS_WHOLE, 2)),
        ("{gpu: 0.5}", CardRequest(CARDS_SHARE, 1, fraction=500)),
        ("{gpu: 500m}", CardRequest(CARDS_SHARE, 1, fraction=500)),
        ("{gpu: 0.1}", CardRequest(CARDS_SHARE, 1, fraction=100)),
        ("{gpu: 0.334}", CardRequest(CARDS_SHARE, 1, fraction=334)),
        ("{gpu: 0.0001}", CardRequest(CARDS_SHARE, 1, fraction=1)),
        ("{gpu-memory: 2000Mi}", CardRequest(CARDS_SHARE, 1, memory=2000)),
        ("{gpu-memory: 25%}", CardRequest(CARDS_SHARE, 1, memory_percent=25)),
        ("{gpu: 4, gpu-memory: 10Gi, gpu-compute: 30%}", CardRequest(CARDS_SHARE, 4, memory=10_240, compute=30)),
        ("{gpu-compute: 30%}", CardRequest(CARDS_SHARE, 1, compute=30)),
        ("{gpu-shared: 2}", CardRequest(CARDS_TIME_SLICE, 2)),
        ("{gpu-shared: 1, gpu-memory: 10Gi}", CardRequest(CARDS_TIME_SLICE, 1, memory=10_240)),
        ("{gpu-shared: 0}", CardRequest()),
        (
            "{mig-3g.20gb: 1, mig-1g.5gb+me: 2, mig-2g.10gb: 0}",
            CardRequest(CARDS_MIG, slices=(("1g.5gb+me", 2), ("3g.20gb", 1))),
        ),
    ],
)
def test_what_one_pod_asks_of_cards(request_text: str, cards: CardRequest) -> None:
    read = workload(f"{{name: a, request: {request_text}}}")
    assert read.root.request == Request(cards)
    assert not read.invalid


def test_requests_round_up_and_nothing_is_not_asked_for() -> None:
    assert workload("{name: a, request: {memory: 1000M, cpu: 0, vendor.com/x: 2k}}").root.request.resources == (
        ("memory", 954),
        ("vendor.com/x", 2000),
    )


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("pods: 4, minPods: 5", "minPods 5 is more than pods 4"),
        ("request: {gpu: 1.5}", "gpu 1.5 is neither whole cards nor a part of one"),
        (
            "request: {gpu: 0.5, gpu-memory: 1Gi}",
            "gpu-memory and gpu-compute are asked of whole numbers of cards, not of a part of one",
        ),
        ("request: {gpu: 0, gpu-memory: 1Gi}", "a part of no card is asked for"),
        ("request: {gpu-shared: 0, gpu-memory: 1Gi}", "a part of no card is asked for"),
        ("request: {gpu-memory: 101%}", "gpu-memory 101% is more than a card has"),
        ("request: {gpu-compute: 200%}", "gpu-compute 200% is more than a card has"),
        ("request: {mig-9g.5gb: 1}", "no known card has the MIG profile 9g.5gb"),
        ("topology: {required: ''}", "topology.required names no level"),
        ("topology: {distinct: ''}", "topology.distinct names no level"),
        ("segment: {size: 2, required: ''}", "segment.required names no level"),
        ("groups: [{name: a}], minGroups: 2", "minGroups 2 is more than the 1 groups there are"),
        ("groups: [{name: a, groups: [{name: b, pods: 1, minPods: 2}]}]", "group a/b: minPods 2 is more than pods 1"),
        ("alternatives: [{pods: 1}, {pods: 1, minPods: 2}]", "minPods 2 is more than pods 1"),
        ("invalid: cannot be read", "cannot be read"),
    ],
)
def test_a_workload_that_contradicts_itself_loads_and_says_why(entry: str, reason: str) -> None:
    assert workload(f"{{name: a, {entry}}}").invalid == reason


def test_an_unsupported_rule_is_kept() -> None:
    assert workload("{name: a, unsupported: spread over zones}").unsupported == "spread over zones"


def test_groups_nest_and_need_all_of_their_parts_by_default() -> None:
    root = workload(
        "{name: serve, topology: {name: nvl, required: clique}, groups: ["
        "{name: prefill, pods: 4, request: {gpu: 8}, topology: {required: rack}}, "
        "{name: decode, minGroups: 1, groups: [{name: a, pods: 2, minPods: 1}, {name: b}]}]}"
    ).root
    assert root == Group(
        topology=TopologyRule("nvl", "clique"),
        min_groups=2,
        groups=(
            Group("prefill", 4, 4, Request(CardRequest(CARDS_WHOLE, 8)), topology=TopologyRule(required="rack")),
            Group("decode", min_groups=1, groups=(Group("a", 2, 1), Group("b", 1, 1))),
        ),
    )


def test_a_hostlist_as_name_makes_many_workloads_in_order() -> None:
    read = spec('workloads: [{name: first}, {name: "job-[1-3]", pods: 2}, {name: last}]').workloads
    assert [(one.name, one.order) for one in read] == [
        ("first", 0),
        ("job-1", 1),
        ("job-2", 2),
        ("job-3", 3),
        ("last", 4),
    ]


def test_each_alternative_has_a_root_with_the_keys_it_shares() -> None:
    read = workload(
        "{name: a, topology: {required: rack}, nodeSelector: {pool: gold}, "
        "alternatives: [{pods: 2, request: {gpu: 8}}, "
        "{pods: 4, request: {gpu: 4}, slowdown: 1.1, topology: {required: node}}]}"
    )
    gold = Selection((("pool", "gold"),))
    eight, four = Request(CardRequest(CARDS_WHOLE, 8)), Request(CardRequest(CARDS_WHOLE, 4))
    first = Group(pods=2, min_pods=2, request=eight, topology=TopologyRule(required="rack"), selection=gold)
    second = Group(pods=4, min_pods=4, request=four, topology=TopologyRule(required="node"), selection=gold)
    assert read.alternatives == (Alternative(first), Alternative(second, 1100))
    assert read.root == first


def test_the_alternative_that_runs_is_the_root() -> None:
    read = workload("{name: a, alternatives: [{pods: 2}, {pods: 4}], running: {nodes: [n1], alternative: 1}}")
    assert read.root == Group(pods=4, min_pods=4, running=Running(("n1",)))
    assert read.alternatives[1].root.running is None


def test_nodes_of_running_pods_may_be_hostlists() -> None:
    running = workload(
        '{name: a, pods: 6, running: {nodes: ["n[1-2]", null, n9], cards: [[], ["0@4", 3]]}}'
    ).root.running
    assert running == Running(("n1", "n2", None, "n9"), 0, ((), ("0@4", "3")))
    assert workload('{name: a, pods: 3, running: {nodes: "n[1-3]"}}').root.running == Running(("n1", "n2", "n3"))


def test_affinity_terms_are_those_of_kubernetes_or_the_terms_alone() -> None:
    terms = (
        "[{matchExpressions: [{key: zone, operator: In, values: [a, b]}, {key: x, operator: Exists}]}, "
        "{matchExpressions: [{key: gen, operator: Gt, values: ['3']}], "
        "matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]}]"
    )
    expected = (
        (Requirement("zone", "In", ("a", "b")), Requirement("x", "Exists")),
        (Requirement("gen", "Gt", ("3",)), Requirement("metadata.name", "NotIn", ("n1",), of_field=True)),
    )
    full = f"{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}"
    assert workload(f"{{name: a, nodeAffinity: {full}}}").root.selection.terms == expected
    assert workload(f"{{name: a, nodeAffinity: {terms}}}").root.selection.terms == expected
