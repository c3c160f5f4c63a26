"""Which groups take part where only some are needed: every choice, best first, or one that grows group by group.

Groups that are alike may change places, so of these always the ones listed first are chosen. Where there are too many
choices to try, groups are added one after the other, the smallest first, as long as all of them fit together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from railwise.engine.gangs.demand import Part
from railwise.engine.search.placement import Found


def choices(part: Part, *, full: bool) -> Iterator[set[int]]:
    """Yield sets of parts that take part, best first; ``full``: as many groups as possible, else as few as needed."""
    if part.shape is not None:
        yield {part.index}
        return
    needed = [child for child in part.children if child.running()]
    free = [child for child in part.children if not child.running()]
    least = max(part.group.min_groups - len(needed), 0)
    sizes = range(len(free), least - 1, -1) if full else range(least, least + 1)
    kinds = _kinds(free)
    for size in sizes:
        for extra in _subsets(kinds, min(size, len(free))):
            taken = {free[index].index for index in extra}
            members = [child for child in part.children if child in needed or child.index in taken]
            yield from _product(part, members, full=full)


def _kinds(parts: list[Part]) -> list[int]:
    """Return a number per part, the same for parts that are alike."""
    numbers: dict[tuple[object, ...], int] = {}
    return [numbers.setdefault(_key(part), len(numbers)) for part in parts]


def _key(part: Part) -> tuple[object, ...]:
    """Return what alike groups have in common; a group of which pods run is like no other."""
    return (
        part.index if part.running() else -1,
        part.shape.index if part.shape is not None else -1,
        (part.group.pods, part.group.min_pods, part.group.min_groups),
        (part.tree, part.required, part.preferred, part.distinct, part.even),
        (part.segment_size, part.segment_required, part.segment_preferred, part.group.pod_rules),
        tuple(_key(child) for child in part.children),
    )


def _subsets(kinds: list[int], size: int) -> Iterator[list[int]]:
    """Yield the subsets of a size as ascending positions, in order, of alike things always the first ones."""
    rank: list[int] = []
    seen: dict[int, int] = {}
    for kind in kinds:
        rank.append(seen.get(kind, 0))
        seen[kind] = rank[-1] + 1
    chosen: dict[int, int] = dict.fromkeys(seen, 0)
    path: list[int] = []
    place = 0
    while True:
        while len(path) < size and size - len(path) <= len(kinds) - place:
            if chosen[kinds[place]] == rank[place]:
                path.append(place)
                chosen[kinds[place]] += 1
            place += 1
        if len(path) == size:
            yield list(path)
        if not path:
            return
        place = path.pop()
        chosen[kinds[place]] -= 1
        place += 1


def _product(part: Part, members: list[Part], *, full: bool) -> Iterator[set[int]]:
    """Yield every combination of the choices that the members have themselves, those of the last one first."""
    base = {part.index}
    undecided: list[Part] = []
    for member in members:
        if one_choice(member):
            base |= next(choices(member, full=full))
        else:
            undecided.append(member)
    if not undecided:
        yield base
        return
    open_choices = [choices(undecided[0], full=full)]
    taken = [base]
    while open_choices:
        first = next(open_choices[-1], None)
        if first is None:
            open_choices.pop()
            taken.pop()
        elif len(open_choices) == len(undecided):
            yield taken[-1] | first
        else:
            taken.append(taken[-1] | first)
            open_choices.append(choices(undecided[len(open_choices)], full=full))


def one_choice(part: Part) -> bool:
    """Return whether a part needs all of its groups, at every depth: there is nothing to choose."""
    return part.group.min_groups >= len(part.children) and all(one_choice(child) for child in part.children)


Attempt = Callable[[set[int]], Found | None]
"""A search for the minimum of all chosen parts together."""


class Growth:
    """A choice that grows: ``found`` is the last answer, for the parts chosen last."""

    def __init__(self, attempt: Attempt, *, full: bool) -> None:
        """Start with nothing; ``full``: as many groups as possible, else as few as needed."""
        self.attempt: Final = attempt
        self.full: Final = full
        self.found: Found | None = None

    def grow(self, part: Part, base: set[int]) -> set[int] | None:
        """Return ``base`` with a part and those groups of it that fit beside the rest, None where too few do."""
        if one_choice(part):
            whole = base | next(choices(part, full=self.full))
            return whole if self._fits(whole) else None
        taken = base | {part.index}
        count = 0
        for run in _runs(part.children):
            wanted = len(run) if self.full else min(len(run), part.group.min_groups - count)
            more, taken = self._add(run, wanted, taken)
            count += more
        return taken if count >= part.group.min_groups else None

    def _fits(self, chosen: set[int]) -> bool:
        found = self.attempt(chosen)
        if found is None:
            return False
        self.found = found
        return True

    def _add(self, alike: list[Part], wanted: int, taken: set[int]) -> tuple[int, set[int]]:
        """Add up to so many of alike groups; return (how many fit, what is chosen then)."""
        if not one_choice(alike[0]):
            for count, part in enumerate(alike[:wanted]):
                grown = self.grow(part, taken)
                if grown is None:
                    return count, taken
                taken = grown
            return wanted, taken
        sets = [next(choices(part, full=self.full)) for part in alike[:wanted]]
        low, high = 0, wanted
        while low < high:
            middle = high if low == 0 and high == wanted else (low + high + 1) // 2
            if self._fits(taken.union(*sets[:middle])):
                low = middle
            else:
                high = middle - 1
        return low, taken.union(*sets[:low])


def _runs(parts: list[Part]) -> list[list[Part]]:
    """Return groups in runs of alike ones: those of which pods run first, then the smallest first."""
    runs: dict[int, list[Part]] = {}
    for part, kind in zip(parts, _kinds(parts), strict=True):
        runs.setdefault(kind, []).append(part)
    return sorted(runs.values(), key=lambda run: (not run[0].running(), _size(run[0])))


def _size(part: Part) -> int:
    """Return the thousandths of cards that the minimum of a part asks for, at least one a pod."""
    if part.shape is not None:
        return part.group.min_pods * max(part.shape.gpu_thousandths(), 1)
    return sum(sorted(_size(child) for child in part.children)[: part.group.min_groups])
