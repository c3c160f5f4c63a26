"""Rules of running workloads that a change of the map breaks: told once, and nobody is evicted for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from railwise.engine.cycle import Engine
from railwise.engine.gangs.demand import Part
from railwise.engine.gangs.record import Record
from railwise.model.scenario import Scenario

Places = Mapping[str, Mapping[str, str]]
"""A node's domains by topology and level."""


class BrokenRule(NamedTuple):
    """At ``at`` µs the map moved nodes so that the pods of a workload (or of its group) lie in several domains."""

    at: int
    workload: str
    group: str
    level: str
    domains: tuple[str, ...]

    def text(self) -> str:
        """Return what is told of it."""
        who = f"workload '{self.workload}'" + (f", group '{self.group}'" if self.group else "")
        where = ", ".join(self.domains)
        return f"{who}: the map has changed, its pods are not in one {self.level} any more ({where}); it runs on"


class MapRules:
    """Where nodes stand by the latest map, and whose rules that breaks. ``broken`` is in order of time."""

    def __init__(self, scenario: Scenario) -> None:
        """Start with the places of the document."""
        self.broken: Final[list[BrokenRule]] = []
        self._places: Final[dict[str, Places]] = {node.name: node.places for node in scenario.nodes}
        self._moves: Final[dict[int, dict[str, Places]]] = {}
        for change in scenario.effects:
            if change.target == "place":
                places = change.values["places"]
                if isinstance(places, Mapping):
                    self._moves.setdefault(change.at, {})[change.names[0]] = places
        self._told: Final[set[tuple[str, str]]] = set()

    def times(self) -> list[int]:
        """Return when the map changes, µs."""
        return sorted(self._moves)

    def look(self, engine: Engine, now: int) -> None:
        """Take in what changes at a time, just after its round, and note the rules that it breaks."""
        moved = self._moves.get(now)
        if moved is None:
            return
        self._places.update(moved)
        for name in sorted(engine.records):
            record = engine.records[name]
            nodes = {engine.state.nodes[node].name for node, _ in record.pods.values()}
            if record.unreadable is None and not nodes.isdisjoint(moved):
                self._judge(engine, record, now)

    def _judge(self, engine: Engine, record: Record, now: int) -> None:
        name = record.workload.name
        ready = [record.demand.root]
        while ready:
            part = ready.pop()
            ready.extend(part.children)
            domains = self._domains(engine, part)
            if len(domains) > 1 and (name, part.path) not in self._told:
                self._told.add((name, part.path))
                level = engine.state.trees[part.tree].tree.levels[part.required]
                self.broken.append(BrokenRule(now, name, part.path, level, domains))

    def _domains(self, engine: Engine, part: Part) -> tuple[str, ...]:
        """Return the domains of a part's required level in which its pods lie now, as paths."""
        tree = engine.state.trees[part.tree].tree
        if not 0 <= part.required < tree.depth:
            return ()
        levels = tree.levels[: part.required + 1]
        found: dict[str, None] = {}
        for leaf in part.leaves():
            for node in leaf.fixed.values():
                place = self._places.get(engine.state.nodes[node].name, {}).get(tree.name, {})
                found["/".join(place.get(level, "?") for level in levels)] = None
        return tuple(sorted(found))
