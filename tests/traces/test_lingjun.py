from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.formats.traces.lingjun import read_lingjun
from railwise.model.errors import InputError

HEADER = "ip,DSW,PSW,ASW\n"
FIRST, SECOND = "a" * 64, "b" * 64


def test_switches_become_levels_and_hosts_stand_in_tree_order() -> None:
    rows = f"{SECOND},G6,P10,S2\n{FIRST},G6,P10,S14\n{'c' * 64},G6,P8,S2\n"
    scenario = read_lingjun((HEADER + rows).encode())
    assert scenario.topologies[0].level_names() == ("core", "spine", "leaf")
    assert [node.name for node in scenario.nodes] == ["p8-s2-1", "p10-s2-1", "p10-s14-1"]
    assert scenario.nodes[0].places == {"fabric": {"core": "G6", "spine": "P8", "leaf": "S2"}}
    assert [node.card_count() for node in scenario.nodes] == [8, 8, 8]
    assert [node.card_count() for node in read_lingjun((HEADER + rows).encode(), gpus=0).nodes] == [0, 0, 0]


def test_hosts_of_a_leaf_are_numbered_in_order_of_their_hashes_and_cores_named_where_there_are_several() -> None:
    rows = f"{SECOND},G1,P1,S1\n{FIRST},G1,P1,S1\n{'c' * 64},G2,P1,S1\n"
    scenario = read_lingjun((HEADER + rows).encode())
    assert [node.name for node in scenario.nodes] == ["g1-p1-s1-1", "g1-p1-s1-2", "g2-p1-s1-1"]
    assert read_lingjun((HEADER + "".join(reversed(rows.splitlines(keepends=True)))).encode()) == scenario


def test_hosts_that_occur_twice_or_are_no_hashes_are_refused_together() -> None:
    rows = f"{FIRST},G1,P1,S1\n10.0.0.1,G1,P1,S1\n{FIRST},G1,P1,S2\n{SECOND},G1,P 1,S2\n"
    with pytest.raises(InputError) as caught:
        read_lingjun((HEADER + rows).encode())
    assert [fault.path for fault in caught.value.faults] == ["topo.csv:3", "topo.csv:4", "topo.csv:5"]


@pytest.mark.slow
def test_the_published_map_has_the_leaves_its_authors_describe(shared: Callable[[str], Path]) -> None:
    data = shared("traces/alibaba-lingjun-2023/topo.csv.gz").read_bytes()
    scenario = read_lingjun(data)
    places = [node.places["fabric"] for node in scenario.nodes]
    assert len(scenario.nodes) == len({node.name for node in scenario.nodes}) == 847
    assert Counter(place["spine"] for place in places) == {"P10": 362, "P12": 306, "P8": 179}
    leaves = Counter((place["spine"], place["leaf"]) for place in places)
    assert Counter(leaves.values()) == {8: 68, 7: 23, 6: 15, 5: 7, 2: 3, 4: 2, 3: 1}
    assert read_lingjun(gzip.decompress(data)) == scenario
