"""The result of one decision: who goes where, who must go, who waits and why.

The two values that every round makes anew keep their fields by a plain ``__init__``: the one that a frozen dataclass
makes is many times slower. Their fields are as final as those of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

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


@dataclass(init=False)
class WorkloadPlan:
    """What the plan says about one workload; ``pods`` are all it runs afterwards, in rank order, group by group.

    ``domains`` names, per level of the workload's topology, the domains used in tree order. ``alternative`` is the
    index of the alternative taken (-1: none declared). ``seconds_per_step`` and ``best_seconds`` are predictions of the
    traffic model (0.0: unknown). ``exact`` says whether the placement is proven best under the rules.
    """

    name: Final[str]
    queue: Final[str]
    state: Final[State]
    pods: Final[tuple[PodPlacement, ...]]
    domains: Final[dict[str, tuple[str, ...]]]
    preferred_met: Final[bool]
    reason: Final[Reason | None]
    victims: Final[tuple[str, ...]]
    alternative: Final[int]
    seconds_per_step: Final[float]
    best_seconds: Final[float]
    exact: Final[bool]

    def __init__(  # noqa: PLR0913, PLR0917 -- one for each field
        self,
        name: str,
        queue: str,
        state: State,
        pods: tuple[PodPlacement, ...] = (),
        domains: dict[str, tuple[str, ...]] | None = None,
        preferred_met: bool = True,  # noqa: FBT001, FBT002 -- a field like the others
        reason: Reason | None = None,
        victims: tuple[str, ...] = (),
        alternative: int = -1,
        seconds_per_step: float = 0.0,
        best_seconds: float = 0.0,
        exact: bool = True,  # noqa: FBT001, FBT002
    ) -> None:
        """Keep the facts; no ``domains``: none are used."""
        self.name = name
        self.queue = queue
        self.state = state
        self.pods = pods
        self.domains = {} if domains is None else domains
        self.preferred_met = preferred_met
        self.reason = reason
        self.victims = victims
        self.alternative = alternative
        self.seconds_per_step = seconds_per_step
        self.best_seconds = best_seconds
        self.exact = exact


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


@dataclass(init=False)
class Plan:
    """The result of one decision at ``time`` µs.

    ``slots_left`` counts, per level name and gang size in whole nodes, how many such gangs still fit at once.
    """

    scenario: Final[str]
    time: Final[int]
    workloads: Final[tuple[WorkloadPlan, ...]]
    evictions: Final[tuple[Eviction, ...]]
    moves: Final[tuple[Move, ...]]
    reservations: Final[tuple[Reservation, ...]]
    warnings: Final[tuple[str, ...]]
    decisions: Final[int]
    slots_left: Final[dict[str, dict[int, int]]]

    def __init__(  # noqa: PLR0913, PLR0917 -- one for each field
        self,
        scenario: str,
        time: int,
        workloads: tuple[WorkloadPlan, ...],
        evictions: tuple[Eviction, ...] = (),
        moves: tuple[Move, ...] = (),
        reservations: tuple[Reservation, ...] = (),
        warnings: tuple[str, ...] = (),
        decisions: int = 0,
        slots_left: dict[str, dict[int, int]] | None = None,
    ) -> None:
        """Keep the facts; no ``slots_left``: they were not counted."""
        self.scenario = scenario
        self.time = time
        self.workloads = workloads
        self.evictions = evictions
        self.moves = moves
        self.reservations = reservations
        self.warnings = warnings
        self.decisions = decisions
        self.slots_left = {} if slots_left is None else slots_left
