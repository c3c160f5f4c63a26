"""How ports are called: the names a dialect gives them, and which cable an event means.

SONIC counts lanes (Ethernet0, Ethernet4, …), Cumulus front-panel ports from 1 (swp1), OpenConfig switches write slot
and port (Ethernet1/1), InfiniBand switches have bare numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from railwise.fabric.elements import NO_RAIL, Cable, Dialect, Port, Server

LANES = 4
"""Lanes of one port of a SONiC switch, and so the step between its port numbers."""


def port_name(dialect: Dialect, index: int) -> str:
    """Return the name of the port with an index from 0."""
    match dialect:
        case Dialect.SONIC:
            return f"Ethernet{index * LANES}"
        case Dialect.CUMULUS:
            return f"swp{index + 1}"
        case Dialect.OPENCONFIG:
            return f"Ethernet{index + 1}/1"
        case Dialect.INFINIBAND:
            return str(index + 1)


def port_names(dialect: Dialect, count: int) -> tuple[str, ...]:
    """Return the names of the first ``count`` ports."""
    return tuple(port_name(dialect, index) for index in range(count))


class CableFinder:
    """Finds the cable that two ends mean.

    An end is ``device/port``, ``server/railN`` (the NIC of that rail), or a device alone where that leaves one choice.
    """

    def __init__(self, cables: Sequence[Cable], servers: Iterable[Server]) -> None:
        """Keep the cables; they are indexed when the first one is looked for."""
        self._cables = cables
        self._rails = _rail_names(servers)

    def port(self, text: str) -> Port:
        """Return the port that an end names; its name is empty where the end is a device alone."""
        device, _, name = text.partition("/")
        return Port(device, self._rails.get((device, name), name))

    def find(self, first: str, second: str) -> int:
        """Return the index of the cable; ValueError with the reason if none or several fit."""
        ends = (self.port(first), self.port(second))
        found = self._candidates(ends[0]) & self._candidates(ends[1])
        if ends[0].device == ends[1].device and not (ends[0].name and ends[1].name):
            found = set()
        if len(found) == 1:
            return found.pop()
        if found:
            raise ValueError(f"{len(found)} cables run between {first} and {second}, name their ports")
        raise ValueError(f"no cable runs between {first} and {second}")

    @cached_property
    def _at(self) -> dict[Port, int]:
        return {port: index for index, cable in enumerate(self._cables) for port in (cable.a, cable.b)}

    @cached_property
    def _of(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for port, index in self._at.items():
            found.setdefault(port.device, []).append(index)
        return found

    def _candidates(self, port: Port) -> set[int]:
        if not port.name:
            return set(self._of.get(port.device, ()))
        return {self._at[port]} if port in self._at else set()


def _rail_names(servers: Iterable[Server]) -> Mapping[tuple[str, str], str]:
    """Return the NIC's name by (server, ``railN``); a rail with several NICs has no such name."""
    names: dict[tuple[str, str], str] = {}
    several = set()
    for server in servers:
        own = {nic.name for nic in server.nics}
        for nic in server.nics:
            key = (server.name, f"rail{nic.rail}")
            if nic.rail == NO_RAIL or key[1] in own:
                continue
            if key in names:
                several.add(key)
            names[key] = nic.name
    return {key: name for key, name in names.items() if key not in several}
