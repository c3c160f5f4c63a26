"""The knobs of the decision (``spec.policy``), each with the default of a document."""

from __future__ import annotations

from dataclasses import dataclass, field

MINUTE = 60_000_000
"""One minute in µs."""


@dataclass(frozen=True)
class MixPod:
    """A kind of pod that comes: how often (``weight``), and what it asks for.

    ``gpu`` is in thousandths of a card: 0, a share of one card (below 1000) or whole cards; ``cpu`` in millicores;
    ``models`` are the cards that will do (empty: any).
    """

    weight: int
    gpu: int
    cpu: int = 0
    models: tuple[str, ...] = ()


@dataclass(frozen=True)
class Policy:
    """Knobs of the decision; times in µs, ``largest_gang`` in nodes (0: wider levels do not count for the potential).

    ``sizes`` replaces the powers of two of the potential: pairs (cards, weight), ascending; ``mix`` are the pods that
    come, by which single pods are packed. ``defrag_every`` 0: off.
    """

    backfill: str = "easy"
    reserve_after: int = 10 * MINUTE
    reservations: int = 1
    victim_wait: int = 10 * MINUTE
    node_grace: int = 0
    repair_wait: int = 5 * MINUTE
    usage_half_life: int = 0
    largest_gang: int = 0
    sizes: tuple[tuple[int, int], ...] = ()
    mix: tuple[MixPod, ...] = ()
    defrag_every: int = 0
    defrag_max_moves: int = 0
    defrag_max_lost: int = 0


@dataclass(frozen=True)
class Change:
    """An event of a scenario: at ``at`` µs the fields of ``values`` change on a node, cable or switch.

    ``target`` is ``node``, ``cable`` or ``switch``; ``names`` the node or switch, or the two ends of the cable. For a
    node the keys are ready, unschedulable, labels, taints, resources and ``gpu.unhealthy``, with values in model form
    (bool, dict[str, str], tuple[Taint, ...], dict[str, int], frozenset[int]).

    What cables and switches mean for nodes follows from the fabric, as changes that no document writes: a node's
    ``rails.down`` (frozenset[int]); target ``uplink``, with topology, level and a node below it as names, and
    ``megabits`` that are left; target ``place``, a node's ``places`` by topology as the map has them now.
    """

    at: int
    target: str
    names: tuple[str, ...]
    values: dict[str, object] = field(default_factory=dict)
