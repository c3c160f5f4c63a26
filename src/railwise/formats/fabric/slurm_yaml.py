"""Slurm's ``topology.yaml`` (since 25.05): several named topologies in one file, each a tree, blocks, or flat.

A tree of switches and blocks of nodes of one cluster belong together here and are read into one tree with blocks;
rings and tori say nothing that a tree could, so they are refused by name.
"""

from __future__ import annotations

from typing import Any, Final

from railwise.formats.document import load
from railwise.formats.document_writer import document_text
from railwise.formats.fabric.slurm_check import Blocks, Switches, block_sizes, blocks_tree, switches_tree
from railwise.formats.fabric.tree import Leaf, Tree, branches, top_down
from railwise.formats.faults import Faults, at_index, described, shown
from railwise.formats.hostlist import expand, fold
from railwise.model.errors import Fault, InputError

_SHAPES: Final = ("tree", "block", "flat")
_UNREAD: Final = ("ring", "torus3d")
_HINT: Final = "expected a list such as: - {topology: fabric, cluster_default: true, tree: {switches: […]}}"


def read_slurm_yaml(data: bytes, source: str = "") -> Tree:
    """Return the tree of a ``topology.yaml``. Raises InputError with all faults."""
    value = load(data, source)[0].value
    if not isinstance(value, list) or not value:
        raise InputError([Fault("", f"expected a list of topologies, not {described(value)}", _HINT)], source)
    faults = Faults()
    tree, blocks = Tree(), Tree()
    for index, topology in enumerate(value):
        path = at_index("", index)
        if not isinstance(topology, dict) or not isinstance(topology.get("topology"), str):
            faults.add(path, "expected a mapping with 'topology', its name", _HINT)
            continue
        shape = next((one for one in (*_SHAPES, *_UNREAD) if one in topology), "")
        if shape in _UNREAD or not shape:
            faults.add(path, f"expected one of {', '.join(_SHAPES)}, not {shape or 'nothing'}")
        elif shape == "tree" and not tree.nodes:
            tree = _tree(topology["tree"], f"{path}.tree", topology["topology"], faults)
        elif shape == "block" and not blocks.nodes:
            blocks = _blocks(topology["block"], f"{path}.block", topology["topology"], faults)
    faults.raise_any(source)
    return _both(tree, blocks)


def _both(tree: Tree, blocks: Tree) -> Tree:
    """Return the tree with the blocks of its nodes."""
    empty = tuple("" for _ in tree.levels)
    nodes = {}
    for node in dict.fromkeys([*tree.nodes, *blocks.nodes]):
        leaf = tree.nodes.get(node)
        block = blocks.nodes.get(node)
        nodes[node] = Leaf(leaf.path if leaf else empty, block.block if block else "")
    return Tree(tree.name or blocks.name, tree.levels, (), nodes)


def _tree(value: object, path: str, name: str, faults: Faults) -> Tree:
    switches = Switches()
    for index, one in enumerate(_list(value, "switches", path, faults)):
        where = at_index(f"{path}.switches", index)
        if not isinstance(one, dict) or not isinstance(one.get("switch"), str):
            faults.add(where, f"expected a mapping with 'switch', not {described(one)}")
            continue
        children = _names(one, "children", where, faults)
        switches.add(one["switch"], children, _names(one, "nodes", where, faults), where, faults)
    return switches_tree(switches, faults, name)


def _blocks(value: object, path: str, name: str, faults: Faults) -> Tree:
    blocks = Blocks()
    for index, one in enumerate(_list(value, "blocks", path, faults)):
        where = at_index(f"{path}.blocks", index)
        if not isinstance(one, dict) or not isinstance(one.get("block"), str):
            faults.add(where, f"expected a mapping with 'block', not {described(one)}")
            continue
        blocks.add(one["block"], _names(one, "nodes", where, faults), where, faults)
    return blocks_tree(blocks, faults, name)


def _list(value: object, key: str, path: str, faults: Faults) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    if isinstance(found, list):
        return found
    faults.add(f"{path}.{key}", f"expected a list, not {described(found)}")
    return []


def _names(one: dict[str, Any], key: str, path: str, faults: Faults) -> list[str]:
    value = one.get(key)
    if value is None:
        return []
    if not isinstance(value, str):
        faults.add(f"{path}.{key}", f"expected a hostlist, not {described(value)}")
        return []
    try:
        return expand(value)
    except ValueError as error:
        faults.add(f"{path}.{key}", f"{error}: {shown(value)}")
        return []


def slurm_yaml_text(tree: Tree) -> str:
    """Return the topologies of a tree: its switches as the default, and its NVLink blocks."""
    made: list[dict[str, Any]] = []
    found = branches(tree)
    if found:
        switches: list[dict[str, Any]] = []
        for branch in top_down(found):
            held = {"children": fold(branch.children)} if branch.children else {"nodes": fold(branch.nodes)}
            switches.append({"switch": branch.name, **held})
        made.append({"topology": "fabric", "cluster_default": True, "tree": {"switches": switches}})
    blocks = tree.blocks()
    if blocks:
        sizes = block_sizes([len(nodes) for nodes in blocks.values()])
        listed = [{"block": name, "nodes": fold(nodes)} for name, nodes in blocks.items()]
        block = {"block_sizes": sizes, "blocks": listed}
        made.append({"topology": "nvlink", "cluster_default": not found, "block": block})
    if not made:
        made.append({"topology": "fabric", "cluster_default": True, "flat": True})
    return document_text(made, "yaml")
