"""The map, kept up to date: reports in, a frozen ``Map`` out, and only what a change touches worked out again.

``build`` is the whole of it as one pure function. ``Mapper`` gives the same answer change by change; it is the same
code, which remembers what has not been touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from railwise.fabric import attributes, naming
from railwise.fabric.elements import Fabric, Port
from railwise.fabric.fabric_map import LEAF_GROUP, Device, Map, MapDomain, Rail
from railwise.fabric.findings import Finding, Kind
from railwise.fabric.grouping import Group, Memory, Structure, structure
from railwise.fabric.intent import Intended, as_swap
from railwise.fabric.labels import is_label, label
from railwise.fabric.observations import SERVER, Inventory, Report
from railwise.fabric.oddities import PortFindings, device_findings, heard_at, table_findings
from railwise.fabric.rails import GroupRails, Plug, find_rails
from railwise.fabric.regularity import strays, swaps
from railwise.fabric.scale_up import scale_up_domains
from railwise.fabric.settling import Patience, next_due
from railwise.fabric.survey import Survey
from railwise.fabric.tiers import Hints
from railwise.model.natural import natural_key


def build(
    reports: Iterable[Report],
    previous: Map | None = None,
    intent: Fabric | None = None,
    now: int = 0,
    inventory: Inventory | None = None,
) -> Map:
    """Return the map that follows from what all sources say.

    ``previous`` is the last map: names are kept by it, and what sources told that are silent now still stands.
    ``intent`` is the wiring as it is meant, ``inventory`` who may be labelled, ``now`` the time in µs. The order of the
    reports does not matter.
    """
    mapper = Mapper(previous, intent, inventory)
    for report in reports:
        mapper.hear(report)
    return mapper.map(now)


@dataclass(slots=True)
class _Judged:
    """A leaf group with its rails and what is wrong with its servers' links."""

    group: Group
    rails: GroupRails
    findings: tuple[Finding, ...] = ()


@dataclass(slots=True)
class _Kept:
    """What is kept from one map to the next."""

    version: int = -1
    devices: dict[str, Device] = field(default_factory=dict)
    nic_rails: dict[Port, int] = field(default_factory=dict)
    judged: dict[tuple[str, ...], _Judged] = field(default_factory=dict)
    hints: Hints = field(default_factory=Hints)
    rank: dict[str, int] = field(default_factory=dict)
    levels: list[list[Group]] = field(default_factory=list)
    domains: list[MapDomain] = field(default_factory=list)
    places: dict[str, dict[str, str]] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
    tiered: dict[str, Device] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)
    findings: tuple[Finding, ...] | None = None
    """What was found by the last map, without what follows from the age of tables; None: nothing yet."""


class Mapper:
    """A map that follows its sources."""

    def __init__(
        self,
        previous: Map | None = None,
        intent: Fabric | None = None,
        inventory: Inventory | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Start from the last map, if there is one, without reports."""
        self.survey = Survey(previous, intent, inventory, patience)
        self._last = self.survey.previous
        self._ports = PortFindings()
        self._intended = Intended(intent, self.survey.directory)
        self._kept = _Kept()

    def hear(self, report: Report) -> None:
        """Take a report in; it counts from the next ``map`` on, changes once they have lasted."""
        self.survey.hear(report)

    def confirm(self, source: str, device: str, time: int) -> None:
        """Note that at ``time`` a source still stood by what it last said of a device."""
        self.survey.confirm((source, device), time)

    def forget(self, source: str, device: str) -> None:
        """Drop what a source said of a device that is no more."""
        self.survey.forget(source, device)

    def next_due(self) -> int | None:
        """Return when the next change that waits will be believed, in µs; None if none waits."""
        patience = self.survey.patience
        times = [due for table in self.survey.tables.values() if (due := next_due(table, patience)) is not None]
        return min(times, default=None)

    def map(self, now: int) -> Map:
        """Return the map at a time, which must not go backwards."""
        survey = self.survey
        looked_at = survey.settle(now)
        if looked_at is None:
            self._intended = Intended(survey.intent, survey.directory)
            self._kept.judged = {}
            self._ports.refresh_all(survey, self._intended)
        else:
            self._ports.refresh(looked_at, survey, self._intended)
        if looked_at is None or self._kept.version != survey.version:
            self._describe()
        elif not looked_at and self._kept.findings is not None:
            findings = _with(self._kept.findings, table_findings(survey, now))
            self._last = replace(self._last, time=now, heard=heard_at(survey), findings=findings)
            return self._last
        touched = {port.device for port in looked_at or ()}
        self._last = self._made(now, touched)
        return self._last

    def _describe(self) -> None:
        """Work out again what follows from what devices say of themselves."""
        devices = attributes.describe(self.survey)
        self._kept = _Kept(
            self.survey.version,
            devices,
            attributes.rails_of_nics(self.survey),
            hints=attributes.hints_of(devices, self.survey),
            rank={name: place for place, name in enumerate(devices)},
        )

    def _tiered(self, tier_of: dict[str, int]) -> dict[str, Device]:
        """Return the devices with their tiers."""
        if self._kept.tiers != tier_of or not self._kept.tiered:
            self._kept.tiers = tier_of
            self._kept.tiered = naming.with_tiers(self._kept.devices, tier_of)
        return self._kept.tiered

    def _made(self, now: int, touched: set[str]) -> Map:
        survey, devices = self.survey, self._kept.devices
        kept = self._kept
        kept.memory.forget(survey.moved, across=survey.moved_across)
        survey.moved, survey.moved_across = set(), False
        found = structure(survey.up, survey.down, survey.across, kept.hints, kept.rank, kept.memory)
        judged = [self._judge(group, found, touched) for group in found.levels[0]]
        self._kept.judged = {one.group.servers: one for one in judged}
        if kept.levels != found.levels:
            kept.domains, kept.places = naming.name_domains(found, devices, self._last)
            kept.levels = found.levels
        domains = kept.domains
        places, remembered = naming.with_remembered(kept.places, domains, survey, self._last, devices)
        said = attributes.said_of_scale_up(survey)
        racks = {device.name: device.rack for device in devices.values() if device.rack}
        scale_up, about_scale_up = scale_up_domains(attributes.by_server(said, survey), racks, self._last.scale_up)
        kept.findings = _sorted([*self._findings(found, judged, places, remembered), *about_scale_up])
        leaf_groups = [domain for domain in domains if domain.level == LEAF_GROUP]
        rails: dict[str, tuple[Rail, ...]] = {}
        dead: dict[str, frozenset[int]] = {}
        for domain, one in zip(leaf_groups, judged, strict=True):
            rails[domain.name] = one.rails.rails
            dead.update(one.rails.dead)
        return Map(
            time=now,
            devices=self._tiered(found.tiers.of),
            edges=dict(survey.wiring.edges),
            levels=naming.levels(domains),
            domains=tuple(domains),
            places=places,
            rails=rails,
            dead_rails=dead,
            scale_up=scale_up,
            said=said,
            findings=_with(kept.findings, table_findings(survey, now)),
            heard=heard_at(survey),
            retired=naming.retired(domains, self._last),
        )

    def _judge(self, group: Group, found: Structure, touched: set[str]) -> _Judged:
        """Return the rails of a leaf group, from before if nothing about it was touched."""
        before = self._kept.judged.get(group.servers)
        if before is not None and before.group == group and not touched.intersection((*group.servers, *group.switches)):
            return before
        plugs = {server: _plugs(server, self.survey) for server in group.servers}
        given = {leaf: self._kept.devices[leaf].rail for leaf in group.switches if leaf in self._kept.devices}
        rails = find_rails(plugs, group.switches, given, self._kept.nic_rails)
        findings: list[Finding] = []
        own = set(group.switches)
        for server, mine in plugs.items():
            foreign = [plug for plug in mine if plug.at.device in found.tiers.of and plug.at.device not in own]
            findings += strays(server, mine, rails, [plug for plug in foreign if not self._planned(plug)])
        findings += [one for one in swaps(plugs, rails) if not self._planned_text(one.ports)]
        findings += _degraded(rails)
        return _Judged(group, rails, tuple(findings))

    def _planned(self, plug: Plug) -> bool:
        """Return whether an intended wiring says where this cable should lead."""
        return plug.nic in self._intended.peer or plug.at in self._intended.peer

    def _planned_text(self, ports: Sequence[str]) -> bool:
        named = [Port(*text.split("/", 1)) for text in ports]
        return any(port in self._intended.peer for port in named)

    def _findings(
        self,
        found: Structure,
        judged: list[_Judged],
        places: dict[str, dict[str, str]],
        remembered: list[str],
    ) -> list[Finding]:
        survey, devices = self.survey, self._kept.devices
        leaf_group = {switch: place for place, one in enumerate(judged) for switch in one.group.switches}
        findings = [as_swap(finding, leaf_group) for finding in self._ports.all()]
        for one in judged:
            findings += one.findings
        for ignored in found.beside:
            facts = (
                ("reason", ignored.reason),
                ("servers", str(ignored.servers)),
                ("count", str(len(ignored.switches))),
            )
            findings.append(Finding(Kind.PLANE_IGNORED, ignored.switches[0], facts=facts))
        findings += [Finding(Kind.AMBIGUOUS_GROUP, server) for server in found.torn]
        findings += [Finding(Kind.REMEMBERED, server) for server in remembered]
        for device in devices.values():
            if device.kind == SERVER and device.known and device.name not in places:
                findings.append(Finding(Kind.UNPLACED, device.name))
        told = {name for device in devices.values() for name in (device.unit, device.rack) if name}
        odd = [name for name in told if not is_label(name)]
        findings += [Finding(Kind.NAME_CHANGED, name, facts=(("label", label(name)),)) for name in odd]
        return findings + device_findings(survey, devices)


def _plugs(server: str, survey: Survey) -> list[Plug]:
    """Return the links of a server, in natural order of its NICs."""
    edges = survey.wiring.edges
    found = [Plug(port, edges[port].other(port)) for port in survey.wiring.ports_of(server) if port in edges]
    return sorted(found)


def _degraded(rails: GroupRails) -> list[Finding]:
    total = rails.total()
    numbers = {rail.leaf: str(rail.rail) for rail in rails.rails}
    findings = []
    for server, lacking in rails.lacking.items():
        have = total - sum(lacking.values())
        facts = (
            ("have", str(have)),
            ("of", str(total)),
            ("rails", " ".join(numbers[leaf] for leaf in lacking)),
            ("leaves", " ".join(lacking)),
        )
        findings.append(Finding(Kind.DEGRADED, server, facts=facts))
    return findings


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings once each, by kind in the order of the enum, then by subject."""
    order = {kind: place for place, kind in enumerate(Kind)}
    return tuple(sorted(set(findings), key=lambda one: (order[one.kind], natural_key(one.subject), one)))


def _with(sorted_ones: tuple[Finding, ...], more: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings that are in order already, with some more."""
    added = tuple(more)
    return _sorted([*sorted_ones, *added]) if added else sorted_ones


def domain_of(domains: Iterable[MapDomain], level: str, name: str) -> MapDomain | None:
    """Return the domain of a name at a level."""
    return next((domain for domain in domains if (domain.level, domain.name) == (level, name)), None)
