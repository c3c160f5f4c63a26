"""Where the cards of a workload sit, what joins those places, and how many bytes each link carries.

A topology is a tree: from a node over its NICs, and from a domain over its uplink towards the next wider level. Two
nodes talk over every link between them and their narrowest common domain, or over NVLink where that joins them. So the
bytes on a link follow from places alone, and the longest of bytes over bandwidth is when a phase ends (the bound that
Crux, SIGCOMM 2024, schedules by).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from railwise.traffic.links import FAST_EFFICIENCY, NETWORK_EFFICIENCY, NETWORK_STEP, THOUSAND, Link, transfer_time

MEGABIT: Final = 1_000_000

FAST: Final = -2
NICS: Final = -1
"""Links of a node, beside the levels of the tree: NVLink to other nodes of its clique, and all its NICs."""

NO_CLIQUE: Final = -1

OUT: Final = 0
INTO: Final = 1

Uplink = tuple[int, int, int]
"""One direction of a domain's uplink: level, domain, and ``OUT`` of the domain or ``INTO`` it."""


class Seat(NamedTuple):
    """Cards of one node that a workload uses.

    ``domains`` are the domains of the node, widest level first, each by a number that no other domain of its level has;
    ``cards`` of the node's ``of`` cards are used; ``fast`` joins them, and to those of other nodes of the same
    ``clique``. ``nics`` is the part of the node's NICs that work, in thousandths: the cards share what is left of them.
    """

    node: int
    domains: tuple[int, ...]
    cards: int
    of: int
    fast: Link
    nics: int = THOUSAND
    clique: int = NO_CLIQUE


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a topology's links carry, bits/s one direction: all NICs of a node, and one domain's uplink per level.

    Levels stand widest first; an uplink of 0 is unknown and never the bottleneck. ``step`` is the ns of one step
    between nodes. ``railed``: each NIC of a node is on a leaf of its own rail, so what goes to a card of another rail
    is first handed on inside the node (NCCL calls that PXN). ``narrowed`` holds, by level and domain, the uplinks that
    carry less than others of their level at present.
    """

    levels: tuple[str, ...]
    uplinks: tuple[int, ...]
    node_bits: int
    step: int = NETWORK_STEP
    efficiency: int = NETWORK_EFFICIENCY
    railed: bool = False
    narrowed: dict[tuple[int, int], int] = field(default_factory=dict, compare=False)

    def uplink(self, level: int, domain: int) -> int:
        """Return the bits/s of a domain's uplink (0: unknown)."""
        return self.narrowed.get((level, domain), self.uplinks[level]) if self.narrowed else self.uplinks[level]

    def usable(self, bits_per_second: int) -> int:
        """Return the bits/s that long messages reach of a data sheet's."""
        return max(1, bits_per_second * self.efficiency // THOUSAND)


class Load(NamedTuple):
    """The busiest link of a kind: its name, the bytes it carries in one direction, and the ns they take."""

    name: str
    carried: int
    time: int


class Loads:
    """Bytes per link and direction, by level (or ``NICS``, ``FAST`` of a node) and domain (or node)."""

    def __init__(self, wiring: Wiring) -> None:
        """Start with nothing on any link."""
        self.wiring: Final = wiring
        self.out: Final[dict[tuple[int, int], int]] = {}
        self.into: Final[dict[tuple[int, int], int]] = {}
        self.seats: Final[dict[int, Seat]] = {}

    def send(self, one: Seat, other: Seat, size: int) -> None:
        """Carry ``size`` bytes from one node to another; inside a node nothing is carried."""
        if one.node == other.node:
            return
        self.seats[one.node] = one
        self.seats[other.node] = other
        link = FAST if one.clique == other.clique != NO_CLIQUE else NICS
        self._add(self.out, link, one.node, size)
        self._add(self.into, link, other.node, size)
        if link == FAST:
            return
        for level in range(len(one.domains) - 1, -1, -1):
            if one.domains[level] == other.domains[level]:
                break
            self._add(self.out, level, one.domains[level], size)
            self._add(self.into, level, other.domains[level], size)

    def send_all(self, senders: Sequence[tuple[Seat, int]], receivers: Sequence[tuple[Seat, int]], size: int) -> None:
        """Carry ``size`` bytes from senders to receivers, each by its weight; own nodes are left out of both ends."""
        whole = sum(weight for _, weight in receivers)
        all_sent = sum(weight for _, weight in senders)
        if not whole or not all_sent:
            return
        for level in (FAST, NICS, *range(len(self.wiring.levels))):
            sent, got = _by_domain(senders, level), _by_domain(receivers, level)
            for table, here, there in ((self.out, sent, got), (self.into, got, sent)):
                for domain, weight in _outside(level, here, there).items():
                    self._add(table, level, domain, -(-size * weight // (whole * all_sent)))
        for seat, _ in (*senders, *receivers):
            self.seats[seat.node] = seat

    def _add(self, table: dict[tuple[int, int], int], level: int, domain: int, size: int) -> None:
        if size:
            table[level, domain] = table.get((level, domain), 0) + size

    def busiest(self) -> list[Load]:
        """Return the busiest NICs and the busiest uplink of each level with a known one, narrowest first."""
        found: list[Load] = []
        for level in (FAST, NICS, *range(len(self.wiring.levels) - 1, -1, -1)):
            loads = [
                (transfer_time(size, bits), size)
                for table in (self.out, self.into)
                for (at, domain), size in table.items()
                if at == level and (bits := self._bits(level, domain))
            ]
            if loads:
                time, size = max(loads)
                found.append(Load(self._name(level), size, time))
        return found

    def step(self) -> int:
        """Return the ns of one step between nodes: over the network if anything goes there."""
        seats = self.seats.values()
        if any(level == NICS for level, _ in self.out) or not seats:
            return self.wiring.step
        return max(seat.fast.latency for seat in seats)

    def _name(self, level: int) -> str:
        if level >= 0:
            return f"{self.wiring.levels[level]} uplink"
        return "NIC" if level == NICS else "NVLink between nodes"

    def _bits(self, level: int, domain: int) -> int:
        """Return the bits/s that long messages reach (0: unknown): of a node over what goes with the cards in use."""
        if level >= 0:
            bits = self.wiring.uplink(level, domain)
            return self.wiring.usable(bits) if bits else 0
        seat = self.seats[domain]
        if level == FAST:
            return seat.fast.usable() * seat.cards
        return self.wiring.usable(self.wiring.node_bits * seat.cards * seat.nics // (max(1, seat.of) * THOUSAND))

    def grown(self, part: int, whole: int) -> Loads:
        """Return these loads times part / whole, rounded up."""
        other = Loads(self.wiring)
        for mine, theirs in ((self.out, other.out), (self.into, other.into)):
            theirs.update({key: -(-size * part // whole) for key, size in mine.items()})
        other.seats.update(self.seats)
        return other

    def over_uplinks(self, into: dict[Uplink, int], times: int) -> None:
        """Add to ``into`` the bytes over each known uplink, ``times`` what was carried once."""
        for way, table in ((OUT, self.out), (INTO, self.into)):
            for (level, domain), size in table.items():
                if level >= 0 and self.wiring.uplinks[level]:
                    key = (level, domain, way)
                    into[key] = into.get(key, 0) + size * times


def _by_domain(ends: Sequence[tuple[Seat, int]], level: int) -> dict[tuple[int, int], int]:
    """Return the weight of each domain of a level (or node) and clique."""
    weights: dict[tuple[int, int], int] = {}
    for seat, weight in ends:
        key = (seat.node if level < 0 else seat.domains[level], seat.clique)
        weights[key] = weights.get(key, 0) + weight
    return weights


def _outside(level: int, here: dict[tuple[int, int], int], there: dict[tuple[int, int], int]) -> dict[int, int]:
    """Return, per domain, its weight times that of all ends beyond its link: not inside, not in the same clique.

    Over ``FAST`` it is those in the same clique and not in the same node.
    """
    inside: dict[int, int] = {}
    joined: dict[int, int] = {}
    for (domain, clique), weight in there.items():
        inside[domain] = inside.get(domain, 0) + weight
        if clique != NO_CLIQUE:
            joined[clique] = joined.get(clique, 0) + weight
    whole = sum(inside.values())
    found: dict[int, int] = {}
    for (domain, clique), weight in here.items():
        near = joined.get(clique, 0) - there.get((domain, clique), 0) if clique != NO_CLIQUE else 0
        beyond = near if level == FAST else whole - inside.get(domain, 0) - near
        found[domain] = found.get(domain, 0) + weight * beyond
    return found


def merged(seats: Sequence[Seat]) -> list[Seat]:
    """Return one seat a node, in the order in which nodes first occur."""
    found: dict[int, Seat] = {}
    for seat in seats:
        known = found.get(seat.node)
        found[seat.node] = seat if known is None else known._replace(cards=known.cards + seat.cards)
    return list(found.values())


def blocks(seats: Sequence[Seat], size: int) -> list[list[Seat]]:
    """Cut seats into runs of ``size`` cards, in rank order; the last run may be shorter."""
    runs: list[list[Seat]] = []
    have = size
    for seat in seats:
        left = seat.cards
        while left:
            if have == size:
                runs.append([])
                have = 0
            taken = min(left, size - have)
            runs[-1].append(seat._replace(cards=taken))
            have += taken
            left -= taken
    return runs


def slowest_fast(seats: Sequence[Seat]) -> Link:
    """Return the slowest of the links inside the nodes used."""
    return min((seat.fast for seat in seats), key=Link.usable, default=Link("none", 1, 0, FAST_EFFICIENCY))
