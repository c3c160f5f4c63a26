"""Large clusters, full of firm work with some that may be stopped: so both ways to look for victims can answer."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from railwise.model.node import Cards, Node
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
FABRIC = Topology("fabric", (Level("superpod"), Level("rack")))


def large(seed: int, count: int = 240, loose: int = 48) -> Scenario:
    """Return a cluster of so many nodes of 8 cards with ``loose`` workloads that may be stopped, and one claimant."""
    random = Random(seed)
    nodes = tuple(
        Node(f"n{n}", {"fabric": {"superpod": f"p{n // 48}", "rack": f"r{n // 8}"}}, (Cards(8),)) for n in range(count)
    )
    queues = () if random.random() < 0.5 else (Queue("mine", quota={"gpu": 400_000}), Queue("theirs"))
    left = {node.name: 8 for node in nodes}
    region = random.randrange(count // 48)
    near = [node.name for node in nodes[48 * region : 48 * region + 48]]
    random.shuffle(near)
    workloads = [_loose(random, f"loose-{number}", near, left, theirs=bool(queues)) for number in range(loose)]
    for name, cards in left.items():
        taken = cards - random.choice([0, 0, 0, 1, 2, 4] if name in near else [0, 0, 0, 0, 1])
        if taken > 0:
            group = Group(pods=1, min_pods=1, request=_cards(taken), running=Running((name,), -MINUTE))
            workloads.append(Workload(f"firm-{name}", group, "mine" if queues else "default", 50, preemptible=False))
    workloads = [one for one in workloads if one.root.running is not None and one.root.running.nodes]
    pods, rule = random.choice([1, 2, 2, 4]), random.choice(["", "rack", "rack", "superpod"])
    root = Group(
        pods=pods, min_pods=pods, request=_cards(random.choice([8, 8, 4])), topology=TopologyRule(required=rule)
    )
    workloads.append(Workload("new", root, "mine" if queues else "default", 40))
    ordered = tuple(replace(one, order=order) for order, one in enumerate(workloads))
    return Scenario(f"large-{seed}", seed, (FABRIC,), nodes, queues, ordered)


def _cards(count: int) -> Request:
    return Request(CardRequest(CARDS_WHOLE, count))


def _loose(random: Random, name: str, near: list[str], left: dict[str, int], *, theirs: bool) -> Workload:
    size = random.choice([1, 2, 4, 8])
    pods = random.choice([1, 1, 2, 3])
    nodes = [node for node in near if left[node] >= size][:pods]
    for node in nodes:
        left[node] -= size
    spare = random.choice([0, 0, 1]) if len(nodes) > 1 else 0
    since = -MINUTE * random.randint(1, 60)
    group = Group(
        pods=len(nodes), min_pods=len(nodes) - spare, request=_cards(size), running=Running(tuple(nodes), since)
    )
    kind = random.choice(["batch", "batch", "training", "inference"])
    saved = Checkpoint(10 * MINUTE, MINUTE) if random.random() < 0.3 else None
    queue = random.choice(["mine", "theirs", "theirs"]) if theirs else "default"
    return Workload(name, group, queue, random.choice([0, 0, 5]), kind=kind, checkpoint=saved)
