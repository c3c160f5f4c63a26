"""All reports of all sources, and the wiring that follows from them, kept up to date change by change.

A fabric of a thousand leaves sends its tables once and then a row now and then. So everything that depends on one row
is kept by port and only the touched part is worked out again; what depends on who the devices are (names, addresses,
ports) is built anew when a device appears or describes itself otherwise, which is rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from railwise.fabric.elements import Fabric, Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.names import Directory, Heard, Meant, hardware_id, stranger
from railwise.fabric.observations import SERVER, SWITCH, Inventory, Observation, Report, Speaker, clean
from railwise.fabric.port_names import PortNames, unnamed
from railwise.fabric.settling import Patience, Table, first, hear, settle, stale
from railwise.fabric.wiring import Claim, Edge, Key, Wiring

Row = tuple[Port, Key]


@dataclass(slots=True)
class Oddities:
    """What could not be made a claim of as it stood: neighbours nobody knows or several could be, ids that fit two."""

    unknown: dict[Row, list[Heard]] = field(default_factory=dict)
    ambiguous: dict[Row, list[tuple[Heard, Meant]]] = field(default_factory=dict)
    clashes: dict[Row, list[Port]] = field(default_factory=dict)
    several: dict[Row, int] = field(default_factory=dict)
    strangers: dict[str, dict[Row, str]] = field(default_factory=dict)
    """By stranger what kind of device each row takes it for."""

    revoted: set[str] = field(default_factory=set)
    """The strangers whose kind may be another one since somebody last cleared this."""

    _at: dict[Row, list[str]] = field(default_factory=dict)

    def take_for(self, row: Row, device: str, kind: str) -> None:
        """Note that a row takes a stranger for a switch or a server."""
        self.strangers.setdefault(device, {})[row] = kind
        self.revoted.add(device)
        self._at.setdefault(row, []).append(device)

    def forget(self, row: Row) -> None:
        """Drop what was odd about a row."""
        for device in self._at.pop(row, ()):
            self.strangers[device].pop(row, None)
            self.revoted.add(device)
        if self.unknown or self.ambiguous or self.clashes or self.several:
            self.unknown.pop(row, None)
            self.ambiguous.pop(row, None)
            self.clashes.pop(row, None)
            self.several.pop(row, None)


class Survey:
    """The live state. ``previous`` is the last map: what it knows stands until its sources speak again."""

    def __init__(
        self,
        previous: Map | None = None,
        intent: Fabric | None = None,
        inventory: Inventory | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Start without reports."""
        self.previous = previous or Map()
        self.intent = intent
        self.inventory = inventory or Inventory()
        self.patience = patience or Patience()
        self.tables: dict[Key, Table] = {}
        self.wiring = Wiring()
        self.odd = Oddities()
        self.directory = Directory((), self.inventory, intent)
        self.ports = PortNames()
        self.up: dict[str, Counter[str]] = {}
        self.down: dict[str, Counter[str]] = {}
        self.across: dict[str, Counter[str]] = {}
        self._pairs: dict[Port, Edge] = {}
        """The edges as they are counted: which ports they join, whoever says so."""

        self._kinds: dict[str, str] = {}
        self.moved: set[str] = set()
        """The devices whose links are other ones since somebody last cleared this."""

        self.moved_across = False
        """Whether any link between switches is among them."""

        self.contested: set[Port] = set()
        """After everything was worked out anew: the ports with more than one candidate."""

        self.version = 0
        """Goes up whenever a device describes itself anew."""

        self._stale = True
        self._touched: set[Port] = set()
        self._meant: dict[tuple[str, str, tuple[str, ...]], tuple[Heard, Meant]] = {}

    def hear(self, report: Report) -> None:
        """Take a report in; a change of a known table must last before it counts."""
        key = (report.source, report.speaker.name)
        table = self.tables.get(key)
        if table is None:
            self.tables[key] = first(report)
            self._stale = True
            self.version += 1
            return
        before = table.report
        if before.speaker != report.speaker or before.ports != report.ports or before.scale_up != report.scale_up:
            self.version += 1
        if _identity(before.speaker) != _identity(report.speaker) or _ports(before) != _ports(report):
            self._stale = True
        hear(table, report, self.patience)
        self._set_states(key, report)

    def confirm(self, key: Key, time: int) -> None:
        """Note that a source stands by what it said of a device, so that nothing need be compared."""
        table = self.tables.get(key)
        if table is not None:
            table.confirmed = max(table.confirmed, time)

    def forget(self, source: str, device: str) -> None:
        """Drop what a source said of a device that is no more."""
        self.tables.pop((source, device), None)
        self._stale = True
        self.version += 1

    def settle(self, now: int) -> set[Port] | None:
        """Believe what has lasted, and return the ports that were looked at again; None: all of them."""
        due = {key: settle(table, now, self.patience) for key, table in self.tables.items() if table.waiting}
        if self._stale:
            self._rebuild(now)
            return None
        for key, table in self.tables.items():
            if table.report.links and self.wiring.lives(key) == stale(table, now, self.patience):
                device = self.directory.device(key[1])
                self._touched |= self.wiring.teller(key, device, live=not self.wiring.lives(key))
        for key, ports in due.items():
            for port in ports:
                self._claim(key, self.directory.device(key[1]), port, self.tables[key])
        changed, looked_at = self.wiring.settle(self._touched)
        self._touched = set()
        if any(self.kind(device) != self._kinds.get(device) for device in self.odd.revoted):
            self._rebuild(now)
            return None
        self.odd.revoted.clear()
        self._count(changed)
        return looked_at

    def _rebuild(self, now: int) -> None:
        """Work everything out from the tables."""
        tables = {key: self.tables[key] for key in sorted(self.tables)}
        speakers = [table.report.speaker for table in tables.values()]
        self.directory = Directory(speakers, self.inventory, self.intent)
        self.ports = PortNames()
        self.wiring = Wiring()
        self.odd = Oddities()
        self._meant = {}
        self._touched = set()
        for key, table in tables.items():
            self._describe(self.directory.device(key[1]), table.report)
        if self.intent is not None:
            self.ports.add_intent(self.intent)
        for key, table in tables.items():
            device = self.directory.device(key[1])
            if table.report.links:
                self.wiring.teller(key, device, live=not stale(table, now, self.patience))
            for port in table.rows:
                self._claim(key, device, port, table)
            self._set_states(key, table.report)
        self._remember()
        self.contested = self.wiring.settle_all()
        self._touched = set()
        self._kinds = {device: self.kind(device) for device in self.odd.strangers}
        self.odd.revoted.clear()
        self.up, self.down, self.across, self._pairs = {}, {}, {}, {}
        self._count_all()
        self._stale = False

    def _describe(self, device: str, report: Report) -> None:
        if not report.ports:
            return
        self.ports.add(device, report.ports)
        for port in report.ports:
            if port.mac:
                self.directory.add_mac(port.mac, Port(device, port.name))

    def _set_states(self, key: Key, report: Report) -> None:
        device = self.directory.device(key[1])
        for port in report.ports:
            here = Port(device, port.name)
            self._touched |= self.wiring.port_state(here, key, up=port.up)

    def _remember(self) -> None:
        """Let sources that have not spoken yet stand by what they said before the last map."""
        for edge in set(self.previous.edges.values()):
            for one in edge.evidence:
                key = (one.source, one.device)
                if key not in self.tables:
                    here, there = (edge.a, edge.b) if one.side == 0 else (edge.b, edge.a)
                    claims = (Claim(there, one.since),)
                    self._touched |= self.wiring.claim(here, key, claims)

    def _claim(self, key: Key, device: str, port: str, table: Table) -> None:
        """Turn what is believed of one port into claims."""
        here = Port(device, self.ports.own(device, port))
        row_key = (here, key)
        self.odd.forget(row_key)
        claims = []
        for row in table.rows.get(port, ()):
            there = self._resolve(row, here, row_key)
            if there is not None:
                claims.append(Claim(there, table.since[port]))
        distinct = tuple(dict.fromkeys(claims))
        if len(distinct) > 1:
            self.odd.several[row_key] = len(distinct)
        self._touched |= self.wiring.claim(here, key, distinct)

    def _resolve(self, row: Observation, here: Port, row_key: Row) -> Port | None:
        """Return the port that is heard; None if it is the hearer's own, or nobody can tell whose it is."""
        if self.directory.knows_nics():
            nic = self.directory.nic(row.mac) or self.directory.nic(row.remote_port)
            if nic is not None:
                return nic if nic.device != here.device else None
        heard, meant = self._who(row)
        device = meant.device
        if meant.candidates:
            self.odd.ambiguous.setdefault(row_key, []).append((heard, meant))
            return None
        if not device:
            device = stranger(heard)
            if not device:
                self.odd.unknown.setdefault(row_key, []).append(heard)
                return None
            kind = row.kind or (SWITCH if self.directory.kinds.get(here.device) == SERVER else SERVER)
            self.odd.take_for(row_key, device, kind)
        if device == here.device:
            return None
        told = self.ports.told(device, row)
        if told.clash:
            self.odd.clashes.setdefault(row_key, []).append(Port(device, told.name))
            return None
        return Port(device, told.name or unnamed(here))

    def _who(self, row: Observation) -> tuple[Heard, Meant]:
        raw = (row.name, row.chassis, row.addresses)
        found = self._meant.get(raw)
        if found is None:
            heard = Heard(clean(row.name), clean(hardware_id(row.chassis)), tuple(map(clean, row.addresses[:8])))
            found = self._meant[raw] = (heard, self.directory.meant(heard))
        return found

    def kind(self, device: str) -> str:
        """Return whether a device is a switch or a server, as far as anybody says."""
        known = self.directory.kinds.get(device)
        if known:
            return known
        votes = self.odd.strangers.get(device)
        if votes:
            return SWITCH if 2 * sum(kind == SWITCH for kind in votes.values()) >= len(votes) else SERVER
        old = self.previous.devices.get(device)
        return old.kind if old else SERVER

    def _count(self, ports: Iterable[Port]) -> None:
        """Keep the numbers of links between devices in step with the edges at some ports."""
        changed = list(ports)
        for port in changed:
            edge = self.wiring.edges.get(port)
            pair = self._pairs.get(port)
            if pair is not None and (edge is None or (edge.a, edge.b) != (pair.a, pair.b)):
                del self._pairs[pair.a], self._pairs[pair.b]
                self._add(pair.a.device, pair.b.device, -1)
        for port in changed:
            edge = self.wiring.edges.get(port)
            if edge is not None and port not in self._pairs:
                self._pairs[edge.a] = self._pairs[edge.b] = edge
                self._add(edge.a.device, edge.b.device, 1)

    def _count_all(self) -> None:
        """Count the links between devices from nothing."""
        kinds: dict[str, str] = {}
        for port, edge in self.wiring.edges.items():
            if port != edge.a:
                continue
            self._pairs[edge.a] = self._pairs[edge.b] = edge
            first, second = edge.a.device, edge.b.device
            for device in (first, second):
                if device not in kinds:
                    kinds[device] = self.kind(device)
            one, other = kinds[first], kinds[second]
            links = self.up if one == SERVER else self.down if other == SERVER else self.across
            links.setdefault(first, Counter())[second] += 1
            links = self.up if other == SERVER else self.down if one == SERVER else self.across
            links.setdefault(second, Counter())[first] += 1

    def _add(self, first: str, second: str, number: int) -> None:
        for one, other in ((first, second), (second, first)):
            links = self.down if self.kind(other) == SERVER else self.across
            links = self.up if self.kind(one) == SERVER else links
            self.moved.add(one)
            self.moved_across = self.moved_across or links is self.across
            mine = links.setdefault(one, Counter())
            mine[other] += number
            if not mine[other]:
                del mine[other]


def _identity(speaker: Speaker) -> tuple[object, ...]:
    """Return what of a speaker decides who is meant by a name."""
    return (speaker.name, speaker.kind, speaker.aliases, speaker.chassis, speaker.addresses)


def _ports(report: Report) -> list[tuple[object, ...]]:
    """Return what of a report's ports decides which port is meant."""
    return [(port.name, port.mac, port.aliases) for port in report.ports]
