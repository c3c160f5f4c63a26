"""Why a workload waits: a closed set of codes in order of precedence, and the figures behind the headline.

A refusal is a value. Text, tables and pages are rendered from it, so that the answer of the command line, of the
dashboard and of a pod's condition can never differ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Code(Enum):
    """Reason codes, in order of precedence: the first that applies is the headline."""

    INVALID_REQUEST = "InvalidRequest"
    UNKNOWN_QUEUE = "UnknownQueue"
    UNKNOWN_TOPOLOGY = "UnknownTopology"
    UNKNOWN_LEVEL = "UnknownLevel"
    SUSPENDED = "Suspended"
    QUEUE_STOPPED = "QueueStopped"
    OVER_LIMIT = "OverLimit"
    OVER_QUOTA = "OverQuota"
    NEVER_FITS = "NeverFits"
    NODES_EXCLUDED = "NodesExcluded"
    NOT_ENOUGH_FREE = "NotEnoughFree"
    TOO_FRAGMENTED = "TooFragmented"
    RESERVED = "Reserved"
    WAITING_FOR_VICTIMS = "WaitingForVictims"
    WAITING_FOR_QUOTA = "WaitingForQuota"
    BEHIND_OTHERS = "BehindOthers"
    UNPROVEN = "Unproven"
    UNSUPPORTED = "Unsupported"


class Act(Enum):
    """Who must act for the workload to start."""

    USER = "user"
    ADMIN = "admin"
    WAIT = "wait"


@dataclass(frozen=True)
class LevelCount:
    """How close the best domain of a level comes: it has room for ``has`` of the ``needs`` pods."""

    level: str
    best: str
    has: int
    needs: int


@dataclass(frozen=True)
class Reason:
    """Why a workload waits.

    ``nodes`` counts every node of the cluster once, under the first filter that applies, in the order notReady,
    cordoned, taint, selector, model, gpu, cpu, memory, pods, other resources, fits; the counts add up to ``total``.
    """

    code: Code
    summary: str
    act: Act
    next: str = ""
    total: int = 0
    nodes: dict[str, int] = field(default_factory=dict)
    levels: tuple[LevelCount, ...] = ()
