"""Trees for tests: drawn ones, and what of a tree must survive a form that cannot say everything."""

from __future__ import annotations

from hypothesis import strategies as st

from railwise.fabric.fabric_map import level_of_tier
from railwise.formats.fabric.tree import Leaf, Tree
from railwise.model.node import Cards


def paths(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Return where every node stands."""
    return {name: leaf.path for name, leaf in tree.nodes.items()}


def blocks(tree: Tree) -> dict[str, str]:
    """Return the NVLink block of every node that has one."""
    return {name: leaf.block for name, leaf in tree.nodes.items() if leaf.block}


@st.composite
def trees(draw: st.DrawFn, *, levels: int = 3, with_blocks: bool = True) -> Tree:
    """Draw a tree whose domains have names of their own, nodes in order, some of them in blocks."""
    depth = draw(st.integers(1, levels))
    nodes: dict[str, Leaf] = {}
    counter = iter(range(10_000))

    def grow(path: tuple[str, ...]) -> None:
        for _ in range(draw(st.integers(1, 3))):
            name = f"d{len(path)}-{next(counter)}"
            if len(path) + 1 < depth:
                grow((*path, name))
                continue
            block = draw(st.sampled_from(["", "nvl-1", "nvl-2"])) if with_blocks else ""
            for _ in range(draw(st.integers(1, 3))):
                nodes[f"n{len(nodes) + 1:03d}"] = Leaf((*path, name), block, "", (Cards(8),))

    grow(())
    names = tuple(level_of_tier(depth - 1 - place) for place in range(depth))
    return Tree("drawn", names, (), nodes)
