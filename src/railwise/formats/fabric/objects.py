"""Kubernetes objects of a topology: labelled Nodes, KWOK nodes, and the Topology objects of Kueue and KAI.

A Topology of either kind only lists node labels from widest to narrowest; the domains are the values of these labels on
Nodes. So the two always go together, and the reader takes them together: levels from the Topology, places from Nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from railwise.fabric.labels import label
from railwise.fabric.topologies import DOMAIN, NVLINK_LABEL
from railwise.formats.document import load
from railwise.formats.document_writer import document_text
from railwise.formats.fabric.hypernodes import object_name, unfolded
from railwise.formats.fabric.tree import Leaf, Tree, tree_of_scenario
from railwise.formats.kubernetes.objects import read_objects
from railwise.formats.terms import NAME
from railwise.model.errors import Fault, InputError

HOSTNAME: Final = "kubernetes.io/hostname"
KUEUE: Final = "kueue.x-k8s.io/v1beta2"
KAI: Final = "kai.scheduler/v1alpha1"
_TIER: Final = "fabric.topograph.run/tier-"
_OLD_NAMES: Final = ("leaf", "spine", "core")

Keys = Callable[[Tree], tuple[list[str], str, str]]
"""From a tree to the label keys of its levels, widest first, and those of block and part of one."""


def _own(tree: Tree) -> tuple[list[str], str, str]:
    keys = [tree.label_of(place) for place in range(len(tree.levels))]
    return keys, NVLINK_LABEL + DOMAIN, NVLINK_LABEL + "sub-domain"


def _topograph(tree: Tree) -> tuple[list[str], str, str]:
    last = len(tree.levels) - 1
    keys = [f"{_TIER}{last - place}" for place in range(len(tree.levels))]
    return keys, "accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"


def _topograph_old(tree: Tree) -> tuple[list[str], str, str]:
    last = len(tree.levels) - 1
    names = [_OLD_NAMES[last - place] if last - place < len(_OLD_NAMES) else "" for place in range(len(tree.levels))]
    keys = [f"network.topology.nvidia.com/{name}" if name else "" for name in names]
    return keys, "network.topology.nvidia.com/accelerator", ""


PROFILES: Final[Mapping[str, Keys]] = {"railwise": _own, "topograph": _topograph, "topograph-0.5": _topograph_old}
"""Which label keys are written."""


def node_labels(tree: Tree, profile: str = "railwise") -> dict[str, dict[str, str]]:
    """Return the topology labels of every node, by its name in small letters; values are legal.

    Raises InputError for names that differ in case only.
    """
    keys, block_key, part_key = PROFILES[profile](tree)
    made: dict[str, dict[str, str]] = {}
    for name, leaf in tree.nodes.items():
        told = [*zip(keys, leaf.path, strict=False), (block_key, leaf.block), (part_key, leaf.sub_block)]
        lower = name.lower()
        if lower in made or NAME.problem(lower):
            problem = NAME.problem(lower) or "two nodes differ in capital letters only"
            raise InputError([Fault("", f"{name} cannot be the name of a Node: {problem}")])
        made[lower] = {key: label(value) for key, value in told if key and value}
    return made


def node_documents(tree: Tree, profile: str = "railwise", *, kwok: bool = False) -> list[dict[str, Any]]:
    """Return a Node for each node; for KWOK with what makes it play a machine."""
    made = []
    by_name = {name.lower(): leaf for name, leaf in tree.nodes.items()}
    for name, labels in node_labels(tree, profile).items():
        leaf = by_name[name]
        meta: dict[str, Any] = {"name": name, "labels": {HOSTNAME: name, **_cards(leaf), **labels}}
        node: dict[str, Any] = {"apiVersion": "v1", "kind": "Node", "metadata": meta}
        amounts = _amounts(leaf)
        if kwok:
            meta["annotations"] = {"kwok.x-k8s.io/node": "fake"}
            meta["labels"] = {"type": "kwok", **meta["labels"]}
            node["spec"] = {"taints": [{"key": "kwok.x-k8s.io/node", "value": "fake", "effect": "NoSchedule"}]}
            amounts = {"cpu": "192", "memory": "2Ti", "pods": "110", **amounts}
        if amounts:
            node["status"] = {"capacity": amounts, "allocatable": amounts}
        made.append(node)
    return made


def _cards(leaf: Leaf) -> dict[str, str]:
    model = leaf.cards[0].model if leaf.cards else ""
    return {"nvidia.com/gpu.product": label(model)} if model else {}


def _amounts(leaf: Leaf) -> dict[str, str]:
    count = sum(cards.count for cards in leaf.cards)
    return {"nvidia.com/gpu": str(count)} if count else {}


def topology_document(tree: Tree, api_version: str, profile: str = "railwise") -> dict[str, Any]:
    """Return the Topology of Kueue or KAI: the labels of the levels, and the host at the end."""
    keys, block_key, _ = PROFILES[profile](tree)
    wanted = [key for key in keys if key] or ([block_key] if tree.blocks() else [])
    levels = [{"nodeLabel": key} for key in [*wanted, HOSTNAME]]
    meta = {"name": object_name(tree.name or "fabric")}
    return {"apiVersion": api_version, "kind": "Topology", "metadata": meta, "spec": {"levels": levels}}


def stream(documents: Sequence[dict[str, Any]]) -> str:
    """Return objects as a YAML stream."""
    return "---\n".join(document_text(one, "yaml") for one in documents)


def kueue_text(tree: Tree, profile: str = "railwise") -> str:
    """Return Kueue's Topology with the labelled Nodes."""
    return stream([topology_document(tree, KUEUE, profile), *node_documents(tree, profile)])


def kai_text(tree: Tree, profile: str = "railwise") -> str:
    """Return KAI's Topology with the labelled Nodes."""
    return stream([topology_document(tree, KAI, profile), *node_documents(tree, profile)])


def read_nodes(data: bytes, source: str = "") -> Tree:
    """Return the tree of the Nodes of an input, levels as a Topology among them lists them, else found from labels.

    Raises InputError with all faults.
    """
    objects = unfolded(load(data, source))
    topology = next((one for one in objects if one.get("kind") == "Topology"), None)
    nodes = [(source or f"[{index}]", one) for index, one in enumerate(objects) if one.get("kind") == "Node"]
    if not nodes:
        hint = "a Topology names labels; put the Nodes that carry them into the same file"
        raise InputError([Fault("", "there is no Node in it", hint)], source)
    keys = _keys(topology) if topology is not None else []
    blocks = {NVLINK_LABEL + DOMAIN}
    wanted = [key for key in keys if key != HOSTNAME]
    levels = ",".join(f"{_level(key)}={key}" for key in wanted if key not in blocks)
    scenario = read_objects(nodes, levels)
    name = topology.get("metadata", {}).get("name", "") if topology is not None else ""
    found = tree_of_scenario(scenario)
    return Tree(name, found.levels, found.labels, found.nodes)


def _level(key: str) -> str:
    return key.rpartition("/")[2].lower().replace("_", "-")


def _keys(topology: Mapping[str, Any]) -> list[str]:
    spec = topology.get("spec")
    levels = spec.get("levels") if isinstance(spec, dict) else None
    found = [one.get("nodeLabel") for one in levels or [] if isinstance(one, dict)]
    return [key for key in found if isinstance(key, str)]
