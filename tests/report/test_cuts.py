"""Which connections of badly placed work leave a domain, counted anew pair by pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from xml.dom.minidom import parseString

from hypothesis import given
from hypothesis import strategies as st

from railwise.model.workload import Traffic
from railwise.report.cuts import MOST_DOMAINS, Cuts, excess, together
from railwise.report.run_data import FINISHED, RunData, Stint
from railwise.report.svg_cuts import cut_svg
from tests.engine.small import gang, racks, request, scenario

LEVELS = ("superpod", "rack")
CLUSTER = racks(3, 3, 3, 3, 3, 3)
"""Six racks of three nodes, two racks in a superpod."""

NODES = st.lists(st.integers(0, 17), min_size=2, max_size=12, unique=True)


def place(node: int) -> tuple[int, int]:
    """Return the superpod and the rack of a node."""
    return node // 6, node // 3


def stint(nodes: list[int]) -> Stint:
    places = tuple((node, 8000) for node in nodes)
    return Stint(0, 0, 10, places, FINISHED, 2, works=True)


def cuts(pattern: str) -> Cuts:
    workload = replace(gang("a", 4, request(8)), traffic=Traffic(pattern))
    return Cuts(scenario(CLUSTER, workload))


@given(NODES, st.sampled_from(["dense", "moe"]))
def test_cut_connections(nodes: list[int], pattern: str) -> None:
    found = cuts(pattern).describe(stint(nodes))
    if pattern == "moe":
        pairs = list(combinations(nodes, 2))
    elif len(nodes) == 2:
        pairs = [(nodes[0], nodes[1])]
    else:
        pairs = [(node, nodes[(rank + 1) % len(nodes)]) for rank, node in enumerate(nodes)]
    assert found.ring == (pattern == "dense")
    assert found.connections == len(pairs)
    assert found.cut == tuple(sum(place(one)[level] != place(other)[level] for one, other in pairs) for level in (0, 1))
    assert found.used == tuple(len({place(node)[level] for node in nodes}) for level in (0, 1))
    assert found.least == (-(-len(nodes) // 6), -(-len(nodes) // 3))
    assert sum(one.nodes for one in found.places) == len(nodes)


@given(NODES, st.sampled_from(["dense", "moe"]), st.integers(2, 4))
def test_drawing_few_domains_loses_no_connection(nodes: list[int], pattern: str, most: int) -> None:
    whole = cuts(pattern).describe(stint(nodes))
    shown = together(whole, most)
    assert len(shown.places) <= most
    assert sum(edge.number for edge in shown.edges) == whole.connections
    assert sum(one.nodes for one in shown.places) == len(nodes)
    picture = parseString(cut_svg(shown, LEVELS, "</svg>&"))  # noqa: S318 -- our own text
    assert picture.documentElement is not None
    assert picture.documentElement.getAttribute("aria-label") == "</svg>&"


def test_the_worst_comes_first_and_what_lies_well_not_at_all() -> None:
    known = cuts("dense")
    wide, torn, well = stint([0, 6]), stint([0, 3]), stint([0, 1])
    named = tuple(one._replace(job=job) for job, one in enumerate((well, torn, wide)))
    data = RunData(
        "flat",
        0,
        10,
        stopped=False,
        jobs=(),
        stints=named,
        outages=(),
        samples=(),
        slot_keys=(),
        queues=(),
        measures={},
    )
    assert [one.job for one in known.ranked(data)] == [2, 1]
    assert excess(known.describe(wide), LEVELS) == ["2 superpods where 1 would do", "2 racks where 1 would do"]
    assert MOST_DOMAINS > 2
