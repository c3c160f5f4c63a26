"""Failures that a simulation draws: which parts break, how often, and for how long."""

from __future__ import annotations

from typing import Any, Final

from railwise.formats.faults import Faults, at_index, guess, shown
from railwise.formats.hostlist import fold
from railwise.formats.kinds import ListOf, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import DURATION, MOST_NODES, NAME, Hostlist
from railwise.model.failure import Failure
from railwise.model.quantity import format_duration
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology

MOST_CABLES: Final = 1024

FAILURE_RECORD = Record(
    "Failure",
    {
        "node": Field(Hostlist("nodes that may fail", NAME, MOST_NODES), "which nodes break, a hostlist"),
        "uplink": Field(NAME, "instead: the level from whose domains cables lead up"),
        "topology": Field(NAME, "the topology of that level; default the first"),
        "cables": Field(Whole(1, MOST_CABLES), "how many equal cables lead up from each domain; default 1"),
        "mtbf": Field(DURATION, "mean time between failures of each node or cable", required=True),
        "repair": Field(DURATION, "mean time until it is whole again", required=True),
    },
)

FAILURES = ListOf(FAILURE_RECORD)


def build_failures(records: list[dict[str, Any]], path: str, scenario: Scenario, faults: Faults) -> tuple[Failure, ...]:
    """Return the failures in document order; nodes and levels are those of ``scenario``."""
    known = {node.name for node in scenario.nodes}
    found = []
    for index, record in enumerate(records):
        where = at_index(path, index)
        if ("node" in record) == ("uplink" in record):
            faults.add(where, "expected either 'node' or 'uplink'")
            continue
        for key in ("mtbf", "repair"):
            if record.get(key) == 0:
                faults.add(f"{where}.{key}", "expected more than 0s")
        missing = next((name for name in record.get("node", ()) if name not in known), None)
        if missing is not None:
            faults.add(f"{where}.node", f"there is no node {shown(missing)}")
        topology = _topology(record, where, scenario.topologies, faults) if "uplink" in record else ""
        found.append(
            Failure(
                mtbf=record.get("mtbf", 0),
                repair=record.get("repair", 0),
                nodes=tuple(record.get("node", ())),
                topology=topology,
                level=record.get("uplink", ""),
                cables=record.get("cables", 1),
            )
        )
    return tuple(found)


def _topology(record: dict[str, Any], where: str, topologies: tuple[Topology, ...], faults: Faults) -> str:
    """Return the name of the topology whose level is meant; cables must carry something."""
    named = record.get("topology", topologies[0].name if topologies else "")
    tree = next((one for one in topologies if one.name == named), None)
    if tree is None:
        names = [one.name for one in topologies]
        faults.add(f"{where}.topology", f"there is no topology {shown(named)}{guess(named, names)}")
        return str(named)
    level = next((one for one in tree.levels if one.name == record["uplink"]), None)
    if level is None:
        likely = guess(record["uplink"], tree.level_names())
        faults.add(f"{where}.uplink", f"topology '{named}' has no level {shown(record['uplink'])}{likely}")
    elif not level.uplink:
        faults.add(f"{where}.uplink", "nobody says what this level's uplink carries", "give the level an 'uplink'")
    return tree.name


def failure_document(failure: Failure) -> dict[str, Any]:
    """Return a failure as plain values."""
    document: dict[str, Any] = {}
    if failure.nodes:
        document["node"] = fold(failure.nodes)
    else:
        document |= {"uplink": failure.level, "topology": failure.topology}
        if failure.cables != 1:
            document["cables"] = failure.cables
    return document | {"mtbf": format_duration(failure.mtbf), "repair": format_duration(failure.repair)}
