"""Where every node stands in the page's picture of the cluster: the same nested boxes as in the drawings.

The page gets boxes and cell sizes and draws on them whatever moment is asked for; a place in the picture stays a place
in the cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from railwise.engine.cluster.tree import Tree
from railwise.formats.hostlist import fold
from railwise.model.scenario import Scenario
from railwise.report.domains import domain_tree
from railwise.report.occupancy import Occupancy, node_use
from railwise.report.spreads import first_topology
from railwise.report.svg_layout import FEW_NODES, SOME_NODES, Box, Scale, arrange, scale_for

WIDTH = 1160
MANY_NODES = 2600
_TINY = Scale(6, 0, 6, 1, 3, 11, 8, 7)
_SMALL = Scale(9, 0, 9, 2, 5, 13, 9, 7)


class Picture(NamedTuple):
    """The nodes in tree order (places in the scenario), and the boxes as plain data for the page."""

    order: tuple[int, ...]
    data: dict[str, object]


def picture(scenario: Scenario) -> Picture:
    """Return the layout of a scenario's nodes by its first topology; boxes leave no room for counts of free cards.

    A box is ``[x, y, width, height, depth, label, first node, nodes, columns]``; one that holds boxes has 0 columns.
    """
    uses = tuple(node_use(node, (), node.card_count()) for node in scenario.nodes)
    count = len(scenario.nodes)
    scale = _SMALL if count <= MANY_NODES else _TINY
    if count <= SOME_NODES:
        scale = scale_for(domain_tree(Occupancy(scenario, uses, {})))
    bare = tuple(replace(use, cards=(), free=0) for use in uses)
    root = domain_tree(Occupancy(scenario, bare, {}), first_topology(scenario))
    box = arrange(root, WIDTH, scale)
    boxes: list[list[object]] = []
    _walk(box, (0, 0), 0, 0, boxes)
    cell = {
        "bar": scale.bar,
        "name": scale.name,
        "height": scale.height,
        "gap": scale.gap,
        "pad": scale.pad,
        "header": scale.header,
        "title": scale.title,
        "font": scale.font,
    }
    order = tuple(Tree(first_topology(scenario), scenario.nodes).order)
    data = {"width": box.width, "height": box.height, "cell": cell, "boxes": boxes, "cards": count <= FEW_NODES}
    return Picture(order, data)


def _walk(box: Box, origin: tuple[int, int], depth: int, first: int, boxes: list[list[object]]) -> None:
    x, y = origin[0] + box.x, origin[1] + box.y
    label = box.label if depth else ""
    boxes.append([x, y, box.width, box.height, depth, label, first, len(box.domain.nodes), box.columns])
    for child in box.children:
        _walk(child, (x, y), depth + 1, first, boxes)
        first += len(child.domain.nodes)


def names_of(scenario: Scenario, order: Sequence[int], budget: int) -> tuple[str, int]:
    """Return the node names in tree order as a hostlist, and its length; empty where it would take more than allowed.

    A name with a comma or a bracket in it cannot stand in a hostlist; then there is none either.
    """
    names = [scenario.nodes[index].name for index in order]
    if any(char in name for name in names for char in "[],"):
        return "", 0
    text = fold(names)
    size = len(text.encode("utf-8", "replace"))
    return (text, size) if size <= budget else ("", 0)


def card_runs(scenario: Scenario, order: Sequence[int]) -> list[list[int]]:
    """Return the cards of the nodes in tree order as runs ``[nodes, cards]``."""
    runs: list[list[int]] = []
    for index in order:
        cards = scenario.nodes[index].card_count()
        if runs and runs[-1][1] == cards:
            runs[-1][0] += 1
        else:
            runs.append([1, cards])
    return runs
