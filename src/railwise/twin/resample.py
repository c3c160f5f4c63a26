"""Other days like this one: the arrivals of a document drawn anew from a seed, for statistics over seeds.

A trace is one sample of what its users might have done. Whether a difference between two policies is theirs or this
sample's is seen by drawing others like it (Efron's bootstrap), and every policy gets the same draw:

- ``shuffle``: the same workloads at the same moments, but who comes when is drawn. The offered work stays what it was;
  only its order changes, so this is the mildest.
- ``jobs``: at each of those moments one of the workloads, drawn with replacement. Mix and offered work vary as they
  would for another day of as many submissions.
- ``blocks``, ``blocks:6h``: whole stretches of time (default: a day) are drawn with replacement. What came together
  comes together: bursts, sweeps of one user, the quiet of a night.

What runs when the document begins stays as it is. Queues, rules and durations go with their workload.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from railwise.formats.sweep.ways import DAY, WAYS, parse_way
from railwise.model.scenario import Scenario
from railwise.model.splitmix import SplitMix
from railwise.model.workload import Group, Workload

__all__ = ["DAY", "WAYS", "parse_way", "resample"]

MOST_LETTERS: Final = 253

_STREAM: Final = 0x5EED_A881_7A15
"""Keeps these draws apart from those of a policy with the same seed."""

Draw = tuple[int, Workload]
"""When (µs) which workload comes."""


def resample(scenario: Scenario, seed: int, way: str, block: int = DAY) -> Scenario:
    """Return the scenario with other arrivals, and with that seed.

    ``way`` is one of ``WAYS``; a ``block`` is in µs. Workloads stand in the order of their arrivals; one that was drawn
    before has a number after its name (``job-7-x2``). Raises ValueError for another way or a block without length.
    """
    if way not in WAYS or block < 1:
        raise ValueError(f"expected a way of {', '.join(WAYS)} and a block above 0 µs, not {way!r} and {block}")
    running = [one for one in scenario.workloads if _runs(one.root)]
    waiting = sorted((one for one in scenario.workloads if not _runs(one.root)), key=lambda one: one.submit)
    chance = SplitMix(seed ^ _STREAM)
    drawn: list[Draw] = []
    if waiting:
        if way == "shuffle":
            drawn = _shuffled(waiting, chance)
        elif way == "jobs":
            drawn = [(one.submit, waiting[chance.below(len(waiting))]) for one in waiting]
        else:
            drawn = _blocks(waiting, chance, block)
    return replace(scenario, seed=seed, workloads=(*running, *_named(drawn, running)))


def _shuffled(waiting: Sequence[Workload], chance: SplitMix) -> list[Draw]:
    """Return the workloads at each other's moments, all orders being as likely (Fisher and Yates)."""
    order = list(waiting)
    for last in range(len(order) - 1, 0, -1):
        other = chance.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return [(one.submit, drawn) for one, drawn in zip(waiting, order, strict=True)]


def _blocks(waiting: Sequence[Workload], chance: SplitMix, block: int) -> list[Draw]:
    """Return stretches of the day, each drawn from all that there are, one after the other.

    Arrivals keep their place within their stretch; the last stretch may be shorter than a block and stays the last one,
    so that no stretch of the result is longer than the one it stands in.
    """
    moments = [one.submit for one in waiting]
    first, last = moments[0], moments[-1]
    whole = (last + 1 - first) // block
    drawn: list[Draw] = []
    for number in range(whole):
        source = chance.below(whole)
        start = first + source * block
        shift = (number - source) * block
        here = slice(bisect_left(moments, start), bisect_left(moments, start + block))
        drawn.extend((one.submit + shift, one) for one in waiting[here])
    rest = bisect_left(moments, first + whole * block)
    return drawn + [(one.submit, one) for one in waiting[rest:]]


def _named(drawn: Sequence[Draw], others: Sequence[Workload]) -> list[Workload]:
    """Return the drawn workloads with names and orders of their own."""
    taken = {one.name for one in others} | {one.name for _, one in drawn}
    times: Counter[str] = Counter()
    named = []
    after = max((one.order for one in others), default=-1) + 1
    for order, (at, one) in enumerate(drawn, after):
        times[one.name] += 1
        name = one.name
        while times[one.name] > 1 and name in taken:
            suffix = f"-x{times[one.name]}"
            name = one.name[: MOST_LETTERS - len(suffix)] + suffix
            if name in taken:
                times[one.name] += 1
        taken.add(name)
        named.append(replace(one, name=name, submit=at, order=order))
    return named


def _runs(group: Group) -> bool:
    return group.running is not None or any(_runs(child) for child in group.groups)
