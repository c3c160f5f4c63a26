"""What every way to publish a map has in common: how much it changed, and what it could not.

A driver compares what is there with what the map says, writes the differences and nothing else, removes what it wrote
itself and what is no longer true, and loses only the object that it cannot write.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from railwise.fabric.elements import Fabric, Server
from railwise.fabric.fabric_map import Map
from railwise.formats.fabric.tree import Tree, tree_of_map


@dataclass(slots=True)
class Published:
    """What became of one map at one place: lines that say what was (or with a dry run would be) written, and failures.

    ``passed_over`` names objects that were left alone although the map says otherwise, with the reason.
    """

    changed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)


def published_tree(drawn: Map) -> Tree:
    """Return the tree of a map for formats without cables: the servers that may be labelled, in order of the map."""
    servers = tuple(Server(device.name) for device in drawn.servers())
    return tree_of_map(drawn, Fabric("fabric", servers=servers))


class Publisher(Protocol):
    """One place where maps go."""

    @property
    def name(self) -> str:
        """How the driver is called on the command line."""
        ...

    async def publish(self, drawn: Map, *, dry_run: bool = False) -> Published:
        """Bring the place up to date. Raises ApiError where nothing at all can be read or written."""
        ...
