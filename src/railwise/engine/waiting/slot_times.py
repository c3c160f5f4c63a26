"""When each node gets room for one more pod of a shape, and when domains have room for so many of them.

A time and a tree position are one whole number, so that "the first eight slots of this superpod" is the beginning of a
sorted list. Lists are kept for the levels that are asked for, as long as their domains are not too large to move about
in; the slots of wider domains are merged when somebody asks. Nodes that look different just now, in a what-if, are put
in the place of what is known of them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Iterable, Mapping
from heapq import merge
from itertools import islice
from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.record import Record
from railwise.engine.waiting.ends import Ends

NEVER: Final = 1 << 100
"""Later than any slot."""

LARGEST_LIST: Final = 1024
"""Domains of more nodes have no list of their own where narrower levels have."""

Codes = tuple[int, ...]
"""Slots as time times number of nodes plus position, ascending; time 0 stands for now."""


class SlotTimes:
    """The slots of one shape on one tree. ``size`` is the factor of the time in a code."""

    def __init__(self, state: ClusterState, tree: int, shape: Shape, ends: Ends) -> None:
        """Know nothing yet; ``build`` reads everything."""
        self.state: Final = state
        self.tree: Final = state.trees[tree].tree
        self.shape: Final = shape
        self.ends: Final = ends
        self.size: Final = max(len(self.tree.order), 1)
        self.pending: set[int] = set(range(len(state.nodes)))
        self.gone: Container[Record] = ()
        self.now = 0
        self._codes: Final[list[Codes]] = [()] * len(state.nodes)
        self._rooms: Final[list[Room]] = list(state.room_of)
        self._lists: Final[dict[int, list[list[int]]]] = {}
        self._moments: Final[dict[tuple[int, int], tuple[list[int], int]]] = {}
        self._log: Final[list[int]] = []
        self._read = 0
        self._apart: Final[set[int]] = set()
        self._base: Final[dict[int, int]] = {}

    def sync(self, now: int, gone: Container[Record]) -> None:
        """Catch up with the nodes that are ``pending``; ``gone`` are workloads whose ends do not count."""
        self.now, self.gone = now, gone
        state, position = self.state, self.tree.position
        for node in (*self._apart, *state.journal[self._read :]):
            if state.room_of[node] is not self._rooms[node]:
                self.pending.add(node)
        self._read = len(state.journal)
        self._apart.clear()
        for node in self.pending:
            room = state.room_of[node]
            before, after = self._codes[node], self._slots(node, room)
            self._rooms[node] = room
            if before == after:
                continue
            self._codes[node] = after
            self._log.append(node)
            for level, lists in self._lists.items():
                here = lists[self._domain(level, node, position[node])]
                for code in before:
                    del here[bisect_left(here, code)]
                for code in after:
                    insort(here, code)
        self.pending = set()
        if len(self._log) > 4 * self.size:
            self._log.clear()
            self._moments.clear()

    def seen_otherwise(self, apart: Iterable[int]) -> dict[int, Codes]:
        """Return the slots of the nodes whose room is another one just now; none for those that are left out."""
        journal = self.state.journal
        self._apart.update(journal[self._read :])
        self._read = len(journal)
        rooms, known = self.state.room_of, self._rooms
        self._apart.difference_update([node for node in self._apart if rooms[node] is known[node]])
        found: dict[int, Codes] = {node: self._slots(node, rooms[node]) for node in self._apart}
        for node in apart:
            found[node] = ()
        return found

    def moments(self, level: int, pods: int, other: Mapping[int, Codes]) -> list[int]:
        """Return per domain of a level the code of its ``pods``-th slot, NEVER where it has fewer.

        Level -1 is the whole cluster, the depth of the tree the node (in the order of positions).
        """
        known, read = self._moments.get((level, pods), ([], 0))
        position = self.tree.position
        if not known:
            known = [self._moment(level, domain, pods) for domain in range(self._domains(level))]
        else:
            for domain in {self._domain(level, node, position[node]) for node in self._log[read:]}:
                known[domain] = self._moment(level, domain, pods)
        self._moments[level, pods] = (known, len(self._log))
        if not other:
            return known
        result = list(known)
        for domain in {self._domain(level, node, position[node]) for node in other}:
            first = self.first(level, domain, pods, other)
            result[domain] = first[pods - 1] if len(first) == pods else NEVER
        return result

    def first(self, level: int, domain: int, pods: int, other: Mapping[int, Codes]) -> list[int]:
        """Return the first ``pods`` slots of a domain, fewer where it has fewer."""
        if not other:
            return self._first(level, domain, pods)
        order, position, size = self.tree.order, self.tree.position, self.size
        inside = [node for node in other if self._domain(level, node, position[node]) == domain]
        skipped = sum(len(self._codes[node]) for node in inside)
        away = set(inside)
        kept = [code for code in self._first(level, domain, pods + skipped) if order[code % size] not in away]
        return sorted([*kept, *(code for node in inside for code in other[node])])[:pods]

    def _moment(self, level: int, domain: int, pods: int) -> int:
        lists = self._lists.get(level)
        if lists is not None:
            here = lists[domain]
            return here[pods - 1] if len(here) >= pods else NEVER
        first = self._first(level, domain, pods)
        return first[pods - 1] if len(first) >= pods else NEVER

    def _first(self, level: int, domain: int, pods: int) -> list[int]:
        if level == self.tree.depth:
            return list(self._codes[self.tree.order[domain]][:pods])
        base = self._base_of(level)
        lists = self._list(base)
        if base == level:
            return lists[domain][:pods]
        tiers = self.tree.tiers
        first, last = (domain, domain + 1) if level >= 0 else (0, len(tiers[0].names))
        for tier in tiers[max(level, 0) : base]:
            first, last = tier.first_child[first], tier.last_child[last - 1]
        return list(islice(merge(*[here for here in lists[first:last] if here]), pods))

    def _base_of(self, level: int) -> int:
        """Return the level whose lists answer for a level: its own, or the widest with domains that are not too large.

        Where none is (or the cluster has no levels), its own.
        """
        base = self._base.get(level)
        if base is None:
            fine = [inner for inner in range(max(level, 0), self.tree.depth) if self._largest(inner) <= LARGEST_LIST]
            small = level < 0 and (len(self.tree.order) <= LARGEST_LIST or not self.tree.depth)
            base = level if small or not fine else fine[0]
            self._base[level] = base
        return base

    def _largest(self, level: int) -> int:
        return max((end - start for start, end in self.tree.tiers[level].ranges()), default=0)

    def _list(self, level: int) -> list[list[int]]:
        lists = self._lists.get(level)
        if lists is None:
            lists = [[] for _ in range(self._domains(level))]
            for place, node in enumerate(self.tree.order):
                lists[self._domain(level, node, place)].extend(self._codes[node])
            for here in lists:
                here.sort()
            self._lists[level] = lists
        return lists

    def _domains(self, level: int) -> int:
        if level < 0:
            return 1
        return len(self.tree.order) if level == self.tree.depth else len(self.tree.tiers[level].names)

    def _domain(self, level: int, node: int, place: int) -> int:
        if level < 0:
            return 0
        return place if level == self.tree.depth else self.tree.domain_of[level][node]

    def _slots(self, node: int, room: Room) -> Codes:
        """Return from when on a node has cards for one pod, for two, …."""
        mask = self.state.allowed(self.shape)
        if room.closed or (mask is not None and not mask[node]):
            return ()
        free, cards, place = room.free, self.shape.cards, self.tree.position[node]
        count = free // cards
        codes = [place] * count
        shared = len(self.state.ledgers[node].left)
        for ending in self.ends.on.get(node, ()):
            if ending.record in self.gone:
                continue
            free += ending.whole + ending.sharing * shared
            more = free // cards - count
            if more > 0:
                at = ending.end if ending.end > self.now else 0
                codes += [at * self.size + place] * more
                count += more
        return tuple(codes)
