"""Where one pod of a workload goes: what every search answers with, and what is then booked."""

from __future__ import annotations

from typing import NamedTuple

from railwise.engine.cluster.room import Chosen


class Spot(NamedTuple):
    """One pod's place: the leaf's number, its rank, the node's index, and the cards chosen (empty: by the rule)."""

    leaf: int
    rank: int
    node: int
    chosen: Chosen = ()


def spot_on(leaf: int, rank: int, node: int) -> Spot:
    """Return the place of a pod whose cards are left to the rule: ``Spot(leaf, rank, node)`` in half the time."""
    return tuple.__new__(Spot, (leaf, rank, node, ()))
