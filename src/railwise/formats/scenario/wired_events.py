"""What cables and switches that change mean for the nodes of a scenario, worked out when the document is read.

The events of the document and the timeline of its fabric are played on the wires, moment by moment. What follows stands
as changes of nodes, uplinks and places behind the scenario, so whoever lets it live needs to know nothing of cables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Final

from railwise.fabric.consequences import Consequences, DomainLink
from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.mapper import build
from railwise.fabric.ports import CableFinder
from railwise.fabric.telling import tell
from railwise.fabric.topologies import FABRIC, node_places
from railwise.fabric.wires import Wires, expanded
from railwise.model.node import Node
from railwise.model.policy import Change
from railwise.model.scenario import Scenario

UNSCHEDULABLE: Final = "unschedulable"
READY: Final = "ready"
DEAD_RAILS: Final = "rails.down"


def meant_map(fabric: Fabric) -> Map:
    """Return the map of a fabric with nothing wrong."""
    return build(tell(Wires(replace(fabric, actual=()))), None, fabric)


def effects(scenario: Scenario, fabric: Fabric) -> tuple[Change, ...]:
    """Return what the events of a scenario's cables and switches, and its fabric's timeline, mean, in order of time."""
    timeline = _timeline(scenario, fabric)
    if not timeline:
        return ()
    play = _Play(scenario, fabric)
    found: list[Change] = []
    for at, events in groupby(timeline, key=lambda event: event.at):
        found.extend(play.at(at, list(events)))
    found.extend(play.cordons.opened_too_early())
    return tuple(sorted(found, key=lambda change: change.at))


def _timeline(scenario: Scenario, fabric: Fabric) -> list[Event]:
    """Return all events of cables, NICs, switches and servers, the fabric's own first where times are equal."""
    finder = CableFinder(fabric.cables, fabric.servers)
    own = expanded(fabric.timeline)
    for change in scenario.changes:
        if change.target == "cable":
            cable = finder.find(*change.names)
            own.append(Event(change.at, Action.CABLE, on=bool(change.values["up"]), cable=cable))
        elif change.target == "switch":
            name = change.names[0]
            if "up" in change.values:
                own.append(Event(change.at, Action.SWITCH, on=bool(change.values["up"]), device=name))
            if "maintenance" in change.values:
                own.append(Event(change.at, Action.MAINTENANCE, on=bool(change.values["maintenance"]), device=name))
    return sorted(own, key=lambda event: event.at)


class _Play:
    """The wires of a fabric, and what was told of them last."""

    def __init__(self, scenario: Scenario, fabric: Fabric) -> None:
        """Start as the document does."""
        self.fabric: Final = fabric
        self.wires: Final = Wires(fabric)
        self.map = build(tell(self.wires), None, fabric)
        meant = self.map if not fabric.actual else meant_map(fabric)
        self.cons: Final = Consequences(fabric, meant)
        servers = {server.name for server in fabric.servers}
        self.nodes: Final = {node.name: node for node in scenario.nodes if node.name in servers}
        lost = {name: self.cons.dead_rails(name, self.wires) for name in self.nodes}
        self.closed = self.cons.closed(self.wires)
        self.own_dead: Final = {name: node.dead_rails - lost[name] for name, node in self.nodes.items()}
        self.dead: Final = {name: node.dead_rails | lost[name] for name, node in self.nodes.items()}
        self.cordons: Final = _Cordons(scenario, self.nodes, self.closed)
        self.uplinks: dict[tuple[str, str], DomainLink] = self._links()
        self.places: Final = {name: node.places for name, node in self.nodes.items()}

    def at(self, now: int, events: list[Event]) -> Iterator[Change]:
        """Let everything of a moment happen and yield what it means."""
        touched: set[Port] = set()
        for event in events:
            touched |= self.wires.apply(event)
            if event.action == Action.SERVER and event.device in self.nodes:
                yield Change(now, "node", (event.device,), {READY: event.on})
        if touched:
            yield from self._rails(now, {port.device for port in touched})
            yield from self._uplinks(now)
            yield from self._places(now)
        yield from self._maintenance(now)

    def _rails(self, now: int, devices: set[str]) -> Iterator[Change]:
        for name in self.nodes:
            if name not in devices:
                continue
            dead = self.own_dead[name] | self.cons.dead_rails(name, self.wires)
            if dead != self.dead[name]:
                self.dead[name] = dead
                yield Change(now, "node", (name,), {DEAD_RAILS: dead})

    def _links(self) -> dict[tuple[str, str], DomainLink]:
        return {(link.level, link.domain): link for link in self.cons.uplinks(self.wires) if link.server in self.nodes}

    def _uplinks(self, now: int) -> Iterator[Change]:
        links = self._links()
        for key, link in links.items():
            if link.server is not None and link != self.uplinks[key]:
                yield Change(now, "uplink", (FABRIC, link.level, link.server), {"megabits": link.megabits})
        self.uplinks = links

    def _places(self, now: int) -> Iterator[Change]:
        before, self.map = self.map, build(tell(self.wires, now), self.map, self.fabric, now)
        if self.map.places == before.places:
            return
        found = node_places(self.map)
        for name, known in self.places.items():
            place = {**known, FABRIC: found[name].places.get(FABRIC, {}) if name in found else {}}
            if FABRIC in known and place != known:
                self.places[name] = place
                yield Change(now, "place", (name,), {"places": place})

    def _maintenance(self, now: int) -> Iterator[Change]:
        """Yield who is closed and who is open again, and close again who was uncordoned meanwhile."""
        before, self.closed = self.closed, self.cons.closed(self.wires)
        for name in self.nodes:
            if (name in before) != (name in self.closed):
                closed = name in self.closed
                self.cordons.note(name, now, closed=closed)
                yield Change(now, "node", (name,), {UNSCHEDULABLE: closed or self.cordons.state(name, now)})


class _Cordons:
    """Whether somebody cordoned a node, by the document's own events, and when it was closed for maintenance."""

    def __init__(self, scenario: Scenario, nodes: Mapping[str, Node], closed: set[str]) -> None:
        """Read the document; who stands as unschedulable and is ``closed`` anyway is taken as not cordoned."""
        self.first: Final = {name: node.unschedulable and name not in closed for name, node in nodes.items()}
        self.events: Final[dict[str, list[tuple[int, bool]]]] = {}
        self.closed: Final[dict[str, list[tuple[int, bool]]]] = {name: [(-1, True)] for name in closed if name in nodes}
        for change in sorted(scenario.changes, key=lambda change: change.at):
            if change.target == "node" and UNSCHEDULABLE in change.values and change.names[0] in nodes:
                self.events.setdefault(change.names[0], []).append((change.at, bool(change.values[UNSCHEDULABLE])))

    def note(self, name: str, now: int, *, closed: bool) -> None:
        """Note that a node is closed for maintenance, or no longer, from a time on."""
        self.closed.setdefault(name, []).append((now, closed))

    def state(self, name: str, now: int) -> bool:
        """Return whether a node is cordoned just after a time."""
        return _last(self.events.get(name, ()), now, otherwise=self.first[name])

    def opened_too_early(self) -> Iterator[Change]:
        """Yield what closes nodes again that the document uncordons while they are closed for maintenance."""
        for name, times in self.closed.items():
            for at, cordoned in self.events.get(name, ()):
                if not cordoned and _last(times, at, otherwise=False):
                    yield Change(at, "node", (name,), {UNSCHEDULABLE: True})


def _last(times: Iterable[tuple[int, bool]], now: int, *, otherwise: bool) -> bool:
    """Return the last of some states up to a time."""
    state = otherwise
    for at, value in times:
        if at <= now:
            state = value
    return state
