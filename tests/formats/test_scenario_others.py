from __future__ import annotations

import pytest

from railwise.formats.document import load
from railwise.formats.scenario.reader import read_scenario
from railwise.model.errors import Fault, InputError
from railwise.model.node import Taint
from railwise.model.policy import Change, Policy
from railwise.model.queue import LinkPart, Queue
from railwise.model.scenario import Scenario
from tests.formats.reading import fault_lines, queue, spec

MINUTE = 60_000_000


def test_a_queue_has_everything_in_base_units() -> None:
    assert queue(
        '{name: nlp, parent: research, quota: {gpu: 64.5, cpu: "8", memory: 4Gi, pods: 10, vendor.com/x: 2}, '
        "limit: {gpu: 512}, lend: {gpu: 0}, weight: 0.5, priority: -1, stopped: true, preemptMinRuntime: 1m, "
        "reclaimMinRuntime: 10m, guarantee: {rack: 2}, bandwidth: {rack: 400Gbps}}"
    ) == Queue(
        name="nlp",
        parent="research",
        quota={"gpu": 64_500, "cpu": 8000, "memory": 4096, "pods": 10, "vendor.com/x": 2},
        limit={"gpu": 512_000},
        lend={"gpu": 0},
        weight=500,
        priority=-1,
        stopped=True,
        preempt_min_runtime=MINUTE,
        reclaim_min_runtime=10 * MINUTE,
        guarantee={"rack": 2},
        bandwidth={"rack": LinkPart(megabits=400_000)},
    )


def test_a_queue_that_lends_nothing_differs_from_one_that_says_nothing() -> None:
    assert queue("{name: a, lend: {}}").lend == {}
    assert queue("{name: a}").lend is None


def test_a_policy_has_a_default_for_every_key() -> None:
    assert spec("nodes: []").policy == Policy()
    assert spec(
        "policy: {backfill: none, reserveAfter: 1h, reservations: 2, victimWait: 1m, nodeGrace: 2m, repairWait: 3m, "
        "usageHalfLife: 24h, largestGang: 64, sizes: {8: 60, 1: 40}, "
        "defrag: {every: 5m, maxMoves: 2, maxLostGpuSeconds: 3600}}"
    ).policy == Policy(
        backfill="none",
        reserve_after=60 * MINUTE,
        reservations=2,
        victim_wait=MINUTE,
        node_grace=2 * MINUTE,
        repair_wait=3 * MINUTE,
        usage_half_life=1440 * MINUTE,
        largest_gang=64,
        sizes=((1, 40), (8, 60)),
        defrag_every=5 * MINUTE,
        defrag_max_moves=2,
        defrag_max_lost=3600,
    )


def test_defragmentation_is_on_once_it_is_named() -> None:
    policy = spec("policy: {defrag: {maxMoves: 3}}").policy
    assert policy.defrag_every > 0
    assert policy.defrag_max_moves == 3
    assert policy.defrag_max_lost > 10**15


def test_events_change_nodes_cables_and_switches() -> None:
    scenario = spec(
        'nodes: [{name: "n[1-2]", gpus: 8}]\nfabric: fabric.yaml\nevents:\n'
        '- {at: 10m, node: "n[1-2]", set: {ready: false, labels: {a: b}, taints: [{key: k}], resources: {cpu: "4"}}}\n'
        "- {at: 0s, node: n1, set: {gpu.unhealthy: [2], unschedulable: true}}\n"
        "- {at: 1m, node: n1, set: {gpu: {unhealthy: []}}}\n"
        "- {at: 20m, cable: [gpu-004/rail2, leaf-3], set: {up: false}}\n"
        "- {at: 30m, switch: leaf-3, set: {up: true, maintenance: true}}\n"
    )
    lost = {"ready": False, "labels": {"a": "b"}, "taints": (Taint("k"),), "resources": {"cpu": 4000}}
    assert scenario.changes == (
        Change(10 * MINUTE, "node", ("n1",), lost),
        Change(10 * MINUTE, "node", ("n2",), lost),
        Change(0, "node", ("n1",), {"gpu.unhealthy": frozenset({2}), "unschedulable": True}),
        Change(MINUTE, "node", ("n1",), {"gpu.unhealthy": frozenset()}),
        Change(20 * MINUTE, "cable", ("gpu-004/rail2", "leaf-3"), {"up": False}),
        Change(30 * MINUTE, "switch", ("leaf-3",), {"up": True, "maintenance": True}),
    )
    assert scenario.fabric == "fabric.yaml"


@pytest.mark.parametrize(
    ("text", "path", "part"),
    [
        ("queues: [{quota: {gpu: 1}}]", "spec.queues[0].name", "the field 'name' is required"),
        ("queues: [{name: a}, {name: a}]", "spec.queues[1].name", "'a' is already the name of spec.queues[0]"),
        ("queues: [{name: a, quota: {gpus: 1}}]", "spec.queues[0].quota.gpus", "did you mean 'gpu'?"),
        ("queues: [{name: a, quota: 8}]", "spec.queues[0].quota", "expected a mapping of resources to amounts"),
        ("queues: [{name: a, weight: -1}]", "spec.queues[0].weight", "from 0 up"),
        ("queues: [{name: a, max: {gpu: 1}}]", "spec.queues[0].max", "did you mean 'limit'?"),
        ("queues: [{name: a, guarantee: {rack: -1}}]", "spec.queues[0].guarantee.rack", "expected a whole number"),
        ("policy: {backfil: none}", "spec.policy.backfil", "did you mean 'backfill'?"),
        ("policy: {backfill: no}", "spec.policy.backfill", "expected easy, conservative or none, not no (false)"),
        ("policy: {nodeGrace: 60}", "spec.policy.nodeGrace", "with its unit"),
        ("policy: {sizes: {eight: 1}}", "spec.policy.sizes.eight", "the key: expected a number of cards"),
        ("policy: {sizes: {8: 0}}", "spec.policy.sizes.8", "expected a whole number from 1"),
        ("policy: {defrag: {every: 0s}}", "spec.policy.defrag.every", "expected more than 0s"),
        ("events: [{node: n1, set: {ready: true}}]", "spec.events[0].at", "is required"),
        ("events: [{at: -1m, node: n1, set: {ready: true}}]", "spec.events[0].at", "expected a duration"),
        ("events: [{at: 1m, set: {ready: true}}]", "spec.events[0]", "expected exactly one of 'node', 'cable'"),
        ("events: [{at: 1m, node: n1}]", "spec.events[0].set", "is required"),
        ("events: [{at: 1m, node: n1, set: {}}]", "spec.events[0].set", "nothing changes"),
        ("events: [{at: 1m, node: n1, set: {up: true}}]", "spec.events[0].set.up", "is nothing a node has"),
        ("events: [{at: 1m, node: n1, set: {redy: true}}]", "spec.events[0].set.redy", "did you mean 'ready'?"),
        ("events: [{at: 1m, switch: s1, set: {up: true}}]", "spec.events[0].switch", "no fabric is given"),
        (
            "fabric: f.yaml\nevents: [{at: 1m, cable: [a, b, c], set: {up: true}}]",
            "spec.events[0].cable",
            "expected the two ends of the cable, not 3",
        ),
        ("seed: -1", "spec.seed", "expected a whole number"),
        ("nodess: []", "spec.nodess", "unknown field, did you mean 'nodes'?"),
        ("jobs: []", "spec.jobs", "unknown field, did you mean 'workloads'?"),
        ("manifests: [k8s/]", "spec.manifests[0]", "does not come from a folder"),
        ("nodes: {name: n1}", "spec.nodes", "expected a list, not a mapping"),
    ],
)
def test_what_no_cluster_can_contain_is_refused_with_its_path(text: str, path: str, part: str) -> None:
    line = fault_lines(text)[0]
    assert line.startswith(f"{path}: ")
    assert part in line


def test_a_misspelt_node_of_an_event_gets_a_suggestion() -> None:
    assert fault_lines('nodes: [{name: "gpu-[1-4]"}]\nevents: [{at: 1m, node: gpu-5, set: {ready: false}}]') == [
        "spec.events[0].node: there is no node 'gpu-5', did you mean 'gpu-4'?"
    ]


def test_all_faults_are_named_in_one_go() -> None:
    assert fault_lines(
        "seed: x\n"
        "topologies: [{name: fabric, levels: [rack, rack]}]\n"
        "nodes: [{name: n1, gpus: -1}, {name: n1, in: {rak: r1}}]\n"
        "queues: [{name: q, quota: {gpu: -1}}]\n"
        "workloads: [{name: a, pods: yes, request: {gpus: 1}}, {name: a, duration: 90}]\n"
        "events: [{at: 1m, node: ghost, set: {ready: maybe}}]\n"
    ) == [
        "spec.seed: expected a whole number from 0 to 9223372036854775807, not the text 'x'",
        "spec.nodes[0].gpus: expected a whole number from 0 to 1024, not the number -1",
        "spec.queues[0].quota.gpu: expected a number such as 8, 0.5 or 500m, from 0 up, not the number -1",
        "spec.workloads[0].pods: expected a whole number from 1 to 1000000, not yes (true)",
        "spec.workloads[0].request.gpus: unknown resource, did you mean 'gpu'?",
        "spec.workloads[1].duration: expected a duration with its unit, such as 90s or 1h30m, not the number 90",
        "spec.events[0].set.ready: expected true or false, not the text 'maybe'",
        "spec.topologies[0].levels[1]: the level 'rack' is given twice",
        "spec.nodes[1].name: 'n1' is already named by spec.nodes[0]",
        "spec.nodes[1].in.rak: no level of 'fabric', did you mean 'rack'?",
        "spec.workloads[1].name: 'a' is already the name of spec.workloads[0]",
        "spec.events[0].set: nothing changes",
        "spec.events[0].node: there is no node 'ghost'",
    ]


def test_of_very_many_faults_the_number_is_told() -> None:
    with pytest.raises(InputError) as refusal:
        spec("workloads: [" + ", ".join(["{}"] * 1200) + "]")
    assert len(refusal.value.faults) == 1001
    assert refusal.value.faults[-1] == Fault("", "and 200 more faults")


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("queues: [{name: a, parent: ghost}]", "queue 'a': there is no parent 'ghost', so it takes no work"),
        (
            "queues: [{name: a, parent: b}, {name: b, parent: c}, {name: c, parent: b}]",
            "queues b, c: each is above the next in a circle, so they take no work",
        ),
        ("queues: [{name: a, parent: a}]", "queues a: each is above the next in a circle, so they take no work"),
        (
            "queues: [{name: a, quota: {memory: 2Gi}, limit: {memory: 1Gi}}]",
            "queue 'a': the limit of 1Gi memory is below its quota of 2Gi; the limit wins",
        ),
        (
            "nodes: [{name: n1}]\nqueues: [{name: a, guarantee: {rack: 1}}]",
            "queue 'a': its guarantee names 'rack', which is no level",
        ),
        (
            "topologies: [{name: t, levels: [l]}, {name: u, levels: [row]}]\nqueues: [{name: a, guarantee: {row: 1}}]",
            "queue 'a': its guarantee names 'row', which is no level",
        ),
        (
            "nodes: [{name: n1}]\nqueues: [{name: a, guarantee: {node: 2}}]",
            "queue 'a': its guarantee of 2 node cannot be kept, 2 are promised and there are 1",
        ),
        (
            "workloads: [{name: a, groups: [{name: g, segment: {size: 2, preferred: rakc}}]}]",
            "workload 'a', group 'g': the preferred level 'rakc' does not exist and is ignored",
        ),
        (
            "nodes: [{name: n1}]\nworkloads: [{name: a, pods: 2, running: {nodes: [n1, ghost]}}]",
            "workload 'a': pods run on nodes that do not exist: ghost",
        ),
        (
            "nodes: [{name: n1}]\nworkloads: [{name: a, running: {nodes: [n1, n1]}}]",
            "workload 'a': 2 pods run, 1 are wanted",
        ),
        (
            "nodes: [{name: n1, gpus: 8}]\nworkloads: [{name: a, running: {nodes: [n1], cards: [[8]]}}]",
            "workload 'a': a pod runs on card 8 of n1, which has none such",
        ),
        (
            "nodes: [{name: n1, gpu: {count: 1, model: T4, mig: dynamic}}]",
            "spec.nodes[0].gpu.mig: cards of the model 'T4' cannot be cut, so they offer no MIG slices",
        ),
        (
            "nodes: [{name: n1, gpu: {count: 1, mig: [1g.5gb]}}]",
            "spec.nodes[0].gpu.mig: no model is given, so these cards offer no MIG slices",
        ),
        (
            (
                "topologies: [{name: f, levels: [s, r]}]\n"
                'nodes: [{name: "a[1-2]", in: {s: "s[1-2]", r: r1}}, {name: b, in: {r: r1}}]'
            ),
            "topology 'f': the r name r1 occurs under several parents (r1: s1, s2, ?); they are different domains",
        ),
    ],
)
def test_what_a_live_cluster_may_contain_loads_with_a_warning(text: str, warning: str) -> None:
    assert spec(text).warnings == (warning,)


@pytest.mark.parametrize(
    "text",
    [
        "queues: [{name: a, guarantee: {node: 1}}, {name: b, parent: a, guarantee: {node: 1}}]\nnodes: [{name: n1}]",
        "workloads: [{name: a, topology: {name: ghost, preferred: x}}]",
        "workloads: [{name: a, topology: {preferred: none}}, {name: b, topology: {preferred: node}}]",
        "topologies: [{name: f, levels: [s, r]}]\nnodes: [{name: a, in: {s: s1, r: r1}}, {name: b, in: {s: s1}}]",
    ],
)
def test_nothing_odd_is_no_warning(text: str) -> None:
    assert spec(text).warnings == ()


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("[1]", "", "expected a mapping with apiVersion, kind and spec, not a list"),
        ("{kind: Scenario}", "apiVersion", "expected 'railwise.dev/v1alpha1', it is missing"),
        ("{apiVersion: v1, kind: Pod}", "apiVersion", "expected 'railwise.dev/v1alpha1', not the text 'v1'"),
        ("{apiVersion: railwise.dev/v1alpha1}", "kind", "expected 'Scenario', it is missing"),
        (
            "{apiVersion: railwise.dev/v1alpha1, kind: Scenaro}",
            "kind",
            "expected 'Scenario', not the text 'Scenaro', did you mean 'Scenario'?",
        ),
        ("{apiVersion: railwise.dev/v1alpha1, kind: Plan}", "kind", "expected 'Scenario', not the text 'Plan'"),
        ("{apiVersion: railwise.dev/v1alpha1, kind: Scenario}", "spec", "the field 'spec' is required"),
        (
            "{apiVersion: railwise.dev/v1alpha1, kind: Scenario, spec: {}, nodes: []}",
            "nodes",
            "unknown field, it belongs under 'spec'",
        ),
        (
            "{apiVersion: railwise.dev/v1alpha1, kind: Scenario, spec: {}, metadata: {name: A}}",
            "metadata.name",
            "expected a name of small letters, digits, '-' and '.', not 'A'",
        ),
    ],
)
def test_a_document_that_is_no_scenario_is_told_so(text: str, path: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_scenario(load(text.encode(), "f")[0].value, "f")
    assert refusal.value.source == "f"
    assert [(fault.path, fault.message) for fault in refusal.value.faults] == [(path, message)]


def test_a_document_without_content_is_an_empty_cluster() -> None:
    text = b"{apiVersion: railwise.dev/v1alpha1, kind: Scenario, metadata: {name: x}, spec: {seed: 7}}"
    assert read_scenario(load(text, "f")[0].value) == Scenario(name="x", seed=7)
