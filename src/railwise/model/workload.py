"""What is queued and admitted as one: a gang of pods, possibly with nested groups.

A workload is a tree of groups. The root is the workload itself; a group holds either pods or further groups. So a rule
about the whole and a rule about a part are the same thing at another depth, and nothing needs to be written twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from railwise.model.pod_rules import PodRules
from railwise.model.requirement import Requirement

CARDS_NONE = "none"
CARDS_WHOLE = "whole"
CARDS_SHARE = "share"
CARDS_TIME_SLICE = "time-slice"
CARDS_MIG = "mig"


@dataclass(frozen=True)
class CardRequest:
    """What one pod asks of cards.

    ``kind`` is one of the ``CARDS_…`` constants and ``count`` the number of different cards (for MIG: 0).
    A share asks for ``fraction`` thousandths of a card (memory and compute alike), or for ``memory`` MiB, or for
    ``memory_percent`` of the card's memory, and optionally for ``compute`` percent of its compute, on each card.
    Time slices may carry a memory budget as well. ``slices`` are MIG profiles with their number, sorted by profile.
    """

    kind: str = CARDS_NONE
    count: int = 0
    fraction: int = 0
    memory: int = 0
    memory_percent: int = 0
    compute: int = 0
    slices: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Request:
    """One pod's demand: cards, and other resources in base units (cpu: millicores, memory: MiB, others: pieces)."""

    cards: CardRequest = CardRequest()
    resources: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class CardRule:
    """Which cards will do: one of the models (empty: any), at least ``memory`` MiB, all of one island if ``island``."""

    models: tuple[str, ...] = ()
    memory: int = 0
    island: bool = False


@dataclass(frozen=True)
class Toleration:
    """A toleration as in Kubernetes (empty key with ``Exists``: everything; empty effect: all effects)."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True)
class Selection:
    """Which nodes a pod may use: every pair of ``labels``, and one of ``terms`` (each an AND; none: no condition)."""

    labels: tuple[tuple[str, str], ...] = ()
    terms: tuple[tuple[Requirement, ...], ...] = ()
    tolerations: tuple[Toleration, ...] = ()


@dataclass(frozen=True)
class TopologyRule:
    """A rule about where the pods of a workload or group lie. Empty strings: not given.

    ``name`` is the topology (empty: inherited, at the root the cluster's first one); ``required``, ``preferred`` and
    ``distinct`` name a level; ``balance`` is ``pack`` or ``even``.
    """

    name: str = ""
    required: str = ""
    preferred: str = ""
    distinct: str = ""
    balance: str = "pack"


@dataclass(frozen=True)
class Segment:
    """Equal runs of ``size`` consecutive ranks, each in one domain of ``required``, if possible of ``preferred``."""

    size: int
    required: str = ""
    preferred: str = ""


@dataclass(frozen=True)
class Running:
    """Where pods already run: ``nodes[i]`` holds pod i (None: wanted, not running), ``since`` is µs before or after 0.

    ``cards[i]`` names the cards of pod i as numbers, or ``"card@start"`` for a MIG slice; an empty tuple: any.
    """

    nodes: tuple[str | None, ...]
    since: int = 0
    cards: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Group:
    """A part of a workload (or, as the root, all of it): either ``pods`` equal pods or nested ``groups``.

    ``min_pods`` of the pods (``min_groups`` of the groups) are needed; below that nothing is placed. A group that holds
    groups has ``pods`` 0. ``pod_rules`` tells what its pods are to other pods (None: nothing that anybody asks for).
    """

    name: str = ""
    pods: int = 0
    min_pods: int = 0
    request: Request = Request()
    card_rule: CardRule = CardRule()
    topology: TopologyRule = TopologyRule()
    segment: Segment | None = None
    selection: Selection = Selection()
    running: Running | None = None
    groups: tuple[Group, ...] = ()
    min_groups: int = 0
    pod_rules: PodRules | None = None


@dataclass(frozen=True)
class Alternative:
    """An equivalent way to run the same work; ``slowdown`` in thousandths (1000: as fast as the reference)."""

    root: Group
    slowdown: int = 1000


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint every ``every`` µs; ``restore`` µs are spent to restart from one."""

    every: int
    restore: int = 0


@dataclass(frozen=True)
class Traffic:
    """What the ranks say to each other: a pattern (dense, moe, pipeline, pd, none) and its sizes as given."""

    pattern: str
    sizes: dict[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Workload:
    """One workload. Times are µs from the start of the document's clock; ``duration`` 0 means unknown.

    With ``alternatives`` the root's own pods and request are those of the first one. ``order`` is the place in the
    document, the last tie of the queue order. ``invalid`` carries the reason why it contradicts itself (empty: sound),
    Nobody has to stop for a workload that does not preempt (``preempts``).
    ``unsupported`` names a rule of it that cannot be honoured (empty: none), so that it waits instead of breaking it.
    """

    name: str
    root: Group
    queue: str = "default"
    priority: int = 0
    submit: int = 0
    order: int = 0
    kind: str = "batch"
    elastic: bool = False
    preemptible: bool = True
    preempts: bool = True
    suspend: bool = False
    duration: int = 0
    checkpoint: Checkpoint | None = None
    traffic: Traffic | None = None
    alternatives: tuple[Alternative, ...] = ()
    invalid: str = ""
    unsupported: str = ""
