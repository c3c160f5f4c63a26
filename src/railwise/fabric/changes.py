"""What is different between two maps, in the order in which somebody would ask: servers, links, findings.

The age of evidence is no difference, nor is who said it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from railwise.fabric.fabric_map import Map
from railwise.model.natural import natural_key


class What(StrEnum):
    """What is different."""

    PLACE = "place"
    """A server's domain of a level."""

    SCALE_UP = "scale-up"
    """A server's NVLink or XGMI domain."""

    RAILS = "rails"
    """The rails that a server lacks."""

    LINK = "link"
    """The port at the other end of a port."""

    FINDING = "finding"
    """Something found wrong, or no longer."""


class Difference(NamedTuple):
    """One difference: of what, about whom, what it was before and is now (empty: nothing)."""

    what: What
    subject: str
    detail: str
    before: str
    after: str


def differences(before: Map, after: Map) -> list[Difference]:
    """Return everything that is different, sorted."""
    found = [*_places(before, after), *_links(before, after)]
    old, new = before.scale_up_of(), after.scale_up_of()
    names = old.keys() | new.keys()
    found += [Difference(What.SCALE_UP, server, "", old.get(server, ""), new.get(server, "")) for server in names]
    for server in before.dead_rails.keys() | after.dead_rails.keys():
        lacks = [" ".join(map(str, sorted(one.dead_rails.get(server, ())))) for one in (before, after)]
        found.append(Difference(What.RAILS, server, "", lacks[0], lacks[1]))
    order = {what: place for place, what in enumerate(What)}
    different = [one for one in found if one.before != one.after] + _findings(before, after)
    return sorted(different, key=lambda one: (order[one.what], natural_key(one.subject), one))


def _places(before: Map, after: Map) -> list[Difference]:
    return [
        Difference(
            What.PLACE,
            server,
            level,
            before.places.get(server, {}).get(level, ""),
            after.places.get(server, {}).get(level, ""),
        )
        for server in before.places.keys() | after.places.keys()
        for level in dict.fromkeys((*before.levels, *after.levels))
    ]


def _links(before: Map, after: Map) -> list[Difference]:
    found = []
    for port in before.edges.keys() | after.edges.keys():
        ends = [one.edges[port].other(port).text() if port in one.edges else "" for one in (before, after)]
        if ends[0] != ends[1]:
            found.append(Difference(What.LINK, port.text(), "", ends[0], ends[1]))
    return found


def _findings(before: Map, after: Map) -> list[Difference]:
    """Return findings that came or went, by kind, subject and ports: a count in their facts makes no new one."""
    old = {(one.kind, one.subject, one.ports): one for one in before.findings}
    new = {(one.kind, one.subject, one.ports): one for one in after.findings}
    gone = [(key, key[0].value, "") for key in old.keys() - new.keys()]
    come = [(key, "", key[0].value) for key in new.keys() - old.keys()]
    return [Difference(What.FINDING, key[1], " ".join(key[2]), was, now) for key, was, now in gone + come]
