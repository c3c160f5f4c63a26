"""Random runs of small clusters that are too full: arrivals of many kinds, ends, nodes that fail and recover.

A seed always gives the same scenario. Everything that may change what a round decides occurs in some of them: queues
with quotas, priorities, elastic gangs, alternatives, checkpoints, all ways to backfill, grace and repair waits.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from railwise.engine.events import NodeChange
from railwise.model.policy import Change, Policy
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Alternative, Checkpoint, Running, Workload
from tests.engine.random_life import Life

MINUTE = 60_000_000

SMALL = 8
"""On clusters of so many nodes others may be moved: every choice among them is weighed."""


def random_run(seed: int, jobs: int = 30) -> Scenario:
    """Return the scenario of a seed."""
    life = Life(seed)
    random = life.random
    queues = _queues(random)
    leaves = [queue.name for queue in queues if not any(other.parent == queue.name for other in queues)] or ["default"]
    asks = [life.draw_workload() for _ in range(random.choice([3, 6, jobs]))]
    arrivals = sorted(random.choice([0, random.randint(0, 120)]) * MINUTE for _ in range(jobs))
    workloads = [
        _timed(random, replace(random.choice(asks), name=f"w{number}", order=number), at, random.choice(leaves))
        for number, at in enumerate(arrivals)
    ]
    changes = tuple(sorted(_changes(life), key=lambda change: change.at))
    return replace(
        life.scenario,
        queues=queues,
        workloads=(*_running(random, life), *workloads),
        changes=changes,
        policy=_policy(random, life.scenario.policy, small=len(life.scenario.nodes) <= SMALL),
    )


def _queues(random: Random) -> tuple[Queue, ...]:
    if random.random() < 0.4:
        return ()
    tops = [
        Queue(
            name,
            quota={"gpu": 1000 * random.choice([0, 4, 8, 16])},
            weight=random.choice([1000, 1000, 2500]),
            limit={"gpu": 48_000} if random.random() < 0.2 else {},
            preempt_min_runtime=random.choice([0, 0, 5 * MINUTE]),
            reclaim_min_runtime=random.choice([0, 0, 10 * MINUTE]),
        )
        for name in "abc"
    ]
    below = [Queue(f"a{number}", parent="a", quota={"gpu": 4000 * number}) for number in (0, 1)]
    return (*tops, *(below if random.random() < 0.5 else []))


def _timed(random: Random, workload: Workload, at: int, queue: str) -> Workload:
    duration = random.choice([0, *[random.randint(1, 90)] * 7]) * MINUTE
    checkpoint = Checkpoint(random.choice([3, 10]) * MINUTE, random.choice([0, 1]) * MINUTE)
    root = workload.root
    alternatives: tuple[Alternative, ...] = ()
    if random.random() < 0.08 and not root.groups and root.min_pods == root.pods and root.segment is None:
        alternatives = (Alternative(root), Alternative(replace(root, pods=2 * root.pods, min_pods=2 * root.pods), 1500))
    return replace(
        workload,
        queue=queue,
        submit=at,
        duration=duration,
        priority=random.choice([0, 0, 0, 5, 10]),
        preemptible=random.random() < 0.85,
        checkpoint=checkpoint if random.random() < 0.4 else None,
        alternatives=alternatives,
    )


def _running(random: Random, life: Life) -> list[Workload]:
    """Return some workloads that run already when the run begins."""
    found: list[Workload] = []
    for node in life.scenario.nodes:
        if random.random() < 0.25 and node.ready and node.card_count() and not node.unhealthy:
            root = replace(
                life.shapes[0], pods=1, min_pods=1, running=Running((node.name,), -random.randint(0, 9) * MINUTE)
            )
            duration = random.choice([0, 15, 30, 60]) * MINUTE
            found.append(Workload(f"old-{node.name}", root, order=1000 + len(found), duration=duration))
    return found


def _changes(life: Life) -> list[Change]:
    random = life.random
    nodes = list(life.scenario.nodes)
    found: list[Change] = []
    for _ in range(random.choice([0, 2, 8])):
        event = life.draw_change(nodes)
        if isinstance(event, NodeChange):
            at = random.randint(1, 100)
            found.append(Change(at * MINUTE, "node", (event.name,), event.values))
            if "ready" in event.values and random.random() < 0.8:
                back: dict[str, object] = {"ready": not event.values["ready"]}
                found.append(Change((at + random.randint(0, 20)) * MINUTE, "node", (event.name,), back))
    return found


def _policy(random: Random, policy: Policy, *, small: bool) -> Policy:
    moves = small and random.random() < 0.2
    return replace(
        policy,
        backfill=random.choice(["easy", "easy", "easy", "conservative", "none"]),
        reserve_after=random.choice([0, 5, 10, 10]) * MINUTE,
        reservations=random.choice([1, 1, 1, 2, 4]),
        node_grace=random.choice([0, 0, 2]) * MINUTE,
        repair_wait=random.choice([0, 5, 5]) * MINUTE,
        usage_half_life=random.choice([0, 0, 0, 30]) * MINUTE,
        defrag_every=1 if moves else 0,
        defrag_max_moves=2 if moves else 0,
    )
