"""A workload of many groups: 100 groups of 10 pods, each group inside one rack, all of them inside one superpod.

1,000 nodes in racks of ten, partly in use, so that groups share racks and racks take several groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from time import process_time
from typing import Any

from benchmarks.result import Bars, Quantity, Result
from railwise.engine.cycle import Engine, Submit
from railwise.formats.scenario.reader import read_spec
from railwise.model.plan import State
from railwise.model.scenario import Scenario

GROUPS = 100
PODS = 10
NODES = 1_000
REPEATS = 3


def scenario() -> Scenario:
    """Return the cluster, what runs there, and (last) the workload."""
    draw = Random(1)
    spec: dict[str, Any] = {
        "topologies": [{"name": "fabric", "levels": ["superpod", "rack"]}],
        "nodes": [{"name": f"gpu-[{1:04}-{NODES}]", "gpus": 8, "in": {"superpod": "p[1-2]", "rack": "r[001-100]"}}],
    }
    running = [
        {"name": f"w{node}", "request": {"gpu": draw.choice((1, 2, 4, 8))}, "running": {"nodes": [f"gpu-{node:04}"]}}
        for node in draw.sample(range(1, NODES + 1), NODES // 5)
    ]
    rule = {"topology": {"required": "rack"}}
    groups = [{"name": f"g{number}", "pods": PODS, "request": {"gpu": 2}, **rule} for number in range(GROUPS)]
    job = {"name": "job", "topology": {"required": "superpod"}, "groups": groups}
    return read_spec({**spec, "workloads": [*running, job]})


def groups() -> Result:
    """Return the processor time of the decision on the workload, on a cluster where nothing was asked before."""
    whole = scenario()
    times: list[float] = []
    for _ in range(REPEATS):
        engine = Engine(replace(whole, workloads=whole.workloads[:-1]))
        engine.cycle([])
        start = process_time()
        plan = engine.cycle([Submit(whole.workloads[-1])])
        times.append(process_time() - start)
        decided = plan.workloads[-1]
        assert decided.state is State.PLACED, decided.reason
        assert len(decided.pods) == GROUPS * PODS
    bars = Bars(pure=0.100, compiled=0.100)
    return Result(min(times), "s", Quantity.DURATION, higher_is_better=False, bars=bars)


BENCHMARKS: dict[str, Callable[[], Result]] = {"groups-100": groups}
