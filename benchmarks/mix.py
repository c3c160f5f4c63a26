"""Clusters and workloads made up in the manner of the recorded traces, at any size.

60 % single pods of 1, 2, 4 or 8 cards, 8 % gangs of 2 to 8 pods that share nodes, 32 % gangs of 2 to 64 whole nodes
that prefer or require a rack or a superpod. The cluster is filled to nine tenths; from there on workloads end at
random.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

RACK = 16
"""Nodes of a rack."""

SUPERPOD = 16
"""Racks of a superpod."""

SPINE = 4
"""Superpods of a spine, as a rule."""

CARDS = 8

FULL = 0.9
"""The part of the cards in use once the cluster is filled."""

SINGLE = ((1, 2, 4, 8), (2, 1, 1, 1))
WHOLE = ((2, 4, 8, 16, 32, 64), (36, 25, 18, 10, 6, 4))
"""Sizes and how often they occur."""


def cluster(racks: int, superpods: int, spines: int, **node: object) -> dict[str, Any]:
    """Return the spec of a cluster of equal nodes; ``node`` holds further facts about each."""
    nodes = racks * RACK
    places = {
        "spine": f"s[{1:02}-{spines:02}]",
        "superpod": f"p[{1:04}-{superpods:04}]",
        "rack": f"r[{1:05}-{racks:05}]",
    }
    return {
        "topologies": [{"name": "fabric", "levels": list(places)}],
        "nodes": [{"name": f"gpu-[{1:06}-{nodes:06}]", "gpus": CARDS, "in": places, **node}],
    }


def steps(racks: int, measured: int, seed: int = 1, superpod: int = SUPERPOD * RACK) -> Iterator[dict[str, Any]]:
    """Yield workloads until the cluster is full, the mark, and then ``measured`` more, each after some have ended.

    Nobody asks for more whole nodes at once than a 32nd of the cluster.
    """
    draw = Random(seed)
    total = racks * RACK * CARDS
    most = min(racks * RACK // 32, superpod)
    running: list[tuple[str, int]] = []
    used = number = 0
    left = -1
    while left:
        number += 1
        workload = {"name": f"w{number}", **_workload(draw, most)}
        yield {"submit": workload}
        size = workload["pods"] * workload["request"]["gpu"]
        running.append((workload["name"], size))
        used += size
        left -= 1
        if left < 0 and used >= FULL * total:
            yield {"measure": True}
            left = measured
        while left >= 0 and used >= FULL * total:
            place = draw.randrange(len(running))
            running[place], running[-1] = running[-1], running[place]
            name, size = running.pop()
            used -= size
            yield {"finish": name}


def _workload(draw: Random, most: int) -> dict[str, Any]:
    chance = draw.random()
    if chance < 0.60:  # noqa: PLR2004 -- the shares stand in the module's description
        return {"pods": 1, "request": {"gpu": draw.choices(*SINGLE)[0]}}
    if chance < 0.68:  # noqa: PLR2004
        return {"pods": draw.choice((2, 4, 8)), "request": {"gpu": draw.choice((1, 2, 4))}}
    pods = min(draw.choices(*WHOLE)[0], most)
    chance = draw.random()
    if chance < 0.5:  # noqa: PLR2004
        rule = {"preferred": "rack"}
    elif chance < 0.8:  # noqa: PLR2004
        rule = {"required": "superpod", "preferred": "rack"}
    else:
        rule = {"required": "rack" if pods <= RACK else "superpod"}
    return {"pods": pods, "request": {"gpu": CARDS}, "topology": rule, "kind": "training"}
