"""Chance that is the same every time: a stream of numbers that follows from its seed alone.

Real schedulers toss a coin between equal nodes, and a baseline that always took the first of them would get locality
for free wherever nodes are listed rack by rack. The engine may not ask for chance from outside, so the coin is a small
generator: splitmix64, 64 bits of state, one addition and three mixing steps a number.
"""

from __future__ import annotations

from typing import Final

_MASK: Final = (1 << 64) - 1
_STEP: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB


class SplitMix:
    """The stream of a seed; any integer is one, and only its lowest 64 bits count."""

    def __init__(self, seed: int) -> None:
        """Start the stream."""
        self._state = seed & _MASK

    def number(self) -> int:
        """Return the next number from 0 to 2⁶⁴ - 1."""
        self._state = (self._state + _STEP) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """Return the next number from 0 to ``bound`` - 1 (``bound`` above 0); off from even by 2⁻⁶⁴ · ``bound``."""
        return (self.number() * bound) >> 64
