"""What queues below one parent bring to the sharing of a resource: what stays the same, and what is asked for now.

Shares are computed in every round, quotas and limits hardly ever change. So the latter are kept as columns by position,
with what follows from them, and a round only hands in demand, weight and what is held. ``Claim`` is the same by rows,
for whoever explains a share.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

Part = Fraction | int
"""An exact amount; whole ones are plain integers, which most are and which cost little."""


class Claim(NamedTuple):
    """What one queue brings to the sharing of one resource among its siblings, in base units.

    ``keep`` is the part of the quota that is not lent; ``limit`` -1: none; ``weight`` in thousandths divided by
    ``finer``, which is the same for all siblings.
    """

    name: str
    quota: Part
    demand: int
    keep: Part
    limit: int
    weight: int
    priority: int
    held: int
    finer: int = 1


def in_parts(amount: Part, scale: int) -> int:
    """Return an amount in whole numbers of 1/``scale`` base units."""
    return amount.numerator * (scale // amount.denominator)


class Siblings:
    """What stays the same about the queues below one parent in one resource, by position.

    ``promised`` is the sum of their quotas; ``parts`` of a base unit make all quotas whole; ``tiers`` are positions by
    priority, the highest first.
    """

    def __init__(
        self,
        names: Sequence[str],
        quota: list[Part],
        keep: list[Part],
        limit: list[int],
        priority: list[int],
    ) -> None:
        """Note what need not be looked for again: who is limited, who keeps something, in which parts quotas count."""
        self.names: Final = names
        self.quota: Final = quota
        self.keep: Final = keep
        self.limit: Final = limit
        self.priority: Final = priority
        self.promised: Final[Part] = sum(quota)
        self.parts: Final = lcm(*[part.denominator for part in (*quota, *keep)])
        self.quota_parts: Final = [in_parts(amount, self.parts) for amount in quota]
        self.keep_parts: Final = [in_parts(amount, self.parts) for amount in keep]
        self.limited: Final = max(limit, default=-1) >= 0
        self.keeping: Final = any(keep)
        self.tiers: Final = [
            [at for at, own in enumerate(priority) if own == tier] for tier in sorted(set(priority), reverse=True)
        ]


class Wants(NamedTuple):
    """What the same queues ask for now, by position: ``weight`` in thousandths divided by ``finer``."""

    demand: list[int]
    weight: list[int]
    held: list[int]
    finer: int = 1


def columns(claims: list[Claim]) -> tuple[Siblings, Wants]:
    """Return claims as what stays the same and what is asked for now."""
    among = Siblings(
        [claim.name for claim in claims],
        [claim.quota for claim in claims],
        [claim.keep for claim in claims],
        [claim.limit for claim in claims],
        [claim.priority for claim in claims],
    )
    finer = claims[0].finer if claims else 1
    asked, held = [claim.demand for claim in claims], [claim.held for claim in claims]
    return among, Wants(asked, [claim.weight for claim in claims], held, finer)


def claims_of(among: Siblings, wants: Wants) -> list[Claim]:
    """Return what every one of the siblings brings."""
    return [
        Claim(
            name=name,
            quota=among.quota[at],
            demand=wants.demand[at],
            keep=among.keep[at],
            limit=among.limit[at],
            weight=wants.weight[at],
            priority=among.priority[at],
            held=wants.held[at],
            finer=wants.finer,
        )
        for at, name in enumerate(among.names)
    ]
