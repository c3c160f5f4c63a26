"""The wiring as it is against the wiring as it is meant: every wrong cable with both ports, and where it should lead.

One finding a cable as it runs, however many sources see it, and one a cable that carries nothing. A port is judged by
its own edge and that of its intended peer alone, so a single change is judged again in no time.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.fabric.elements import Fabric, Port
from railwise.fabric.findings import Finding, Kind
from railwise.fabric.names import Directory
from railwise.fabric.wiring import Edge, Wiring


class Intended:
    """The intended wiring by port, devices under the names of the map."""

    def __init__(self, intent: Fabric | None, directory: Directory) -> None:
        """Index the cables."""
        self.peer: dict[Port, Port] = {}
        self._cabled: set[str] = set()
        for cable in intent.cables if intent else ():
            a, b = (Port(directory.device(port.device), port.name) for port in (cable.a, cable.b))
            self.peer[a], self.peer[b] = b, a
            self._cabled |= {a.device, b.device}

    def covers(self, device: str) -> bool:
        """Return whether the intention says anything about a device."""
        return device in self._cabled

    def judge(self, port: Port, wiring: Wiring) -> Finding | None:
        """Return what is wrong with the cable at a port: the same finding from either of its ends."""
        wanted = self.peer.get(port)
        edge = wiring.edges.get(port)
        if edge is not None:
            return self._judge_edge(edge)
        if wanted is None or wanted in wiring.edges:
            return None
        if not (wiring.speaks(port.device) or wiring.speaks(wanted.device)):
            return None
        a, b = sorted((port, wanted))
        return Finding(Kind.MISSING, a.text(), (a.text(), b.text()), (b.text(), a.text()))

    def _judge_edge(self, edge: Edge) -> Finding | None:
        wanted = (self.peer.get(edge.a), self.peer.get(edge.b))
        if wanted[0] == edge.b:
            return None
        expected = tuple(one.text() if one else "" for one in wanted)
        if wanted == (None, None):
            if not (self.covers(edge.a.device) and self.covers(edge.b.device)):
                return None
            return Finding(Kind.UNEXPECTED, edge.a.text(), edge.ports(), expected)
        return Finding(Kind.MISWIRED, edge.a.text(), edge.ports(), expected)


def as_swap(finding: Finding, group_of: Mapping[str, int]) -> Finding:
    """Return a miswired cable as a swap of rails if its leaf is in the same group as the one where it should be."""
    if finding.kind is not Kind.MISWIRED:
        return finding
    here = [port.partition("/")[0] for port in finding.ports]
    wanted = [port.partition("/")[0] for port in finding.expected]
    for end in (0, 1):
        leaf, right = here[1 - end], wanted[end]
        same = leaf in group_of and group_of.get(leaf) == group_of.get(right)
        if same and leaf != right and here[end] not in group_of:
            return finding._replace(kind=Kind.RAIL_SWAPPED)
    return finding
