"""Random trees of domains with promises: the ground on which books of promises and guarantees are tried."""

from __future__ import annotations

from random import Random

from railwise.model.node import Cards, Node
from railwise.model.queue import Queue
from railwise.model.topology import Level, Topology

FABRIC = Topology("fabric", (Level("spine"), Level("superpod"), Level("rack")))
LEVELS = ("spine", "superpod", "rack")


def draw_nodes(random: Random, most: int = 12) -> list[Node]:
    """Return nodes in an unequal tree; some name no domain at some level, a few are dead."""
    racks = random.randint(1, 6)
    superpods = random.randint(1, max(racks * 2 // 3, 1))
    home = [random.randrange(superpods) for _ in range(racks)]
    nodes: list[Node] = []
    size = random.randint(2, most)
    for index in range(size):
        rack = random.randrange(racks)
        path = {"spine": f"s{home[rack] % 2}", "superpod": f"p{home[rack]}", "rack": f"r{rack}"}
        if random.random() < 0.06:
            path.pop(random.choice(LEVELS))
        ready = random.random() > 0.05
        nodes.append(Node(f"n{index}", {"fabric": path}, (Cards(random.choice([4, 8, 8])),), ready=ready))
    return nodes


def draw_queues(random: Random) -> list[Queue]:
    """Return some queues with promises, some without, some of them below others."""
    queues: list[Queue] = []
    for index in range(random.randint(1, 5)):
        parent = random.choice(queues).name if queues and random.random() < 0.3 else ""
        guarantee: dict[str, int] = {}
        for level in random.sample([*LEVELS, "node"], random.choice([0, 1, 1, 1, 2, 3])):
            guarantee[level] = random.choice([1, 1, 2])
        queues.append(Queue(f"q{index}", parent, quota={"gpu": 10**6}, guarantee=guarantee))
    return queues
