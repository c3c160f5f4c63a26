"""Policy tests: a small cluster, what is queued, and what the plan must be.

A case keeps its scenario unread, because a case may well expect that the document is refused. What is expected is read
strictly: an assertion that is silently ignored would be a test that cannot fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from railwise.formats.scenario.manifests import ReadFile

RUN_PLAN: Final = "plan"
RUN_SIMULATE: Final = "simulate"


class Bounds(NamedTuple):
    """A number between ``least`` and ``most``, both included (None: no bound on that side)."""

    least: int | None = None
    most: int | None = None

    def hold(self, number: int) -> bool:
        """Return whether the number lies between the bounds."""
        return (self.least is None or number >= self.least) and (self.most is None or number <= self.most)

    def text(self, show: Callable[[int], str] = str) -> str:
        """Return ``4``, ``at least 1``, ``at most 4`` or ``1 to 4``; ``show`` writes a number down."""
        least = "" if self.least is None else show(self.least)
        most = "" if self.most is None else show(self.most)
        if least == most:
            return least or "any number"
        if not most:
            return f"at least {least}"
        return f"{least} to {most}" if least else f"at most {most}"


@dataclass(frozen=True)
class Where:
    """Where the pods of a workload or group must lie; None: nothing is asserted. Level names are keys.

    ``cards`` names the exact cards per pod as ``node/card``; ``card_count`` is the number of different cards.
    """

    nodes: tuple[str, ...] | None = None
    not_nodes: tuple[str, ...] = ()
    pods: dict[str, str] = field(default_factory=dict)
    domains: dict[str, tuple[str, ...]] = field(default_factory=dict)
    count: dict[str, Bounds] = field(default_factory=dict)
    pods_per: dict[str, tuple[int, ...]] = field(default_factory=dict)
    cut_edges: dict[str, Bounds] = field(default_factory=dict)
    cards: dict[str, tuple[str, ...]] = field(default_factory=dict)
    card_count: Bounds | None = None


@dataclass(frozen=True)
class OfGroup:
    """Where the pods of one group must lie; the group is known by its name where that is unique, else by its path."""

    name: str
    where: Where


@dataclass(frozen=True)
class OfWorkload:
    """What must hold for one workload. ``starts`` counts µs from its ``submit``; ``counts`` are those of its reason."""

    name: str
    state: str = ""
    reason: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    starts: Bounds | None = None
    where: Where = Where()
    group: OfGroup | None = None


@dataclass(frozen=True)
class Evicted:
    """Who must lose pods over the whole plan. ``gpus`` are thousandths of a card."""

    workloads: tuple[str, ...] | None = None
    count: Bounds | None = None
    gpus: Bounds | None = None


@dataclass(frozen=True)
class Slots:
    """So many gangs of ``size`` whole free nodes must fit inside domains of ``level`` at once."""

    level: str
    size: int
    count: Bounds


class Share(NamedTuple):
    """The fair share of a queue per resource, in base units (gpu: thousandths of a card)."""

    queue: str
    amounts: dict[str, int]


class Refused(NamedTuple):
    """The document must be refused: at ``path`` or below it, with ``contains`` in the text (case does not matter)."""

    path: str = ""
    contains: str = ""


@dataclass(frozen=True)
class Expectation:
    """One item of ``expect``; everything in it must hold, at ``at`` µs (None: at the end). ``path`` is its place."""

    path: str
    at: int | None = None
    workload: OfWorkload | None = None
    evicted: Evicted | None = None
    stable: bool | None = None
    slots: Slots | None = None
    share: Share | None = None
    error: Refused | None = None
    free: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    max_evictions: Bounds | None = None
    one_of: tuple[Expectation, ...] = ()


@dataclass(frozen=True)
class Case:
    """A policy test.

    Exactly one of three holds the scenario: ``scenario`` the value of an inline ``spec``, ``document`` the bytes of a
    whole document, ``file`` a path that the caller has to read (and hand in with ``with_document``). ``until`` is the
    end of a simulation in µs (0: when nothing happens any more). ``read_file`` finds what the scenario names: a fabric,
    manifests.
    """

    name: str
    expect: tuple[Expectation, ...]
    run: str = RUN_PLAN
    until: int = 0
    area: str = ""
    origin: str = ""
    notes: str = ""
    scenario: object = None
    document: bytes | None = None
    file: str = ""
    source: str = ""
    read_file: ReadFile | None = field(default=None, compare=False)

    def with_document(self, document: bytes) -> Case:
        """Return the case with the bytes of the file that ``file`` names."""
        return replace(self, document=document, file="", source=self.file)
