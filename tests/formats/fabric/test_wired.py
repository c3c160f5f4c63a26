"""``fabric: fabric.yaml`` in a scenario: topologies, places and dead rails follow from the wiring."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from railwise.fabric.elements import Fabric
from railwise.formats.fabric.writer import fabric_text
from railwise.formats.inputs import read_inputs
from railwise.formats.scenario.writer import scenario_text
from railwise.model.errors import InputError
from railwise.model.node import Cards
from railwise.model.scenario import Scenario
from tests.fabric.fabrics import small

HEAD = "apiVersion: railwise.dev/v1alpha1\nkind: Scenario\n"


def read(spec: str, fabric: Fabric | str, *more: tuple[str, str]) -> Scenario:
    text = fabric if isinstance(fabric, str) else fabric_text(fabric)

    def read_file(name: str) -> Sequence[tuple[str, bytes]]:
        if name != "fabric.yaml":
            raise FileNotFoundError(2, "No such file or directory", name)
        return [(name, text.encode())]

    sources = [("s.yaml", (HEAD + spec).encode()), *((name, (HEAD + other).encode()) for name, other in more)]
    return read_inputs(sources, "", read_file)


def test_a_document_without_nodes_gets_one_for_each_server() -> None:
    scenario = read("spec: {fabric: fabric.yaml}", small("rail-optimised"))
    assert [node.name for node in scenario.nodes] == [f"gpu-{at}" for at in range(1, 9)]
    assert scenario.nodes[0].places == {"fabric": {"spine-group": "spine-1-2", "leaf-group": "su-1"}}
    assert scenario.nodes[7].places["fabric"]["leaf-group"] == "su-2"
    assert scenario.nodes[0].cards == (Cards(8, "H100-80GB", 81559),)
    (topology,) = scenario.topologies
    assert topology.level_names() == ("spine-group", "leaf-group")
    assert topology.node_uplink == 4 * 400_000
    assert [level.uplink for level in topology.levels] == [0, 4 * 2 * 400_000]
    assert topology.levels[1].label == "fabric.railwise.dev/leaf-group"


def test_nvlink_domains_are_a_topology_of_their_own() -> None:
    scenario = read("spec: {fabric: fabric.yaml}", small("nvl72"))
    assert [topology.name for topology in scenario.topologies] == ["fabric", "nvlink"]
    assert scenario.nodes[0].places["nvlink"] == {"domain": "nvl-rack-1"}
    assert scenario.nodes[-1].places["nvlink"] == {"domain": "nvl-rack-2"}


def test_nodes_that_are_listed_get_their_places_and_keep_their_cards() -> None:
    spec = "spec: {fabric: fabric.yaml, nodes: [{name: 'gpu-[1-2]', gpus: 4}, {name: login, ready: false}]}"
    scenario = read(spec, small("rail-optimised"))
    assert [node.name for node in scenario.nodes] == ["gpu-1", "gpu-2", "login"]
    assert scenario.nodes[0].cards == (Cards(4),)
    assert scenario.nodes[0].places["fabric"]["leaf-group"] == "su-1"
    assert scenario.nodes[2].places == {}
    assert "spec.fabric: no server of the fabric is called login" in scenario.warnings


def test_dead_nics_are_dead_rails() -> None:
    text = fabric_text(small("rail-optimised")) + "  actual: [{nic: gpu-3/rail2, set: {up: false}}]\n"
    scenario = read("spec: {fabric: fabric.yaml}", text)
    assert {node.name: node.dead_rails for node in scenario.nodes if node.dead_rails} == {"gpu-3": frozenset({2})}


def test_a_fabric_in_one_document_places_the_nodes_of_another() -> None:
    scenario = read(
        "spec: {fabric: fabric.yaml}", small("rail-optimised"), ("n.yaml", "spec: {nodes: [{name: gpu-5}]}")
    )
    assert [(node.name, node.places["fabric"]["leaf-group"]) for node in scenario.nodes] == [("gpu-5", "su-2")]


def test_what_is_written_with_all_its_places_reads_back_the_same() -> None:
    fabric = small("nvl72")
    once = read("spec: {fabric: fabric.yaml}", fabric)
    text = scenario_text(once, "yaml")
    again = read(text[text.index("spec:") :], fabric)
    assert (again.topologies, again.nodes) == (once.topologies, once.nodes)


def test_events_name_what_the_fabric_has() -> None:
    spec = "spec: {fabric: fabric.yaml, events: [{at: 1m, EVENT, set: {up: false}}]}"
    fabric = small("rail-optimised")
    good = read(spec.replace("EVENT", "cable: [gpu-1/rail2, leaf-3]"), fabric)
    assert [change.names for change in good.changes] == [("gpu-1/rail2", "leaf-3")]
    for event, message in (
        ("cable: [gpu-1/rail2, leaf-4]", "no cable runs between gpu-1/rail2 and leaf-4"),
        ("switch: leaf-33", "the fabric has no switch 'leaf-33', did you mean"),
    ):
        with pytest.raises(InputError) as caught:
            read(spec.replace("EVENT", event), fabric)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "fabric", "message"),
    [
        ("spec: {fabric: other.yaml}", "", "spec.fabric: cannot read 'other.yaml': No such file"),
        ("spec: {fabric: fabric.yaml}", "kind: Fabric", "spec.fabric: apiVersion: expected"),
        ("spec: {fabric: fabric.yaml}", HEAD + "spec: {}", "expected 'Fabric', not the text 'Scenario'"),
        (
            "spec: {fabric: fabric.yaml}",
            "apiVersion: railwise.dev/v1alpha1\nkind: Fabric\nspec: {servers: [{name: I21}]}",
            "the server 'I21' cannot be a node",
        ),
        ("spec: {fabric: fabric.yaml, nodes: [{name: a, in: {rack: r}}]}", "", "no topology is declared"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_place(spec: str, fabric: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(spec, fabric or small("rail-optimised"))
    assert message in str(caught.value)
