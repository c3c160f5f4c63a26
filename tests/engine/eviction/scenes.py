"""Short words for tests of making room: who runs where, in which queue, since when; and who asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from railwise.engine.cycle import Engine
from railwise.engine.events import Submit
from railwise.engine.gangs.record import Record
from railwise.model.node import Cards, Node
from railwise.model.plan import Plan, WorkloadPlan
from railwise.model.policy import Policy
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import (
    CARDS_WHOLE,
    CardRequest,
    Checkpoint,
    Group,
    Request,
    Running,
    TopologyRule,
    Workload,
)

MINUTE = 60_000_000
CARD = 1000
FABRIC = Topology("fabric", (Level("rack"),))


def nodes(*racks: int, gpus: int = 4) -> list[Node]:
    """Return nodes ``n0``, ``n1``, … in racks ``r0``, ``r1``, … of so many nodes."""
    homes = [f"r{rack}" for rack, size in enumerate(racks) for _ in range(size)]
    return [Node(f"n{index}", {"fabric": {"rack": home}}, (Cards(gpus),)) for index, home in enumerate(homes)]


def pods(
    count: int,
    gpu: int,
    on: Sequence[str | None] = (),
    *,
    name: str = "",
    least: int = -1,
    since: int = 10,
    required: str = "",
) -> Group:
    """Return equal pods, the first of which run on these nodes, since so many minutes ago."""
    running = Running(tuple(on), -since * MINUTE) if on else None
    asks = Request(CardRequest(CARDS_WHOLE, gpu))
    rule = TopologyRule(required=required)
    return Group(name, count, count if least < 0 else least, asks, running=running, topology=rule)


def runs(
    name: str,
    on: Sequence[str | None],
    gpu: int,
    queue: str = "default",
    *,
    priority: int = 0,
    since: int = 10,
    least: int = -1,
    kind: str = "batch",
    **more: object,
) -> Workload:
    """Return a workload that runs on these nodes, one pod each time a node is named."""
    root = pods(len(on), gpu, on, least=least, since=since)
    return replace(Workload(name, root, queue, priority, kind=kind), **more)  # type: ignore[arg-type]


def asks(
    name: str, count: int, gpu: int, queue: str = "default", *, priority: int = 0, required: str = "", **more: object
) -> Workload:
    """Return a workload that waits."""
    root = pods(count, gpu, required=required)
    return replace(Workload(name, root, queue, priority), **more)  # type: ignore[arg-type]


def saves(every: int, restore: int = 0) -> Checkpoint:
    """Return a checkpoint every so many minutes."""
    return Checkpoint(every * MINUTE, restore * MINUTE)


def quota(name: str, gpu: int, parent: str = "", **more: object) -> Queue:
    """Return a queue with a quota of so many cards."""
    return replace(Queue(name, parent, {"gpu": CARD * gpu} if gpu >= 0 else {}), **more)  # type: ignore[arg-type]


def scene(
    on: Sequence[Node], *workloads: Workload, queues: Sequence[Queue] = (), policy: Policy | None = None
) -> Scenario:
    """Return a cluster with its queues and workloads, in order."""
    ordered = tuple(replace(workload, order=order) for order, workload in enumerate(workloads))
    return Scenario("scene", 0, (FABRIC,), tuple(on), tuple(queues), ordered, policy or Policy())


def engine(scenario: Scenario) -> Engine:
    """Return an engine whose books are open, before anything is decided: what waits is known but has had no turn."""
    made = Engine(scenario)
    made.workloads.book(scenario.workloads)
    made._first = ()  # noqa: SLF001 - the first cycle would book them again
    made.accounts.open_round(made.records)
    return made


def after_one_round(scenario: Scenario) -> tuple[Engine, Plan]:
    """Return an engine after its first round, and the plan."""
    made = Engine(scenario)
    return made, made.cycle(())


def submit(to: Engine, workload: Workload, now: int = 0) -> tuple[Plan, WorkloadPlan]:
    """Submit a workload and return the plan and what it says about it."""
    plan = to.cycle([Submit(workload)], now)
    return plan, next(one for one in plan.workloads if one.name == workload.name)


def record(of: Engine, name: str) -> Record:
    """Return what the engine knows of a workload."""
    return of.records[name]


def gone(plan: Plan) -> dict[str, list[str]]:
    """Return the pods that were evicted, by workload."""
    return {one.workload: list(one.pods) for one in plan.evictions}
