"""Fair shares of 1,000 queues in three levels and four resources, all of them asking for more than there is."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time

from benchmarks.result import Bars, Quantity, Result
from railwise.engine.gangs.charges import Amounts
from railwise.engine.queues.queue_shares import queue_shares
from railwise.engine.queues.queue_tree import QueueTree
from railwise.model.queue import Queue

QUEUES = 1_000
RESOURCES = ("gpu", "cpu", "memory", "vendor.com/fpga")
REPEATS = 5


def fair_shares() -> Result:
    """Return the processor time of all fair shares of one round."""
    draw = Random(1)
    queues: list[Queue] = []
    for number in range(QUEUES):
        parent = "" if number < 10 else f"q{number % 10}" if number < 110 else f"q{10 + number % 100}"  # noqa: PLR2004
        quota = {resource: draw.randrange(64) * 1000 for resource in RESOURCES} if number >= 110 else {}  # noqa: PLR2004
        weight = 1000 * draw.randrange(1, 9)
        queues.append(Queue(f"q{number}", parent, quota=quota, weight=weight, priority=draw.randrange(2)))
    tree = QueueTree(queues)
    leaves = [name for name in tree.by_name if name not in tree.children and name != "default"]
    demand: dict[str, Amounts] = {
        name: {resource: draw.randrange(128) * 1000 for resource in RESOURCES} for name in leaves
    }
    capacity = dict.fromkeys(RESOURCES, 40_000_000)
    times: list[float] = []
    for _ in range(REPEATS):
        start = process_time()
        shares, _ = queue_shares(tree, demand, capacity)
        times.append(process_time() - start)
        assert sum(shares[name]["gpu"] for name in tree.children[""]) <= capacity["gpu"]
    return Result(min(times), "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=0.020, compiled=0.020))


BENCHMARKS: dict[str, Callable[[], Result]] = {"fairshare-1k": fair_shares}
"""What is measured here."""
