"""Switches and blocks as Slurm takes them: one parent each, no circles, every node once.

Both of Slurm's formats, ``topology.conf`` and ``topology.yaml``, say the same things, so they are checked in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from railwise.formats.fabric.tree import Leaf, Tree, grown
from railwise.formats.faults import Faults, shown

LONGEST: Final = 64
"""Characters of a switch's name, as Slurm bounds them."""


@dataclass(slots=True)
class Switches:
    """The switches read so far: the parent of each, the leaf of each node, and where each was named."""

    parents: dict[str, str] = field(default_factory=dict)
    leaves: dict[str, str] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, children: Sequence[str], nodes: Sequence[str], where: str, faults: Faults) -> None:
        """Take a switch in; a second parent or place is a fault."""
        if len(name) > LONGEST:
            faults.add(where, f"the name {shown(name)} has more than {LONGEST} characters")
        if name in self.lines:
            faults.add(where, f"the switch {shown(name)} is given already: {self.lines[name]}")
        self.lines.setdefault(name, where)
        if bool(children) == bool(nodes):
            faults.add(where, f"the switch {shown(name)} has {'both' if nodes else 'neither'} switches and nodes")
        for child in children:
            if self.parents.setdefault(child, name) != name:
                faults.add(where, f"the switch {shown(child)} is below {shown(self.parents[child])} already")
        for node in nodes:
            if self.leaves.setdefault(node, name) != name:
                faults.add(where, f"the node {shown(node)} is on {shown(self.leaves[node])} already")


@dataclass(slots=True)
class Blocks:
    """The blocks read so far: their nodes, and the block of each node."""

    nodes: dict[str, list[str]] = field(default_factory=dict)
    block_of: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, nodes: Sequence[str], where: str, faults: Faults) -> None:
        """Take a block in; a second block of a node is a fault."""
        if name in self.nodes:
            faults.add(where, f"the block {shown(name)} is given twice")
        self.nodes.setdefault(name, list(nodes))
        for node in nodes:
            if self.block_of.setdefault(node, name) != name:
                faults.add(where, f"the node {shown(node)} is in {shown(self.block_of[node])} already")


def switches_tree(switches: Switches, faults: Faults, name: str = "") -> Tree:
    """Return the tree of the switches; a circle or a switch that nobody describes is a fault."""
    for child, parent in switches.parents.items():
        if child not in switches.lines:
            faults.add(switches.lines[parent], f"the switch {shown(child)} is not described")
    for first in switches.parents:
        seen, step = {first}, switches.parents.get(first, "")
        while step and step not in seen:
            seen.add(step)
            step = switches.parents.get(step, "")
        if step == first:
            faults.add(switches.lines.get(first, ""), f"the switch {shown(first)} is below itself")
    if faults.count():
        return Tree()
    levels, paths = grown(switches.parents, switches.leaves)
    return Tree(name, levels, (), {node: Leaf(path) for node, path in paths.items()})


def blocks_tree(blocks: Blocks, faults: Faults, name: str = "") -> Tree:
    """Return a tree without levels whose nodes are in blocks."""
    if faults.count():
        return Tree()
    return Tree(name, (), (), {node: Leaf((), block) for node, block in blocks.block_of.items()})


def block_sizes(counts: Sequence[int]) -> list[int]:
    """Return the sizes to plan with: the smallest block, and its doubles as long as there are enough blocks."""
    base = max(min(counts), 1)
    return [base << step for step in range(len(counts).bit_length())]
