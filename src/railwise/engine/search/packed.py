"""Vectors of counts as single integers, so that adding two and comparing the sum with a bound is one operation each.

Every count has a field with a spare bit above it. The bound with all spare bits set, less a sum, keeps each spare bit
exactly where the sum does not exceed the bound.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.search.problem import Vector


class Packing:
    """The fields for vectors up to the largest of some bounds (twice that in a sum)."""

    def __init__(self, bounds: list[Vector]) -> None:
        """Give every field room for the sum of two vectors within the bounds."""
        size = len(bounds[0])
        self.width: Final = (2 * max((count for bound in bounds for count in bound), default=0)).bit_length() + 1
        self.shifts: Final = [self.width * item for item in range(size)]
        self.guards: Final = sum(1 << (shift + self.width - 1) for shift in self.shifts)
        self._mask: Final = (1 << self.width) - 1

    def pack(self, vector: Vector) -> int:
        """Return a vector as an integer; packed vectors add up like the vectors."""
        packed = 0
        for shift, count in zip(self.shifts, vector, strict=True):
            if count:
                packed |= count << shift
        return packed

    def unpack(self, packed: int) -> Vector:
        """Return the vector of an integer."""
        return tuple([packed >> shift & self._mask for shift in self.shifts])
