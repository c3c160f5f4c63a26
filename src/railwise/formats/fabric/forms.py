"""Every form a topology comes in, which of them a file has, and how one becomes another.

Forms are of two kinds. *Wiring* knows ports and cables (our Fabric, NVIDIA Air, DOT, containerlab); a *tree* knows
domains only (Slurm, Topograph, HyperNodes, Topology objects with Nodes, scenarios). Wiring becomes a tree through its
map; a tree becomes wiring with one switch for each domain and one cable for each branch, which draws the same tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from railwise.fabric.elements import Fabric
from railwise.formats.document import load
from railwise.formats.fabric import air, containerlab, dot, hypernodes, objects, slurm, slurm_yaml, topograph
from railwise.formats.fabric.reader import read_fabric_text
from railwise.formats.fabric.tree import (
    Tree,
    blocks_as_level,
    fabric_of_tree,
    scenario_of_tree,
    tree_of_fabric,
    tree_of_scenario,
)
from railwise.formats.fabric.writer import fabric_text
from railwise.formats.inputs import read_inputs
from railwise.formats.scenario.writer import scenario_text
from railwise.model.errors import Fault, InputError

Topology = Fabric | Tree


@dataclass(frozen=True, slots=True)
class Form:
    """A form: what it is, and how it is read and written; what cannot be is None."""

    title: str
    read: Callable[[bytes, str], Topology] | None = None
    write_wiring: Callable[[Fabric], str] | None = None
    write_tree: Callable[[Tree, str], str] | None = None


def _read_scenario(data: bytes, source: str) -> Tree:
    return tree_of_scenario(read_inputs([(source or "scenario.yaml", data)]))


def _scenario_text(tree: Tree, _profile: str) -> str:
    return scenario_text(scenario_of_tree(tree), "yaml")


FORMS: Final[dict[str, Form]] = {
    "fabric": Form("kind: Fabric", read_fabric_text, fabric_text),
    "air": Form("NVIDIA Air, JSON", air.read_air, air.air_text),
    "air-dot": Form("NVIDIA Air, DOT", dot.read_dot, dot.dot_text),
    "ptm": Form("Cumulus PTM topology.dot", dot.read_dot, lambda fabric: dot.dot_text(fabric, attributes=False)),
    "containerlab": Form("containerlab YAML", containerlab.read_containerlab, containerlab.containerlab_text),
    "scenario": Form("nodes of a scenario", _read_scenario, None, _scenario_text),
    "slurm-tree": Form("Slurm topology.conf", slurm.read_slurm, None, lambda tree, _: slurm.slurm_tree_text(tree)),
    "slurm-block": Form("the same, blocks", slurm.read_slurm, None, lambda tree, _: slurm.slurm_block_text(tree)),
    "slurm-yaml": Form(
        "Slurm topology.yaml", slurm_yaml.read_slurm_yaml, None, lambda tree, _: slurm_yaml.slurm_yaml_text(tree)
    ),
    "topograph": Form(
        "Topograph model YAML", topograph.read_topograph, None, lambda tree, _: topograph.topograph_text(tree)
    ),
    "hypernodes": Form(
        "Volcano HyperNodes", hypernodes.read_hypernodes, None, lambda tree, _: hypernodes.hypernodes_text(tree)
    ),
    "kueue": Form("Kueue Topology and Nodes", objects.read_nodes, None, objects.kueue_text),
    "kai": Form("KAI Topology and Nodes", objects.read_nodes, None, objects.kai_text),
    "nodes": Form(
        "labelled Nodes", objects.read_nodes, None, lambda tree, own: objects.stream(objects.node_documents(tree, own))
    ),
    "kwok": Form(
        "KWOK nodes",
        objects.read_nodes,
        None,
        lambda tree, own: objects.stream(objects.node_documents(tree, own, kwok=True)),
    ),
}
"""Every form by name."""

PROFILES: Final = tuple(objects.PROFILES)

_NEED_LEVELS: Final = ("slurm-tree", "topograph", "hypernodes")

_SLURM: Final = re.compile(r"^\s*(switchname|blockname)\s*=", re.IGNORECASE | re.MULTILINE)
_DOT: Final = re.compile(r"^\s*((//|\#)[^\n]*\n\s*)*(strict\s+)?(di)?graph\b", re.IGNORECASE)
_LOOKED_AT: Final = 1 << 20
_KINDS: Final = {
    "Fabric": "fabric",
    "Scenario": "scenario",
    "HyperNode": "hypernodes",
    "Topology": "kueue",
    "Node": "nodes",
}


def detect(data: bytes, source: str = "") -> str:
    """Return the name of the form of a file; InputError, with the forms there are, if it has none."""
    text = data[:_LOOKED_AT].decode("utf-8", "replace")
    if _DOT.match(text):
        return "ptm"
    if _SLURM.search(text):
        return "slurm-tree"
    form = _of_value([document.value for document in load(data, source)])
    if not form:
        known = ", ".join(f"{name} ({form.title})" for name, form in FORMS.items())
        raise InputError([Fault("", "no form that is known", f"name it with --from: {known}")], source)
    return form


def _of_value(values: list[Any]) -> str:
    first = values[0]
    if isinstance(first, list):
        return "slurm-yaml" if first and isinstance(first[0], dict) and "topology" in first[0] else ""
    if not isinstance(first, dict):
        return ""
    listed = first.get("items") if isinstance(first.get("items"), list) else values
    objects_in = [one for one in listed or [] if isinstance(one, dict)]
    kinds = [one.get("kind") for one in objects_in]
    found = next((form for kind, form in _KINDS.items() if kind in kinds), "")
    if found == "kueue" and any("kai.scheduler" in str(one.get("apiVersion")) for one in objects_in):
        return "kai"
    if found:
        return found
    if isinstance(first.get("content"), dict) or ("nodes" in first and "links" in first):
        return "air"
    if isinstance(first.get("topology"), dict) and "nodes" in first["topology"]:
        return "containerlab"
    return "topograph" if "blocks" in first else ""


def read(data: bytes, source: str = "", form: str = "") -> Topology:
    """Return the topology of a file; an empty ``form`` is found out. Raises InputError."""
    chosen = FORMS[form or detect(data, source)]
    if chosen.read is None:
        raise InputError([Fault("", f"{chosen.title} is written, not read")], source)
    return chosen.read(data, source)


def read_wiring(data: bytes, source: str = "", form: str = "") -> Fabric:
    """Return the fabric of a file in any form; a tree becomes one cable for each branch. Raises InputError."""
    found = read(data, source, form)
    return found if isinstance(found, Fabric) else fabric_of_tree(found)


def write(topology: Topology, form: str, profile: str = "railwise") -> str:
    """Return a topology in a form; ``profile`` says which label keys Nodes get. Raises InputError if it cannot be."""
    chosen = FORMS[form]
    if chosen.write_wiring is not None:
        return chosen.write_wiring(topology if isinstance(topology, Fabric) else fabric_of_tree(topology))
    if chosen.write_tree is None:
        raise InputError([Fault("", f"{chosen.title} is read, not written")])
    tree = topology if isinstance(topology, Tree) else tree_of_fabric(topology)
    if form in _NEED_LEVELS and not tree.levels:
        tree = blocks_as_level(tree)
        if not tree.levels:
            hint = "`railwise fabric show` tells why: servers without cables, or none at all"
            raise InputError([Fault("", f"no domain is known of any node, and {chosen.title} lists domains", hint)])
    return chosen.write_tree(tree, profile)
