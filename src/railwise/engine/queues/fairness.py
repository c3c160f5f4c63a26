"""Who is due how much: fair shares of a tree of queues, level by level and resource by resource.

Everyone gets the smaller of quota and demand. What is left goes by priority tier, inside a tier in proportion to
weight, up to demand, limit and what the others lend; queues of weight 0 come after all others. Where more is asked
for than there is, cards are handed out whole: by largest remainder, ties to who already holds more, then by name.
Fractions are exact until that last step.

Whoever wants to know how a share came about hands in a ``Sharing``, which is filled with the steps.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

CARD: Final = 1000
"""A card in thousandths: the unit in which scarce GPUs are shared."""


class Claim(NamedTuple):
    """What one queue brings to the sharing of one resource among its siblings, in base units.

    ``keep`` is the part of the quota that is not lent; ``limit`` -1: none; ``weight`` in thousandths.
    """

    name: str
    quota: Fraction
    demand: int
    keep: Fraction
    limit: int
    weight: int
    priority: int
    held: int


class Pour(NamedTuple):
    """One step of filling: what was ``left`` before it, who took part by weight, what each got, who is full now.

    ``last`` marks the round of the queues of weight 0, who share evenly.
    """

    priority: int
    last: bool
    left: Fraction
    weights: dict[str, Fraction]
    given: dict[str, Fraction]
    full: tuple[str, ...]


class Sharing:
    """How one resource was shared among siblings, step by step, in base units.

    ``claims`` are as declared, ``reduced`` with quotas shrunk; ``first`` is what everyone gets of quota, ``left`` what
    remains then, beyond what is not lent. ``exact`` is before, ``shares`` after rounding; ``raised`` are those for whom
    a remainder became a whole ``unit``, in the order in which they were served.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.total = Fraction(0)
        self.unit = 1
        self.claims: list[Claim] = []
        self.reduced: list[Claim] = []
        self.first: dict[str, Fraction] = {}
        self.left = Fraction(0)
        self.pours: list[Pour] = []
        self.exact: dict[str, Fraction] = {}
        self.raised: list[str] = []
        self.shares: dict[str, Fraction] = {}


def shrunk(claims: list[Claim], total: Fraction) -> list[Claim]:
    """Return the claims with quotas shrunk in proportion where they promise more than there is."""
    promised = sum((claim.quota for claim in claims), Fraction(0))
    if promised <= total or promised == 0:
        return claims
    ratio = total / promised
    return [claim._replace(quota=claim.quota * ratio, keep=claim.keep * ratio) for claim in claims]


def fair_shares(declared: list[Claim], total: Fraction, unit: int, steps: Sharing | None = None) -> dict[str, Fraction]:
    """Share ``total`` base units among siblings; ``unit`` is what cannot be divided where there is too little.

    ``steps`` is filled with how it was done.
    """
    claims = shrunk(declared, total)
    caps = {claim.name: Fraction(_cap(claim)) for claim in claims}
    shares = {claim.name: min(claim.quota, caps[claim.name]) for claim in claims}
    reserved = sum((max(shares[claim.name], claim.keep) for claim in claims), Fraction(0))
    rest = max(total - reserved, Fraction(0))
    pours = None
    if steps is not None:
        steps.total, steps.unit, steps.claims, steps.reduced = total, unit, declared, claims
        steps.first, steps.left, pours = dict(shares), rest, steps.pours
    for tier in sorted({claim.priority for claim in claims}, reverse=True):
        members = [claim for claim in claims if claim.priority == tier and claim.weight > 0]
        rest = _pour(members, caps, shares, rest, pours)
    _pour([claim for claim in claims if claim.weight == 0], caps, shares, rest, pours)
    exact = dict(shares)
    raised = _round(claims, caps, shares, unit) if sum(caps.values()) > total else []
    if steps is not None:
        steps.exact, steps.raised, steps.shares = exact, raised, dict(shares)
    return shares


def _cap(claim: Claim) -> int:
    return claim.demand if claim.limit < 0 else min(claim.demand, claim.limit)


def _pour(
    members: list[Claim],
    caps: dict[str, Fraction],
    shares: dict[str, Fraction],
    rest: Fraction,
    pours: list[Pour] | None,
) -> Fraction:
    """Pour what is left over queues in proportion to weight (evenly where all have none) until each is full.

    Return what nobody takes.
    """
    thirsty = [claim for claim in members if shares[claim.name] < caps[claim.name]]
    while rest > 0 and thirsty:
        weights = {claim.name: Fraction(claim.weight or 1) for claim in thirsty}
        together = sum(weights.values())
        fullest = min((caps[name] - shares[name]) / weight for name, weight in weights.items())
        step = min(fullest, rest / together)
        for name, weight in weights.items():
            shares[name] += step * weight
        if pours is not None:
            full = tuple(name for name in weights if shares[name] >= caps[name])
            given = {name: step * weight for name, weight in weights.items()}
            pours.append(Pour(thirsty[0].priority, thirsty[0].weight == 0, rest, weights, given, full))
        rest -= step * together
        thirsty = [claim for claim in thirsty if shares[claim.name] < caps[claim.name]]
    return rest


def _round(claims: list[Claim], caps: dict[str, Fraction], shares: dict[str, Fraction], unit: int) -> list[str]:
    """Make the shares of those who get less than they ask for whole units, by largest remainder; return who gained."""
    short = [claim for claim in claims if shares[claim.name] < caps[claim.name]]
    together = sum((shares[claim.name] for claim in short), Fraction(0))
    remainder: dict[str, Fraction] = {}
    for claim in short:
        whole = shares[claim.name] // unit * unit
        remainder[claim.name] = shares[claim.name] - whole
        shares[claim.name] = Fraction(whole)
    left = (together - sum((shares[claim.name] for claim in short), Fraction(0))) // unit
    short.sort(key=lambda claim: (-remainder[claim.name], -claim.held, claim.name))
    raised: list[str] = []
    for claim in short:
        if left > 0 and shares[claim.name] + unit <= caps[claim.name] and remainder[claim.name] > 0:
            shares[claim.name] += unit
            raised.append(claim.name)
            left -= 1
    return raised
