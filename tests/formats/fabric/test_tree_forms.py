"""Slurm, Topograph, HyperNodes, Topology objects and Nodes: what is written reads back as the same tree."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from railwise.fabric.elements import Fabric
from railwise.fabric.labels import is_label
from railwise.formats.fabric import forms
from railwise.formats.fabric.hypernodes import hypernodes_documents, hypernodes_text, read_hypernodes
from railwise.formats.fabric.objects import (
    KAI,
    KUEUE,
    kai_text,
    kueue_text,
    node_documents,
    node_labels,
    read_nodes,
    stream,
    topology_document,
)
from railwise.formats.fabric.slurm import read_slurm, slurm_block_text, slurm_tree_text
from railwise.formats.fabric.slurm_check import block_sizes
from railwise.formats.fabric.slurm_yaml import read_slurm_yaml, slurm_yaml_text
from railwise.formats.fabric.topograph import read_topograph, topograph_text
from railwise.formats.fabric.tree import (
    Leaf,
    Tree,
    branches,
    fabric_of_tree,
    scenario_of_tree,
    tree_of_fabric,
    tree_of_scenario,
)
from railwise.formats.scenario.reader import read_scenario
from railwise.formats.scenario.writer import scenario_document
from railwise.model.errors import InputError
from tests.examples import examples
from tests.fabric.fabrics import SMALL, small
from tests.formats.fabric.trees import blocks, paths, trees


@examples(50)
@given(trees())
def test_every_form_keeps_the_places_of_nodes(tree: Tree) -> None:
    for text, read in (
        (slurm_tree_text(tree), read_slurm),
        (slurm_yaml_text(tree), read_slurm_yaml),
        (topograph_text(tree), read_topograph),
        (hypernodes_text(tree), read_hypernodes),
    ):
        again = read(text.encode())
        assert (again.levels, paths(again)) == (tree.levels, paths(tree))
    for text in (kueue_text(tree), kai_text(tree)):
        again = read_nodes(text.encode())
        assert (again.levels, paths(again), blocks(again)) == (tree.levels, paths(tree), blocks(tree))


@examples(50)
@given(trees())
def test_forms_that_know_blocks_keep_them(tree: Tree) -> None:
    for text, read in ((slurm_yaml_text(tree), read_slurm_yaml), (topograph_text(tree), read_topograph)):
        assert blocks(read(text.encode())) == blocks(tree)
    if blocks(tree):
        assert blocks(read_slurm(slurm_block_text(tree).encode())) == blocks(tree)


@examples(50)
@given(trees())
def test_a_tree_as_cables_or_as_a_scenario_is_the_same_tree(tree: Tree) -> None:
    wired = tree_of_fabric(fabric_of_tree(tree))
    assert (wired.levels, paths(wired), blocks(wired)) == (tree.levels, paths(tree), blocks(tree))
    scenario = read_scenario(scenario_document(scenario_of_tree(tree)))
    again = tree_of_scenario(scenario)
    assert (again.levels, paths(again), blocks(again)) == (tree.levels, paths(tree), blocks(tree))


@pytest.mark.slow
@pytest.mark.parametrize("form", [name for name in forms.FORMS if name not in ("nodes", "kwok")])
@pytest.mark.parametrize("design", sorted(SMALL))
def test_every_form_is_recognised_and_written_again_the_same(design: str, form: str) -> None:
    text = forms.write(small(design), form)
    found = forms.detect(text.encode())
    assert found == {"air-dot": "ptm", "slurm-block": "slurm-tree"}.get(form, form)
    again = forms.write(forms.read(text.encode()), form)
    once_more = forms.write(forms.read(again.encode()), form)
    assert again == once_more


@pytest.mark.parametrize("form", ["nodes", "kwok"])
def test_nodes_alone_tell_their_places_by_labels(form: str) -> None:
    fabric = small("nvl72")
    text = forms.write(fabric, form)
    assert forms.detect(text.encode()) == "nodes"
    again = forms.read(text.encode())
    assert isinstance(again, Tree)
    assert (paths(again), blocks(again)) == (paths(tree_of_fabric(fabric)), blocks(tree_of_fabric(fabric)))


TIER = "fabric.topograph.run/tier-"

MODELS = {
    "model-small-tree.yaml": (6, {"nvl2": 3, "nvl3": 3}, ("spine-group", "leaf-group")),
    "model-nvl72.yaml": (72, {f"nvl-{at}": 18 for at in ("1-1", "1-2", "2-1", "2-2")}, None),
    "model-medium.yaml": (8, None, None),
    "model-large.yaml": (96, None, None),
    "model-dual-xclr-regular.yaml": (96, {"nvl-1": 48, "nvl-2": 48}, None),
    "model-dual-xclr-irregular.yaml": (255, {"domain-01": 124, "domain-02": 131}, None),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_models_of_topograph_have_their_documented_domains(name: str, shared: Callable[[str], Path]) -> None:
    nodes, domains, levels = MODELS[name]
    tree = read_topograph(shared(f"fixtures/topograph/{name}").read_bytes(), name)
    assert len(tree.nodes) == nodes
    if domains is not None:
        assert {block: len(members) for block, members in tree.blocks().items()} == domains
    assert levels is None or tree.levels == levels
    assert read_topograph(topograph_text(tree).encode()) == tree
    wired = tree_of_fabric(fabric_of_tree(tree))
    assert (paths(wired), blocks(wired)) == (paths(tree), blocks(tree))


def test_the_slurm_files_of_topograph_are_read_and_mean_the_same_again(shared: Callable[[str], Path]) -> None:
    tree = read_slurm(shared("fixtures/topograph/slurm-tree.conf").read_bytes())
    assert (len(tree.nodes), tree.levels) == (96, ("core-group", "spine-group", "leaf-group"))
    assert tree.nodes["srv4205"].path == ("switch.3.1", "switch.2.4", "switch.1.8")
    assert paths(read_slurm(slurm_tree_text(tree).encode())) == paths(tree)
    block = read_slurm(shared("fixtures/topograph/slurm-block.conf").read_bytes())
    assert {name: len(nodes) for name, nodes in block.blocks().items()} == {
        f"rack{row}{side}": 8 for row in range(1, 7) for side in (1, 2)
    }
    assert "BlockSizes=8,16,32,64" in slurm_block_text(block)


def test_a_name_that_occurs_twice_is_written_with_its_parents() -> None:
    tree = Tree("t", ("pod", "rack"), (), {"a": Leaf(("p1", "r1")), "b": Leaf(("p2", "r1")), "c": Leaf(("p2", ""))})
    found = branches(tree)
    assert {branch.name: (branch.children, branch.nodes) for branch in found.values()} == {
        "p1.r1": ([], ["a"]),
        "p2.r1": ([], ["b"]),
        "p1": (["p1.r1"], []),
        "p2": (["p2.r1"], ["c"]),
    }
    text = slurm_tree_text(tree)
    assert "SwitchName=p2 Switches=p2.r1,p2.nodes" in text
    assert set(read_slurm(text.encode()).nodes) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("counts", "sizes"), [([18], [18]), ([18, 18], [18, 36]), ([8] * 12, [8, 16, 32, 64]), ([5, 9, 7], [5, 10])]
)
def test_block_sizes_double_as_long_as_there_are_blocks(counts: list[int], sizes: list[int]) -> None:
    assert block_sizes(counts) == sizes


def _schema(shared: Callable[[str], Path], name: str) -> dict[str, Any]:
    path = shared(f"crds/{name}")
    data = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    found: dict[str, Any] = next(one for one in yaml.safe_load_all(data) if one)
    return found


def _holds(value: Any, schema: dict[str, Any], path: str = "") -> list[str]:
    """Return where a value has a member that a schema does not know, or lacks one that it requires."""
    if isinstance(value, dict) and "properties" in schema:
        wrong = [f"{path}.{key}" for key in value if key not in schema["properties"]]
        wrong += [f"{path}.{key} is missing" for key in schema.get("required", []) if key not in value]
        for key, item in value.items():
            wrong += _holds(item, schema["properties"].get(key, {}), f"{path}.{key}")
        return wrong
    if isinstance(value, list):
        return [one for item in value for one in _holds(item, schema.get("items", {}), path)]
    kinds = {"integer": int, "string": str}
    return [] if isinstance(value, kinds.get(schema.get("type", ""), object)) else [f"{path} has another type"]


def test_objects_obey_the_schemas_of_their_systems(shared: Callable[[str], Path]) -> None:
    tree = tree_of_fabric(small("dgx-superpod"))
    objects = [
        ("kueue.x-k8s.io_topologies.yaml", topology_document(tree, KUEUE)),
        ("kai.scheduler_topologies.yaml", topology_document(tree, KAI)),
        *(("topology.volcano.sh_hypernodes.yaml", one) for one in hypernodes_documents(tree)),
    ]
    for name, document in objects:
        spec = _schema(shared, name)["spec"]
        version = document["apiVersion"].partition("/")[2]
        schema = next(one["schema"] for one in spec["versions"] if one["name"] == version)["openAPIV3Schema"]
        assert document["kind"] == spec["names"]["kind"]
        assert _holds(document["spec"], schema["properties"]["spec"]) == []


@pytest.mark.parametrize(
    ("profile", "keys"),
    [
        (
            "railwise",
            ["fabric.railwise.dev/spine-group", "fabric.railwise.dev/leaf-group", "nvlink.railwise.dev/domain"],
        ),
        (
            "topograph",
            ["fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0", "accelerator.topograph.run/domain"],
        ),
        (
            "topograph-0.5",
            [f"network.topology.nvidia.com/{name}" for name in ("spine", "leaf", "accelerator")],
        ),
    ],
)
def test_label_keys_are_those_of_the_profile(profile: str, keys: list[str]) -> None:
    tree = Tree("t", ("spine-group", "leaf-group"), (), {"n1": Leaf(("s", "l"), "nvl")})
    assert node_labels(tree, profile)["n1"] == dict(zip(keys, ("s", "l", "nvl"), strict=True))
    again = read_nodes(stream(node_documents(tree, profile)).encode())
    assert (paths(again), blocks(again)) == (paths(tree), blocks(tree))


def test_values_of_labels_are_legal_whatever_domains_are_called() -> None:
    tree = Tree("t", ("leaf-group",), (), {"N1": Leaf(("MF0;A09-LEAF-01:MQM9701/U1",)), "n2": Leaf(("ä" * 100,))})
    labels = node_labels(tree)
    assert list(labels) == ["n1", "n2"]
    assert all(is_label(value) for mine in labels.values() for value in mine.values())


def test_a_kwok_node_is_a_fake_machine_with_its_cards() -> None:
    node = node_documents(tree_of_fabric(small("rail-optimised")), kwok=True)[0]
    assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}
    assert node["status"]["allocatable"] == {"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "8"}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_slurm, "", "there is no switch and no block in it"),
        (read_slurm, "SwitchName=s1", "line 1: the switch 's1' has neither switches and nodes"),
        (read_slurm, "SwitchName=s1 Nodes=n[1-2\n", "line 1: expected a name or a hostlist"),
        (read_slurm, "SwitchName=s1 Nods=n1", "unknown key 'nods', did you mean 'nodes'"),
        (read_slurm, "SwitchName=s1 Switches=s2", "the switch 's2' is not described"),
        (read_slurm, "SwitchName=a Switches=b\nSwitchName=b Switches=a", "the switch 'a' is below itself"),
        (read_slurm, "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1", "line 2: the node 'n1' is on 'a' already"),
        (read_slurm, "BlockName=a Nodes=n1\nBlockName=b Nodes=n1", "line 2: the node 'n1' is in 'a' already"),
        (read_slurm, "hello", "expected key=value pairs"),
        (read_slurm_yaml, "[]", "expected a list of topologies"),
        (read_slurm_yaml, "[{topology: t, torus3d: {}}]", "expected one of tree, block, flat, not torus3d"),
        (read_slurm_yaml, "[{topology: t, tree: {switches: [{switch: s, nodes: 3}]}}]", "[0].tree.switches[0].nodes"),
        (read_topograph, "switches: {}", "blocks: no such list"),
        (read_topograph, "blocks: [{switch: s, nodes: [n1]}, {switch: t, nodes: [n1]}]", "'n1' is in two blocks"),
        (read_topograph, "switches: {a: {switches: [c]}, b: {switches: [c]}}\nblocks: []", "'c' is below 'a' already"),
        (read_hypernodes, "kind: Node", "there is no HyperNode in it"),
        (
            read_hypernodes,
            "kind: HyperNode\nspec: {members: [{type: HyperNode, selector: {regexMatch: {pattern: a}}}]}",
            "by its exact name only",
        ),
        (read_nodes, "kind: Topology\nspec: {levels: []}", "there is no Node in it"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(read: Callable[[bytes], Tree], text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text.encode())
    assert message in str(caught.value)


def test_hypernodes_that_match_nodes_find_them_among_the_objects() -> None:
    text = """
kind: HyperNode
metadata: {name: rack-1}
spec: {tier: 1, tierName: rack, members: [{type: Node, selector: {regexMatch: {pattern: "^gpu-0"}}}]}
---
kind: HyperNode
metadata: {name: rack-2}
spec: {tier: 1, tierName: rack, members: [{type: Node, selector: {labelMatch: {matchLabels: {row: b}}}}]}
---
{kind: List, items: [{kind: Node, metadata: {name: gpu-01}}, {kind: Node, metadata: {name: x, labels: {row: b}}}]}
"""
    tree = read_hypernodes(text.encode())
    assert (tree.levels, paths(tree)) == (("rack",), {"gpu-01": ("rack-1",), "x": ("rack-2",)})


def test_nodes_that_differ_in_capitals_only_cannot_be_nodes() -> None:
    with pytest.raises(InputError) as caught:
        node_labels(Tree("t", (), (), {"N1": Leaf(()), "n1": Leaf(())}))
    assert "differ in capital letters only" in str(caught.value)


def test_any_form_may_say_how_a_fabric_is_meant() -> None:
    fabric = small("rail-optimised")
    assert forms.read_wiring(forms.write(fabric, "ptm").encode()).cables == fabric.cables
    assert len(forms.read_wiring(b"SwitchName=s Nodes=n[1-3]").cables) == 3


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)*b", "a*" * 40, "x" * 1000])
def test_a_pattern_that_could_take_for_ever_is_refused(pattern: str) -> None:
    member = {"type": "Node", "selector": {"regexMatch": {"pattern": pattern}}}
    one = {"kind": "HyperNode", "metadata": {"name": "h"}, "spec": {"members": [member]}}
    node = {"kind": "Node", "metadata": {"name": "a" * 250}}
    with pytest.raises(InputError) as caught:
        read_hypernodes(yaml.safe_dump_all([one, node]).encode())
    assert "too much of a pattern" in str(caught.value)


@pytest.mark.parametrize("form", list(forms.FORMS))
@examples(60)
@given(data=st.data())
def test_a_broken_file_of_any_form_is_refused_and_never_a_crash(form: str, data: st.DataObject) -> None:
    text = bytearray(forms.write(small("rail-optimised", units=1, servers=2, rails=2), form).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 6))] = data.draw(st.binary(max_size=6))
    with suppress(InputError):
        assert isinstance(forms.read(bytes(text), "broken", form), Fabric | Tree)
