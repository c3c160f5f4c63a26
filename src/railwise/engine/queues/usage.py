"""Past usage lowers a queue's weight: GPU time that decays with a half-life, in whole numbers throughout.

A queue's weight counts 2^(-u/s) of what is declared, where u is the queue's part of its siblings' decayed GPU time and
s its part of their weights. Whoever has used just his part counts half, whoever used nothing counts whole. Only ratios
matter, so GPU time is kept as an average: the cards held, each moment weighted by 2^(-age / half-life). Time passes as
``average * d + held * (1 - d)`` with d = 2^(-time / half-life), which is the exact integral as long as what is held
does not change; so it does not matter into how many rounds a stretch of time is cut.

Powers of two are products of square roots of one half, in 64 binary places, and so the same on every machine.
"""

from __future__ import annotations

from math import isqrt
from typing import Final

from railwise.engine.gangs.charges import GPU
from railwise.engine.queues.queue_tree import DEFAULT_QUEUE, TOP, QueueTree

PLACES: Final = 64
"""Binary places of averages and powers."""

ONE: Final = 1 << PLACES

STEPS: Final = 32
"""Binary places of the exponent."""

FINER: Final = 1_000_000
"""Weights that usage lowers are counted in so many parts of a thousandth."""


def _roots() -> list[int]:
    """Return 2^(-1/2), 2^(-1/4), 2^(-1/8) and so on."""
    found: list[int] = []
    root = ONE >> 1
    for _ in range(STEPS):
        root = isqrt(root << PLACES)
        found.append(root)
    return found


ROOTS: Final[list[int]] = _roots()


def half_to(numerator: int, denominator: int) -> int:
    """Return 2^(-numerator/denominator) in parts of ``ONE``; neither is negative, the denominator not 0."""
    whole, rest = divmod(numerator, denominator)
    if whole >= PLACES:
        return 0
    result = ONE
    bits = (rest << STEPS) // denominator
    for place, root in enumerate(ROOTS):
        if bits >> (STEPS - 1 - place) & 1:
            result = result * root >> PLACES
    return result >> whole


class Usage:
    """The decayed GPU time of every queue: ``average[name]`` in thousandths of a card, in parts of ``ONE``."""

    def __init__(self, tree: QueueTree, half_life: int) -> None:
        """Start without past; ``half_life`` in µs, above 0."""
        self.tree: Final = tree
        self.half_life: Final = half_life
        self.average: Final[dict[str, int]] = dict.fromkeys(tree.sound, 0)
        self.now: int | None = None

    def elapse(self, now: int) -> None:
        """Let time pass up to ``now`` (µs) while every queue holds what it holds."""
        passed = 0 if self.now is None else now - self.now
        self.now = now
        if passed <= 0:
            return
        decay = half_to(passed, self.half_life)
        for name, average in self.average.items():
            held = self.tree.held[name].get(GPU, 0)
            self.average[name] = (average * decay >> PLACES) + held * (ONE - decay)

    def adopt(self, queue: str, cards: int, since: int, now: int) -> None:
        """Count what a workload that is found running has used since it began: so many cards (thousandths), µs."""
        if now > since:
            used = cards * (ONE - half_to(now - since, self.half_life))
            for one in self.tree.chain(queue):
                self.average[one.name] += used

    def weigh(self) -> None:
        """Give every queue of the tree the weight that counts now."""
        self._weigh_below(TOP)

    def _weigh_below(self, parent: str) -> None:
        names = self.tree.children.get(parent, [])
        used = sum([self.average[name] for name in names])
        weights = sum([self.tree.by_name[name].weight for name in names if not self._is_absent(name)])
        for name in names:
            weight = self.tree.by_name[name].weight
            counted = weight * FINER
            if weight and used:
                power = half_to(self.average[name] * weights, used * weight)
                counted = max(counted * power >> PLACES, 1)
            self.tree.weights[name] = counted
            self._weigh_below(name)
        self.tree.finer = FINER

    def _is_absent(self, name: str) -> bool:
        """Return whether a queue is `default`, which nobody declared and nobody has used: it is nobody's sibling."""
        return name == DEFAULT_QUEUE and self.tree.added_default and not self.average[name]
