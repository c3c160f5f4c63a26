"""Which rank takes which of the chosen places.

Ranks follow tree order, so that a ring crosses as few domain borders as possible. Where runs of ranks would like to lie in
one domain each, as many runs as possible are kept whole first, and the runs then follow the tree by their first place.
"""

from __future__ import annotations

from collections.abc import Callable


def in_runs(ranks: list[int], places: list[int], size: int, domain_of: Callable[[int], int]) -> dict[int, int]:
    """Return the place of every rank; ``ranks`` and ``places`` (tree positions) are ascending and equally many.

    Runs of ``size`` ranks are kept inside one domain as often as possible; the last run may be shorter.
    """
    pools: dict[int, list[int]] = {}
    for place in places:
        pools.setdefault(domain_of(place), []).append(place)
    short = len(ranks) % size
    last: list[int] = []
    if short:
        for domain in reversed(list(pools)):
            if len(pools[domain]) % size >= short:
                last = pools[domain][-short:]
                pools[domain] = pools[domain][:-short]
                break
    runs: list[list[int]] = []
    loose: list[int] = []
    for pool in pools.values():
        whole = len(pool) // size * size
        runs.extend(pool[start : start + size] for start in range(0, whole, size))
        loose.extend(pool[whole:])
    loose.sort()
    if short and not last:
        last = loose[len(loose) - short :]
        loose = loose[: len(loose) - short]
    runs.extend(loose[start : start + size] for start in range(0, len(loose), size))
    runs.sort()
    ordered = [place for run in runs for place in run] + last
    return dict(zip(ranks, ordered, strict=True))
