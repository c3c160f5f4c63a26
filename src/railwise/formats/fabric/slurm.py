"""Slurm's ``topology.conf``: a tree of switches (topology/tree) or blocks of nodes (topology/block).

A line is ``SwitchName=s1 Switches=…`` or ``SwitchName=s1 Nodes=…``, a block ``BlockName=b1 Nodes=…``; names are
hostlists, keys may be written in any case, ``#`` starts a comment, a backslash at the end continues the line. Slurm
knows no names of levels, so switches that hold nodes are leaf groups, and so on upwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from railwise.formats.fabric.slurm_check import Blocks, Switches, block_sizes, blocks_tree, switches_tree
from railwise.formats.fabric.tree import Tree, branches, top_down
from railwise.formats.faults import Faults, guess, shown
from railwise.formats.hostlist import expand, fold
from railwise.model.errors import Fault, InputError

_PAIR: Final = re.compile(r"([A-Za-z]+)\s*=\s*(\"[^\"]*\"|\S+)")
_KEYS: Final = {"switchname", "switches", "nodes", "linkspeed", "blockname", "blocksizes", "topologyparam"}
_HINT: Final = "expected lines such as SwitchName=leaf-1 Nodes=gpu-[001-032] or BlockName=b1 Nodes=gpu-[001-018]"


def read_slurm(data: bytes, source: str = "") -> Tree:
    """Return the tree of a ``topology.conf``. Raises InputError with all faults and their lines."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError([Fault("", f"byte {error.start} is not UTF-8", _HINT)], source) from None
    faults = Faults()
    switches, blocks = Switches(), Blocks()
    for number, line in _lines(text):
        where = f"line {number}"
        pairs = {key.lower(): value.strip('"') for key, value in _PAIR.findall(line)}
        if not pairs or _PAIR.sub("", line).strip():
            faults.add(where, f"expected key=value pairs, not {shown(line.strip())}", _HINT)
            continue
        for key in pairs.keys() - _KEYS:
            faults.add(where, f"unknown key {shown(key)}{guess(key, _KEYS)}")
        _take(pairs, where, switches, blocks, faults)
    if not switches.lines and not blocks.nodes and not faults.count():
        faults.add("", "there is no switch and no block in it", _HINT)
    tree = blocks_tree(blocks, faults) if blocks.nodes else switches_tree(switches, faults)
    faults.raise_any(source)
    return tree


def _lines(text: str) -> Iterable[tuple[int, str]]:
    """Yield the lines without comments, continued ones joined, with their numbers."""
    held, first = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].rstrip()
        first = first or number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        if (held + line).strip():
            yield first, held + line
        held, first = "", 0
    if held.strip():
        yield first, held


def _take(pairs: dict[str, str], where: str, switches: Switches, blocks: Blocks, faults: Faults) -> None:
    names = {key: _expanded(pairs[key], where, faults) for key in ("nodes", "switches") if key in pairs}
    if "switchname" in pairs:
        for name in _expanded(pairs["switchname"], where, faults):
            switches.add(name, names.get("switches", []), names.get("nodes", []), where, faults)
    elif "blockname" in pairs:
        blocks.add(pairs["blockname"], names.get("nodes", []), where, faults)
    elif "blocksizes" in pairs:
        sizes = pairs["blocksizes"].split(",")
        if not all(size.isdigit() for size in sizes):
            faults.add(where, f"expected numbers of nodes, not {shown(pairs['blocksizes'])}")
    elif not faults.count():
        faults.add(where, "expected SwitchName, BlockName or BlockSizes", _HINT)


def _expanded(text: str, where: str, faults: Faults) -> list[str]:
    try:
        return expand(text)
    except ValueError as error:
        faults.add(where, str(error))
        return []


def slurm_tree_text(tree: Tree) -> str:
    """Return the switches of a tree; nodes that stand nowhere are left out, as Slurm then allows nothing across."""
    lines = [f"# topology/tree of {tree.name or 'the cluster'}"]
    for branch in top_down(branches(tree)):
        held = f"Switches={fold(branch.children)}" if branch.children else f"Nodes={fold(branch.nodes)}"
        lines.append(f"SwitchName={branch.name} {held}")
    return "\n".join(lines) + "\n"


def slurm_block_text(tree: Tree) -> str:
    """Return the NVLink blocks of a tree, or where there are none its leaf groups; InputError if there are neither."""
    blocks = tree.blocks() or {one.name: one.nodes for one in branches(tree).values() if one.nodes}
    if not blocks:
        hint = "`railwise fabric show` tells which domains there are"
        raise InputError([Fault("", "there is neither an NVLink domain nor a leaf group to make blocks of", hint)])
    lines = [f"# topology/block of {tree.name or 'the cluster'}"]
    lines += [f"BlockName={name} Nodes={fold(nodes)}" for name, nodes in blocks.items()]
    sizes = block_sizes([len(nodes) for nodes in blocks.values()])
    return "\n".join([*lines, f"BlockSizes={','.join(map(str, sizes))}"]) + "\n"
