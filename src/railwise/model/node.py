"""A Kubernetes node as the scheduler sees it: where it stands, what it has, who may use it."""

from __future__ import annotations

from dataclasses import dataclass, field

MIG_NONE: tuple[str, ...] = ()
"""The card is never cut."""

MIG_DYNAMIC: tuple[str, ...] = ("dynamic",)
"""The card is cut on request and whole again when its last slice has gone."""


MAINTENANCE_LABEL = "maintenance.railwise.dev/switch"
"""The label of a node below a switch that is worked on, with the switch's name: it takes no new pods meanwhile."""


@dataclass(frozen=True)
class Cards:
    """A run of equal cards of a node.

    ``memory`` and ``reserve`` are MiB a card (``memory`` 0: unknown; ``reserve`` is kept from sharers); ``mig`` is
    ``MIG_NONE``, ``MIG_DYNAMIC`` or the profiles of a fixed layout; ``time_slices`` above 0 offers the card as that
    many time slices and in no other way; ``islands`` is the number of equal runs of cards joined by fast links.
    """

    count: int
    model: str = ""
    memory: int = 0
    reserve: int = 0
    mig: tuple[str, ...] = MIG_NONE
    time_slices: int = 0
    islands: int = 1


@dataclass(frozen=True)
class Taint:
    """A taint; only ``NoSchedule`` and ``NoExecute`` keep pods away, ``PreferNoSchedule`` is ignored."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"


@dataclass(frozen=True)
class Node:
    """One node.

    ``places`` holds, per topology name, the domain names by level name; a level that is missing names no domain.
    ``cards`` are numbered through from 0; ``unhealthy`` holds such numbers. ``resources`` are capacities in base
    units (cpu: millicores, memory and ephemeral-storage: MiB, others: pieces); cpu, memory, pods and
    ephemeral-storage that are not listed are unlimited, any other resource that is not listed is 0. ``dead_rails``
    are rail numbers that are down, of ``rails`` that it has (0: one for each card).
    """

    name: str
    places: dict[str, dict[str, str]] = field(default_factory=dict)
    cards: tuple[Cards, ...] = ()
    unhealthy: frozenset[int] = frozenset()
    resources: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    ready: bool = True
    unschedulable: bool = False
    dead_rails: frozenset[int] = frozenset()
    rails: int = 0

    def card_count(self) -> int:
        """Return the number of cards, healthy or not."""
        return sum(cards.count for cards in self.cards)

    def live_nics(self) -> int:
        """Return the part of its NICs that work, in thousandths."""
        rails = self.rails or self.card_count()
        dead = sum(1 for rail in self.dead_rails if rail < rails)
        return 1000 * (rails - dead) // rails if dead else 1000
