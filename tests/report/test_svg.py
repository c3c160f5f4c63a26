"""Drawings are well-formed, deterministic, told in words as well, and nothing in them can break out of its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from railwise.model.plan import Reservation, State
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.report.domains import domain_tree
from railwise.report.occupancy import Occupancy, occupancy
from railwise.report.svg_canvas import clean, shortened, text_width
from railwise.report.svg_layout import FEW_NODES, SOME_NODES, Box, arrange, scale_for
from railwise.report.svg_style import HUES
from railwise.report.svg_topology import Panel, panels_svg, topology_svg
from tests.report.clusters import NO_ROOM, cluster, entry, gang, nodes, plan_of

NS = {"svg": "http://www.w3.org/2000/svg"}


def busy(count: int = 8, per_rack: int = 2, racks: int = 2) -> Occupancy:
    """Return a cluster with one workload that runs, one that is placed, one that waits, and some trouble."""
    found = nodes(count, per_rack=per_rack, racks_per_superpod=racks)
    found[4] = replace(found[4], unschedulable=True)
    found[5] = replace(found[5], ready=False)
    found[6] = replace(found[6], unhealthy=frozenset({7}))
    old, new, big = gang("old", 1, 3, running=["n1"]), gang("new", 2), gang("big", 3)
    scenario = cluster([old, new, big], found)
    plan = plan_of(
        entry(old, ["n1"], State.RUNNING, 3),
        entry(new, ["n3", "n4"]),
        replace(entry(big, [], State.PENDING), reason=NO_ROOM),
        reservations=(Reservation("big", "p2/r4", ("n8",)),),
    )
    return occupancy(scenario, plan)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 -- our own output


def titles(root: ET.Element) -> list[str]:
    return [title.text or "" for title in root.iterfind(".//svg:g/svg:title", NS)]


@pytest.mark.slow
@pytest.mark.parametrize("count", [8, 200, 2000])
def test_every_node_and_domain_has_a_title(count: int) -> None:
    root = parsed(topology_svg(Panel("picture", busy(count, per_rack=16 if count > 8 else 2))))
    found = titles(root)
    assert sum(1 for title in found if re.match(r"n\d+[;,]", title)) == count
    assert sum(1 for title in found if title.startswith("rack ")) == -(-count // (16 if count > 8 else 2))


def test_the_picture_is_told_in_words() -> None:
    root = parsed(topology_svg(Panel("After the plan", busy())))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == "After the plan"
    description = root.findtext("svg:desc", "", NS)
    assert description == (
        "After the plan: 8 nodes with 64 cards, 28 card-slots free."
        " old runs on 1 node: n1. new runs on 2 nodes: n[3-4]. big waits: TooFragmented."
    )


def test_tooltips_name_state_tenants_and_trouble() -> None:
    found = titles(parsed(topology_svg(Panel("picture", busy()))))
    assert "n1; 5 of 8 card-slots free; old: 1 pod" in found
    assert "n5, cordoned; 0 of 8 card-slots free" in found
    assert "n6, not ready; 0 of 8 card-slots free" in found
    assert "n7; 7 of 8 card-slots free; unhealthy cards: 7" in found
    assert "n8; 8 of 8 card-slots free; kept for big" in found


def test_the_same_picture_is_the_same_bytes() -> None:
    assert topology_svg(Panel("picture", busy(200, 16))) == topology_svg(Panel("picture", busy(200, 16)))


def test_the_picture_of_a_small_cluster(golden: Callable[[str, str], None]) -> None:
    golden("topology.svg", topology_svg(Panel("small after the plan", busy(), "1 placed, 1 running, 1 pending")))


def test_panels_side_by_side_share_marks_and_legend(golden: Callable[[str, str], None]) -> None:
    moment = busy()
    other = occupancy(moment.scenario)
    text = panels_svg("Before and after", [Panel("before", other, "as it is"), Panel("after", moment, "as planned")])
    golden("panels.svg", text)
    words = [element.text for element in parsed(text).iterfind(".//svg:text", NS)]
    assert words.count("new") == 1


def test_every_workload_carries_letters_not_colour_alone() -> None:
    workloads = [gang(f"w{index}", 1, 8, running=[f"n{index + 1}"]) for index in range(8)]
    root = parsed(topology_svg(Panel("picture", occupancy(cluster(workloads)))))
    words = [element.text for element in root.iterfind(".//svg:text", NS)]
    for letter in "ABCDEFGH":
        assert words.count(letter) == 2, "once on its cards, once in the legend"


def test_a_hue_that_returns_wears_a_pattern() -> None:
    workloads = [gang(f"w{index}", 1, 8, running=[f"n{index + 1}"]) for index in range(len(HUES) + 1)]
    text = topology_svg(Panel("picture", occupancy(cluster(workloads, nodes(16)))))
    assert text.count('fill="url(#rw-p1)"') == 8 + 1, "the eighth workload: its cards and its swatch"


HOSTILE = '</title><script>alert("1")</script>&\x00\x1b[31m'


def test_names_cannot_break_out() -> None:
    base = busy()
    scenario = base.scenario
    bad = replace(
        scenario,
        name=HOSTILE,
        topologies=(Topology("fabric", (Level("superpod"), Level("rack"))),),
        nodes=tuple(
            replace(
                node, name=HOSTILE + node.name, places={"fabric": {"superpod": HOSTILE, "rack": HOSTILE + node.name}}
            )
            for node in scenario.nodes
        ),
        workloads=tuple(replace(workload, name=HOSTILE + workload.name) for workload in scenario.workloads),
    )
    text = topology_svg(Panel(HOSTILE, occupancy(bad), HOSTILE))
    root = parsed(text)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    assert "\x00" not in text
    assert "\x1b" not in text


def test_clean_text_is_valid_xml() -> None:
    everything = "".join(chr(code) for code in [*range(0x20), 0x7F, 0xD800, 0xFFFE, 0x1F600]) + "<&>\"'"
    assert parsed(f"<a>{clean(everything)}</a>").text is not None


@pytest.mark.parametrize(
    ("text", "width", "short"), [("gpu-0001", 60, "gpu-0001"), ("gpu-0001", 30, "gp…01"), ("ab", 6, "a")]
)
def test_long_names_are_shortened_in_the_middle(text: str, width: int, short: str) -> None:
    assert shortened(text, width, 10) == short
    assert text_width(short, 10) <= width


def boxes(box: Box, x: int = 0, y: int = 0) -> list[tuple[int, int, int, int, int]]:
    """Return (depth-first) left, top, right, bottom and depth of every box."""
    left, top = x + box.x, y + box.y
    own = [(left, top, left + box.width, top + box.height, 0)]
    return own + [(a, b, c, d, depth + 1) for child in box.children for a, b, c, d, depth in boxes(child, left, top)]


@pytest.mark.slow
@pytest.mark.parametrize("count", [8, FEW_NODES, SOME_NODES, SOME_NODES + 1, 2000])
def test_boxes_lie_inside_their_parent_and_never_overlap(count: int) -> None:
    root = domain_tree(occupancy(cluster([], nodes(count, per_rack=16))))
    placed = boxes(arrange(root, 1160, scale_for(root)))
    assert placed[0][2] <= 1160
    for depth in {box[4] for box in placed}:
        level = [box for box in placed if box[4] == depth]
        for index, (left, top, right, bottom, _) in enumerate(level):
            assert placed[0][0] <= left < right <= placed[0][2]
            assert placed[0][1] <= top < bottom <= placed[0][3]
            for other in level[index + 1 :]:
                assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_no_topology_no_nodes_no_cards_are_drawn_too() -> None:
    flat = replace(cluster([gang("a", 1, running=["n2"])]), topologies=())
    for scenario in (flat, Scenario("empty"), cluster([], nodes(4, cards=0))):
        parsed(topology_svg(Panel("picture", occupancy(scenario))))
