"""The result of one decision: who goes where, who must go, who waits and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from railwise.model.reason import Reason


class State(Enum):
    """The state of a workload after a plan."""

    PLACED = "placed"
    RUNNING = "running"
    PENDING = "pending"
    EVICTED = "evicted"
    MOVED = "moved"
    FINISHED = "finished"


class PodPlacement(NamedTuple):
    """One pod on one node: its rank inside its group (path ``a/b``, empty for the root) and its cards.

    A card is its number as text, ``"0@4"`` the MIG slice that starts at memory slice 4 of card 0.
    """

    name: str
    rank: int
    group: str
    node: str
    cards: tuple[str, ...]


@dataclass(frozen=True)
class WorkloadPlan:
    """What the plan says about one workload; ``pods`` are all it runs afterwards, in rank order, group by group.

    ``domains`` names, per level of the workload's topology, the domains used in tree order. ``alternative`` is the
    index of the alternative taken (-1: none declared). ``seconds_per_step`` and ``best_seconds`` are predictions of the
    traffic model (0.0: unknown). ``exact`` says whether the placement is proven best under the rules.
    """

    name: str
    queue: str
    state: State
    pods: tuple[PodPlacement, ...] = ()
    domains: dict[str, tuple[str, ...]] = field(default_factory=dict)
    preferred_met: bool = True
    reason: Reason | None = None
    victims: tuple[str, ...] = ()
    alternative: int = -1
    seconds_per_step: float = 0.0
    best_seconds: float = 0.0
    exact: bool = True


@dataclass(frozen=True)
class Eviction:
    """Pods of ``workload`` that stop in favour of ``beneficiary``; ``lost`` is lost work in GPU-seconds."""

    workload: str
    pods: tuple[str, ...]
    beneficiary: str
    lost: int
    why: str


class PodMove(NamedTuple):
    """One pod that changes its node."""

    name: str
    source: str
    target: str
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Move:
    """Pods of ``workload`` that change place in favour of ``beneficiary``; ``lost`` is lost work in GPU-seconds."""

    workload: str
    pods: tuple[PodMove, ...]
    beneficiary: str
    lost: int


@dataclass(frozen=True)
class Reservation:
    """Room kept for a waiting workload: a domain path (``s1/p1/r1``), nodes, the start in µs (-1: unknown)."""

    workload: str
    domain: str
    nodes: tuple[str, ...]
    start: int = -1


@dataclass(frozen=True)
class Plan:
    """The result of one decision at ``time`` µs.

    ``slots_left`` counts, per level name and gang size in whole nodes, how many such gangs still fit at once.
    """

    scenario: str
    time: int
    workloads: tuple[WorkloadPlan, ...]
    evictions: tuple[Eviction, ...] = ()
    moves: tuple[Move, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    warnings: tuple[str, ...] = ()
    decisions: int = 0
    slots_left: dict[str, dict[int, int]] = field(default_factory=dict)
