"""Which node scores best for a pod, kept per shape and brought up to date by what changed.

Thousands of nodes share few kinds of room, and one decision changes one node. So every (shape, room) is scored once,
and for each shape a heap keeps its nodes by score: a decision reads the journal of touched nodes from where this shape
last stopped, enters those anew, and takes the top. Entries that no longer hold are dropped when they get there.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Final

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState

NOT_HERE: Final = -1
"""The cost of a node that a pod does not fit, and the node where there is none."""

NODE_BITS: Final = 32
"""Bits of a node's number in an entry."""

NODE_MASK: Final = (1 << NODE_BITS) - 1

SLACK: Final = 4
"""How many entries a node may have on average before the heap is made anew."""

Judge = Callable[[Shape, Room, int], int]
"""The cost (0 or more, less is better) of a shape in a room that it fits, on a node."""


class Ranking:
    """The nodes of one state by what one pod of a shape costs there; equal ones in the order of the document."""

    def __init__(self, state: ClusterState, shape: Shape, judge: Judge, *, by_room: bool = True) -> None:
        """Know nothing yet; ``by_room``: what a pod costs follows from the room alone."""
        self.state: Final = state
        self.shape: Final = shape
        self._judge: Final = judge
        self._by_room: Final = by_room
        self._known: Final[dict[int, int]] = {}
        self._now: Final[list[int]] = [NOT_HERE] * len(state.nodes)
        self._heap: list[int] = []
        self._read = 0
        self._enter_all()

    def best(self) -> int:
        """Return the node with the least cost, NOT_HERE where the pod fits nowhere."""
        self._follow()
        heap, now = self._heap, self._now
        while heap:
            entry = heap[0]
            node = entry & NODE_MASK
            if now[node] == entry:
                return node
            heappop(heap)
        return NOT_HERE

    def ties(self) -> list[int]:
        """Return all nodes with the least cost, in the order of the document."""
        first = self.best()
        if first == NOT_HERE:
            return []
        heap = self._heap
        entries = [heappop(heap)]
        cost = entries[0] >> NODE_BITS
        while heap and heap[0] >> NODE_BITS == cost:
            entry = heappop(heap)
            if entry != entries[-1] and self._now[entry & NODE_MASK] == entry:
                entries.append(entry)
        for entry in entries:
            heappush(heap, entry)
        return [entry & NODE_MASK for entry in entries]

    def _follow(self) -> None:
        journal = self.state.journal
        end = len(journal)
        if self._read == end:
            return
        touched = set(journal[self._read : end])
        self._read = end
        if len(self._heap) > SLACK * len(self._now):
            self._enter_all()
            return
        now, heap = self._now, self._heap
        for node in touched:
            entry = self._entry(node)
            if entry != now[node]:
                now[node] = entry
                if entry != NOT_HERE:
                    heappush(heap, entry)

    def _enter_all(self) -> None:
        self._read = len(self.state.journal)
        for node in range(len(self._now)):
            self._now[node] = self._entry(node)
        self._heap = [entry for entry in self._now if entry != NOT_HERE]
        heapify(self._heap)

    def _entry(self, node: int) -> int:
        allowed = self.state.allowed(self.shape)
        if allowed is not None and not allowed[node]:
            return NOT_HERE
        room = self.state.room_of[node]
        cost = self._known.get(room.index)
        if cost is None:
            fits = self.state.rooms.left_by_one(self.shape, room)[0] >= 0
            cost = self._judge(self.shape, room, node) if fits else NOT_HERE
            if self._by_room or not fits:
                self._known[room.index] = cost
        return cost << NODE_BITS | node if cost >= 0 else NOT_HERE
