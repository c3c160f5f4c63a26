"""The scores of kube-scheduler's plugins, on the rooms of this engine, in whole numbers from 0 to 100.

The formulas are those of Kubernetes 1.36 (``docs/explanation/baselines.md`` names the files). A resource that a node
does not list has no capacity here and is left out of a mean, as there.

Cards are read in thousandths of a card, so that shares count: a card in shared use counts its larger part, a card that
serves in another way counts whole.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import FULL_COMPUTE, Room
from railwise.engine.cluster.shapes import UNLIMITED

MAX_SCORE: Final = 100

DEFAULT_CPU: Final = 100
"""Millicores that a pod without a cpu request counts for in a score (never in a fit)."""

DEFAULT_MEMORY: Final = 200
"""MiB that a pod without a memory request counts for in a score."""

MILLION: Final = 1_000_000

_LN2: Final = 693_147_180_560
_DIGITS: Final = 32
_POINT: Final = 40

Use = tuple[int, int]
"""What is requested of a resource on a node, and its capacity (0: none listed)."""


def cpu_use(room: Room) -> Use:
    """Return the millicores requested by the pods of a room, and the node's."""
    capacity = room.spec.cpu
    return (0, 0) if capacity == UNLIMITED else (capacity - room.cpu, capacity)


def memory_use(room: Room) -> Use:
    """Return the MiB requested by the pods of a room, and the node's."""
    capacity = room.spec.memory
    return (0, 0) if capacity == UNLIMITED else (capacity - room.memory, capacity)


def card_use(room: Room) -> Use:
    """Return the thousandths of healthy cards in use in a room, and all of them."""
    capacity = 1000 * room.spec.whole_mask().bit_count()
    left = 1000 * room.free
    for bank, memory_left, compute_left in room.partial:
        fine = room.spec.banks[bank].fine
        memory = memory_left * 1000 // fine if fine else 0
        left += min(memory, compute_left * 1000 // FULL_COMPUTE)
    return capacity - left, capacity


def least_allocated(uses: list[Use]) -> int:
    """Return the mean free part; a resource asked for beyond its capacity counts 0."""
    parts = [
        (capacity - requested) * MAX_SCORE // capacity if requested <= capacity else 0
        for requested, capacity in uses
        if capacity
    ]
    return sum(parts) // len(parts) if parts else 0


def most_allocated(uses: list[Use], weights: list[int]) -> int:
    """Return the weighted mean of the parts in use."""
    total = weight_sum = 0
    for (requested, capacity), weight in zip(uses, weights, strict=True):
        if capacity:
            total += weight * (min(requested, capacity) * MAX_SCORE // capacity)
            weight_sum += weight
    return total // weight_sum if weight_sum else 0


def balance(cpu: Use, memory: Use) -> int:
    """Return how even the parts in use of cpu and memory are: 100 less their standard deviation."""
    if not cpu[1] or not memory[1]:
        return MAX_SCORE
    apart = abs(min(cpu[0], cpu[1]) * memory[1] - min(memory[0], memory[1]) * cpu[1])
    return MAX_SCORE + -MAX_SCORE * apart // (2 * cpu[1] * memory[1])


def balanced_allocation(before: int, after: int) -> int:
    """Return the score of a change in balance: 75 for none, from 50 (all lost) to 100 (all gained)."""
    half = MAX_SCORE // 2
    return half + (half + after - before) // 2


def spread_raw(counts: list[tuple[int, int, int]]) -> int:
    """Return the raw score of a node under soft spread constraints: less is better.

    One triple per constraint: pods of the workload in the node's domain, number of domains, ``maxSkew``.
    """
    total = sum(count * logarithm(domains + 2) + MILLION * (skew - 1) for count, domains, skew in counts)
    return (total + MILLION // 2) // MILLION


def spread_scores(raw: list[int]) -> list[int]:
    """Return the final scores of the raw ones: the least gets most."""
    most, least = max(raw), min(raw)
    if most == 0:
        return [MAX_SCORE] * len(raw)
    return [MAX_SCORE * (most + least - score) // most for score in raw]


def taint_scores(counts: list[int]) -> list[int]:
    """Return the scores of nodes by the number of their soft taints (``PreferNoSchedule``) that are not tolerated."""
    most = max(counts)
    if most == 0:
        return [MAX_SCORE] * len(counts)
    return [MAX_SCORE - MAX_SCORE * count // most for count in counts]


def logarithm(number: int) -> int:
    """Return the natural logarithm of a number above 0 in millionths, rounded down; by whole numbers alone."""
    whole = number.bit_length() - 1
    rest = (number << _POINT) >> whole
    digits = whole
    for _ in range(_DIGITS):
        rest = rest * rest >> _POINT
        digits <<= 1
        if rest >> (_POINT + 1):
            rest >>= 1
            digits |= 1
    return digits * _LN2 // (MILLION << _DIGITS)
