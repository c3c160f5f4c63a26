"""Which nodes may be used, and what room they have: counted once for all shapes of one selection.

Ten thousand nodes share few kinds of room, and between two refusals few nodes change. So the nodes are counted by kind,
the counts follow the journal of the state, and whatever is derived from them (``Follower``) follows the moves of single
nodes from one kind to another. A refusal then costs what changed, not what there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from railwise.engine.cluster.selection import repelled
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState

NOT_READY: Final = -1
CORDONED: Final = -2
TAINT: Final = -3
SELECTOR: Final = -4
"""Kinds of nodes that may not be used, whatever is free there. A node that may is of the kind of its room (from 0)."""

FILTERS: Final[dict[int, str]] = {NOT_READY: "notReady", CORDONED: "cordoned", TAINT: "taint", SELECTOR: "selector"}

Move = tuple[int, int, int]
"""(node, kind before, kind now)."""


class Census:
    """The nodes by kind, for pods of which any shape would do: equal selections have equal censuses.

    ``kinds[node]`` is a node's kind and ``count[kind]`` the number of nodes; ``moves`` says what changed. When there
    are too many moves they are forgotten and ``epoch`` goes up: followers must start again. A census speaks of one
    generation of the state.
    """

    def __init__(self, state: ClusterState, shapes: Sequence[Shape]) -> None:
        """Count the nodes. With several shapes a node counts as usable where any of them may use it."""
        self.state: Final = state
        masks = [state.allowed(shape) for shape in shapes]
        known = [mask for mask in masks if mask is not None]
        self._allowed: list[bool] | None = None
        if len(known) == len(masks):
            self._allowed = known[0] if len(known) == 1 else [any(usable) for usable in zip(*known, strict=True)]
        self._selection: Final = shapes[0].selection
        self.kinds: Final[list[int]] = [self._kind(node) for node in range(len(state.nodes))]
        self.count: Final[dict[int, int]] = {}
        for kind in self.kinds:
            self.count[kind] = self.count.get(kind, 0) + 1
        self.moves: Final[list[Move]] = []
        self.epoch = 0
        self._read = len(state.journal)

    def _kind(self, node: int) -> int:
        room = self.state.room_of[node]
        if not room.closed and (self._allowed is None or self._allowed[node]):
            return room.index
        facts = self.state.nodes[node]
        if not facts.ready:
            return NOT_READY
        if facts.unschedulable:
            return CORDONED
        return TAINT if facts.taints and repelled(self._selection, facts) else SELECTOR

    def refresh(self) -> None:
        """Follow the nodes whose room changed."""
        journal = self.state.journal
        end = len(journal)
        if self._read == end:
            return
        for node in dict.fromkeys(journal[self._read : end]):
            self.look_at(node)
        self._read = end

    def look_at(self, node: int) -> None:
        """Follow one node: for facts about it that its room does not tell."""
        before, now = self.kinds[node], self._kind(node)
        if before == now:
            return
        self.kinds[node] = now
        left = self.count[before] - 1
        if left:
            self.count[before] = left
        else:
            del self.count[before]
        self.count[now] = self.count.get(now, 0) + 1
        if len(self.moves) >= len(self.kinds):
            self.moves.clear()
            self.epoch += 1
        self.moves.append((node, before, now))


class Follower:
    """Something derived from a census: made anew by ``_start``, kept up to date by ``_follow``."""

    def __init__(self, census: Census) -> None:
        """Know nothing yet; the first ``refresh`` starts."""
        self.census: Final = census
        self._epoch = -1
        self._seen = 0

    def refresh(self) -> None:
        """Bring the census and this up to date."""
        census = self.census
        census.refresh()
        if self._epoch != census.epoch:
            self._epoch = census.epoch
            self._start()
        elif self._seen < len(census.moves):
            self._follow(census.moves[self._seen :])
        self._seen = len(census.moves)

    def _start(self) -> None:
        """Derive everything from the census as it is."""

    def _follow(self, moves: list[Move]) -> None:
        """Take note of nodes that moved from one kind to another."""
