"""The host map of a production GPU cluster at Alibaba (Lingjun, 2023; Apache-2.0, published with Crux, SIGCOMM'24).

Its ``topo.csv`` names, for each of 847 hosts, the access (ASW), aggregation (PSW) and core (DSW) group it hangs on: a
real three-layer Clos network with uneven leaves, which no generated fabric has. An access label repeats under several
aggregation groups and means another switch there; domains are known by their path, so the labels stay as published.

A host is published as a hash, which nobody can read in a plan. Its name here is its leaf and its number there, in
order of the hashes (``p8-s14-3``): short, foldable, and it can be traced back. The map does not say how many GPUs a
host has; the importer takes ``gpus`` for all of them.
"""

from __future__ import annotations

import re
from collections import Counter

from railwise.formats.traces.table import Row, read_table
from railwise.model.errors import Fault, InputError
from railwise.model.natural import natural_key
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology

TOPOLOGY = Topology("fabric", (Level("core"), Level("spine"), Level("leaf")))
"""DSW, PSW and ASW under the names used elsewhere."""

COLUMNS = ("ip", "DSW", "PSW", "ASW")
GPUS = 8
"""GPUs a host is taken to have unless told otherwise."""

_SWITCH = re.compile(r"[A-Za-z0-9]{1,60}")
_HASH = re.compile(r"[0-9a-f]{12,64}")


def read_lingjun(topo: bytes, gpus: int = GPUS, source: str = "topo.csv") -> Scenario:
    """Return the cluster of ``topo.csv`` (plain or gzip): hosts in tree order, natural order of the switch labels.

    Raises InputError if the table cannot be read, a host occurs twice or is no hash.
    """
    rows = read_table(topo, source, COLUMNS)
    _check(rows, source)
    rows.sort(key=lambda row: (*(natural_key(row.values[column]) for column in COLUMNS[1:]), row.values["ip"]))
    several_cores = len({row.values["DSW"] for row in rows}) > 1
    seen: Counter[str] = Counter()
    nodes = []
    for row in rows:
        core, spine, leaf = (row.values[column] for column in COLUMNS[1:])
        name = "-".join((core, spine, leaf) if several_cores else (spine, leaf)).lower()
        seen[name] += 1
        place = {"core": core, "spine": spine, "leaf": leaf}
        cards = (Cards(gpus),) if gpus else ()
        nodes.append(Node(name=f"{name}-{seen[name]}", places={TOPOLOGY.name: place}, cards=cards))
    return Scenario(name="alibaba-lingjun-2023", topologies=(TOPOLOGY,), nodes=tuple(nodes))


def _check(rows: list[Row], source: str) -> None:
    faults = []
    first: dict[str, int] = {}
    for row in rows:
        host = row.values["ip"]
        if not _HASH.fullmatch(host):
            faults.append(Fault(f"{source}:{row.line}", f"'{host}' is no hashed host", "12 to 64 hexadecimal digits"))
        elif host in first:
            faults.append(Fault(f"{source}:{row.line}", f"the host stands in line {first[host]} already"))
        for column in COLUMNS[1:]:
            if not _SWITCH.fullmatch(row.values[column]):
                expected = f"expected letters and digits in column {column}"
                faults.append(Fault(f"{source}:{row.line}", f"{expected}, not {row.values[column][:80]!r}"))
        first.setdefault(host, row.line)
    if faults:
        raise InputError(faults)
