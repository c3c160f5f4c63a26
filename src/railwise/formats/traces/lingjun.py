"""The host map of a production GPU cluster at Alibaba (Lingjun, 2023; Apache-2.0, published with Crux, SIGCOMM'24).

Its ``topo.csv`` names, for each of 847 hosts, the access (ASW), aggregation (PSW) and core (DSW) group it hangs on: a
real three-layer Clos network with uneven leaves, which no generated fabric has. An access label repeats under several
aggregation groups and means another switch there; domains are known by their path, so the labels stay as published.

The map does not say how many GPUs a host has. The importer takes ``gpus`` for all of them.
"""

from __future__ import annotations

import re

from railwise.formats.natural import natural_key
from railwise.formats.traces.table import Row, read_table
from railwise.model.errors import Fault, InputError
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology

TOPOLOGY = Topology("fabric", (Level("core"), Level("spine"), Level("leaf")))
"""DSW, PSW and ASW under the names used elsewhere."""

COLUMNS = ("ip", "DSW", "PSW", "ASW")
GPUS = 8
"""GPUs a host is taken to have unless told otherwise."""

SHORTEST_NAME = 12
"""Digits of the hashed host that go into its name, more only where two would be equal."""

_HASH = re.compile(r"[0-9a-f]{12,64}")


def read_lingjun(topo: bytes, gpus: int = GPUS, source: str = "topo.csv") -> Scenario:
    """Return the cluster of ``topo.csv`` (plain or gzip): hosts in tree order, natural order of the switch labels.

    Raises InputError if the table cannot be read, a host occurs twice or is no hash.
    """
    rows = read_table(topo, source, COLUMNS)
    _check(rows, source)
    rows.sort(key=lambda row: (*(natural_key(row.values[column]) for column in COLUMNS[1:]), row.values["ip"]))
    digits = _digits([row.values["ip"] for row in rows])
    nodes = tuple(_node(row, digits, gpus) for row in rows)
    return Scenario(name="alibaba-lingjun-2023", topologies=(TOPOLOGY,), nodes=nodes)


def _check(rows: list[Row], source: str) -> None:
    faults = []
    first: dict[str, int] = {}
    for row in rows:
        host = row.values["ip"]
        if not _HASH.fullmatch(host):
            faults.append(Fault(f"{source}:{row.line}", f"'{host}' is no hashed host", "12 to 64 hexadecimal digits"))
        elif host in first:
            faults.append(Fault(f"{source}:{row.line}", f"the host stands in line {first[host]} already"))
        first.setdefault(host, row.line)
    if faults:
        raise InputError(faults, source)


def _digits(hosts: list[str]) -> int:
    """Return how many digits tell all hosts apart."""
    digits = SHORTEST_NAME
    longest = max(len(host) for host in hosts)
    while digits < longest and len({host[:digits] for host in hosts}) < len(hosts):
        digits += 1
    return digits


def _node(row: Row, digits: int, gpus: int) -> Node:
    place = {"core": row.values["DSW"], "spine": row.values["PSW"], "leaf": row.values["ASW"]}
    cards = (Cards(gpus),) if gpus else ()
    return Node(name=f"host-{row.values['ip'][:digits]}", places={TOPOLOGY.name: place}, cards=cards)
