from __future__ import annotations

import pytest

from railwise.model.node import MIG_DYNAMIC, Cards, Node, Taint
from railwise.model.topology import Level, Topology
from tests.formats.reading import fault_lines, node, spec

TREES = "topologies: [{name: fabric, levels: [spine, rack]}, {name: nvl, levels: [clique]}]\n"


def test_topologies_hold_levels_and_what_is_known_of_them() -> None:
    scenario = spec(
        "topologies:\n"
        "- name: fabric\n"
        "  levels: [{name: spine, label: example.com/spine, uplink: 1.6Tbps}, rack, {name: node, uplink: 400Gbps}]\n"
        "- {name: nvl, levels: [clique]}\n"
    )
    assert scenario.topologies == (
        Topology("fabric", (Level("spine", "example.com/spine", 1_600_000), Level("rack")), 400_000),
        Topology("nvl", (Level("clique"),)),
    )


def test_a_node_has_everything_in_base_units() -> None:
    assert node(
        "{name: big-1, in: {spine: s1, rack: r4}, at: {nvl: {clique: c7}}, "
        "gpu: {count: 8, model: H100-80GB, memory: 80Gi, reserve: 450Mi, unhealthy: [2], islands: 2}, "
        'resources: {cpu: "192", memory: 2Ti, ephemeral-storage: 1.5Gi, pods: 110, rdma/hca: 8, hugepages-2Mi: 4}, '
        'labels: {pool: gold, example.com/x: ""}, taints: [{key: gpu, value: "true", effect: NoExecute}, {key: k}], '
        "ready: false, unschedulable: true, rails: {down: [3]}}"
    ) == Node(
        name="big-1",
        places={"fabric": {"spine": "s1", "rack": "r4"}, "nvl": {"clique": "c7"}},
        cards=(Cards(8, "H100-80GB", 81_920, reserve=450, islands=2),),
        unhealthy=frozenset({2}),
        resources={
            "cpu": 192_000,
            "memory": 2 << 20,
            "ephemeral-storage": 1536,
            "pods": 110,
            "rdma/hca": 8,
            "hugepages-2Mi": 4,
        },
        labels={"pool": "gold", "example.com/x": ""},
        taints=(Taint("gpu", "true", "NoExecute"), Taint("k")),
        ready=False,
        unschedulable=True,
        dead_rails=frozenset({3}),
    )


def test_capacities_round_down() -> None:
    assert node("{name: n1, resources: {memory: 1000M, cpu: 0.0005}}").resources == {"memory": 953, "cpu": 0}


@pytest.mark.parametrize(
    ("given", "cards"),
    [
        ("gpus: 8", (Cards(8),)),
        ("gpus: 0", ()),
        ("gpu: {count: 0}", ()),
        ("gpu: {count: 2, model: A100-40GB}", (Cards(2, "A100-40GB", 40_960),)),
        ("gpu: {count: 2, model: A100-40GB, memory: 0Mi}", (Cards(2, "A100-40GB"),)),
        ("gpu: {count: 1, model: A100-40GB, mig: dynamic}", (Cards(1, "A100-40GB", 40_960, mig=MIG_DYNAMIC),)),
        ("gpu: {count: 1, mig: none}", (Cards(1),)),
        (
            "gpu: {count: 1, model: A100-40GB, mig: [3g.20gb, 2g.10gb]}",
            (Cards(1, "A100-40GB", 40_960, mig=("3g.20gb", "2g.10gb")),),
        ),
        ("gpu: [{count: 2}, {count: 1, timeSlices: 4}]", (Cards(2), Cards(1, time_slices=4))),
    ],
)
def test_cards_of_a_node(given: str, cards: tuple[Cards, ...]) -> None:
    assert node(f"{{name: n1, {given}}}").cards == cards


def test_sick_cards_are_numbered_over_the_whole_node() -> None:
    assert node("{name: n1, gpu: [{count: 2}, {count: 2, unhealthy: [2, 3]}]}").unhealthy == {2, 3}


def test_domains_go_to_equal_consecutive_runs() -> None:
    nodes = spec(TREES + 'nodes: [{name: "n[01-06]", gpus: 8, in: {spine: s1, rack: "r[1-3]"}}]').nodes
    assert [one.name for one in nodes] == ["n01", "n02", "n03", "n04", "n05", "n06"]
    assert [one.places["fabric"]["rack"] for one in nodes] == ["r1", "r1", "r2", "r2", "r3", "r3"]
    assert {one.places["fabric"]["spine"] for one in nodes} == {"s1"}


def test_runs_of_several_lengths_and_topologies_overlap() -> None:
    nodes = spec(
        TREES + 'nodes: [{name: "n[1-6]", in: {spine: "s[1-2]", rack: "r[1-3]"}, at: {nvl: {clique: "c[1-6]"}}}]'
    ).nodes
    assert ["".join(one.places["fabric"].values()) + one.places["nvl"]["clique"] for one in nodes] == [
        "s1r1c1",
        "s1r1c2",
        "s1r2c3",
        "s2r2c4",
        "s2r3c5",
        "s2r3c6",
    ]


def test_nodes_of_one_entry_share_their_equal_parts() -> None:
    first, second, third = spec(TREES + 'nodes: [{name: "n[1-3]", gpus: 8, labels: {a: b}, in: {rack: r1}}]').nodes
    assert first.cards is second.cards
    assert first.labels is third.labels
    assert first.places is third.places


def test_in_and_at_may_agree() -> None:
    assert node("{name: n1, in: {rack: r1}, at: {fabric: {rack: r1, spine: s1}}}").places == {
        "fabric": {"rack": "r1", "spine": "s1"}
    }


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("{gpus: 8}", "spec.nodes[0].name: the field 'name' is required"),
        ("3", "spec.nodes[0]: expected a mapping, not the number 3"),
        (
            "{name: n1, gpus: 8, gpu: {count: 8}}",
            "spec.nodes[0]: 'gpus' and 'gpu' exclude each other: 'gpus: 8' is short for 'gpu: {count: 8}'",
        ),
        ("{name: n1, gpus: -1}", "spec.nodes[0].gpus: expected a whole number from 0 to 1024, not the number -1"),
        ("{name: n1, gpus: 8.0}", "spec.nodes[0].gpus: expected a whole number from 0 to 1024, not the number 8.0"),
        ("{name: n1, gpus: true}", "spec.nodes[0].gpus: expected a whole number from 0 to 1024, not yes (true)"),
        ("{name: N1}", "spec.nodes[0].name: expected a name of small letters, digits, '-' and '.', not 'N1'"),
        (
            "{name: 7}",
            "spec.nodes[0].name: expected a name of small letters, digits, '-' and '.', not the number 7: quote it",
        ),
        ('{name: "n[1-2]x_"}', "spec.nodes[0].name: expected a name of small letters, digits, '-' and '.', not 'n1x_'"),
        ("{name: n1, memory: 1Gi}", "spec.nodes[0].memory: unknown field, it belongs to 'resources'"),
        ("{name: n1, gpu: {model: T4}}", "spec.nodes[0].gpu.count: the field 'count' is required"),
        ("{name: n1, gpu: 8}", "spec.nodes[0].gpu: expected a mapping or a list of mappings, not the number 8"),
        (
            "{name: n1, gpu: [{count: 600}, {count: 600}]}",
            "spec.nodes[0].gpu: expected at most 1024 cards on a node, not 1200",
        ),
        ("{name: n1, gpu: {count: 4, islands: 3}}", "spec.nodes[0].gpu.islands: 4 cards do not make 3 equal runs"),
        (
            "{name: n1, gpu: {count: 4, unhealthy: [4]}}",
            "spec.nodes[0].gpu.unhealthy: there is no card 4 here, the numbers are from 0 to 3",
        ),
        (
            "{name: n1, gpu: {count: 1, memory: 1Gi, reserve: 2Gi}}",
            "spec.nodes[0].gpu.reserve: is more than the card's memory",
        ),
        (
            "{name: n1, gpu: {count: 1, mig: yes}}",
            "spec.nodes[0].gpu.mig: expected none, dynamic or a list of profiles, not yes (true)",
        ),
        (
            "{name: n1, gpu: {count: 1, mig: dynamc}}",
            "spec.nodes[0].gpu.mig: expected none or dynamic, not the text 'dynamc', did you mean 'dynamic'?",
        ),
        (
            "{name: n1, gpu: {count: 1, mig: [big]}}",
            "spec.nodes[0].gpu.mig[0]: expected a MIG profile such as 1g.10gb, not 'big'",
        ),
        (
            "{name: n1, gpu: {count: 1, model: A100-40GB, mig: [1g.18gb]}}",
            "spec.nodes[0].gpu.mig[0]: a card of the model 'A100-40GB' has no profile 1g.18gb",
        ),
        (
            "{name: n1, gpu: {count: 1, model: A100-40GB, mig: dynamic, timeSlices: 2}}",
            "spec.nodes[0].gpu: a card is cut by 'mig' or offered as 'timeSlices', not both",
        ),
        (
            "{name: n1, resources: {gpu: 8}}",
            "spec.nodes[0].resources.gpu: unknown resource, cards are given by the node's 'gpus' or 'gpu'",
        ),
        ("{name: n1, resources: {mem: 8}}", "spec.nodes[0].resources.mem: unknown resource, did you mean 'memory'?"),
        (
            "{name: n1, resources: {fpga: 8}}",
            "spec.nodes[0].resources.fpga: unknown resource, others have a slash, such as vendor.com/fpga",
        ),
        (
            "{name: n1, resources: {vendor.com/fpga: 0.5}}",
            'spec.nodes[0].resources["vendor.com/fpga"]: expected a whole number, not the number 0.5',
        ),
        (
            "{name: n1, resources: {memory: 80}}",
            (
                "spec.nodes[0].resources.memory: expected a size such as 512Mi or 64Gi (a bare "
                "number is bytes), not the number 80"
            ),
        ),
        (
            "{name: n1, labels: {pool: 8}}",
            (
                "spec.nodes[0].labels.pool: expected a label's value of letters, digits, '-', '_' "
                "and '.', not the number 8: quote it"
            ),
        ),
        (
            '{name: n1, labels: {"a b": c}}',
            "spec.nodes[0].labels[\"a b\"]: the key: expected a label such as pool or example.com/pool, not 'a b'",
        ),
        (
            "{name: n1, taints: [{key: a, effect: NoSchedul}]}",
            (
                "spec.nodes[0].taints[0].effect: expected NoSchedule, PreferNoSchedule or "
                "NoExecute, not the text 'NoSchedul', did you mean 'NoSchedule'?"
            ),
        ),
        ("{name: n1, ready: maybe}", "spec.nodes[0].ready: expected true or false, not the text 'maybe'"),
        ("{name: n1, in: {node: n1}}", "spec.nodes[0].in.node: the node is its own last level"),
        ("{name: n1, in: {zone: z1}}", "spec.nodes[0].in.zone: no level of 'fabric', the levels are: spine, rack"),
        (
            "{name: n1, at: {nvlink: {clique: c1}}}",
            "spec.nodes[0].at.nvlink: there is no topology 'nvlink', did you mean 'nvl'?",
        ),
        ('{name: n1, in: {rack: "r[1-2]"}}', "spec.nodes[0].in.rack: 2 names on 1 nodes make no equal runs"),
        ("{name: n1, in: {rack: a/b}}", "spec.nodes[0].in.rack: expected the name of a domain, not 'a/b'"),
        ('{name: "n[1-3,2]"}', "spec.nodes[0].name: 'n2' is already named by spec.nodes[0]"),
        (
            "{name: n1, gpus: 99999999999999999999999999999999999999999999999999999999}",
            (
                "spec.nodes[0].gpus: expected a whole number from 0 to 1024, not the text "
                "'999999999999999999999999999999999999999999999999…'"
            ),
        ),
    ],
)
def test_a_node_that_no_cluster_can_contain_is_refused(entry: str, fault: str) -> None:
    assert fault_lines(f"{TREES}nodes: [{entry}]") == [fault]


def test_positions_need_a_topology() -> None:
    assert fault_lines("nodes: [{name: n1, in: {rack: r1}}]") == ["spec.nodes[0].in: no topology is declared"]


@pytest.mark.parametrize(
    ("levels", "fault"),
    [
        ("[rack, {name: rack}]", "spec.topologies[0].levels[1]: the level 'rack' is given twice"),
        ("[none]", "spec.topologies[0].levels[0]: 'none' cannot be a level, it stands for no locality"),
        (
            "[rack, node]",
            (
                "spec.topologies[0].levels[1]: 'node' is implied and may only be given to tell its "
                "uplink: {name: node, uplink: …}"
            ),
        ),
        ("[{label: a}]", "spec.topologies[0].levels[0].name: the field 'name' is required"),
        (
            "[{name: rack, uplink: 400}]",
            "spec.topologies[0].levels[0].uplink: expected a bandwidth such as 400Gbps, not the number 400",
        ),
        ("rack", "spec.topologies[0].levels: expected a list, not the text 'rack'"),
        (
            f"[{', '.join(f'l{number}' for number in range(17))}]",
            "spec.topologies[0].levels: expected at most 16 levels, not 17",
        ),
    ],
)
def test_levels_that_make_no_tree_are_refused(levels: str, fault: str) -> None:
    assert fault_lines(f"topologies: [{{name: t, levels: {levels}}}]") == [fault]


def test_topologies_need_names_of_their_own() -> None:
    assert fault_lines("topologies: [{name: t, levels: []}, {name: t, levels: []}]") == [
        "spec.topologies[1].name: 't' is already the name of spec.topologies[0]"
    ]


@pytest.mark.slow
def test_a_million_nodes_are_allowed_in_all_and_not_one_more() -> None:
    assert fault_lines('nodes: [{name: "a[1-600000]"}, {name: "b[1-600000]"}]') == [
        "spec.nodes[1].name: a document has at most 1000000 nodes"
    ]


def test_rails_have_a_number_and_some_may_be_down() -> None:
    node = spec("nodes: [{name: n1, gpus: 8, rails: {count: 4, down: [2, 9]}}]").nodes[0]
    assert (node.rails, node.dead_rails, node.live_nics()) == (4, frozenset({2, 9}), 750)
    assert spec("nodes: [{name: n1, gpus: 8, rails: {down: [2]}}]").nodes[0].live_nics() == 875
    assert spec("nodes: [{name: n1, gpus: 8}]").nodes[0].live_nics() == 1000
