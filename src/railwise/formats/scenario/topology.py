"""Topologies of a scenario: named trees, each level from widest to narrowest, the node being the implied last one."""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults, at_index
from railwise.formats.kinds import ByForm, ListOf
from railwise.formats.records import Field, Record
from railwise.formats.terms import BANDWIDTH, LABEL_KEY, LEVEL, NAME
from railwise.model.topology import NO_LEVEL, NODE_LEVEL, Level, Topology

MOST_LEVELS = 16
"""A topology has at most so many levels."""

LEVEL_RECORD = Record(
    "Level",
    {
        "name": Field(LEVEL, "the name of the level; `node` describes the node itself and stands last", required=True),
        "label": Field(LABEL_KEY, "the node label that names the domain"),
        "uplink": Field(BANDWIDTH, "bandwidth of one domain towards the next wider level, such as 400Gbps"),
    },
)

TOPOLOGY_RECORD = Record(
    "Topology",
    {
        "name": Field(NAME, "the name of the topology", required=True),
        "levels": Field(
            ListOf(ByForm("the name of a level or a mapping", {str: LEVEL, dict: LEVEL_RECORD})),
            "levels from widest to narrowest",
            required=True,
        ),
    },
)

TOPOLOGIES = ListOf(TOPOLOGY_RECORD)


def build_topologies(records: list[dict[str, Any]], path: str, faults: Faults) -> tuple[Topology, ...]:
    """Return the topologies; names must differ."""
    topologies = []
    seen: dict[str, int] = {}
    for index, record in enumerate(records):
        where = at_index(path, index)
        name = record.get("name", "")
        if name in seen:
            faults.add(f"{where}.name", f"'{name}' is already the name of {at_index(path, seen[name])}")
        seen.setdefault(name, index)
        topologies.append(_build(name, record.get("levels", []), f"{where}.levels", faults))
    return tuple(topologies)


def _build(name: str, given: list[str | dict[str, Any]], path: str, faults: Faults) -> Topology:
    levels: list[Level] = []
    node_uplink = 0
    if len(given) > MOST_LEVELS:
        faults.add(path, f"expected at most {MOST_LEVELS} levels, not {len(given)}")
    for index, item in enumerate(given):
        record: dict[str, Any] = {"name": item} if isinstance(item, str) else item
        level = record.get("name", "")
        where = at_index(path, index)
        if level == NODE_LEVEL:
            if index < len(given) - 1:
                faults.add(where, "'node' is always the last level; what is narrower than a node is no level")
            elif "uplink" not in record or "label" in record:
                faults.add(where, "'node' is implied and may only be given to tell its uplink: {name: node, uplink: …}")
            node_uplink = record.get("uplink", 0)
        elif level == NO_LEVEL:
            faults.add(where, "'none' cannot be a level, it stands for no locality")
        elif any(level == other.name for other in levels):
            faults.add(where, f"the level '{level}' is given twice")
        else:
            levels.append(Level(level, record.get("label", ""), record.get("uplink", 0)))
    return Topology(name, tuple(levels), node_uplink)
