"""Volcano's HyperNodes: an object for each domain, with a tier and the nodes or HyperNodes in it.

Volcano skips all topology jobs of a cluster when one HyperNode has two parents or lies in a circle, so such objects are
refused here with their names. Members are read by exact name; regular expressions and labels are matched against the
Node objects of the same input, since only there they have a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from railwise.formats.document import Document, load
from railwise.formats.document_writer import document_text
from railwise.formats.fabric.slurm_check import Switches, switches_tree
from railwise.formats.fabric.tree import Tree, branches, top_down
from railwise.formats.faults import Faults, at_index, described, shown
from railwise.formats.patterns import safe_pattern
from railwise.formats.terms import LEVEL
from railwise.model.errors import Fault, InputError

GROUP: Final = "topology.volcano.sh/"
API_VERSION: Final = "topology.volcano.sh/v1alpha1"
_HINT: Final = "expected objects of kind HyperNode (kubectl get hypernodes -o yaml)"


def read_hypernodes(data: bytes, source: str = "") -> Tree:
    """Return the tree of the HyperNodes of an input. Raises InputError with all faults."""
    return hypernodes_tree(load(data, source), source)


def hypernodes_tree(documents: Sequence[Document], source: str = "") -> Tree:
    """Return the tree of the HyperNodes among some objects."""
    faults = Faults()
    objects = list(unfolded(documents))
    nodes = {_name(one): _labels(one) for one in objects if one.get("kind") == "Node"}
    found = [one for one in objects if one.get("kind") == "HyperNode"]
    if not found:
        raise InputError([Fault("", "there is no HyperNode in it", _HINT)], source)
    switches = Switches()
    for one in found:
        name = _name(one)
        spec = mapping(one.get("spec"))
        children: list[str] = []
        held: list[str] = []
        for index, member in enumerate(spec.get("members") or []):
            path = at_index(f"{name}: spec.members", index)
            kind, names = _members(member, nodes, path, faults)
            (children if kind == "HyperNode" else held).extend(names)
        if not children and not held:
            continue
        switches.add(name, children, held, name, faults)
    tree = switches_tree(switches, faults)
    faults.raise_any(source)
    return replace(tree, levels=_level_names(tree, found))


def _level_names(tree: Tree, found: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the names of the tiers, where each has one of its own; else those that levels have without names."""
    named: dict[int, set[str]] = {}
    for one in found:
        spec = mapping(one.get("spec"))
        tier, name = spec.get("tier"), spec.get("tierName")
        if isinstance(tier, int) and isinstance(name, str) and not LEVEL.problem(name):
            named.setdefault(tier, set()).add(name)
    names = [next(iter(named[tier])) for tier in sorted(named, reverse=True) if len(named[tier]) == 1]
    whole = len(names) == len(named) == len(tree.levels) and len(set(names)) == len(names)
    return tuple(names) if whole else tree.levels


def unfolded(documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Return the objects of documents, those of lists one by one."""
    found: list[dict[str, Any]] = []
    for document in documents:
        value = document.value
        if isinstance(value, dict) and isinstance(value.get("items"), list):
            found += [one for one in value["items"] if isinstance(one, dict)]
        elif isinstance(value, dict):
            found.append(value)
    return found


def mapping(value: object) -> dict[str, Any]:
    """Return a mapping as it is, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _name(one: Mapping[str, Any]) -> str:
    meta = one.get("metadata")
    name = meta.get("name") if isinstance(meta, dict) else None
    return name if isinstance(name, str) else ""


def _labels(one: Mapping[str, Any]) -> dict[str, str]:
    meta = one.get("metadata")
    labels = meta.get("labels") if isinstance(meta, dict) else None
    return labels if isinstance(labels, dict) else {}


def _members(
    member: object, nodes: Mapping[str, Mapping[str, str]], path: str, faults: Faults
) -> tuple[str, list[str]]:
    """Return the kind of a member and the names it stands for."""
    kind = member.get("type") if isinstance(member, dict) else None
    selector = member.get("selector") if isinstance(member, dict) else None
    if kind not in ("Node", "HyperNode") or not isinstance(selector, dict):
        faults.add(path, f"expected {{type: Node or HyperNode, selector: …}}, not {described(member)}")
        return "Node", []
    exact = selector.get("exactMatch")
    if isinstance(exact, dict) and isinstance(exact.get("name"), str):
        return str(kind), [exact["name"]]
    if kind == "HyperNode":
        faults.add(path, "a HyperNode is a member by its exact name only; Volcano drops any other silently")
        return "HyperNode", []
    pattern = selector.get("regexMatch")
    if isinstance(pattern, dict) and isinstance(pattern.get("pattern"), str):
        return "Node", _matching(pattern["pattern"], nodes, path, faults)
    labels = mapping(selector.get("labelMatch"))
    wanted = mapping(labels.get("matchLabels"))
    if wanted and not labels.get("matchExpressions"):
        return "Node", [name for name, own in nodes.items() if wanted.items() <= own.items()]
    faults.add(path, f"expected exactMatch, regexMatch or labelMatch with matchLabels, not {shown(str(selector))}")
    return "Node", []


def _matching(pattern: str, nodes: Mapping[str, Mapping[str, str]], path: str, faults: Faults) -> list[str]:
    compiled, problem = safe_pattern(pattern)
    if compiled is None:
        faults.add(path, problem)
        return []
    return [name for name in nodes if compiled.search(name)]


def hypernodes_documents(tree: Tree) -> list[dict[str, Any]]:
    """Return a HyperNode for each domain of a tree, narrowest first; tiers count from 1."""
    names = {branch.name: object_name(branch.name) for branch in top_down(branches(tree))}
    level = {len(tree.levels) - 1 - place: name for place, name in enumerate(tree.levels)}
    made = []
    for branch in sorted(top_down(branches(tree)), key=lambda branch: branch.height):
        members = [_member("HyperNode", names[child]) for child in branch.children]
        members += [_member("Node", node.lower()) for node in branch.nodes]
        spec: dict[str, Any] = {"tier": branch.height + 1}
        if branch.height in level:
            spec["tierName"] = level[branch.height]
        meta = {"name": names[branch.name]}
        spec["members"] = members
        made.append({"apiVersion": API_VERSION, "kind": "HyperNode", "metadata": meta, "spec": spec})
    return made


def _member(kind: str, name: str) -> dict[str, Any]:
    return {"type": kind, "selector": {"exactMatch": {"name": name}}}


def object_name(name: str) -> str:
    """Return a name as objects may have it: small letters, digits, ``-`` and ``.``."""
    return re.sub(r"[^a-z0-9.-]", "-", name.lower()).strip("-.") or "domain"


def hypernodes_text(tree: Tree) -> str:
    """Return the HyperNodes of a tree as a YAML stream."""
    return "---\n".join(document_text(one, "yaml") for one in hypernodes_documents(tree))
