"""How often parts of a cluster break: a mean time between failures, and a mean time until they are whole again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """Nodes that break, or cables of the way up from every domain of a level.

    ``nodes`` are names (empty where a ``level`` of a ``topology`` is meant). Each domain has so many equal ``cables``.
    ``mtbf`` and ``repair`` are means of exponential times, µs, of each node or cable by itself.
    """

    mtbf: int
    repair: int
    nodes: tuple[str, ...] = ()
    topology: str = ""
    level: str = ""
    cables: int = 1
