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

from railwise.engine.queues.siblings import Claim, Part, Siblings, Wants, claims_of, columns, in_parts

CARD: Final = 1000
"""A card in thousandths: the unit in which scarce GPUs are shared."""


class Pour(NamedTuple):
    """One step of filling: what was ``left`` before it, who took part by weight, what was given, who is full now.

    A step gives either all that they ask for to those whose part would be more, or its part to everyone. ``last`` marks
    the round of the queues of weight 0, who share evenly.
    """

    priority: int
    last: bool
    left: Part
    weights: dict[str, Fraction]
    given: dict[str, Part]
    full: tuple[str, ...]


class Sharing:
    """How one resource was shared among siblings, step by step, in base units.

    ``claims`` are as declared, ``reduced`` with quotas shrunk; ``first`` is what everyone gets of quota, ``left`` what
    remains then, beyond what is not lent. ``exact`` is before, ``shares`` after rounding; ``raised`` are those for whom
    a remainder became a whole ``unit``, in the order in which they were served.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.total: Part = 0
        self.unit = 1
        self.claims: list[Claim] = []
        self.reduced: list[Claim] = []
        self.first: dict[str, Part] = {}
        self.left: Part = 0
        self.pours: list[Pour] = []
        self.exact: dict[str, Part] = {}
        self.raised: list[str] = []
        self.shares: dict[str, Part] = {}


class _Pot:
    """One resource while it is shared: everything in whole numbers of 1/``scale`` base units, by position."""

    def __init__(self, among: Siblings, wants: Wants, total: Part) -> None:
        """Shrink quotas in proportion where they promise more than there is; nobody has anything yet."""
        scale = among.parts if among.parts == total.denominator else lcm(among.parts, total.denominator)
        of, into = 1, 1
        if among.promised > total:
            of, into = in_parts(among.promised, scale), in_parts(total, scale)
            scale *= of
        self.names: Final = among.names
        self.weight: Final = wants.weight
        self.held: Final = wants.held
        self.scale = scale
        self.total = in_parts(total, scale)
        self.quota = _shrunk(among.quota_parts, scale // among.parts, of, into)
        self.cap = wants.demand if not among.limited else _capped(wants.demand, among.limit)
        if scale != 1:
            self.cap = [most * scale for most in self.cap]
        self.got = [own if own < most else most for own, most in zip(self.quota, self.cap, strict=True)]
        if among.keeping:
            self.keep = _shrunk(among.keep_parts, scale // among.parts, of, into)
            reserved = sum([max(got, keep) for got, keep in zip(self.got, self.keep, strict=True)])
        else:
            self.keep = among.keep_parts
            reserved = sum(self.got)
        self.left = max(self.total - reserved, 0)

    def refine(self, factor: int) -> None:
        """Count in parts that are smaller by a factor."""
        self.scale *= factor
        self.total *= factor
        self.left *= factor
        self.quota = [part * factor for part in self.quota]
        self.cap = [part * factor for part in self.cap]
        self.got = [part * factor for part in self.got]

    def amount(self, part: int) -> Part:
        """Return a number of parts in base units."""
        whole, rest = divmod(part, self.scale)
        return Fraction(part, self.scale) if rest else whole

    def amounts(self, parts: list[int]) -> list[Part]:
        """Return numbers of parts, by position, in base units."""
        return [self.amount(part) for part in parts] if self.scale != 1 else [*parts]

    def named(self, parts: list[int]) -> dict[str, Part]:
        """Return numbers of parts, by position, as base units by name."""
        return dict(zip(self.names, self.amounts(parts), strict=True))


def _shrunk(parts: list[int], finer: int, of: int, into: int) -> list[int]:
    """Return amounts counted in finer parts, and shrunk by ``into``/``of``."""
    return parts if finer == 1 and into == of else [part * finer * into // of for part in parts]


def _capped(demand: list[int], limit: list[int]) -> list[int]:
    return [ask if most < 0 else min(ask, most) for ask, most in zip(demand, limit, strict=True)]


def shrunk(claims: list[Claim], total: Part) -> list[Claim]:
    """Return the claims with quotas shrunk in proportion where they promise more than there is."""
    among, wants = columns(claims)
    if among.promised <= total:
        return claims
    pot = _Pot(among, wants, total)
    keeps = pot.keep if among.keeping else [0] * len(claims)
    return [
        claim._replace(quota=pot.amount(quota), keep=pot.amount(keep))
        for claim, quota, keep in zip(claims, pot.quota, keeps, strict=True)
    ]


def fair_shares(declared: list[Claim], total: Part, unit: int, steps: Sharing | None = None) -> dict[str, Part]:
    """Share ``total`` base units among siblings; ``unit`` is what cannot be divided where there is too little.

    ``steps`` is filled with how it was done.
    """
    among, wants = columns(declared)
    shares, _ = shares_and_quotas(among, wants, total, unit, steps)
    return dict(zip(among.names, shares, strict=True))


def shares_and_quotas(
    among: Siblings, wants: Wants, total: Part, unit: int, steps: Sharing | None = None
) -> tuple[list[Part], list[Part]]:
    """Return the shares, and the quotas, shrunk where they promise more than there is; both by position."""
    pot = _Pot(among, wants, total)
    quotas = pot.amounts(pot.quota)
    pours = None
    if steps is not None:
        steps.total, steps.unit, steps.claims = total, unit, claims_of(among, wants)
        steps.reduced = shrunk(steps.claims, total)
        steps.first, steps.left, pours = pot.named(pot.got), pot.amount(pot.left), steps.pours
    weight = wants.weight
    for tier in among.tiers:
        if pot.left > 0:
            _pour([at for at in tier if weight[at] > 0], among, wants, pot, pours)
    if pot.left > 0 and 0 in weight:
        _pour([at for at, own in enumerate(weight) if own == 0], among, wants, pot, pours)
    if steps is not None:
        steps.exact = pot.named(pot.got)
    raised = _round(pot, unit) if sum(pot.cap) > pot.total else []
    shares = pot.amounts(pot.got)
    if steps is not None:
        steps.raised, steps.shares = raised, dict(zip(among.names, shares, strict=True))
    return shares, quotas


def _pour(members: list[int], among: Siblings, wants: Wants, pot: _Pot, pours: list[Pour] | None) -> None:
    """Pour what is left over queues in proportion to weight (evenly where all have none).

    Whoever would get more than it asks for is filled up first; the others share the rest.
    """
    thirsty = [i for i in members if pot.got[i] < pot.cap[i]]
    while pot.left > 0 and thirsty:
        weights = [wants.weight[i] or 1 for i in thirsty]
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
            first = thirsty[0]
            names = {among.names[i]: Fraction(weight, wants.finer) for i, weight in zip(thirsty, weights, strict=True)}
            amounts = {among.names[i]: pot.amount(part) for i, part in given.items()}
            done = tuple(among.names[i] for i in full)
            last = wants.weight[first] == 0
            pours.append(Pour(among.priority[first], last, pot.amount(pot.left), names, amounts, done))
        for i, part in given.items():
            pot.got[i] += part
        pot.left -= sum(given.values())
        thirsty = [i for i in thirsty if pot.got[i] < pot.cap[i]]


def _round(pot: _Pot, unit: int) -> list[str]:
    """Make the shares of those who get less than they ask for whole units, by largest remainder; return who gained."""
    whole = unit * pot.scale
    if whole == 1:
        return []
    short = [i for i, (got, cap) in enumerate(zip(pot.got, pot.cap, strict=True)) if got < cap]
    remainder = {i: pot.got[i] % whole for i in short}
    left = sum(remainder.values()) // whole
    for i in short:
        pot.got[i] -= remainder[i]
    raised: list[str] = []
    if left <= 0:
        return raised
    short.sort(key=lambda i: (-remainder[i], -pot.held[i], pot.names[i]))
    for i in short:
        if left > 0 and pot.got[i] + whole <= pot.cap[i] and remainder[i] > 0:
            pot.got[i] += whole
            raised.append(pot.names[i])
            left -= 1
    return raised
