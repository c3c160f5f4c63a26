"""Topologies without cables: a tree of domains over nodes, and the NVLink blocks beside it.

Slurm, Topograph, Volcano, Kueue and KAI know no ports. What they all know is this tree, so each of their formats is
read into it and written from it; a fabric becomes one through its map, and a tree becomes a fabric with one cable for
each branch. Names of nodes stay as they are, because not every system wants small letters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from railwise.fabric.addresses import derived_mac, derived_uuid
from railwise.fabric.elements import Cable, Domain, Fabric, Nic, Port, Role, Server, Switch
from railwise.fabric.fabric_map import Map, level_of_tier
from railwise.fabric.labels import free_label
from railwise.fabric.mapper import build
from railwise.fabric.telling import tell
from railwise.fabric.topologies import DOMAIN, FABRIC, FABRIC_LABEL, NVLINK, NVLINK_LABEL, node_places, topologies
from railwise.fabric.wires import Wires
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology

_ROLES: Final = (Role.LEAF, Role.SPINE, Role.SUPER_SPINE, Role.CORE)

Path = tuple[str, ...]
"""Names of domains from the widest level on; empty where a node names none."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A node of the tree: where it stands, its block and part of one, and its cards."""

    path: Path
    block: str = ""
    sub_block: str = ""
    cards: tuple[Cards, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes by name in order, below levels from widest to narrowest; ``labels`` are the node labels of the levels."""

    name: str = ""
    levels: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    nodes: Mapping[str, Leaf] = field(default_factory=dict)

    def label_of(self, place: int) -> str:
        """Return the node label of a level."""
        told = self.labels[place] if place < len(self.labels) else ""
        return told or FABRIC_LABEL + self.levels[place]

    def blocks(self) -> dict[str, list[str]]:
        """Return the nodes of each NVLink block, in order."""
        found: dict[str, list[str]] = {}
        for name, leaf in self.nodes.items():
            if leaf.block:
                found.setdefault(leaf.block, []).append(name)
        return found


@dataclass(slots=True)
class Branch:
    """A domain with a name that no other has: its height (0: holds nodes), what is directly below it."""

    name: str
    height: int
    children: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)


def branches(tree: Tree) -> dict[str, Branch]:
    """Return the domains by unique name, each before its parent, in order of the nodes.

    A name that occurs under several parents, or at several levels, is written with the names above it. A node that
    names no domain at the narrowest level hangs on the narrowest one it names.
    """
    paths = _paths(tree)
    names = _unique(paths)
    made: dict[Path, Branch] = {}
    depth = len(tree.levels)
    for path in sorted(paths, key=len, reverse=True):
        made[path] = Branch(names[path], depth - len(path))
    for name, leaf in tree.nodes.items():
        path = _trimmed(leaf.path)
        if path:
            made[path].nodes.append(name)
    for path in paths:
        parent = _trimmed(path[:-1])
        if parent:
            made[parent].children.append(names[path])
    return {branch.name: branch for branch in made.values()}


def top_down(found: Mapping[str, Branch]) -> list[Branch]:
    """Return the domains widest first, for formats in which one holds either domains or nodes.

    The nodes of one that holds both get a domain of their own below it.
    """
    made = []
    for branch in sorted(found.values(), key=lambda branch: -branch.height):
        if branch.children and branch.nodes:
            own = f"{branch.name}.nodes"
            made.append(Branch(branch.name, branch.height, [*branch.children, own]))
            made.append(Branch(own, branch.height - 1, [], branch.nodes))
        else:
            made.append(branch)
    return made


def _trimmed(path: Path) -> Path:
    """Return a path without levels that name nothing at its end."""
    while path and not path[-1]:
        path = path[:-1]
    return path


def _paths(tree: Tree) -> list[Path]:
    """Return every domain's path in order of first appearance."""
    found: dict[Path, None] = {}
    for leaf in tree.nodes.values():
        path = _trimmed(leaf.path)
        while path:
            found.setdefault(path)
            path = _trimmed(path[:-1])
    return list(found)


def _unique(paths: Iterable[Path]) -> dict[Path, str]:
    listed = list(paths)
    counts = Counter(path[-1] for path in listed)
    taken: set[str] = set()
    names = {}
    for path in sorted(listed, key=lambda path: (counts[path[-1]] > 1, len(path))):
        wish = path[-1] if counts[path[-1]] == 1 else ".".join(part for part in path if part)
        names[path] = free_label(wish, taken)
        taken.add(names[path])
    return names


def tree_of_map(found: Map, fabric: Fabric) -> Tree:
    """Return the tree of a map; the fabric tells the cards, and in which order the servers stand."""
    made = topologies(found)
    levels = next((one.levels for one in made if one.name == FABRIC), ())
    places = node_places(found)
    nodes = {}
    for server in fabric.servers:
        place = places.get(server.name)
        mine = place.places if place else {}
        path = tuple(mine.get(FABRIC, {}).get(level.name, "") for level in levels)
        cards = (Cards(server.gpus, server.gpu_model),) if server.gpus else ()
        nodes[server.name] = Leaf(path, mine.get(NVLINK, {}).get(DOMAIN, ""), "", cards)
    names = tuple(level.name for level in levels)
    return Tree(fabric.name, names, tuple(level.label for level in levels), nodes)


def tree_of_fabric(fabric: Fabric) -> Tree:
    """Return the tree that follows from a fabric's wiring as it is at the start."""
    return tree_of_map(build(tell(Wires(fabric)), None, fabric), fabric)


def tree_of_scenario(scenario: Scenario) -> Tree:
    """Return the tree of a scenario: its default topology, and the first of another name that has one level or two."""
    base = scenario.topologies[0] if scenario.topologies else Topology(FABRIC, ())
    beside = next((one for one in scenario.topologies[1:] if 0 < len(one.levels) <= 2), None)  # noqa: PLR2004 -- domain and its part
    if base.name == NVLINK and len(scenario.topologies) == 1:
        base, beside = Topology(FABRIC, ()), base
    nodes = {}
    for node in scenario.nodes:
        place = node.places.get(base.name, {})
        block = [node.places.get(beside.name, {}).get(level.name, "") for level in beside.levels] if beside else []
        domain, part = [*block, "", ""][:2]
        path = tuple(place.get(level.name, "") for level in base.levels)
        nodes[node.name] = Leaf(path, domain, part, node.cards)
    names = tuple(level.name for level in base.levels)
    return Tree(scenario.name, names, tuple(level.label for level in base.levels), nodes)


def scenario_of_tree(tree: Tree) -> Scenario:
    """Return a scenario with the nodes of a tree; names in small letters, as nodes have them."""
    levels = tuple(Level(name, tree.label_of(place)) for place, name in enumerate(tree.levels))
    made = [Topology(FABRIC, levels)] if levels else []
    parts = any(leaf.sub_block for leaf in tree.nodes.values())
    if any(leaf.block for leaf in tree.nodes.values()):
        names = (DOMAIN, "sub-domain") if parts else (DOMAIN,)
        made.append(Topology(NVLINK, tuple(Level(name, NVLINK_LABEL + name) for name in names)))
    nodes = []
    for name, leaf in tree.nodes.items():
        path = {level: domain for level, domain in zip(tree.levels, leaf.path, strict=False) if domain}
        block = {DOMAIN: leaf.block} | ({"sub-domain": leaf.sub_block} if leaf.sub_block else {}) if leaf.block else {}
        places = {FABRIC: path} if path else {}
        nodes.append(Node(name.lower(), places | ({NVLINK: block} if block else {}), leaf.cards))
    return Scenario(tree.name, topologies=tuple(made), nodes=tuple(nodes))


def blocks_as_level(tree: Tree) -> Tree:
    """Return a tree whose NVLink blocks are its only level, for formats that know no blocks; without any, the tree."""
    if not tree.blocks():
        return tree
    nodes = {name: replace(leaf, path=(leaf.block,)) for name, leaf in tree.nodes.items()}
    return replace(tree, levels=(DOMAIN,), labels=(NVLINK_LABEL + DOMAIN,), nodes=nodes)


def fabric_of_tree(tree: Tree) -> Fabric:
    """Return a fabric whose map is the tree: one switch for each domain, one cable for each branch."""
    found = branches(tree)
    parent = {child: branch.name for branch in found.values() for child in branch.children}
    switches = []
    ports: Counter[str] = Counter()
    cables = []

    def free(switch: str) -> Port:
        ports[switch] += 1
        return Port(switch, f"p{ports[switch]}")

    for name, branch in found.items():
        cables += [Cable(Port(node, "eth0"), free(name)) for node in branch.nodes]
    cables += [Cable(free(name), free(above)) for name, above in parent.items()]
    for name, branch in found.items():
        own = tuple(f"p{number}" for number in range(1, ports[name] + 1))
        role = _ROLES[min(branch.height, len(_ROLES) - 1)]
        switches.append(Switch(name, role, ports=own, chassis=derived_mac(name)))
    servers = []
    for name, leaf in tree.nodes.items():
        gpus = sum(cards.count for cards in leaf.cards)
        nics = (Nic("eth0", mac=derived_mac(f"{name}/eth0")),) if leaf.path and any(leaf.path) else ()
        servers.append(Server(name, nics, gpus, leaf.cards[0].model if leaf.cards else ""))
    domains = tuple(
        Domain(block, tuple(members), cluster_uuid=derived_uuid(block)) for block, members in tree.blocks().items()
    )
    return Fabric(tree.name, tuple(switches), tuple(servers), tuple(cables), domains)


def grown(parents: Mapping[str, str], leaves: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, Path]]:
    """Return levels and paths of nodes, from the parent of each domain and the domain of each node.

    Levels are counted from the nodes up, so that what holds nodes is a leaf group; a node under a shallow branch names
    nothing at the levels in between.
    """
    height: dict[str, int] = {}
    for domain in leaves.values():
        at = 0
        step = domain
        while step:
            if height.get(step, -1) >= at and at:
                break
            height[step] = max(height.get(step, 0), at)
            step, at = parents.get(step, ""), height[step] + 1
    top = max(height.values(), default=-1)
    levels = tuple(level_of_tier(at) for at in range(top, -1, -1))
    paths = {}
    for node, domain in leaves.items():
        path = [""] * (top + 1)
        step = domain
        while step:
            path[top - height[step]] = step
            step = parents.get(step, "")
        paths[node] = tuple(path)
    return levels, paths
