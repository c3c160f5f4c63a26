"""Making room in full clusters: preemption among hundreds and among 80,000 victims, reclaim of half a cluster.

The index of who stands where exists, as in a scheduler that has made room before.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

from benchmarks.result import Bars, Quantity, Result
from railwise.engine.cycle import Engine, Finish, Submit
from railwise.formats.scenario.reader import read_spec
from railwise.model.plan import State
from railwise.model.scenario import Scenario

REPEATS = 3
NODES = 2_000


def _cluster(nodes: int, rack: int, workloads: list[dict[str, Any]], **more: object) -> Scenario:
    racks = nodes // rack
    return read_spec(
        {
            "topologies": [{"name": "fabric", "levels": ["superpod", "rack"]}],
            "nodes": [
                {
                    "name": f"n[{1:06}-{nodes:06}]",
                    "gpus": 8,
                    "in": {"superpod": f"p[{1:03}-{max(racks // 25, 1):03}]", "rack": f"r[{1:05}-{racks:05}]"},
                }
            ],
            "workloads": workloads,
            **more,
        }
    )


def _running(name: str, first: int, nodes: int, draw: Random) -> dict[str, Any]:
    places = [f"n{first + index + 1:06}" for index in range(nodes)]
    return {
        "name": name,
        "pods": nodes,
        "request": {"gpu": 8},
        "priority": draw.choice((0, 0, 0, 10, 20)),
        "running": {"nodes": places, "since": f"-{draw.randrange(1, 600)}m"},
        "checkpoint": {"every": "30m", "restore": "2m"} if draw.randrange(2) else {"every": "1h"},
    }


def _preempting(scenario: Scenario, claimant: dict[str, Any], state: State) -> float:
    """Return the least processor time of one claimant's cycle; everything is put back between the repeats."""
    (claim,) = read_spec({"workloads": [claimant]}).workloads
    times: list[float] = []
    engine = Engine(scenario)
    engine.cycle([])
    by_name = {workload.name: workload for workload in scenario.workloads}
    for _ in range(REPEATS):
        start = process_time()
        plan = engine.cycle([Submit(claim)])
        times.append(process_time() - start)
        assert {one.name: one.state for one in plan.workloads}[claim.name] is state, plan.workloads[-1]
        gone = [by_name[one.workload] for one in plan.evictions]
        assert gone
        engine.cycle([Finish(claim.name), *(Finish(victim.name) for victim in gone)])
        engine.cycle([Submit(victim) for victim in gone])
    return min(times)


def preempt_hundreds() -> Result:
    """Return the time to preempt for a 16-node gang in 2,000 full nodes that 700 gangs hold."""
    draw = Random(1)
    sizes = [1 + draw.randrange(5) for _ in range(700)]
    while sum(sizes) != NODES:
        index = draw.randrange(700)
        sizes[index] = max(1, sizes[index] + (1 if sum(sizes) < NODES else -1))
    first = 0
    workloads: list[dict[str, Any]] = []
    for number, size in enumerate(sizes):
        workloads.append(_running(f"w{number}", first, size, draw))
        first += size
    claim = {"name": "claim", "pods": 16, "request": {"gpu": 8}, "priority": 100}
    seconds = _preempting(_cluster(NODES, 20, workloads), claim, State.PLACED)
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=0.050, compiled=0.020))


def preempt_single_cards() -> Result:
    """Return the time to preempt a rack's worth of 80,000 one-card pods for a gang that must lie in one rack."""
    draw = Random(2)
    workloads = [
        {
            "name": f"w{number}",
            "request": {"gpu": 1},
            "running": {"nodes": [f"n{number // 8 + 1:06}"], "since": f"-{draw.randrange(1, 600)}m"},
        }
        for number in range(80_000)
    ]
    claim = {
        "name": "claim",
        "pods": 16,
        "request": {"gpu": 8},
        "priority": 100,
        "topology": {"required": "rack"},
    }
    seconds = _preempting(_cluster(10_000, 20, workloads), claim, State.PLACED)
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=0.200, compiled=0.080))


def reclaim_half() -> Result:
    """Return the time of one cycle in which 250 gangs take back 2,000 cards of 500 nodes from another queue."""
    draw = Random(3)
    workloads = [
        {
            "name": f"w{number}",
            "queue": "borrower",
            "request": {"gpu": 8},
            "running": {"nodes": [f"n{number + 1:06}"], "since": f"-{draw.randrange(1, 600)}m"},
        }
        for number in range(500)
    ]
    claims = [{"name": f"c{number}", "queue": "owner", "request": {"gpu": 8}} for number in range(250)]
    queues = [{"name": "owner", "quota": {"gpu": 2000}}, {"name": "borrower", "quota": {"gpu": 2000}}]
    scenario = _cluster(500, 20, workloads, queues=queues)
    asked = [Submit(claim) for claim in read_spec({"workloads": claims, "queues": queues}).workloads]
    times: list[float] = []
    for _ in range(REPEATS):
        engine = Engine(scenario)
        engine.cycle([])
        start = process_time()
        plan = engine.cycle(asked)
        times.append(process_time() - start)
        assert len(plan.evictions) == len(asked)
    return Result(min(times), "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=2.0, compiled=2.0))


BENCHMARKS: dict[str, Callable[[], Result]] = {
    "preempt-2k": preempt_hundreds,
    "preempt-10k": preempt_single_cards,
    "reclaim-500": reclaim_half,
}
"""What is measured here."""
