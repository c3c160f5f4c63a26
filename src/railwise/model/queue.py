"""A queue: whom workloads are charged to, and what it is promised. Its rules belong to the decision."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Queue:
    """One queue of the tree. Amounts are base units (gpu: thousandths, cpu: millicores, memory: MiB).

    ``lend`` None: all of the quota may be lent. Run times are µs. ``guarantee`` promises whole domains per level name.
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
    bandwidth: dict[str, int] = field(default_factory=dict)
