"""Which cards are nearest to which NIC of a server, from where both hang on its PCI tree.

Nearest means: the most bridges in common on the way to the root, else the same root, else the same NUMA node. A NIC
that shares no more with one card than with all others (as on a board with one NUMA node and no switches) is near none,
because a choice would be made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from railwise.fabric.elements import NO_RAIL
from railwise.fabric.observations import SERVER, Report, SeenPort, Speaker, clean
from railwise.fabric.rails import rail_of_name
from railwise.model.natural import natural_key

SOURCE: Final = "affinity"
UNKNOWN_NUMA: Final = -1
_ROOT: Final = 1
"""Steps that two devices on one root complex have in common."""


class PciDevice(NamedTuple):
    """Where a device hangs: its steps from the root complex to itself, and its NUMA node (-1: not told)."""

    steps: tuple[str, ...]
    numa: int = UNKNOWN_NUMA

    @property
    def address(self) -> str:
        """The PCI address, such as ``0000:1a:00.0``."""
        return self.steps[-1] if self.steps else ""


class Adapter(NamedTuple):
    """A port of a NIC: ``name`` as the system calls it, ``speed`` in Mbit/s (0: not told), ``rdma`` its other name."""

    name: str
    device: PciDevice
    mac: str = ""
    up: bool = True
    speed: int = 0
    rdma: str = ""


def affinity_report(adapters: Sequence[Adapter], cards: Sequence[PciDevice], server: str, time: int = 0) -> Report:
    """Return the report of a server: its NICs with MAC, state and nearest cards, numbered in order of PCI address."""
    order = sorted(cards, key=lambda card: card.address)
    ports = []
    for one in sorted(adapters, key=lambda adapter: natural_key(adapter.name)):
        aliases = (clean(one.rdma),) if one.rdma else ()
        rail = next((found for found in map(rail_of_name, (one.name, one.rdma)) if found != NO_RAIL), NO_RAIL)
        near = nearest(one.device, order)
        pci = clean(one.device.address)
        ports.append(SeenPort(clean(one.name), clean(one.mac), aliases, one.up, rail, near, one.speed, pci))
    return Report(SOURCE, Speaker(server, SERVER), time, ports=tuple(ports), links=False)


def nearest(nic: PciDevice, cards: Sequence[PciDevice]) -> tuple[int, ...]:
    """Return the numbers of the cards that are nearer than others; none where all are equally near."""
    grades = [_grade(nic, card) for card in cards]
    best = max(grades, default=(0, False))
    if best == (0, False) or (len(cards) > 1 and min(grades) == best and best[0] <= _ROOT):
        return ()
    return tuple(number for number, grade in enumerate(grades) if grade == best)


def _grade(nic: PciDevice, card: PciDevice) -> tuple[int, bool]:
    common = 0
    for mine, other in zip(nic.steps, card.steps, strict=False):
        if mine != other:
            break
        common += 1
    return common, nic.numa == card.numa != UNKNOWN_NUMA
