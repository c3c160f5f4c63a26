"""How quick this machine runs plain Python just now.

The engine's work is integer arithmetic, bit operations on long integers and look-ups in dictionaries and lists; the
loop below does the same in fixed proportions and nothing of Railwise, so that it changes with the machine and the load
but not with the code. It is interpreted in both builds.
"""

from __future__ import annotations

from time import perf_counter, process_time

REFERENCE_SPEED = 28_500.0
"""Rounds per second of the machine on which the bars were set: two cores of a cloud server, CPython 3.11."""

_DOMAINS = 640
_STEPS = 64


def one_round(table: dict[int, int], buckets: list[int]) -> int:
    """Move a few domains between bitset buckets as a decision would; return something that depends on all of it."""
    total = 0
    for step in range(_STEPS):
        domain = step * 37 % _DOMAINS
        old = table[domain]
        new = (old + step) % len(buckets)
        bit = 1 << domain
        buckets[old] &= ~bit
        buckets[new] |= bit
        table[domain] = new
        lowest = buckets[new] & -buckets[new]
        total += lowest.bit_length()
    return total


def speed(seconds: float = 0.4) -> float:
    """Return rounds per second: the best of the parts of a run that lasts at least ``seconds``.

    The best part, because whatever else runs on the machine only ever takes time away.
    """
    table = dict.fromkeys(range(_DOMAINS), 0)
    buckets = [0] * 17
    buckets[0] = (1 << _DOMAINS) - 1
    rounds = 200
    best = 0.0
    begin = perf_counter()
    while True:
        start = perf_counter()
        for _ in range(rounds):
            one_round(table, buckets)
        end = perf_counter()
        best = max(best, rounds / (end - start))
        if end - begin >= seconds:
            return best


def pace(seconds: float = 0.04) -> float:
    """Return rounds per second of processor time just now: the mean, for work measured in the same moments.

    Where neighbours share the processor's caches and pipelines, processor time itself runs slower; so does this.
    """
    table = dict.fromkeys(range(_DOMAINS), 0)
    buckets = [0] * 17
    buckets[0] = (1 << _DOMAINS) - 1
    rounds = 0
    start = process_time()
    while True:
        for _ in range(50):
            one_round(table, buckets)
        rounds += 50
        passed = process_time() - start
        if passed >= seconds:
            return rounds / passed
