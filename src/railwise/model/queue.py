"""A queue: whom workloads are charged to, and what it is promised. Its rules belong to the decision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class LinkPart(NamedTuple):
    """A part of every uplink of a level, each direction: ``megabits`` (Mbit/s), or ``thousandths`` of what it has."""

    megabits: int = 0
    thousandths: int = 0

    def of(self, bits_per_second: int) -> int:
        """Return the bits/s of this part of an uplink of so many bits/s; never more than it has."""
        return min(self.megabits * 1_000_000 + bits_per_second * self.thousandths // 1000, bits_per_second)


@dataclass(frozen=True)
class Queue:
    """One queue of the tree. Amounts are base units (gpu: thousandths, cpu: millicores, memory: MiB).

    ``lend`` None: all of the quota may be lent. Run times are µs. ``guarantee`` promises whole domains per level name,
    ``bandwidth`` a part of the uplinks of a level.
    """

    name: str
    parent: str = ""
    quota: dict[str, int] = field(default_factory=dict)
    limit: dict[str, int] = field(default_factory=dict)
    lend: dict[str, int] | None = None
    weight: int = 1000
    priority: int = 0
    stopped: bool = False
    preempt_min_runtime: int = 0
    reclaim_min_runtime: int = 0
    guarantee: dict[str, int] = field(default_factory=dict)
    bandwidth: dict[str, LinkPart] = field(default_factory=dict)
