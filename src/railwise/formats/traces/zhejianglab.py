"""The cabling of a 2,024-GPU cluster at Zhejiang Lab (author: Zhejiang Lab, CC BY 4.0): 253 servers, 4 rails each.

The published table lists which NIC of which server hangs on which port of which leaf switch. Servers on the same set
of leaves form a leaf group, the unit inside which rails need no spine; here they have 60, 60, 60, 49 and 24 servers.
NIC names differ from server to server, so a rail is known by its leaf, never by its NIC: rail r is the r-th leaf of the
group. A server that lacks a link stays in its group and has a dead rail there.

A server's published name ends in ``GPU-`` and its number, before which its room, row and height stand. Where the ends
tell all servers apart, they are the names here (``gpu-17``), short enough to fold into ``gpu-[1-60]``.
"""

from __future__ import annotations

import re
from collections import Counter

from railwise.formats.traces.table import read_table
from railwise.model.errors import Fault, InputError
from railwise.model.natural import natural_key
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology

LEVEL = "leaf-group"
LINK_MBIT = 200_000
"""One NIC, in Mbit/s."""

GPUS = 8
"""A100 cards of a server."""

LINK_COLUMNS = ("server", "leaf", "switch_port")
NIC_COLUMNS = ("server_ip", "nic_netdev_name")

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_END = re.compile(r"-(gpu-[1-9][0-9]{0,8})$")
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


SOURCES = ("cluster_topology.csv", "gpu_nic_info.csv")
"""The two tables, as published."""


def read_zhejianglab(topology: bytes, nics: bytes, gpus: int = GPUS, sources: tuple[str, str] = SOURCES) -> Scenario:
    """Return the cluster of ``cluster_topology.csv`` and ``gpu_nic_info.csv`` (plain or gzip).

    Servers stand in the order of their leaf groups, then in natural order of names. The second table says how many
    NICs a server has (the commonest number), which is what a server without dead rails must have links for.
    Raises InputError if a table cannot be read, or two links end in one switch port.
    """
    leaves = _shortened(_links(topology, sources[0]))
    rails = _rails(nics, sources[1])
    groups = _groups(leaves)
    nodes = []
    warnings = []
    for server in sorted(leaves, key=lambda name: (natural_key(_group_name(groups[leaves[name]])), natural_key(name))):
        group = groups[leaves[server]]
        dead = frozenset(rail for rail, leaf in enumerate(group) if leaf not in leaves[server])
        if len(group) != rails:
            warnings.append(f"{server}: its leaves carry {len(group)} rails, while servers have {rails} NICs")
        place = {LEVEL: _group_name(group)}
        cards = (Cards(gpus),) if gpus else ()
        nodes.append(Node(name=server, places={"fabric": place}, cards=cards, dead_rails=dead))
    fabric = Topology("fabric", (Level(LEVEL),), node_uplink=rails * LINK_MBIT)
    return Scenario(name="zhejianglab-a100-2000", topologies=(fabric,), nodes=tuple(nodes), warnings=tuple(warnings))


def _links(data: bytes, source: str) -> dict[str, frozenset[str]]:
    """Return the leaves of each server, by its name in lower case."""
    faults = []
    ports: dict[tuple[str, str], int] = {}
    leaves: dict[str, set[str]] = {}
    for row in read_table(data, source, LINK_COLUMNS):
        server, leaf = row.values["server"].lower(), row.values["leaf"].lower()
        port = (leaf, row.values["switch_port"])
        if not _NAME.fullmatch(server) or not _NAME.fullmatch(leaf):
            faults.append(Fault(f"{source}:{row.line}", f"'{server}' or '{leaf}' is no name for a node or a switch"))
        elif port in ports:
            faults.append(Fault(f"{source}:{row.line}", f"port {port[1]} of {leaf} is taken by line {ports[port]}"))
        ports.setdefault(port, row.line)
        leaves.setdefault(server, set()).add(leaf)
    if faults:
        raise InputError(faults)
    return {server: frozenset(names) for server, names in leaves.items()}


def _shortened(leaves: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the same by the ends of the names, if every name has one and they differ."""
    ends = {server: _END.search(server) for server in leaves}
    short = {server: end[1] for server, end in ends.items() if end}
    if len(set(short.values())) < len(leaves):
        return leaves
    return {short[server]: names for server, names in leaves.items()}


def _rails(data: bytes, source: str) -> int:
    """Return the commonest number of NICs; the smaller one of equally common numbers."""
    names: dict[str, set[str]] = {}
    for row in read_table(data, source, NIC_COLUMNS):
        names.setdefault(row.values["server_ip"], set()).add(row.values["nic_netdev_name"])
    counts = Counter(len(nics) for nics in names.values())
    return min(counts, key=lambda number: (-counts[number], number))


def _groups(leaves: dict[str, frozenset[str]]) -> dict[frozenset[str], tuple[str, ...]]:
    """Return for each set of leaves the ordered leaves of its group: the smallest set that no other set contains."""
    sets = sorted(set(leaves.values()), key=lambda names: tuple(natural_key(name) for name in _ordered(names)))
    whole = [names for names in sets if not any(names < other for other in sets)]
    return {names: _ordered(next(other for other in whole if names <= other)) for names in sets}


def _ordered(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))


def _group_name(leaves: tuple[str, ...]) -> str:
    """Return ``leaf-1-4`` for leaf-1 .. leaf-4, else the leaves joined by dots."""
    parts = [name.rpartition("-") for name in leaves]
    if len({head for head, _, _ in parts}) == 1 and all(_NUMBER.fullmatch(tail) for _, _, tail in parts):
        numbers = [int(tail) for _, _, tail in parts]
        if len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            return f"{leaves[0]}-{numbers[-1]}"
    return ".".join(leaves)
