"""Topograph's simulation models: switches with their children, and blocks of nodes on a switch.

The model writes one parent a switch, hostlists of nodes in lists, and the NVLink domain and its parts as annotations of
a block (``accelerator.topology.test/domain`` and ``/sub-domain``); labels may stand at switches and blocks. Rails and
ports cannot be expressed in it.
"""

from __future__ import annotations

from typing import Any, Final

from railwise.formats.document import load
from railwise.formats.document_writer import document_text
from railwise.formats.fabric.slurm_check import Switches, switches_tree
from railwise.formats.fabric.tree import Leaf, Tree, branches, top_down
from railwise.formats.faults import Faults, at_index, at_key, described, shown
from railwise.formats.hostlist import expand, fold
from railwise.model.errors import Fault, InputError

DOMAIN: Final = "accelerator.topology.test/domain"
SUB_DOMAIN: Final = "accelerator.topology.test/sub-domain"
_HINT: Final = 'expected a model: {switches: {spine: {switches: [leaf]}}, blocks: [{switch: leaf, nodes: ["n[1-4]"]}]}'


def read_topograph(data: bytes, source: str = "") -> Tree:
    """Return the tree of a model. Raises InputError with all faults."""
    value = load(data, source)[0].value
    if not isinstance(value, dict) or not isinstance(value.get("blocks"), list):
        raise InputError([Fault("blocks", "no such list", _HINT)], source)
    faults = Faults()
    switches = Switches()
    declared = value.get("switches") or {}
    if not isinstance(declared, dict):
        faults.add("switches", f"expected a mapping, not {described(declared)}")
        declared = {}
    blocks = _blocks(value["blocks"], faults)
    for name, entry in declared.items():
        _switch(name, entry, switches, faults)
    domains: dict[str, tuple[str, str]] = {}
    for where, switch, nodes, domain in blocks:
        for node in nodes:
            if switches.leaves.setdefault(node, switch) != switch or domains.setdefault(node, domain) != domain:
                faults.add(where, f"the node {shown(node)} is in two blocks")
        switches.lines.setdefault(switch, where)
    for parent in list(switches.parents.values()):
        switches.lines.setdefault(parent, at_key("switches", parent))
    for child in switches.parents:
        switches.lines.setdefault(child, at_key("switches", child))
    tree = switches_tree(switches, faults)
    faults.raise_any(source)
    leaves = {name: Leaf(leaf.path, *domains[name]) for name, leaf in tree.nodes.items()}
    return Tree(tree.name, tree.levels, (), leaves)


def _switch(name: str, entry: object, switches: Switches, faults: Faults) -> None:
    path = at_key("switches", name)
    children = entry.get("switches") if isinstance(entry, dict) else None
    switches.lines.setdefault(name, path)
    if entry is not None and not isinstance(entry, dict):
        faults.add(path, f"expected a mapping, not {described(entry)}")
    for index, child in enumerate(children if isinstance(children, list) else []):
        where = at_index(f"{path}.switches", index)
        for one in _expanded(child, where, faults):
            if switches.parents.setdefault(one, name) != name:
                faults.add(where, f"the switch {shown(one)} is below {shown(switches.parents[one])} already")


def _blocks(blocks: list[Any], faults: Faults) -> list[tuple[str, str, list[str], tuple[str, str]]]:
    found = []
    for index, block in enumerate(blocks):
        path = at_index("blocks", index)
        if not isinstance(block, dict) or not isinstance(block.get("switch"), str):
            faults.add(path, f"expected a mapping with 'switch', not {described(block)}")
            continue
        listed = block.get("nodes")
        nodes: list[str] = []
        for place, text in enumerate(listed if isinstance(listed, list) else []):
            nodes += _expanded(text, at_index(f"{path}.nodes", place), faults)
        notes = block.get("annotations")
        notes = notes if isinstance(notes, dict) else {}
        domain = (str(notes.get(DOMAIN, "")), str(notes.get(SUB_DOMAIN, "")))
        found.append((path, block["switch"], nodes, domain))
    return found


def _expanded(text: object, where: str, faults: Faults) -> list[str]:
    if not isinstance(text, str):
        faults.add(where, f"expected a name or a hostlist, not {described(text)}")
        return []
    try:
        return expand(text)
    except ValueError as error:
        faults.add(where, str(error))
        return []


def topograph_document(tree: Tree) -> dict[str, Any]:
    """Return the model of a tree as plain values."""
    found = branches(tree)
    switches = {branch.name: {"switches": branch.children} for branch in top_down(found) if branch.children}
    blocks = []
    for branch in top_down(found):
        by_domain: dict[tuple[str, str], list[str]] = {}
        for node in branch.nodes:
            leaf = tree.nodes[node]
            by_domain.setdefault((leaf.block, leaf.sub_block), []).append(node)
        for (domain, part), nodes in by_domain.items():
            block: dict[str, Any] = {"switch": branch.name, "nodes": [fold(nodes)]}
            notes = ({DOMAIN: domain} if domain else {}) | ({SUB_DOMAIN: part} if part else {})
            blocks.append(block | ({"annotations": notes} if notes else {}))
    return ({"switches": switches} if switches else {}) | {"blocks": blocks}


def topograph_text(tree: Tree) -> str:
    """Return the model of a tree."""
    return document_text(topograph_document(tree), "yaml")
