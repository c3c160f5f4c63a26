"""Ports of a node as resources that are counted: two pods that want the same one cannot both be there.

A port on all addresses keeps everybody else off it; ports on single addresses only keep each other off where the
address is the same. Counted: a node has ``WHOLE`` of each port and of each port of each address, a pod on all addresses
takes the whole port, a pod on one address takes one part of the port and the whole of that address. So the one
``fits()`` knows ports without a rule of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

PREFIX: Final = "hostPort/"
"""How the names of such resources begin."""

WHOLE: Final = 1 << 16
"""What a node has of every port: more than pods fit on a node."""

ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 -- nothing is bound here
PROTOCOLS: Final = ("TCP", "UDP", "SCTP")


class HostPort(NamedTuple):
    """A port of the node that a pod wants for itself; ``address`` empty or ``0.0.0.0``: on all addresses."""

    port: int
    protocol: str = "TCP"
    address: str = ""

    def everywhere(self) -> bool:
        """Return whether it is wanted on all addresses."""
        return self.address in ("", ANY_ADDRESS)


def as_resources(ports: Iterable[HostPort]) -> dict[str, int]:
    """Return ports as amounts of resources, in the order of ports."""
    found: dict[str, int] = {}
    for port in sorted(set(ports)):
        name = f"{PREFIX}{port.protocol or 'TCP'}/{port.port}"
        if port.everywhere():
            found[name] = WHOLE
        else:
            found[name] = min(found.get(name, 0) + 1, WHOLE)
            found[f"{name}/{port.address}"] = WHOLE
    return found


def from_resources(amounts: Iterable[tuple[str, int]]) -> tuple[HostPort, ...]:
    """Return the ports that resources stand for: the inverse of ``as_resources``; other resources are left out."""
    found: list[HostPort] = []
    for name, amount in amounts:
        if name.startswith(PREFIX) and amount >= WHOLE:
            protocol, _, rest = name[len(PREFIX) :].partition("/")
            port, _, address = rest.partition("/")
            found.append(HostPort(int(port), protocol, address))
    return tuple(sorted(found))
