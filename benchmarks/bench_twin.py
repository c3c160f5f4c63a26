"""How long months of a cluster take in virtual time: a crowded stream of gangs at scale, and a published job stream.

``twin-100k`` is the engine with the event loop alone: nobody records, nobody is told why somebody waits.
``twin-philly`` is what ``railwise simulate`` does between reading the trace and printing the table, recorder included;
every virtual cluster of the trace is a queue with its quota.

    python -m benchmarks.run --only twin            both, with the memory of the first
    python -m benchmarks.bench_twin 20000           a shorter stream on as many nodes, with what was seen of it
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Final, NamedTuple

from benchmarks.arrivals import stream
from benchmarks.result import Bars, Quantity, Result
from railwise.formats.traces.clusters import cluster_of_size
from railwise.formats.traces.replay import Replay
from railwise.formats.traces.streams import load
from railwise.model.scenario import Scenario
from railwise.twin.comparison import compare
from railwise.twin.simulation import Simulation
from railwise.twin.watching import Moment

NODES: Final = 10_000
JOBS: Final = 100_000

LEAST_PEAK: Final = 1_000
"""So many workloads are meant to wait at once; where fewer do, the benchmark says that the stream was easy."""

PHILLY: Final = Path(__file__).resolve().parents[2] / "shared" / "traces" / "philly" / "philly.csv.gz"
PHILLY_CLUSTER: Final = "500x8"

GIB: Final = 1 << 30


class Lived(NamedTuple):
    """One run: seconds of CPU, rounds of decisions, who waited at the peak, who finished, GiB of memory at the end."""

    seconds: float
    rounds: int
    peak: int
    finished: int
    memory: float


class _Peak:
    """Looks on and remembers how many waited at most."""

    def __init__(self) -> None:
        self.waiting = 0

    def see(self, simulation: Simulation, moment: Moment) -> None:
        """Take note of a moment."""
        del simulation
        self.waiting = max(self.waiting, moment.waiting)


def live(jobs: int = JOBS) -> Lived:
    """Live through the stream in this process."""
    scenario = stream(NODES, jobs)
    peak = _Peak()
    start = process_time()
    simulation = Simulation(scenario, watch=peak, reasons=False)
    simulation.run()
    seconds = process_time() - start
    history = simulation.history
    memory = getrusage(RUSAGE_SELF).ru_maxrss * 1024 / GIB
    return Lived(seconds, history.rounds, peak.waiting, len(history.ended), memory)


_known: list[Lived] = []


def _lived() -> Lived:
    """Return the run of the whole stream, made once in a process of its own, whose memory is its own."""
    if not _known:
        with get_context("spawn").Pool(1) as pool:
            _known.append(pool.apply(live))
        seen = _known[0]
        assert seen.finished == JOBS, f"{JOBS - seen.finished} never finished"
        easy = "" if seen.peak >= LEAST_PEAK else f": an easy stream, {LEAST_PEAK:,} are meant to wait"
        print(f"twin-100k: {seen.rounds:,} rounds, {seen.peak:,} waiting at the peak{easy}")
    return _known[0]


def crowd() -> Result:
    """Return the time of 100,000 gangs on 10,000 nodes."""
    bars = Bars(pure=60, compiled=20)
    return Result(_lived().seconds, "s", Quantity.DURATION, higher_is_better=False, bars=bars)


def crowd_memory() -> Result:
    """Return the largest memory of that run, the stream itself included."""
    bars = Bars(pure=1.5, compiled=1.5)
    return Result(_lived().memory, "GiB", Quantity.PLAIN, higher_is_better=False, bars=bars)


def philly() -> Scenario:
    """Return 82,247 jobs of Microsoft's Philly clusters on 500 nodes of 8 cards, a queue for every virtual cluster."""
    cluster = cluster_of_size(PHILLY_CLUSTER, "the benchmark")
    assert cluster is not None
    return Replay(load("philly", {PHILLY.name: PHILLY.read_bytes()}), cluster).scenario


def replayed() -> Result:
    """Return the time of a run of all of Philly with everything recorded that a report shows."""
    if not PHILLY.is_file():
        print("twin-philly: skipped, the trace is not there")
        return Result(0, "s", Quantity.PLAIN)
    scenario = philly()
    start = process_time()
    (run,) = compare(lambda _: scenario, ("railwise",), (scenario.seed,))
    seconds = process_time() - start
    assert len(run.data.jobs) == len(scenario.workloads)
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=60, compiled=20))


BENCHMARKS: dict[str, Callable[[], Result]] = {
    "twin-100k": crowd,
    "twin-100k-memory": crowd_memory,
    "twin-philly": replayed,
}


if __name__ == "__main__":
    print(live(int(sys.argv[1]) if len(sys.argv) > 1 else JOBS))
