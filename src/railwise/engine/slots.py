"""Slots left: how many gangs of 1, 2, 4, 8, … whole free nodes still fit inside one domain of each level, at once.

A gang of k nodes takes k whole free nodes of one class and one domain, so a domain with w of them has room for ⌊w/k⌋.
"""

from __future__ import annotations

from railwise.engine.cluster.potential import powers_up_to
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree_state import TreeState


def slots_left(state: ClusterState) -> dict[str, dict[int, int]]:
    """Return the gangs of each size that fit at once, per level name of every topology and for the ``cluster``.

    A level that is itself called ``cluster`` keeps its name; the whole is then not counted.
    """
    result: dict[str, dict[int, int]] = {}
    for trees in state.trees:
        tree = trees.tree
        for level in range(tree.depth):
            ranges = tree.tiers[level].ranges()
            named = tree.tiers[level].named
            largest = max((end - start for (start, end), ok in zip(ranges, named, strict=True) if ok), default=0)
            counts = [_whole(state, trees, level, domain) for domain in range(len(ranges)) if named[domain]]
            result.setdefault(tree.levels[level], _gangs(counts, largest))
    everything: dict[int, int] = {}
    for room_id, number in state.room_count.items():
        room = state.rooms.all[room_id]
        if room.wholly:
            everything[room.spec.cards] = everything.get(room.spec.cards, 0) + number
    result.setdefault("cluster", _gangs([everything], len(state.nodes)))
    return result


def _whole(state: ClusterState, trees: TreeState, level: int, domain: int) -> dict[int, int]:
    return {cards: trees.whole_in(level, domain, kind) for kind, cards in enumerate(state.classes)}


def _gangs(domains: list[dict[int, int]], largest: int) -> dict[int, int]:
    return {
        size: sum(count // size for domain in domains for count in domain.values()) for size in powers_up_to(largest)
    }
