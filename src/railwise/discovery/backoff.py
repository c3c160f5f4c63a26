"""How long to wait before the next attempt: twice as long each time, up to a limit, never all at the same moment."""

from __future__ import annotations

from random import Random
from typing import Final

SHORTEST: Final = 1.0
LONGEST: Final = 60.0


class Backoff:
    """Waiting times in seconds for one thing that keeps failing."""

    def __init__(self, chance: Random, shortest: float = SHORTEST, longest: float = LONGEST) -> None:
        """Start with the shortest wait."""
        self._chance: Final = chance
        self._shortest: Final = shortest
        self._longest: Final = longest
        self._next = shortest

    def wait(self) -> float:
        """Return the next wait: between half and all of a time that doubles."""
        limit, self._next = self._next, min(2 * self._next, self._longest)
        return limit * (0.5 + self._chance.random() / 2)

    def reset(self) -> None:
        """Begin anew after a success."""
        self._next = self._shortest
