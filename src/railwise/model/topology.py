"""A named tree over the nodes, as a document declares it.

Only names live here: which levels a topology has, from widest to narrowest, and what is known of each. The tree of
domains itself is built by the engine, because it depends on which nodes there are.
"""

from __future__ import annotations

from dataclasses import dataclass

NODE_LEVEL = "node"
"""The implied last level of every topology."""

NO_LEVEL = "none"
"""The value of ``preferred`` that asks for no locality."""


@dataclass(frozen=True)
class Level:
    """One tier of a topology.

    ``label`` is the Kubernetes node label that names the domain; ``uplink`` the bandwidth from one domain of this level
    towards the next wider one in Mbit/s (0: unknown).
    """

    name: str
    label: str = ""
    uplink: int = 0


@dataclass(frozen=True)
class Topology:
    """A topology: its levels from widest to narrowest, without the implied node.

    ``node_uplink`` is the bandwidth of one node's NICs together in Mbit/s (0: unknown).
    """

    name: str
    levels: tuple[Level, ...]
    node_uplink: int = 0

    def level_names(self) -> tuple[str, ...]:
        """Return the names of the declared levels, widest first."""
        return tuple(level.name for level in self.levels)
