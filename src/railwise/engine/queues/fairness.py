"""Who is due how much: fair shares of a tree of queues, level by level and resource by resource.

Everyone gets the smaller of quota and demand. What is left goes by priority tier, inside a tier in proportion to
weight, up to demand, limit and what the others lend; queues of weight 0 come after all others. Where more is asked
for than there is, cards are handed out whole: by largest remainder, ties to who already holds more, then by name.
Fractions are exact until that last step.

Whoever wants to know how a share came about hands in a ``Sharing``, which is filled with the steps.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

CARD: Final = 1000
"""A card in thousandths: the unit in which scarce GPUs are shared."""


class Claim(NamedTuple):
    """What one queue brings to the sharing of one resource among its siblings, in base units.

    ``keep`` is the part of the quota that is not lent; ``limit`` -1: none; ``weight`` in thousandths divided by
    ``finer``, which is the same for all siblings.
    """

    name: str
    quota: Fraction | int
    demand: int
    keep: Fraction | int
    limit: int
    weight: int
    priority: int
    held: int
    finer: int = 1


class Pour(NamedTuple):
    """One step of filling: what was ``left`` before it, who took part by weight, what was given, who is full now.

    A step gives either all that they ask for to those whose part would be more, or its part to everyone. ``last`` marks
    the round of the queues of weight 0, who share evenly.
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


class _Pot:
    """One resource while it is shared: everything in whole numbers of 1/``scale`` base units, by position of claim."""

    def __init__(self, claims: list[Claim], total: Fraction) -> None:
        """Shrink quotas in proportion where they promise more than there is; nobody has anything yet."""
        promised = sum([claim.quota for claim in claims])
        scale = lcm(total.denominator, *[part.denominator for claim in claims for part in (claim.quota, claim.keep)])
        of, into = 1, 1
        if promised > total:
            of, into = (promised * scale).numerator, (total * scale).numerator
            scale *= of
        self.scale = scale
        self.total: int = total.numerator * (scale // total.denominator)
        self.quota: list[int] = [_in(claim.quota, scale) * into // of for claim in claims]
        self.keep: list[int] = [_in(claim.keep, scale) * into // of for claim in claims]
        self.cap: list[int] = [_cap(claim) * scale for claim in claims]
        self.got: list[int] = [min(quota, cap) for quota, cap in zip(self.quota, self.cap, strict=True)]
        reserved = sum([max(got, keep) for got, keep in zip(self.got, self.keep, strict=True)])
        self.left = max(self.total - reserved, 0)

    def refine(self, factor: int) -> None:
        """Count in parts that are smaller by a factor."""
        self.scale *= factor
        self.total *= factor
        self.left *= factor
        for amounts in (self.quota, self.keep, self.cap, self.got):
            amounts[:] = [amount * factor for amount in amounts]

    def amount(self, part: int) -> Fraction:
        """Return a number of parts in base units."""
        return Fraction(part, self.scale) if part % self.scale else Fraction(part // self.scale)


def _in(amount: Fraction | int, scale: int) -> int:
    return amount.numerator * (scale // amount.denominator)


def shrunk(claims: list[Claim], total: Fraction) -> list[Claim]:
    """Return the claims with quotas shrunk in proportion where they promise more than there is."""
    promised = sum([claim.quota for claim in claims])
    if promised <= total:
        return claims
    pot = _Pot(claims, total)
    return [
        claim._replace(quota=pot.amount(quota), keep=pot.amount(keep))
        for claim, quota, keep in zip(claims, pot.quota, pot.keep, strict=True)
    ]


def fair_shares(declared: list[Claim], total: Fraction, unit: int, steps: Sharing | None = None) -> dict[str, Fraction]:
    """Share ``total`` base units among siblings; ``unit`` is what cannot be divided where there is too little.

    ``steps`` is filled with how it was done.
    """
    return shares_and_quotas(declared, total, unit, steps)[0]


def shares_and_quotas(
    declared: list[Claim], total: Fraction, unit: int, steps: Sharing | None = None
) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    """Return the shares as ``fair_shares`` does, and the quotas, shrunk where they promise more than there is."""
    pot = _Pot(declared, total)
    quotas = {claim.name: pot.amount(quota) for claim, quota in zip(declared, pot.quota, strict=True)}
    pours = None
    if steps is not None:
        steps.total, steps.unit, steps.claims, steps.reduced = total, unit, declared, shrunk(declared, total)
        steps.first, steps.left, pours = _amounts(declared, pot), pot.amount(pot.left), steps.pours
    for tier in sorted({claim.priority for claim in declared}, reverse=True):
        _pour(
            [i for i, claim in enumerate(declared) if claim.priority == tier and claim.weight > 0], declared, pot, pours
        )
    _pour([i for i, claim in enumerate(declared) if claim.weight == 0], declared, pot, pours)
    if steps is not None:
        steps.exact = _amounts(declared, pot)
    raised = _round(declared, pot, unit) if sum(pot.cap) > pot.total else []
    shares = _amounts(declared, pot)
    if steps is not None:
        steps.raised, steps.shares = raised, dict(shares)
    return shares, quotas


def _amounts(claims: list[Claim], pot: _Pot) -> dict[str, Fraction]:
    return {claim.name: pot.amount(got) for claim, got in zip(claims, pot.got, strict=True)}


def _cap(claim: Claim) -> int:
    return claim.demand if claim.limit < 0 else min(claim.demand, claim.limit)


def _pour(members: list[int], claims: list[Claim], pot: _Pot, pours: list[Pour] | None) -> None:
    """Pour what is left over queues in proportion to weight (evenly where all have none).

    Whoever would get more than it asks for is filled up first; the others share the rest.
    """
    thirsty = [i for i in members if pot.got[i] < pot.cap[i]]
    while pot.left > 0 and thirsty:
        weights = [claims[i].weight or 1 for i in thirsty]
        together = sum(weights)
        full = [
            i
            for i, weight in zip(thirsty, weights, strict=True)
            if (pot.cap[i] - pot.got[i]) * together <= pot.left * weight
        ]
        if full:
            given = {i: pot.cap[i] - pot.got[i] for i in full}
        else:
            if pot.left % together:
                pot.refine(together)
            given = {i: pot.left // together * weight for i, weight in zip(thirsty, weights, strict=True)}
        if pours is not None:
            first = claims[thirsty[0]]
            names = {
                claims[i].name: Fraction(weight, claims[i].finer) for i, weight in zip(thirsty, weights, strict=True)
            }
            amounts = {claims[i].name: pot.amount(part) for i, part in given.items()}
            done = tuple(claims[i].name for i in full)
            pours.append(Pour(first.priority, first.weight == 0, pot.amount(pot.left), names, amounts, done))
        for i, part in given.items():
            pot.got[i] += part
        pot.left -= sum(given.values())
        thirsty = [i for i in thirsty if pot.got[i] < pot.cap[i]]


def _round(claims: list[Claim], pot: _Pot, unit: int) -> list[str]:
    """Make the shares of those who get less than they ask for whole units, by largest remainder; return who gained."""
    whole = unit * pot.scale
    short = [i for i in range(len(claims)) if pot.got[i] < pot.cap[i]]
    remainder = {i: pot.got[i] % whole for i in short}
    left = sum(remainder.values()) // whole
    for i in short:
        pot.got[i] -= remainder[i]
    short.sort(key=lambda i: (-remainder[i], -claims[i].held, claims[i].name))
    raised: list[str] = []
    for i in short:
        if left > 0 and pot.got[i] + whole <= pot.cap[i] and remainder[i] > 0:
            pot.got[i] += whole
            raised.append(claims[i].name)
            left -= 1
    return raised
