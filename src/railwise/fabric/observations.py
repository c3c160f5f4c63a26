"""What sources say about a fabric: one form for LLDP over gNMI, lldpd on hosts, ibnetdiscover, UFM, NetQ, NMX and NVML.

A source never says "this cable runs from A to B". It says: *I am this device, at this port of mine I hear somebody who
calls himself so*. That is an ``Observation``; all that one source says about one device at one time is a ``Report``.
Whoever is heard is told by what he says of himself (name, chassis, port, MAC), and ``names`` finds out who that is.

Rules for whoever fills these in:

- A report is the whole table of a device as this source knows it: a port that is missing has no neighbour there. A
  source that cannot reach a device makes no report, which is something else: then the last one stands and gets old.
- Only what identifies goes in. Counters, time marks and remaining lifetimes would make equal tables look different.
- Text may be hostile; it is bounded and made harmless here (``clean``), so it may be passed on as it came.
- Times are µs on one clock of the caller's choice; nothing here looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from railwise.fabric.elements import NO_RAIL

SWITCH: Final = "switch"
SERVER: Final = "server"

IFNAME: Final = "ifname"
ALIAS: Final = "alias"
MAC: Final = "mac"

LONGEST_TEXT: Final = 255
"""Characters of any one text that count, as many as an LLDP frame can carry; what is longer was made up."""

MOST_NEIGHBOURS: Final = 64
"""Neighbours of one port that are looked at; a finding says that there are more."""

MOST_PORTS: Final = 4096
"""Ports of one device that are looked at."""


class Observation(NamedTuple):
    """One neighbour as it is heard at a local port.

    ``port`` is the hearer's own port. All else is what the neighbour says of itself: ``name`` its system name (for an
    InfiniBand adapter the host in its description), ``chassis`` its chassis id or system GUID, ``remote_port`` the id
    of the port it speaks from and ``port_kind`` what kind of id that is (``ifname``, ``alias``, ``mac`` or empty),
    ``description`` the description of that port, ``mac`` the MAC or GUID of that port where it is told apart from the
    id, ``addresses`` its management addresses. ``kind`` is ``switch`` or ``server`` where the source knows.
    """

    port: str
    name: str = ""
    chassis: str = ""
    remote_port: str = ""
    port_kind: str = ""
    description: str = ""
    mac: str = ""
    addresses: tuple[str, ...] = ()
    kind: str = ""


class SeenPort(NamedTuple):
    """A port of the speaker itself, as far as the source tells.

    For a server these are its NICs: ``rail`` and ``gpus`` (nearest cards) may be known there. ``aliases`` are other
    names of the same port, such as the front-panel name. ``up`` is False where the source says that the link is down.
    """

    name: str
    mac: str = ""
    aliases: tuple[str, ...] = ()
    up: bool = True
    rail: int = NO_RAIL
    gpus: tuple[int, ...] = ()
    speed: int = 0
    pci: str = ""


@dataclass(frozen=True, slots=True)
class Speaker:
    """The device that a report is about.

    ``name`` is what the operator calls it: the target of a gNMI connection, the name of a Kubernetes node. ``aliases``
    are further names it may be known by to its neighbours, such as its own system name or the node's hostname.
    ``chassis`` are its chassis ids or system GUIDs. ``role`` is one of ``elements.Role``, where somebody knows;
    ``unit``, ``rack``, ``rail`` and ``plane`` likewise. ``maintenance`` says that nothing new shall be placed below it.
    """

    name: str
    kind: str = SWITCH
    aliases: tuple[str, ...] = ()
    chassis: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    role: str = ""
    unit: str = ""
    rack: str = ""
    rail: int = NO_RAIL
    plane: str = ""
    maintenance: bool = False


@dataclass(frozen=True, slots=True)
class ScaleUp:
    """What the GPUs of a server say of their NVLink or XGMI domain.

    ``domain`` identifies it everywhere: ``clusterUuid.cliqueId`` for NVLink, the hive for XGMI. ``gpus`` says how many
    cards report it (0: not told). ``chassis`` is the serial number of the rack, ``tray`` the place in it; ``name`` is
    what people call the domain, ``health`` what is wrong with it in the source's own words (empty: nothing).
    """

    domain: str
    kind: str = "nvlink"
    gpus: int = 0
    chassis: str = ""
    tray: str = ""
    name: str = ""
    health: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that one source says about one device, last confirmed at ``time`` µs.

    ``source`` is the kind of source (``gnmi``, ``lldpd``, ``ufm``, …), with an instance behind a colon where there are
    several (``ufm:hall-2``). ``links`` is False where the source does not know links at all, so that no missing
    neighbour follows from it (a source of NVLink domains, or of a server's NICs only).
    """

    source: str
    speaker: Speaker
    time: int = 0
    observations: tuple[Observation, ...] = ()
    ports: tuple[SeenPort, ...] = ()
    scale_up: tuple[ScaleUp, ...] = ()
    links: bool = True


@dataclass(frozen=True, slots=True)
class Inventory:
    """The servers that somebody may place work on, by the names to be labelled (those of Kubernetes nodes).

    With an inventory, a server that is heard but not in it stays in the map as a stranger and is never labelled;
    ``aliases`` are further names (hostname, provider id) and ``addresses`` the node's addresses.
    """

    names: tuple[str, ...] = ()
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    addresses: dict[str, tuple[str, ...]] = field(default_factory=dict)


def clean(text: str) -> str:
    """Return text as it may be kept and shown: printable, blanks single, at most ``LONGEST_TEXT`` characters."""
    if len(text) <= LONGEST_TEXT and text.isprintable() and "  " not in text and text == text.strip():
        return text
    shown = "".join(letter for letter in text[: 2 * LONGEST_TEXT] if letter.isprintable() or letter.isspace())
    return " ".join(shown.split())[:LONGEST_TEXT].rstrip()
