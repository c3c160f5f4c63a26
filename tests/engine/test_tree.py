"""Trees over nodes: tree order, contiguous ranges, gaps, and domains known by their path."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.tree import Tree
from railwise.model.node import Node
from railwise.model.topology import Level, Topology

FABRIC = Topology("fabric", (Level("spine"), Level("superpod"), Level("rack")))
LEVELS = FABRIC.level_names()


def _tree(*paths: str) -> Tree:
    """Return the tree of nodes that stand at ``spine/superpod/rack``, ``-`` for a level that is not named."""
    nodes = []
    for index, path in enumerate(paths):
        names = dict(zip(LEVELS, path.split("/"), strict=True))
        nodes.append(Node(f"n{index}", {"fabric": {level: name for level, name in names.items() if name != "-"}}))
    return Tree(FABRIC, nodes)


def test_domains_stand_in_order_of_first_appearance_and_nodes_in_document_order() -> None:
    tree = _tree("s2/p1/r9", "s1/p1/r1", "s2/p1/r9", "s2/p0/r3", "s1/p1/r0")
    assert tree.order == [0, 2, 3, 1, 4]
    assert [tree.position[node] for node in tree.order] == [0, 1, 2, 3, 4]
    assert tree.tiers[0].names == ["s2", "s1"]
    assert tree.tiers[2].names == ["r9", "r3", "r1", "r0"]
    assert tree.tiers[2].ranges() == [(0, 2), (2, 3), (3, 4), (4, 5)]
    assert (tree.tiers[0].first_child, tree.tiers[0].last_child) == ([0, 2], [2, 3])


def test_equal_names_under_different_parents_are_different_domains() -> None:
    tree = _tree("s1/p1/r1", "s1/p2/r1", "s2/p1/r1", "s1/p1/r1")
    assert tree.tiers[2].names == ["r1", "r1", "r1"]
    assert [tree.path(2, domain) for domain in range(3)] == [("s1", "p1", "r1"), ("s1", "p2", "r1"), ("s2", "p1", "r1")]
    assert tree.domain_of[2] == [0, 1, 2, 0]


def test_a_rack_does_not_fall_apart_because_its_superpod_is_unknown() -> None:
    tree = _tree("s1/-/r1", "s1/-/r1", "s1/-/r2", "s1/p1/r1")
    assert tree.domain_of[1] == [0, 0, 1, 2]
    assert tree.tiers[1].named == [False, False, True]
    assert tree.domain_of[2] == [0, 0, 1, 2]
    assert tree.tiers[2].named == [True, True, True]


def test_a_rule_about_a_wider_level_asks_for_its_name() -> None:
    tree = _tree("s1/-/r1", "s1/p1/r1", "-/p2/r1")
    assert [tree.named_at(2, rack, 1) for rack in range(3)] == [False, True, True]
    assert [tree.named_at(2, rack, 0) for rack in range(3)] == [True, True, False]
    assert [tree.named_at(3, place, 1) for place in range(3)] == [False, True, True]
    assert tree.named_at(1, 0, 2)  # nothing is asked about a narrower level
    assert tree.named_at(1, 0, -1)
    assert [tree.node_named(1, node) for node in range(3)] == [False, True, True]
    assert tree.node_named(3, 0)


def test_levels_are_found_by_name_and_the_node_is_the_last_one() -> None:
    tree = _tree("s1/p1/r1")
    assert [tree.level_index(name) for name in (*LEVELS, "node", "row")] == [0, 1, 2, 3, -1]


@given(st.integers(0, 2**32 - 1))
def test_every_domain_is_one_range_of_nodes_and_of_children(seed: int) -> None:
    random = Random(seed)
    names = ["-", "a", "b", "c"]
    paths = ["/".join(random.choice(names) for _ in LEVELS) for _ in range(random.randint(1, 14))]
    tree = _tree(*paths)
    for level, tier in enumerate(tree.tiers):
        assert [place for start, end in tier.ranges() for place in range(start, end)] == list(range(len(paths)))
        for domain, (start, end) in enumerate(tier.ranges()):
            assert {tree.domain_of[level][node] for node in tree.order[start:end]} == {domain}
            below = tree.tiers[level + 1].ranges() if level + 1 < tree.depth else None
            first, last = tier.first_child[domain], tier.last_child[domain]
            children = below[first:last] if below else [(place, place + 1) for place in range(first, last)]
            assert (children[0][0], children[-1][1]) == (start, end)
            if below:
                assert {tree.tiers[level + 1].parent[child] for child in range(first, last)} == {domain}
    for node, path in enumerate(paths):
        for level, name in enumerate(path.split("/")):
            domain = tree.domain_of[level][node]
            assert tree.tiers[level].named[domain] == (name != "-")
            assert tree.tiers[level].names[domain] == (name if name != "-" else "")
