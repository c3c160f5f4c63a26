"""A stream of gangs for a large cluster, as much work as it can do: every one with a rule about where it lies.

60 % gangs of 2 to 8 pods of 1, 2 or 4 cards that prefer a rack, 40 % gangs of 2 to 64 whole nodes that prefer or
require a rack, a superpod or a spine. They run for 5 minutes to a day, most of them for less than two hours. They come
at random with the rhythm of a day, so that a crowd waits in the evening; the offered load is the work that comes over
the work that all cards do in the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import sin, tau
from random import Random
from typing import Any

from benchmarks.mix import CARDS, RACK, SUPERPOD, WHOLE
from railwise.formats.scenario.reader import read_spec
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload

SECOND = 1_000_000

SMALL_PODS = (2, 3, 4, 8)
SMALL_CARDS = (1, 2, 4)
WHOLE_PART = 0.4

SHORTEST, LONGEST = 300, 86_400
"""Run times in seconds."""

TYPICAL, SPREAD = 3_600, 1.0
"""Median of the run times in seconds, and the standard deviation of their logarithm."""


DAY = 86_400
RHYTHM = 0.15
"""By how much more than usual comes at the busiest hour of a day, and less at the quietest."""


def stream(nodes: int, jobs: int, load: float = 1.0, seed: int = 1) -> Scenario:
    """Return a cluster of so many nodes in halls, spines, superpods and racks, and jobs that come by and by.

    ``nodes`` is a multiple of a rack. The same seed always gives the same stream.
    """
    draw = Random(seed)
    scenario = read_spec({**_cluster(nodes), "workloads": list(_kinds())})
    kinds = scenario.workloads
    small = [kind for kind in kinds if kind.root.request.cards.count < CARDS]
    whole = {pods: [kind for kind in kinds if kind not in small and kind.root.pods == pods] for pods in WHOLE[0]}
    most = nodes // 32
    found: list[Workload] = []
    work = 0
    for number in range(jobs):
        if draw.random() < WHOLE_PART:
            pods = min(draw.choices(*WHOLE)[0], max(2, 1 << (most.bit_length() - 1)))
            kind = draw.choice(whole[pods])
        else:
            kind = draw.choice(small)
        runs = int(min(max(draw.lognormvariate(0, SPREAD) * TYPICAL, SHORTEST), LONGEST))
        work += runs * kind.root.pods * kind.root.request.cards.count
        found.append(replace(kind, name=f"job-{number}", order=number, duration=runs * SECOND))
    span = work / (nodes * CARDS * load)
    times = sorted(_time(draw, span) for _ in range(jobs))
    jobs_in_time = [replace(job, submit=int(at * SECOND)) for job, at in zip(found, times, strict=True)]
    return replace(scenario, name=f"stream-{nodes}-{jobs}", workloads=tuple(jobs_in_time))


def _time(draw: Random, span: float) -> float:
    """Return when a job comes, in seconds."""
    while True:
        at = draw.uniform(0, span)
        if draw.uniform(0, 1 + RHYTHM) < 1 + RHYTHM * sin(tau * at / DAY):
            return at


def _cluster(nodes: int) -> dict[str, Any]:
    racks = nodes // RACK
    superpods = -(-racks // SUPERPOD)
    places = [
        {"hall": f"h{(pod // 16) + 1}", "spine": f"s{(pod // 4) + 1}", "superpod": f"p{pod + 1}"}
        for pod in range(superpods)
    ]
    entries = []
    for pod, place in enumerate(places):
        first, last = pod * SUPERPOD, min((pod + 1) * SUPERPOD, racks)
        name = f"gpu-[{first * RACK + 1:06}-{last * RACK:06}]"
        rack = f"r[{first + 1:05}-{last:05}]"
        entries.append({"name": name, "gpus": CARDS, "in": {**place, "rack": rack}})
    return {"topologies": [{"name": "fabric", "levels": ["hall", "spine", "superpod", "rack"]}], "nodes": entries}


def _kinds() -> Iterator[dict[str, Any]]:
    """Yield one workload of every kind that the stream is made of."""
    for pods in SMALL_PODS:
        for cards in SMALL_CARDS:
            name = f"small-{pods}x{cards}"
            yield {"name": name, "pods": pods, "request": {"gpu": cards}, "topology": {"preferred": "rack"}}
    for pods in WHOLE[0]:
        rules: list[dict[str, str]] = [
            {"preferred": "rack"},
            {"required": "spine", "preferred": "rack"},
            {"required": "superpod", "preferred": "rack"},
            {"required": "rack"} if pods <= RACK else {"required": "superpod"},
        ]
        for number, rule in enumerate(rules):
            kind = {"pods": pods, "request": {"gpu": CARDS}, "kind": "training", "topology": rule}
            yield {"name": f"whole-{pods}-{number}", **kind}
