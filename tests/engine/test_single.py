"""The index for one pod: blocks of nodes, and the node that costs least."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.indexed.single import BLOCK, Blocks
from railwise.model.node import Cards, Node
from tests.engine.small import FABRIC, engine, flat, gang, racks, request, running, state_of, submitted, where


def test_racks_are_cut_into_blocks() -> None:
    blocks = Blocks(state_of(racks(3, BLOCK + 5, 2 * BLOCK), FABRIC).trees[0].tree)
    assert list(zip(blocks.starts, blocks.ends, strict=True)) == [(0, 3), (3, 35), (35, 40), (40, 72), (72, 104)]
    assert blocks.domain == [0, 1, 1, 2, 2]
    assert blocks.first_block == [0, 1, 3, 5]
    assert not blocks.one_to_one
    assert [blocks.block_of[place] for place in (0, 2, 3, 39, 40, 103)] == [0, 0, 1, 2, 3, 4]
    assert Blocks(state_of(racks(3, BLOCK), FABRIC).trees[0].tree).one_to_one


@pytest.mark.parametrize("nodes", [racks(40, 40), flat(*[8] * 80)])
def test_the_cheapest_node_is_found_in_a_later_block_too(nodes: list[Node]) -> None:
    lived = engine(nodes, running("old", ["n37"], request(3)))
    assert where(submitted(lived, gang("a", 1, request(5)))) == ["n37"]
    assert where(submitted(lived, gang("b", 1, request(4)))) == ["n0"]
    assert where(submitted(lived, gang("c", 1, request(4)))) == ["n0"]


def test_a_broken_node_is_used_before_a_whole_one_and_a_broken_rack_before_a_whole_one() -> None:
    lived = engine(racks(4, 4), running("old", ["n5"], request(8)))
    assert where(submitted(lived, gang("a", 1, request(8)))) == ["n4"]  # of three whole nodes one is left over
    assert where(submitted(lived, gang("b", 1, request(2)))) == ["n6"]
    assert where(submitted(lived, gang("c", 1, request(2)))) == ["n6"]


def test_pods_without_cards_go_where_there_are_none_and_least_is_left() -> None:
    nodes = [
        *[replace(node, name=f"g{index}", resources={"cpu": 8_000}) for index, node in enumerate(flat(8, 8))],
        *[Node(f"c{index}", resources={"cpu": cpu}) for index, cpu in enumerate((16_000, 6_000, 9_000))],
    ]
    lived = engine(nodes)
    assert [where(submitted(lived, gang(f"a{number}", 1, request(0, cpu=6_000)))) for number in range(5)] == [
        ["c1"],
        ["c2"],
        ["c0"],
        ["c0"],
        ["g0"],
    ]


def test_nodes_of_several_classes_are_judged_by_what_each_domain_loses() -> None:
    nodes = racks(2, 2)
    nodes[1] = replace(nodes[1], cards=(Cards(4),))
    assert where(submitted(engine(nodes), gang("a", 1, request(4)))) == ["n1"]
    assert where(submitted(engine(nodes), gang("a", 1, request(8)))) == ["n0"]  # alone in its class, no pair is broken
