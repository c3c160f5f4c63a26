"""What is wrong with a fabric, or odd about it, as values: what, where, what would be right, and how sure that is.

Nothing here is text for people; ``report/fabric_findings.py`` renders it. So a condition, a metric, a page and a test
all count the same thing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Kind(StrEnum):
    """Every kind of finding there is."""

    MISWIRED = "Miswired"
    """A cable ends in another port than it should."""

    RAIL_SWAPPED = "RailSwapped"
    """A cable ends on another rail of the right leaf group: the group is the same, the rails of the server are not."""

    MISSING = "Missing"
    """A cable that should be there carries no link."""

    UNEXPECTED = "Unexpected"
    """A cable runs where none should."""

    DEGRADED = "Degraded"
    """A server has fewer links to its leaf group than the others (7 of 8 rails)."""

    ONE_SIDED = "OneSided"
    """One end tells of a link and the other end, which tells of others, does not."""

    CONFLICT = "Conflict"
    """Sources disagree about who is at the other end of a port."""

    SEVERAL_NEIGHBOURS = "SeveralNeighbours"
    """A port hears more than one neighbour: a hub, virtual functions, a hypervisor."""

    AMBIGUOUS_NAME = "AmbiguousName"
    """A neighbour's name fits several devices, so it is taken for none of them."""

    UNKNOWN_NEIGHBOUR = "UnknownNeighbour"
    """Somebody is heard who cannot be told: no name, a factory text, or a name nobody has."""

    DUPLICATE_CHASSIS = "DuplicateChassis"
    """Two devices introduce themselves by the same chassis id; they are kept apart by name and address."""

    PORT_NAME_CLASH = "PortNameClash"
    """A port id fits one port by its name and another one by its alias, so it is taken for neither."""

    STALE = "Stale"
    """A source has not confirmed a device for long; what it said last still counts."""

    QUARANTINED = "Quarantined"
    """A source lost most of a device's neighbours at once; that is not believed yet."""

    PLANE_IGNORED = "PlaneIgnored"
    """A network beside the compute network (storage, management) plays no part in the groups."""

    UNPLACED = "Unplaced"
    """A server has no leaf group: it has no link, or only to networks that are ignored."""

    REMEMBERED = "Remembered"
    """A server keeps its group from the last map, because all its links are gone."""

    AMBIGUOUS_GROUP = "AmbiguousGroup"
    """A server has as many links into one leaf group as into another."""

    SCALE_UP_CONFLICT = "ScaleUpConflict"
    """GPUs of one server, or sources, disagree about its NVLink domain, or its chassis is that of another rack."""

    SCALE_UP_UNHEALTHY = "ScaleUpUnhealthy"
    """The GPUs of a server report trouble with their NVLink fabric."""

    HOSTILE = "Hostile"
    """A device says far more than any device does (length, neighbours, ports); the excess is left out."""

    NAME_CHANGED = "NameChanged"
    """A name could not be a label as it stands, and was made one."""

    MAINTENANCE = "Maintenance"
    """A switch is in maintenance: nothing new is placed below it."""


PROBLEMS: Final = frozenset(Kind) - {Kind.PLANE_IGNORED, Kind.MAINTENANCE, Kind.NAME_CHANGED}
"""What somebody should look into; the rest is said so that nobody wonders."""


class Finding(NamedTuple):
    """One finding.

    ``subject`` is the device or port it is about; ``ports`` are the ports of the cable as it runs, as ``device/port``;
    ``expected`` says for each of them where its cable should lead (empty: nowhere, or not known). ``inferred`` is True
    where that follows from regularity and not from an intended wiring. ``facts`` are further details by name: numbers
    and names, for rendering and for machines.
    """

    kind: Kind
    subject: str
    ports: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    inferred: bool = False
    facts: tuple[tuple[str, str], ...] = ()

    def fact(self, name: str) -> str:
        """Return a detail; empty if there is none of that name."""
        return next((value for key, value in self.facts if key == name), "")
