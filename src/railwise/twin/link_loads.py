"""How full uplinks are over time: a sample of each level whenever anything changes on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from railwise.traffic.wiring import INTO, OUT, Uplink

BOTH: Final = len((OUT, INTO))
"""Directions of an uplink."""

FULL: Final = 1000
"""A link that carries all it can, in thousandths."""


class LinkSample(NamedTuple):
    """From ``at`` µs on: the mean over all uplinks of a level, both directions, and the fullest of them, in ‰."""

    at: int
    mean: int
    peak: int


class LevelLoad:
    """The uplinks of one level: ``links`` of them, both directions counted, each of ``capacity`` bits/s.

    ``samples`` begin with the first change; between two of them nothing changes. ``worst`` is the fullest that any
    link ever was, in thousandths.
    """

    def __init__(self, name: str, links: int, capacity: int) -> None:
        """Start with idle links."""
        self.name: Final = name
        self.links: Final = links
        self.capacity: Final = capacity
        self.samples: Final[list[LinkSample]] = []
        self.worst = 0
        self._bits: Final[dict[tuple[int, int], int]] = {}
        self._total = 0
        self._filled: Final = [0] * (FULL + 1)

    def add(self, link: tuple[int, int], bits: int) -> None:
        """Let a link (domain, direction) carry so many bits/s more; less where ``bits`` is negative."""
        before = self._bits.get(link, 0)
        after = before + bits
        self._bits[link] = after
        self._total += bits
        self._filled[self._part(before)] -= bool(before)
        self._filled[self._part(after)] += bool(after)
        if not after:
            del self._bits[link]

    def sample(self, now: int) -> None:
        """Note how full the links are from now on, where that is different from before."""
        mean = self._total * FULL // (self.links * self.capacity)
        peak = next((part for part in range(FULL, 0, -1) if self._filled[part]), 0)
        last = self.samples[-1] if self.samples else LinkSample(0, 0, 0)
        if (mean, peak) == last[1:]:
            return
        if last.at == now and self.samples:
            self.samples.pop()
        self.samples.append(LinkSample(now, mean, peak))
        self.worst = max(self.worst, peak)

    def mean(self, until: int) -> int:
        """Return the mean load from the beginning to a time in µs, in thousandths."""
        total = 0
        if not self.samples:
            return total
        for sample, after in zip(self.samples, [*self.samples[1:], None], strict=True):
            end = until if after is None else min(after.at, until)
            total += sample.mean * max(end - sample.at, 0)
        return total // until if until > 0 else 0

    def _part(self, bits: int) -> int:
        """Return how full a link is with so many bits/s: 1 to 1000 for what is not idle."""
        return min(max(bits * FULL // self.capacity, bool(bits)), FULL)


class LinkLoads:
    """The levels with known uplinks, by topology number and level number (0: widest)."""

    def __init__(self, levels: Mapping[tuple[int, int], LevelLoad]) -> None:
        """Start with idle links."""
        self.levels: Final = dict(levels)

    def add(self, tree: int, carried: Mapping[Uplink, int], sign: int) -> None:
        """Let a workload begin (1) or cease (-1) to bring so many bits/s over uplinks of a topology."""
        for (level, domain, way), bits in carried.items():
            self.levels[tree, level].add((domain, way), sign * bits)

    def sample(self, now: int) -> None:
        """Note how full all levels are from now on."""
        for level in self.levels.values():
            level.sample(now)
