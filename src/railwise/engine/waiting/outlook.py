"""When cards free on every node: a bound for the earliest start that needs no search, and where to look for it.

Thousands of ends can lie before the start of a large gang, and applying them all to the state to ask once is dear. For
equal pods on whole cards the times at which each node gets room for one more pod follow from the ends on it alone. No
domain can hold the gang before its last pod has such a place, and where it has, only the ends on these few nodes need
be applied to see that it fits. Cards in shared use count as free from the first of their ends: the bound is never late.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.record import Record


class Chance(NamedTuple):
    """Nodes (one domain of the required level) on which there may be room from a time on, µs."""

    time: int
    place: int
    nodes: frozenset[int]


class Outlook:
    """The known ends of one moment, node by node."""

    def __init__(self, state: ClusterState, ends: Sequence[tuple[int, Record]]) -> None:
        """Sort the ends (time, workload), which are ascending, by node."""
        self.state: Final = state
        self.on: Final[dict[int, list[tuple[int, Record]]]] = {}
        self._gains: Final[dict[int, list[tuple[int, int]]]] = {}
        for end, record in ends:
            for node, grant in record.pods.values():
                here = self.on.setdefault(node, [])
                if not here or here[-1][1] is not record:
                    here.append((end, record))
                if grant.whole:
                    self._gains.setdefault(node, []).append((end, grant.whole.bit_count()))
                elif grant.shares:
                    shared = len(state.ledgers[node].left)
                    self._gains.setdefault(node, []).append((end, shared))

    def speaks_of(self, demand: Demand) -> bool:
        """Return whether a demand is of the kind that is known by counting: equal pods on whole cards, none running."""
        shape = demand.root.shape
        return demand.simple and shape is not None and shape.kind == KIND_WHOLE and not demand.root.fixed

    def chances(self, demand: Demand, now: int, latest: int, apart: Container[int] = ()) -> list[Chance]:
        """Return where a demand that does not fit now may fit by ``latest`` (µs), the earliest first.

        Nodes ``apart`` are left out.
        """
        root = demand.root
        shape, pods = root.shape, root.group.min_pods
        if shape is None or not self.on:
            return []
        tree = self.state.trees[root.tree].tree
        mask = self.state.allowed(shape)
        ranges = [(0, len(tree.order))]
        named = [True]
        if root.required != NOT_GIVEN and root.required < tree.depth:
            ranges, named = tree.tiers[root.required].ranges(), tree.tiers[root.required].named
        elif root.required != NOT_GIVEN:
            ranges = [(place, place + 1) for place in range(len(tree.order))]
            named = [True] * len(ranges)
        found: list[Chance] = []
        for (start, end), ok in zip(ranges, named, strict=True):
            slots: list[tuple[int, int]] = []
            for place in range(start, end) if ok else ():
                node = tree.order[place]
                if (mask is None or mask[node]) and node not in apart:
                    slots += [(time, place) for time in self._slots(shape, node, pods, now)]
            if len(slots) >= pods:
                slots.sort()
                time = slots[pods - 1][0]
                if time <= latest:
                    nodes = frozenset(tree.order[place] for _, place in slots[:pods])
                    found.append(Chance(time, start, nodes))
        found.sort(key=lambda chance: chance[:2])
        return found

    def _slots(self, shape: Shape, node: int, most: int, now: int) -> list[int]:
        """Return from when on a node has cards for one pod, for two, …; ``now`` where it has them already."""
        room = self.state.room_of[node]
        if room.closed:
            return []
        free, cards = room.free, shape.cards
        times = [now] * min(free // cards, most)
        for end, gain in self._gains.get(node, ()):
            if len(times) >= most:
                break
            free += gain
            times += [end] * (min(free // cards, most) - len(times))
        return times
