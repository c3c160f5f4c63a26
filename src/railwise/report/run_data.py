"""What is told of one run: who ran where and when, what was out of order, how full the cluster was over time.

Plain values that the twin fills while it runs, and that tables, pages and exports read: none of them knows how a run
comes about, and the twin knows none of them. Times are µs, GPUs are thousandths of a card unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from railwise.model.scenario import Scenario

FINISHED = "finished"
STOPPED = "stopped"
CHANGED = "changed"
RUNNING = "running"
ENDINGS = (FINISHED, STOPPED, CHANGED, RUNNING)
"""How a stint ends: all work is done; the gang lost its minimum and what it had not saved; other pods; it did not."""

NONE = -1
"""What stands for a time or number that there is not."""

Key = tuple[str, str]
"""A measure's name, and the part of the run that it speaks of (empty: all of it)."""


class Stint(NamedTuple):
    """A stretch of time in which one workload ran on the same pods.

    Less than its minimum may hold on to its GPUs for a while after a failure; then nothing ``works``.
    ``job`` is its place in the scenario; ``places`` holds (node's place in the scenario, GPUs) in rank order, ranks
    next to each other on one node as one. ``spread`` says how wide it lies (see ``spreads``), ``step`` and ``best`` are
    the predicted ns of a step there and at the best place (0: unknown).
    """

    job: int
    start: int
    end: int
    places: tuple[tuple[int, int], ...]
    ending: str
    spread: int
    works: bool
    step: int = 0
    best: int = 0


class Outage(NamedTuple):
    """A stretch of time in which a node took no pods: ``notReady`` or ``cordoned``."""

    node: int
    start: int
    end: int
    state: str


class Sample(NamedTuple):
    """The cluster over ``span`` µs from ``at`` on.

    Means over that time, in thousandths: cards in use, cards that can be used, workloads that run, workloads that wait,
    GPUs they ask for. As at ``at``: free cards, free cards on partly used nodes, slots left (in the order of
    ``RunData.slot_keys``), and per queue (in the order of ``RunData.queues``) GPUs held and due.
    """

    at: int
    span: int
    held: int
    usable: int
    running: int
    waiting: int
    wanted: int
    free: int
    stranded: int
    slots: tuple[int, ...]
    queues: tuple[tuple[int, int], ...]


class LinkSample(NamedTuple):
    """From ``at`` µs on: the mean load of all uplinks of a level, and that of the fullest, in thousandths."""

    at: int
    mean: int
    peak: int


class LinkLevel(NamedTuple):
    """The uplinks of one level over a run: its mean load, its highest, and samples."""

    level: str
    mean: int
    peak: int
    samples: tuple[LinkSample, ...]


class JobRun(NamedTuple):
    """What became of one workload: first start and end (µs, -1: none), and what it used.

    ``held``, ``done`` (work that counts) and ``lost`` are GPUs times µs in thousandths; ``nodes``, ``domains`` (per
    level, widest first) and ``spread`` are those of the first start (0, empty and -1: it never started), ``step`` and
    ``best`` the ns of a step, on average over the time at work and at the best place (0: unknown).
    """

    start: int
    end: int
    stops: int
    held: int
    done: int
    lost: int
    nodes: int
    domains: tuple[int, ...]
    spread: int
    step: int = 0
    best: int = 0


@dataclass(frozen=True)
class RunData:
    """One run under one policy with one seed; ``end`` is where it stopped, ``stopped`` whether by hand.

    ``slot_keys`` are (level, gang size in nodes), ``queues`` names; ``measures`` is what it comes to.
    """

    policy: str
    seed: int
    end: int
    stopped: bool
    jobs: tuple[JobRun, ...]
    stints: tuple[Stint, ...]
    outages: tuple[Outage, ...]
    samples: tuple[Sample, ...]
    slot_keys: tuple[tuple[str, int], ...]
    queues: tuple[str, ...]
    measures: Mapping[Key, int]
    links: tuple[LinkLevel, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """The runs of one scenario: policy by policy in the order asked for, and per policy seed by seed.

    ``scenario`` is that of the first seed; ``drawn`` holds those of other seeds that live through other arrivals.
    ``notes`` are sentences about the input that a reader must know: columns that were missing, values assumed.
    """

    scenario: Scenario
    runs: tuple[RunData, ...]
    notes: tuple[str, ...] = ()
    drawn: Mapping[int, Scenario] = field(default_factory=dict)

    def scenario_of(self, run: RunData) -> Scenario:
        """Return what a run lived through."""
        return self.drawn.get(run.seed, self.scenario)

    def policies(self) -> tuple[str, ...]:
        """Return the policies in order, each once."""
        return tuple(dict.fromkeys(run.policy for run in self.runs))

    def of(self, policy: str) -> tuple[RunData, ...]:
        """Return the runs of a policy."""
        return tuple(run for run in self.runs if run.policy == policy)

    def first(self, policy: str) -> RunData:
        """Return the run of a policy with the first seed: the one that pictures show."""
        return self.of(policy)[0]
