"""Decisions per second on clusters of 10,240 and 102,400 nodes that are 90 % full.

The large cluster is replayed in a process of its own, because the most memory a process ever held cannot be reset.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from functools import cache, partial

from benchmarks.replay import replay
from benchmarks.result import Bars, Quantity, Result
from benchmarks.trace import read_trace

REPEATS = 3
"""How often a trace is replayed; the best of each stretch counts."""

BARS = {
    "decide-10k": Bars(pure=6_000, compiled=15_000),
    "decide-100k": Bars(pure=5_000, compiled=11_000),
    "decide-shapes": Bars(pure=1_500, compiled=5_000),
}

MOST_MEGABYTES = 500.0


def decide(name: str) -> Result:
    """Return placements per second on a trace."""
    outcome = replay(read_trace(name), REPEATS)
    return Result(outcome.rate(), "placements/s", bars=BARS[name], speed=outcome.pace)


@cache
def apart(name: str) -> tuple[Result, float]:
    """Return (placements per second, most resident memory in MB) of a trace replayed in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_decide", name]
    document = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    rate = Result(document["rate"], "placements/s", bars=BARS[name], speed=document["speed"])
    return rate, document["megabytes"]


def decide_100k() -> Result:
    """Return placements per second on the large cluster."""
    return apart("decide-100k")[0]


def resident_100k() -> Result:
    """Return the most memory that the replay on the large cluster held, trace included."""
    bars = Bars(pure=MOST_MEGABYTES, compiled=MOST_MEGABYTES)
    return Result(apart("decide-100k")[1], "MB", Quantity.PLAIN, higher_is_better=False, bars=bars)


def main(name: str) -> None:
    """Replay a trace and print what was measured as JSON."""
    result = decide(name)
    unit = 1 if sys.platform == "darwin" else 1024
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    print(json.dumps({"rate": result.value, "speed": result.speed, "megabytes": megabytes}))


BENCHMARKS = {
    "decide-10k": partial(decide, "decide-10k"),
    "decide-100k": decide_100k,
    "decide-100k-rss": resident_100k,
    "decide-shapes": partial(decide, "decide-shapes"),
}

if __name__ == "__main__":
    main(sys.argv[1])
