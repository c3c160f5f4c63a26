"""Fake nodes say of themselves what the scenario says of them: read back, they are the same nodes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.devcluster.nodes import default_scenario, node_objects
from railwise.formats.inputs import read_inputs
from railwise.formats.kubernetes.objects import read_objects
from railwise.model.errors import InputError
from railwise.model.node import Cards, Node, Taint
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from tests.conftest import ROOT

FABRIC = Topology("fabric", (Level("superpod"), Level("rack", "example.com/rack")))
NVLINK = Topology("nvlink", (Level("clique"),))

KINDS = (
    Cards(8, "H100-80GB", 81559),
    Cards(4, "A100-40GB", 40960),
    Cards(2),
    Cards(4, "A100-40GB", 40960, time_slices=4),
)


@st.composite
def nodes(draw: st.DrawFn, index: int) -> Node:
    cards = draw(st.sampled_from([(), *((kind,) for kind in KINDS)]))
    sick = draw(st.integers(0, 1)) if cards and not cards[0].time_slices else 0
    count = sum(run.count for run in cards)
    places = {"fabric": {"superpod": f"p{draw(st.integers(1, 2))}", "rack": f"r{draw(st.integers(1, 3))}"}}
    if draw(st.booleans()):
        places["nvlink"] = {"clique": f"c{draw(st.integers(1, 2))}"}
    return Node(
        name=f"gpu-{index}",
        places=places,
        cards=cards,
        unhealthy=frozenset(range(count - sick, count)),
        resources={"cpu": draw(st.integers(1000, 9000)), "memory": draw(st.integers(1, 9000)), "pods": 110},
        labels=draw(st.dictionaries(st.sampled_from(["pool", "example.com/zone"]), st.sampled_from(["a", "b"]))),
        taints=tuple(Taint(key, "v", "NoSchedule") for key in draw(st.sets(st.sampled_from("xy")))),
        ready=draw(st.booleans()),
        unschedulable=draw(st.booleans()),
    )


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    found = tuple(draw(nodes(index)) for index in range(draw(st.integers(1, 5))))
    return Scenario(topologies=(FABRIC, NVLINK), nodes=found)


@given(scenarios())
def test_nodes_read_back_are_the_same(scenario: Scenario) -> None:
    objects = [(f"nodes[{index}]", one) for index, one in enumerate(node_objects(scenario))]
    levels = "superpod=fabric.railwise.dev/superpod,rack=example.com/rack"
    for node, read in zip(scenario.nodes, read_objects(objects, levels).nodes, strict=True):
        assert (read.name, read.places, read.taints) == (node.name, node.places, node.taints)
        assert (read.ready, read.unschedulable, read.unhealthy) == (node.ready, node.unschedulable, node.unhealthy)
        assert node.labels.items() <= read.labels.items()
        assert node.resources.items() <= read.resources.items()
        assert [replace(run, memory=0) for run in read.cards] == [replace(run, memory=0) for run in node.cards]


def test_a_number_of_nodes_makes_racks_of_eight_in_superpods_of_eight() -> None:
    scenario = default_scenario(130)
    read = read_objects([("", one) for one in node_objects(scenario)])
    assert [level.name for level in read.topologies[0].levels] == ["superpod", "rack"]
    assert [node.places for node in read.nodes] == [node.places for node in scenario.nodes]
    racks = [node.places["fabric"]["rack"] for node in scenario.nodes]
    assert (len(set(racks)), racks[:9], racks[-1]) == (17, ["r1"] * 8 + ["r2"], "r17")
    assert scenario.nodes[-1].places["fabric"]["superpod"] == "p3"
    assert scenario.nodes[0].name == "gpu-001"


def test_what_a_scenario_leaves_unlimited_is_plenty() -> None:
    one = node_objects(Scenario(nodes=(Node("n"),)))[0]
    assert one["status"]["allocatable"] == {
        "cpu": "1000",
        "memory": "16Ti",
        "pods": "1000",
        "ephemeral-storage": "100Ti",
    }


@pytest.mark.parametrize("name", ["two-units.yaml", "small-mix.yaml", "two-teams.yaml"])
def test_the_examples_become_nodes(name: str) -> None:
    scenario = read_inputs([(name, (ROOT / "examples" / name).read_bytes())])
    assert len(node_objects(scenario)) == len(scenario.nodes)


def test_cards_that_no_label_describes_are_an_error_that_names_each_node() -> None:
    cut, mixed = Cards(1, "A100-40GB", mig=("1g.5gb",)), (Cards(1, "A100-40GB"), Cards(1, "H100-80GB"))
    scenario = Scenario(nodes=(Node("a", cards=(cut,)), Node("b", cards=mixed), Node("c", cards=(Cards(1),))))
    with pytest.raises(InputError) as error:
        node_objects(scenario)
    assert [fault.path for fault in error.value.faults] == ["node a", "node b"]
