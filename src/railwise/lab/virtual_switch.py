"""A switch as it stands: its ports, whom they hear, and who wants to know of every change.

What a port hears is worked out from the wiring when somebody asks: a thousand switches that each kept their table would
be a table of the whole hall. Changes are told in one place, and each session that streams them keeps a set of ports it
has not told its client about yet. So a slow client costs one set, however often a port flaps, and nothing is ever lost.
"""

from __future__ import annotations

import asyncio
from collections import ChainMap
from collections.abc import Mapping
from typing import Final

from railwise.lab.neighbour import PortState

ITSELF: Final = ""
"""What stands for the switch as a whole where ports have changed."""


class Changes:
    """The ports that one reader has not seen since their last change, in order of the change."""

    def __init__(self) -> None:
        """Start with none."""
        self._ports: dict[str, None] = {}
        self._some: Final = asyncio.Event()

    def add(self, port: str) -> None:
        """Note a change."""
        self._ports[port] = None
        self._some.set()

    def wake(self) -> None:
        """End a wait though no port has changed."""
        self._some.set()

    async def next(self, seconds: float | None = None) -> list[str]:
        """Return what has changed, waiting until something has; empty after so many seconds, or when woken."""
        try:
            async with asyncio.timeout(seconds):
                await self._some.wait()
        except TimeoutError:
            return []
        self._some.clear()
        ports, self._ports = list(self._ports), {}
        return ports


class VirtualSwitch:
    """Name, chassis address and ports of one virtual switch. ``reachable`` is False while it is switched off.

    ``ports`` may be a live view; whoever changes what it shows calls ``tell``.
    """

    def __init__(self, name: str, chassis_id: str, ports: Mapping[str, PortState], description: str = "") -> None:
        """Take the switch with what its ports hear."""
        self.name: Final = name
        self.chassis_id: Final = chassis_id
        self.description: Final = description
        self._own: Final[dict[str, PortState]] = {}
        self.ports: Final[Mapping[str, PortState]] = ChainMap(self._own, ports)  # type: ignore[arg-type] # read only
        self.reachable = True
        self.maintained = False
        self._readers: Final[set[Changes]] = set()

    def set_port(self, name: str, state: PortState) -> None:
        """Give a port a state of its own, whatever the wiring; nobody is told when it is the same. Raises KeyError."""
        if self.ports[name] == state:
            return
        self._own[name] = state
        self._told(name)

    def tell(self, name: str) -> None:
        """Let everybody know that a port is as the wiring has it now."""
        self._own.pop(name, None)
        self._told(name)

    def _told(self, name: str) -> None:
        for reader in self._readers:
            reader.add(name)

    def set_reachable(self, *, reachable: bool) -> None:
        """Switch it on or off; sessions notice at once, and those of a dead switch end."""
        if self.reachable != reachable:
            self.reachable = reachable
            for reader in self._readers:
                reader.wake()

    def set_maintained(self, *, maintained: bool) -> None:
        """Take traffic off it for maintenance, or let it carry some again."""
        if self.maintained != maintained:
            self.maintained = maintained
            self._told(ITSELF)

    def follow(self) -> Changes:
        """Return a new reader that hears of every change from now on."""
        reader = Changes()
        self._readers.add(reader)
        return reader

    def leave(self, reader: Changes) -> None:
        """Stop telling a reader."""
        self._readers.discard(reader)
