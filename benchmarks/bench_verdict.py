"""How long a refusal takes: "does not fit, and why", with the counts of every node and the best of every level.

Between two refusals the cluster changes a little, as it would in earnest, so that nothing can be remembered as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from random import Random
from statistics import median
from time import process_time
from typing import Any

from benchmarks.mix import CARDS, RACK, cluster
from benchmarks.result import Bars, Quantity, Result
from railwise.engine.cycle import Engine, Event, Finish, Submit
from railwise.formats.scenario.reader import read_spec
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload

RACKS = 625
"""10,000 nodes."""

NODE = {"resources": {"cpu": "192", "memory": "2Ti", "pods": 110}}

USED = ((8, 7, 6, 4, 1, 0), (70, 4, 4, 8, 4, 10))
"""Cards in use on a node, and how often that is so."""

REFUSED: dict[str, dict[str, Any]] = {
    "not enough": {"pods": 4_000, "request": {"gpu": 8}},
    "too fragmented": {"pods": 16, "request": {"gpu": 8}, "topology": {"required": "rack"}},
    "too fragmented, parts of nodes": {"pods": 100, "request": {"gpu": 1}, "topology": {"required": "rack"}},
    "never": {"pods": 1, "request": {"gpu": 16}},
    "no memory": {"pods": 16, "request": {"gpu": 1, "memory": "1900Gi"}, "topology": {"required": "rack"}},
    "excluded": {"pods": 2, "request": {"gpu": 8}, "nodeSelector": {"pool": "gold"}},
}

TIED_RACKS = 9_600
TIED_NODES = 4

ROUNDS = 15


@dataclass(frozen=True, slots=True)
class Refusals:
    """Processor time in seconds of the first refusal of a workload, and the median of those that follow."""

    first: float
    next: float


def refusals(engine: Engine, ask: Workload, changes: Iterator[list[Event]]) -> Refusals:
    """Refuse a workload again and again, the cluster changing in between."""
    times: list[float] = []
    for change in islice(changes, ROUNDS):
        engine.cycle(change)
        start = process_time()
        plan = engine.cycle([Submit(ask)])
        times.append(process_time() - start)
        reason = plan.workloads[-1].reason
        assert reason is not None, f"{ask.name} fits"
        assert sum(reason.nodes.values()) == reason.total
        engine.cycle([Finish(ask.name)])
    return Refusals(times[0], median(times[1:]))


def _read(spec: dict[str, Any], workloads: Sequence[dict[str, Any]]) -> Scenario:
    named = [{"name": f"w{number}", **workload} for number, workload in enumerate(workloads)]
    return read_spec({**spec, "workloads": named})


def _duration(seconds: float, bars: Bars) -> Result:
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=bars)


@cache
def on_10k() -> list[Refusals]:
    """Measure every kind of refusal on 10,000 nodes, most of them full, while running pods end."""
    spec = cluster(RACKS, RACKS // 25, 5, **NODE)
    draw = Random(1)
    running: list[dict[str, Any]] = []
    for node in range(1, RACKS * RACK + 1):
        used = draw.choices(*USED)[0]
        if used:
            request = {
                "gpu": used,
                "cpu": str(used * draw.randint(1, 24)),
                "memory": f"{used * draw.randint(8, 256)}Gi",
            }
            running.append({"pods": 1, "request": request, "running": {"nodes": [f"gpu-{node:06}"]}})
    scenario = _read(spec, [*running, *REFUSED.values()])
    ran, asks = scenario.workloads[: len(running)], scenario.workloads[len(running) :]
    engine = Engine(replace(scenario, workloads=ran))
    engine.cycle([])
    changes: Iterator[list[Event]] = iter([Finish(one.name)] for one in draw.sample(ran, len(asks) * ROUNDS))
    return [refusals(engine, ask, changes) for ask in asks]


def verdict() -> Result:
    """Return the time of the slowest kind of refusal."""
    return _duration(max(kind.next for kind in on_10k()), Bars(pure=0.005, compiled=0.005))


def first_verdict() -> Result:
    """Return the time of the slowest first refusal: of a request that the engine has never seen before."""
    return _duration(max(kind.first for kind in on_10k()), Bars())


def tied_racks() -> Result:
    """Return the time to refuse a gang that must lie in one of 9,600 racks, all alike and all a node short."""
    nodes = TIED_RACKS * TIED_NODES
    places = {"rack": f"r[{1:05}-{TIED_RACKS:05}]"}
    spec = {
        "topologies": [{"name": "fabric", "levels": ["rack"]}],
        "nodes": [{"name": f"gpu-[{1:06}-{nodes:06}]", "gpus": CARDS, "in": places}],
    }
    running = [
        {"request": {"gpu": 1}, "running": {"nodes": [f"gpu-{node:06}"]}} for node in range(1, nodes + 1, TIED_NODES)
    ]
    gang = {"pods": TIED_NODES, "request": {"gpu": CARDS}, "topology": {"required": "rack"}}
    scenario = _read(spec, [*running, gang])
    engine = Engine(replace(scenario, workloads=scenario.workloads[:-1]))
    engine.cycle([])
    rejoin: Iterator[list[Event]] = iter(
        [Finish(workload.name), Submit(workload)] for workload in scenario.workloads[:ROUNDS]
    )
    found = refusals(engine, scenario.workloads[-1], rejoin)
    return _duration(found.next, Bars(pure=0.020, compiled=0.020))


BENCHMARKS: dict[str, Callable[[], Result]] = {
    "verdict-10k": verdict,
    "verdict-10k-first": first_verdict,
    "tied-racks": tied_racks,
}
