"""What a run comes to in whole numbers: waits, ends, how full the cluster was, who was thrown out, who lay close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from railwise.twin.simulation import Simulation


class Metrics(NamedTuple):
    """One run. Times are µs, -1 where nothing happened; shares are thousandths; ``lost`` is in GPU-seconds.

    ``wait_…`` count from submit to the first start of those that started, ``completion`` from submit to end of those
    that ended. ``held`` is the part of all GPU time of the run in which cards were held; ``close`` the part of the
    workloads on several nodes that started inside one domain of the narrowest level.
    """

    workloads: int
    started: int
    finished: int
    wait_mean: int
    wait_median: int
    wait_95: int
    completion: int
    makespan: int
    held: int
    close: int
    evictions: int
    moves: int
    lost: int


def measure(simulation: Simulation) -> Metrics:
    """Return the numbers of a run."""
    seen = simulation.history
    waits = sorted(wait for name in seen.submitted if (wait := seen.wait_of(name)) is not None)
    ends = [end - seen.submitted[name] for name, end in seen.ended.items()]
    last = max(seen.ended.values(), default=simulation.now)
    cards = sum(node.card_count() for node in simulation.scenario.nodes)
    wide = [domains for nodes, domains in seen.spread.values() if nodes > 1]
    return Metrics(
        workloads=len(seen.submitted),
        started=len(waits),
        finished=len(seen.ended),
        wait_mean=sum(waits) // len(waits) if waits else -1,
        wait_median=_part(waits, 50),
        wait_95=_part(waits, 95),
        completion=sum(ends) // len(ends) if ends else -1,
        makespan=last,
        held=1000 * seen.card_time // (cards * simulation.now) if cards and simulation.now else 0,
        close=1000 * sum(domains == 1 for domains in wide) // len(wide) if wide else -1,
        evictions=len(seen.evictions),
        moves=len(seen.moves),
        lost=sum(one.lost for one in seen.evictions) + sum(one.lost for one in seen.moves),
    )


def _part(values: Sequence[int], percent: int) -> int:
    """Return the value below which so many percent of the sorted values lie (nearest rank), -1 for none."""
    return values[max(-(-percent * len(values) // 100) - 1, 0)] if values else -1
