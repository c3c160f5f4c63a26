"""How many nodes each filter keeps away from one pod of a shape, every node under the first that applies."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.reasons.census import FILTERS, Census, Follower, Move
from railwise.engine.reasons.lacks import first_lack, in_order


class NodeCounts(Follower):
    """The counts for one shape."""

    def __init__(self, census: Census, shape: Shape) -> None:
        """Count when first asked."""
        super().__init__(census)
        self.shape: Final = shape
        self._counts: Final[dict[str, int]] = {}
        self._names: Final[dict[int, str]] = dict(FILTERS)

    def now(self) -> dict[str, int]:
        """Return the counts of this moment in the order of the filters; they add up to the number of nodes."""
        self.refresh()
        return in_order(self._counts)

    def _name(self, kind: int) -> str:
        name = self._names.get(kind)
        if name is None:
            name = first_lack(self.shape, self.census.state.rooms.all[kind])
            self._names[kind] = name
        return name

    def _start(self) -> None:
        counts = self._counts
        counts.clear()
        for kind, number in self.census.count.items():
            name = self._name(kind)
            counts[name] = counts.get(name, 0) + number

    def _follow(self, moves: list[Move]) -> None:
        counts = self._counts
        for _, before, now in moves:
            gone, come = self._name(before), self._name(now)
            if gone != come:
                counts[gone] -= 1
                counts[come] = counts.get(come, 0) + 1
