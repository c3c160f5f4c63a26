"""An instance under construction, and what all parts of the generator must agree on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from railwise.model.policy import Policy
from railwise.model.workload import (
    Group,
)

PENDING = "new"
"""The name of the workload that waits."""

LEVELS = ("spine", "superpod", "rack")
CARD_MEMORY = 40_000
POOLS = ("gold", "silver")


@dataclass
class Draft:
    """An instance under construction: dials that themes turn before nodes and workloads are drawn."""

    random: Random
    sizes: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 10, 12)
    most_racks: int = 5
    most_pods: int = 6
    cards: list[int] = field(default_factory=lambda: [8])
    depth: int = 1
    second: bool = False
    nameless: bool = False
    limits: bool = False
    sick: bool = False
    islands: bool = False
    models: bool = False
    memory: bool = False
    shared: bool = False
    empty: bool = False
    pools: bool = False
    rails: bool = False
    closed: bool = False
    policy: Policy = Policy()
    pod: Callable[[Random], Group] | None = None
    wishes: list[Callable[[Draft, Group], Group]] = field(default_factory=list)
    kind: str = "batch"
    alternatives: bool = False
    grouped: str = ""


Theme = Callable[[Draft], None]
"""Turns one dial of a draft."""
