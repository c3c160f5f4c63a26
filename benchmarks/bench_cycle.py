"""How long a whole round takes on a busy cluster in which thousands wait: everybody gets a decision or a reason.

10,000 nodes, most of them full; 200 queues in three levels; 5,000 gangs wait, of which 4,900 cannot start: a third is
over the limit of its queue, a third finds enough free nodes but never so many in one rack, and a third wants nodes of a
pool that is full, where nobody may be stopped for it: all that runs has the same priority and stands within its quota.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random
from statistics import median
from time import process_time
from typing import Any

from benchmarks.mix import CARDS, RACK
from benchmarks.result import Bars, Quantity, Result
from railwise.engine.cycle import Engine, Submit
from railwise.formats.scenario.reader import read_spec
from railwise.model.plan import Plan
from railwise.model.reason import Code

RACKS = 625
GOLD_RACKS = 125
SUPERPOD = 25
FREE_NODES = 2
"""Whole free nodes of a rack outside the gold pool, beside one of which half is free."""

TOPS, MIDDLES, LEAVES = 8, 4, 5
"""Queues at the top, below each of these, and below each of those."""

QUOTA = RACKS * RACK * CARDS // (TOPS * MIDDLES * LEAVES)
LIMITED = 3
"""Every third queue has a limit."""

WAITING = 5_000
STARTING = 100

SIZES = (1, 1, 2, 2, 4, 4, 8, 12)
"""Nodes of a running gang."""

CPU = (32, 64, 96, 128)
MEMORY = (256, 512, 1024, 1536)
SHAPES = tuple(product(CPU, MEMORY))

IDLE_ROUNDS = 5


def nodes() -> list[dict[str, Any]]:
    """Return the nodes: a spine of the gold pool, and four others."""
    parts = [("01", 1, GOLD_RACKS, {"labels": {"pool": "gold"}}), ("[02-05]", GOLD_RACKS + 1, RACKS, {})]
    return [
        {
            "name": f"gpu-[{(first - 1) * RACK + 1:06}-{last * RACK:06}]",
            "gpus": CARDS,
            "in": {
                "spine": f"s{spines}",
                "superpod": f"p[{(first - 1) // SUPERPOD + 1:04}-{last // SUPERPOD:04}]",
                "rack": f"r[{first:05}-{last:05}]",
            },
            "resources": {"cpu": "192", "memory": "2Ti", "pods": 110},
            **labels,
        }
        for spines, first, last, labels in parts
    ]


def _leaves() -> list[str]:
    return [f"team-{top}-{middle}-{leaf}" for top in range(TOPS) for middle in range(MIDDLES) for leaf in range(LEAVES)]


def queues() -> Iterator[dict[str, Any]]:
    """Yield 200 queues; the quotas of the leaves add up to the cluster, the wider queues' follow from them."""
    for top in range(TOPS):
        yield {"name": f"org-{top}"}
        for middle in range(MIDDLES):
            yield {"name": f"unit-{top}-{middle}", "parent": f"org-{top}"}
    for number, name in enumerate(_leaves()):
        limit = {"limit": {"gpu": QUOTA}} if number % LIMITED == 0 else {}
        yield {"name": name, "parent": f"unit-{name[5:8]}", "quota": {"gpu": QUOTA}, **limit}


def _request(shape: tuple[int, int], gpu: int = CARDS) -> dict[str, Any]:
    return {"gpu": gpu, "cpu": str(shape[0]), "memory": f"{shape[1]}Gi"}


def running(draw: Random, room: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Yield what runs: gangs on whole nodes, and half a node in every rack outside the pool; ``room``: below quota."""
    for rack in range(RACKS):
        whole = RACK if rack < GOLD_RACKS else RACK - FREE_NODES - 1
        first = rack * RACK + 1
        while whole:
            size = min(draw.choice(SIZES), whole)
            nodes = [f"gpu-{node:06}" for node in range(first, first + size)]
            yield {
                "queue": _held(room, size * CARDS, draw),
                "pods": size,
                "request": _request(draw.choice(SHAPES)),
                "running": {"nodes": nodes},
            }
            first, whole = first + size, whole - size
        if rack >= GOLD_RACKS:
            half = CARDS // 2
            request = _request(SHAPES[0], half)
            nodes = [f"gpu-{first:06}"]
            yield {"queue": _held(room, half, draw), "request": request, "running": {"nodes": nodes}}


def _held(room: dict[str, int], cards: int, draw: Random) -> str:
    """Return a queue that stays within its quota with so many cards more."""
    while True:
        name = draw.choice(list(room))
        if room[name] >= cards:
            room[name] -= cards
            return name


def waiting(draw: Random, room: dict[str, int]) -> list[dict[str, Any]]:
    """Return the gangs that wait, in random order; those that can start do not lift their queue above its quota."""
    leaves = _leaves()
    limited, others = leaves[::LIMITED], [name for number, name in enumerate(leaves) if number % LIMITED]
    found: list[dict[str, Any]] = []
    for number in range(WAITING - STARTING):
        shape = draw.choice(SHAPES)
        if number % 3 == 0:
            over = draw.randint(QUOTA // CARDS * 3 // 4, QUOTA // CARDS)
            gang: dict[str, Any] = {"queue": draw.choice(limited), "pods": over}
        elif number % 3 == 1:
            rule = {"topology": {"required": "rack"}}
            gang = {"queue": draw.choice(others), "pods": draw.randint(FREE_NODES + 1, RACK), **rule}
        else:
            gang = {"queue": draw.choice(others), "pods": draw.randint(1, RACK), "nodeSelector": {"pool": "gold"}}
        found.append({**gang, "request": _request(shape)})
    for number in range(STARTING):
        pods = 1 + number % 2
        queue = _held(room, pods * CARDS, draw)
        found.append({"queue": queue, "pods": pods, "request": _request(draw.choice(SHAPES))})
    draw.shuffle(found)
    return found


@dataclass(frozen=True, slots=True)
class Rounds:
    """Processor time in seconds: of the round in which all are submitted, of the next, and of rounds without news."""

    first: float
    second: float
    idle: float


def _timed(engine: Engine, events: list[Submit]) -> tuple[float, Plan]:
    start = process_time()
    plan = engine.cycle(events)
    return process_time() - start, plan


def _check(plan: Plan) -> None:
    """Make sure that the round is the one that is described above."""
    reasons = Counter(workload.reason.code for workload in plan.workloads if workload.reason is not None)
    third = (WAITING - STARTING) // 3
    assert sum(reasons.values()) == WAITING - STARTING, reasons
    assert min(reasons[code] for code in (Code.OVER_LIMIT, Code.TOO_FRAGMENTED, Code.NOT_ENOUGH_FREE)) >= third, reasons
    assert not plan.evictions


@cache
def on_10k() -> Rounds:
    """Submit everything in one round and go on without news."""
    draw = Random(7)
    room = dict.fromkeys(_leaves(), QUOTA)
    ran, asks = list(running(draw, room)), waiting(draw, room)
    named = [{"name": f"w{number}", **workload} for number, workload in enumerate([*ran, *asks])]
    spec = {"topologies": [{"name": "fabric", "levels": ["spine", "superpod", "rack"]}], "nodes": nodes()}
    scenario = read_spec({**spec, "queues": list(queues()), "workloads": named})
    engine = Engine(replace(scenario, workloads=scenario.workloads[: len(ran)]))
    engine.cycle([])
    first, plan = _timed(engine, [Submit(workload) for workload in scenario.workloads[len(ran) :]])
    _check(plan)
    second, plan = _timed(engine, [])
    _check(plan)
    return Rounds(first, second, median(_timed(engine, [])[0] for _ in range(IDLE_ROUNDS)))


def _duration(seconds: float, bars: Bars) -> Result:
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=bars)


def first_round() -> Result:
    """Return the time of the round in which all 5,000 are new."""
    return _duration(on_10k().first, Bars(pure=1.0, compiled=1.0))


def second_round() -> Result:
    """Return the time of the round after it, on what those left that started."""
    return _duration(on_10k().second, Bars())


def idle_round() -> Result:
    """Return the time of a round after one in which nothing happened."""
    return _duration(on_10k().idle, Bars(pure=0.020, compiled=0.020))


BENCHMARKS: dict[str, Callable[[], Result]] = {
    "cycle-10k": first_round,
    "cycle-10k-second": second_round,
    "cycle-10k-idle": idle_round,
}
