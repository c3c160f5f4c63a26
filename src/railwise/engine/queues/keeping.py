"""Which promises are kept where not all can be: wider levels first, then in the order of the document.

Fewer promises are never harder to keep than more, so the first one that cannot be kept is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from railwise.engine.queues.supply import Levels

Wanted = tuple[Levels, ...]
"""The domains promised to each holder, by his number."""

Check = Callable[[Wanted], bool]
"""Tells whether promises can all be kept at once."""


def most_kept(can_keep: Check, promised: Wanted) -> Wanted:
    """Return as many promises as can be kept at once, wider levels and earlier holders first."""
    levels = range(len(promised[0]))
    pairs = [(level, holder) for level in levels for holder in range(len(promised)) if promised[holder][level]]
    nothing = tuple([(0,) * len(levels) for _ in promised])
    kept, start = nothing, 0
    while start < len(pairs):
        low, high = start, len(pairs)
        while low < high:
            middle = (low + high + 1) // 2
            if can_keep(_with(kept, promised, pairs[start:middle])):
                low = middle
            else:
                high = middle - 1
        kept = _with(kept, promised, pairs[start:low])
        if low < len(pairs):
            level, holder = pairs[low]
            kept = _part(can_keep, kept, level, holder, promised[holder][level] - 1)
        start = low + 1
    return kept


def _part(can_keep: Check, kept: Wanted, level: int, holder: int, most: int) -> Wanted:
    """Return what is kept together with as much as possible of one more promise."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if can_keep(_changed(kept, holder, level, middle)):
            low = middle
        else:
            high = middle - 1
    return _changed(kept, holder, level, low)


def _changed(wanted: Wanted, holder: int, level: int, count: int) -> Wanted:
    levels = wanted[holder]
    return (*wanted[:holder], (*levels[:level], count, *levels[level + 1 :]), *wanted[holder + 1 :])


def _with(kept: Wanted, promised: Wanted, pairs: Sequence[tuple[int, int]]) -> Wanted:
    """Return the promises with those of some (level, holder) in full."""
    result = [list(levels) for levels in kept]
    for level, holder in pairs:
        result[holder][level] = promised[holder][level]
    return tuple([tuple(levels) for levels in result])
