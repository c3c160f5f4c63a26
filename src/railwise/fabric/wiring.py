"""From what both ends say to edges: which port is connected to which, who says so, and who disagrees.

Each report makes *claims*: at this port I hear that one. Both ends of a cable may claim it, through several sources, or
one end may be silent, out of date, or wrong. For each port the best candidate is taken, and an edge is what two ports
are best for each other; the rest is a conflict that is told. Candidates are compared by

1. how many ends claim it, less those that deny it (an end whose live report hears somebody else or nobody there);
2. how many sources claim it, live ones before silent ones;
3. which claim is the newer one: a plug that was moved is heard at its new port later than at the old one;
4. natural order, so that the answer is the same whoever was asked first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from railwise.fabric.elements import Port
from railwise.model.natural import NaturalKey, natural_key

Key = tuple[str, str]
"""A source and the device it reports on."""


NAMELESS: Final = "?"
"""The first letter of a port's name that nobody tells: it stands for whichever port of its device is meant."""


class Evidence(NamedTuple):
    """A source that claims an edge: the report it stands in, at which end, and since when (µs)."""

    source: str
    device: str
    side: int
    since: int


class Edge(NamedTuple):
    """A cable as sources tell it; ``a`` comes before ``b`` in order of names. ``evidence`` is sorted."""

    a: Port
    b: Port
    evidence: tuple[Evidence, ...]

    def sides(self) -> int:
        """Return how many ends claim it."""
        return len({one.side for one in self.evidence})

    def other(self, port: Port) -> Port:
        """Return the port at the other end."""
        return self.b if port == self.a else self.a

    def ports(self) -> tuple[str, str]:
        """Return both ports as text."""
        return (self.a.text(), self.b.text())


class Claim(NamedTuple):
    """That ``there`` is heard at a port, since when."""

    there: Port
    since: int


class Held(NamedTuple):
    """A claim with the source that makes it. A port of a large fabric has one or two: dictionaries would be a waste."""

    key: Key
    there: Port
    since: int


@dataclass(slots=True)
class Wiring:
    """All claims, and the edges that follow from them; only what a change touches is worked out anew."""

    edges: dict[Port, Edge] = field(default_factory=dict)
    _claims: dict[Port, tuple[Held, ...]] = field(default_factory=dict)
    _named: dict[Port, Port | dict[Port, int]] = field(default_factory=dict)
    """Who claims to hear a port: nearly always one other port, once; else how many claims each of them makes."""

    _live: set[Key] = field(default_factory=set)
    _down: dict[Port, set[Key]] = field(default_factory=dict)
    _tellers: dict[str, set[Key]] = field(default_factory=dict)
    _ports: dict[str, set[Port]] = field(default_factory=dict)

    def teller(self, key: Key, device: str, *, live: bool) -> set[Port]:
        """Note that a source tells of a device's links, and whether it does so now; return the ports this touches."""
        known = key in self._tellers.get(device, ())
        if known and live == (key in self._live):
            return set()
        self._tellers.setdefault(device, set()).add(key)
        if live:
            self._live.add(key)
        else:
            self._live.discard(key)
        return set(self._ports.get(device, ()))

    def lives(self, key: Key) -> bool:
        """Return whether a source tells of a device's links now."""
        return key in self._live

    def claim(self, port: Port, key: Key, claims: tuple[Claim, ...]) -> set[Port]:
        """Replace what a source claims at a port; return the ports this touches."""
        held = self._claims.get(port, ())
        before = tuple(Claim(one.there, one.since) for one in held if one.key == key)
        if before == claims:
            return set()
        touched = {port}
        for claim in before:
            self._unname(claim.there, port)
            touched.add(claim.there)
        for claim in claims:
            self._name(claim.there, port)
            touched.add(claim.there)
            self._ports.setdefault(claim.there.device, set()).add(claim.there)
        now = (*(one for one in held if one.key != key), *(Held(key, *claim) for claim in claims))
        if now:
            self._claims[port] = now
        else:
            self._claims.pop(port, None)
        if claims:
            self._ports.setdefault(port.device, set()).add(port)
        return touched

    def _name(self, there: Port, port: Port) -> None:
        """Note that a port claims to hear ``there``, once more."""
        named = self._named.get(there)
        if named is None:
            self._named[there] = port
            return
        if isinstance(named, Port):
            named = self._named[there] = {named: 1}
        named[port] = named.get(port, 0) + 1

    def _unname(self, there: Port, port: Port) -> None:
        """Take one such note back."""
        named = self._named[there]
        if isinstance(named, Port):
            del self._named[there]
            return
        named[port] -= 1
        if not named[port]:
            del named[port]
        if not named:
            del self._named[there]

    def port_state(self, port: Port, key: Key, *, up: bool) -> set[Port]:
        """Note that a source says whether the link at a port is up; return the ports this touches."""
        down = self._down.get(port, set())
        if up == (key not in down):
            return set()
        if up:
            down.discard(key)
            if not down:
                self._down.pop(port, None)
        else:
            self._down.setdefault(port, set()).add(key)
        return {port}

    def settle(self, touched: Iterable[Port]) -> tuple[set[Port], set[Port]]:
        """Work out the edges again around the touched ports.

        Returns the ports whose edge is another one now, and all ports that were looked at.
        """
        near = set(touched)
        for port in list(near):
            near.update(self.candidates(port))
        best = {port: self._best(port) for port in near}
        before: dict[Port, Edge | None] = {}
        for port, there in best.items():
            if there is None or (best[there] if there in best else self._best(there)) != port:
                self._drop(port, before)
                continue
            edge = self._edge(port, there)
            if self.edges.get(port) == edge:
                continue
            self._drop(port, before)
            self._drop(there, before)
            self.edges[port] = self.edges[there] = edge
        changed = {port for port, edge in before.items() if self.edges.get(port) != edge}
        return changed, near | changed

    def settle_all(self) -> set[Port]:
        """Work out every edge, and return the ports that have more than one candidate."""
        self.edges.clear()
        contested: set[Port] = set()
        plain: dict[Port, Port] = {}
        for port in {*self._claims, *self._named}:
            found = self.candidates(port)
            if len(found) > 1:
                contested.add(port)
            elif found:
                plain[port] = found.pop()
        edges = self.edges
        down = {port for port in self._down if self.is_down(port)}
        for port, there in plain.items():
            if port < there and plain.get(there) == port and not (port in down or there in down):
                edges[port] = edges[there] = self._edge(port, there)
        self.settle(contested)
        return contested

    def _drop(self, port: Port, before: dict[Port, Edge | None]) -> None:
        """Take the edge of a port away, if it has one, and note what was there."""
        edge = self.edges.pop(port, None)
        before.setdefault(port, edge)
        if edge is not None:
            other = edge.other(port)
            before.setdefault(other, self.edges.pop(other, None))

    def candidates(self, port: Port) -> set[Port]:
        """Return every port that is claimed to be at the other end, by either side."""
        found = {one.there for one in self._claims.get(port, ())}
        named = self._named.get(port)
        if isinstance(named, Port):
            found.add(named)
        elif named:
            found.update(named)
        if len(found) > 1:
            whole = {there.device for there in found if there.name[:1] != NAMELESS}
            found = {there for there in found if there.name[:1] != NAMELESS or there.device not in whole}
        return found

    def _best(self, port: Port) -> Port | None:
        if self.is_down(port):
            return None
        found = [there for there in self.candidates(port) if not self.is_down(there)]
        if len(found) < 2:  # noqa: PLR2004 -- one candidate needs no comparison
            return found[0] if found else None
        return min(found, key=lambda there: self._rank(port, there))

    def is_down(self, port: Port) -> bool:
        """Return whether a live source says that the link at a port is down."""
        return any(key in self._live for key in self._down.get(port, ()))

    def _rank(self, port: Port, there: Port) -> tuple[int, int, int, int, NaturalKey]:
        ends, live, silent, newest = 0, 0, 0, -(1 << 62)
        for here, far in ((port, there), (there, port)):
            mine = [one for one in self._claims.get(here, ()) if _means(one.there, far)]
            told = [one.key in self._live for one in mine]
            live += sum(told)
            silent += len(told) - sum(told)
            newest = max([newest, *(one.since for one in mine)])
            if mine:
                ends += 1
            elif self.speaks(here.device):
                ends -= 1
        return (-ends, -live, -silent, -newest, natural_key(there.text()))

    def speakers(self) -> set[str]:
        """Return the devices whose links some source tells."""
        return set(self._tellers)

    def denied(self, edge: Edge) -> Port | None:
        """Return the end of an edge that hears others, but not this one; None if there is none."""
        claimed = {one.side for one in edge.evidence}
        for side, port in enumerate((edge.a, edge.b)):
            if side not in claimed and self.speaks(port.device):
                return port
        return None

    def heard(self, port: Port) -> set[Port]:
        """Return who is claimed at a port by sources of its own device."""
        return {one.there for one in self._claims.get(port, ())}

    def _edge(self, port: Port, there: Port) -> Edge:
        a, b = (port, there) if port <= there else (there, port)
        evidence = []
        for side, here, far in ((0, a, b), (1, b, a)):
            for key, there_told, since in self._claims.get(here, ()):
                if _means(there_told, far):
                    evidence.append(Evidence(*key, side, since))
        if len(evidence) > 1:
            evidence.sort()
        return Edge(a, b, tuple(evidence))

    def rejected(self, port: Port) -> list[Port]:
        """Return the candidates of a port that are not its edge, in natural order, where it has several."""
        found = self.candidates(port)
        if len(found) < 2:  # noqa: PLR2004 -- one candidate has no rival
            return []
        edge = self.edges.get(port)
        chosen = edge.other(port) if edge else None
        return sorted((one for one in found if one != chosen), key=lambda one: natural_key(one.text()))

    def ports_of(self, device: str) -> set[Port]:
        """Return every port of a device that was ever heard or heard of."""
        return self._ports.get(device, set())

    def speaks(self, device: str) -> bool:
        """Return whether some live source tells of the links of a device."""
        return any(key in self._live for key in self._tellers.get(device, ()))


def _means(told: Port, port: Port) -> bool:
    """Return whether a claim means a port: by name, or as some port of its device."""
    return told == port or (told.device == port.device and told.name[:1] == NAMELESS)
