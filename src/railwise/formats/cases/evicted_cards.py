"""How many cards pods stand for, in thousandths, for the expectations about evictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_NONE, CARDS_SHARE, CARDS_WHOLE, CardRequest, Group

SLICES: Final = "the size of MIG and time slices"


class NeedsError(Exception):
    """An expectation speaks of what this version cannot do yet; the text says what that is."""


def thousandths_of(scenario: Scenario, pods: set[str]) -> int:
    """Return the cards of the named pods in thousandths; shares by memory count their part of the largest card."""
    most = max((cards.memory for node in scenario.nodes for cards in node.cards), default=0)
    total = 0
    for workload in scenario.workloads:
        for prefix, group in _leaves(workload.root, workload.name):
            count = sum(f"{prefix}-{rank}" in pods for rank in range(group.pods))
            if count:
                total += count * _thousandths(group.request.cards, most)
    return total


def _leaves(group: Group, prefix: str) -> Iterator[tuple[str, Group]]:
    if not group.groups:
        yield prefix, group
    for child in group.groups:
        yield from _leaves(child, f"{prefix}-{child.name}")


def _thousandths(cards: CardRequest, most: int) -> int:
    if cards.kind == CARDS_NONE:
        return 0
    if cards.kind == CARDS_WHOLE:
        return 1000 * cards.count
    if cards.kind != CARDS_SHARE:
        raise NeedsError(SLICES)
    memory = -(-1000 * cards.memory // most) if cards.memory and most else 10 * cards.memory_percent
    return cards.count * max(cards.fraction, memory, 10 * cards.compute)
