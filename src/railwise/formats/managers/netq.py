"""The topology graph of NVIDIA NetQ: nodes by tier, and the links between them.

Servers have tier -1, leaves 1, spines 2 and so on. A link names both of its ends by the identifier of the node and the
interface, so every link is told from both sides; but one source told it, which is why it counts as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import msgspec.json

from railwise.fabric.elements import Role
from railwise.fabric.observations import IFNAME, SERVER, SWITCH, Observation, Report, SeenPort, Speaker, clean
from railwise.model.errors import Fault, InputError

SOURCE: Final = "netq"
HOST_TIER: Final = -1
ROLES: Final = {1: Role.LEAF, 2: Role.SPINE, 3: Role.SUPER_SPINE, 4: Role.CORE}
MOST_LINKS: Final = 4_000_000
_ENDS: Final = 2
_HINT: Final = "expected the answer of topologygraph/fetch-topology"


def read_netq(data: bytes, time: int = 0, source: str = "") -> list[Report]:
    """Return a report for each node, sorted by name. Links to nodes that are not listed are left out.

    Raises InputError for what is no topology graph.
    """
    try:
        graphs = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Fault("", f"no JSON: {error}", _HINT)], source) from None
    graphs = graphs if isinstance(graphs, list) else [graphs]
    if not graphs or not all(isinstance(graph, dict) and "nodes" in graph for graph in graphs):
        raise InputError([Fault("nodes", "no such member", _HINT)], source)
    names: dict[str, str] = {}
    tiers: dict[str, int] = {}
    for graph in graphs:
        for node in _members(graph.get("nodes"), "compounded_nodes"):
            identifier, name, tier = _text(node, "id"), _text(node, "name"), node.get("tier")
            if identifier and name and isinstance(tier, int):
                names[identifier] = name
                tiers[name] = tier
    rows: dict[str, list[Observation]] = defaultdict(list)
    for graph in graphs:
        for (a, a_port), (b, b_port) in _links(graph, names):
            rows[a].append(_observation(a_port, b, b_port, tiers))
            rows[b].append(_observation(b_port, a, a_port, tiers))
    return [_report(name, tiers[name], rows[name], time) for name in sorted(tiers)]


def _links(graph: dict[str, Any], names: dict[str, str]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    for number, link in enumerate(_members(graph.get("links"), "compounded_links")):
        ends = [end for end in link.get("interfaces", []) if isinstance(end, dict)]
        if number >= MOST_LINKS or len(ends) != _ENDS:
            continue
        first, second = ((names.get(_text(end, "node"), ""), _text(end, "interface")) for end in ends)
        if all((*first, *second)) and first[0] != second[0]:
            yield first, second


def _members(groups: object, key: str) -> Iterator[dict[str, Any]]:
    """Yield the members of all groups of a list that hold a list under ``key``."""
    for group in groups if isinstance(groups, list) else []:
        inner = group.get(key) if isinstance(group, dict) else None
        yield from (member for member in (inner if isinstance(inner, list) else []) if isinstance(member, dict))


def _observation(port: str, name: str, far: str, tiers: dict[str, int]) -> Observation:
    return Observation(port, name, remote_port=far, port_kind=IFNAME, kind=_kind(tiers[name]))


def _report(name: str, tier: int, rows: list[Observation], time: int) -> Report:
    ports = tuple(SeenPort(port) for port in sorted({row.port for row in rows})) if tier == HOST_TIER else ()
    role = ROLES[tier].value if tier in ROLES else ""
    return Report(SOURCE, Speaker(name, _kind(tier), role=role), time, tuple(sorted(set(rows))), ports)


def _kind(tier: int) -> str:
    return SERVER if tier == HOST_TIER else SWITCH


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return clean(value) if isinstance(value, str) else ""
