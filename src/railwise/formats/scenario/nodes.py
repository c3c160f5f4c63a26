"""Nodes of a scenario, one by one or a thousand at a stroke.

A hostlist makes many nodes; ``in`` and ``at`` then give k names to n nodes in equal consecutive runs, and a k that does
not divide n is refused, because nothing is guessed. Nodes of one entry share their equal parts (cards, resources,
labels and places), which is what makes a hundred thousand of them cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from railwise.formats.faults import Faults, at_index, at_key, guess, shown
from railwise.formats.kinds import Flag, ListOf, MapOf, Whole
from railwise.formats.records import Field, Record
from railwise.formats.scenario.cards import GPU, build_cards
from railwise.formats.scenario.pod_rules import HOST_PORTS, build_host_ports
from railwise.formats.scenario.resources import NODE_RESOURCES
from railwise.formats.scenario.selection import TAINT_RECORD, build_taints
from railwise.formats.terms import LABELS, LEVEL, MOST_CARDS, MOST_NODES, MOST_PLACES, NAME, NUMBERS, PLACE, Hostlist
from railwise.model.host_ports import WHOLE
from railwise.model.node import Cards, Node
from railwise.model.topology import NODE_LEVEL, Topology

_PLACES = MapOf(LEVEL, Hostlist("domains of nodes", PLACE, MOST_PLACES))

RAILS_RECORD = Record(
    "Rails",
    {
        "count": Field(Whole(1, MOST_CARDS), "how many it has; default: one for each card"),
        "down": Field(NUMBERS, "numbers of rails that are down"),
    },
)

NODE_RECORD = Record(
    "Node",
    {
        "name": Field(Hostlist("nodes", NAME, MOST_NODES), "the name; a hostlist makes many nodes", required=True),
        "in": Field(_PLACES, "domain by level of the first topology; k names on n nodes: equal consecutive runs"),
        "at": Field(MapOf(NAME, _PLACES), "domain by level, by topology"),
        "gpus": Field(Whole(0, MOST_CARDS), "short for gpu: {count: …}"),
        "gpu": Field(GPU, "its cards; a list of mappings where they differ"),
        "resources": Field(NODE_RESOURCES, "capacities; cpu, memory and pods that are not listed are unlimited"),
        "hostPorts": Field(HOST_PORTS, "ports that agents of the node have in use"),
        "labels": Field(LABELS, "its labels"),
        "taints": Field(ListOf(TAINT_RECORD), "its taints"),
        "ready": Field(Flag(), "whether it is ready; default true"),
        "unschedulable": Field(Flag(), "whether it is cordoned; default false"),
        "rails": Field(RAILS_RECORD, "its rails (planes of NICs) and their state"),
    },
    hints={
        "cpu": "it belongs to 'resources'",
        "memory": "it belongs to 'resources'",
        "count": "write a hostlist such as n[001-128] as name, and 'gpus' for the cards",
    },
)

NODES = ListOf(NODE_RECORD)

_Columns = dict[tuple[str, str], list[str]]
"""Names of domains by (topology, level)."""


def build_nodes(
    records: list[dict[str, Any]], path: str, topologies: Sequence[Topology], faults: Faults
) -> tuple[Node, ...]:
    """Return the nodes in document order; names must differ."""
    nodes: list[Node] = []
    seen: dict[str, int] = {}
    for index, record in enumerate(records):
        where = at_index(path, index)
        names = record.get("name", [])
        _note_names(names, index, path, seen, faults)
        columns = _columns(record, where, len(names), topologies, faults)
        cards, sick = _cards(record, where, faults)
        resources = record.get("resources", {})
        if "hostPorts" in record:
            resources = resources | {
                name: WHOLE - taken for name, taken in build_host_ports(record["hostPorts"]).items()
            }
        labels = record.get("labels", {})
        taints = build_taints(record["taints"]) if "taints" in record else ()
        ready = record.get("ready", True)
        unschedulable = record.get("unschedulable", False)
        dead = frozenset(record["rails"].get("down", ())) if "rails" in record else _NONE
        rails = record["rails"].get("count", 0) if "rails" in record else 0
        for first, last, places in _runs(columns, len(names)):
            nodes.extend(
                Node(name, places, cards, sick, resources, labels, taints, ready, unschedulable, dead, rails)
                for name in names[first:last]
            )
    return tuple(nodes)


_NONE: frozenset[int] = frozenset()


def _note_names(names: list[str], index: int, path: str, seen: dict[str, int], faults: Faults) -> None:
    before = len(seen)
    for name in names:
        seen.setdefault(name, index)
    if len(seen) == before + len(names):
        return
    mine: set[str] = set()
    for name in names:
        if seen[name] != index or name in mine:
            faults.add(
                f"{at_index(path, index)}.name", f"{shown(name)} is already named by {at_index(path, seen[name])}"
            )
            return
        mine.add(name)


def _cards(record: dict[str, Any], path: str, faults: Faults) -> tuple[tuple[Cards, ...], frozenset[int]]:
    if "gpus" in record and "gpu" in record:
        faults.add(path, "'gpus' and 'gpu' exclude each other: 'gpus: 8' is short for 'gpu: {count: 8}'")
    if "gpu" in record:
        return build_cards(record["gpu"], f"{path}.gpu", faults)
    return ((Cards(record["gpus"]),) if record.get("gpus") else ()), _NONE


def _columns(record: dict[str, Any], path: str, count: int, topologies: Sequence[Topology], faults: Faults) -> _Columns:
    columns: _Columns = {}
    if "in" in record:
        if topologies:
            _add_columns(columns, topologies[0], record["in"], f"{path}.in", count, faults)
        elif record["in"]:
            faults.add(f"{path}.in", "no topology is declared", "add spec.topologies with its levels")
    for name, levels in record.get("at", {}).items():
        topology = next((one for one in topologies if one.name == name), None)
        where = at_key(f"{path}.at", name)
        if topology is None:
            faults.add(where, f"there is no topology {shown(name)}{guess(name, [one.name for one in topologies])}")
        else:
            _add_columns(columns, topology, levels, where, count, faults)
    return columns


def _add_columns(
    columns: _Columns, topology: Topology, levels: dict[str, list[str]], path: str, count: int, faults: Faults
) -> None:
    known = topology.level_names()
    for level, names in levels.items():
        where = at_key(path, level)
        if level not in known:
            likely = ("" if faults.full() else guess(level, known)) or f", the levels are: {', '.join(known) or 'none'}"
            unknown = (
                "the node is its own last level" if level == NODE_LEVEL else f"no level of '{topology.name}'{likely}"
            )
            faults.add(where, unknown)
        elif not names or count % len(names):
            if count:
                faults.add(where, f"{len(names)} names on {count} nodes make no equal runs")
        elif columns.setdefault((topology.name, level), names) != names:
            other = columns[topology.name, level]
            faults.add(
                where, f"{shown(names[0])} here, but {shown(other[0])} in 'in': a node stands in one domain only"
            )


def _runs(columns: _Columns, count: int) -> list[tuple[int, int, dict[str, dict[str, str]]]]:
    """Return (first, last + 1, places) for the longest runs of nodes that stand in the same domains."""
    if not count:
        return []
    if all(len(names) == 1 for names in columns.values()):
        return [(0, count, _places(columns, 0, count))]
    starts = {0, count}
    for names in columns.values():
        starts.update(range(0, count, count // len(names)))
    edges = sorted(starts)
    return [(first, last, _places(columns, first, count)) for first, last in pairwise(edges)]


def _places(columns: _Columns, position: int, count: int) -> dict[str, dict[str, str]]:
    places: dict[str, dict[str, str]] = {}
    for (topology, level), names in columns.items():
        places.setdefault(topology, {})[level] = names[position * len(names) // count]
    return places
