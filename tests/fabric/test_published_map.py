"""The cabling of a real cluster, from its links alone: no name of a rack, no rail, no intention."""

from __future__ import annotations

import csv
import gzip
import io
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from railwise.fabric.findings import Kind
from railwise.fabric.mapper import build
from railwise.fabric.observations import SERVER, SWITCH, Observation, Report, Speaker


def test_the_five_rail_groups_of_a_published_cluster(shared: Callable[[str], Path]) -> None:
    (path,) = shared("traces/zhejianglab-a100-2000").glob("cluster_topology.csv*")
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows: dict[str, list[Observation]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(data.decode())):
        rows[row["leaf"]].append(Observation(row["switch_port"], row["server"].lower(), kind=SERVER))
    found = build(Report("csv", Speaker(leaf, SWITCH), observations=tuple(mine)) for leaf, mine in rows.items())
    groups = [domain for domain in found.domains if domain.level == "leaf-group"]
    assert sorted((len(domain.servers) for domain in groups), reverse=True) == [60, 60, 60, 49, 24]
    assert {len(domain.switches) for domain in groups} == {4}
    assert [len(found.rails[domain.name]) for domain in groups] == [4] * 5
    assert not found.of_kind(Kind.AMBIGUOUS_GROUP, Kind.CONFLICT)
