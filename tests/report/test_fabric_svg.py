from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from railwise.fabric.elements import Action, Event, Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.mapper import build
from railwise.report.fabric_svg import describe, fabric_svg
from tests.fabric.fabrics import SMALL, small
from tests.fabric.told import told

SVG = "{http://www.w3.org/2000/svg}"


def drawn(found: Map, title: str = "t") -> ET.Element:
    return ET.fromstring(fabric_svg(found, title))  # noqa: S314 -- our own output


def titles(root: ET.Element) -> list[str]:
    return [title.text or "" for title in root.iter(f"{SVG}title")]


@pytest.mark.parametrize("design", sorted(SMALL))
def test_every_design_is_drawn_within_its_page(design: str) -> None:
    found = build(told(small(design)))
    root = drawn(found)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    for rect in root.iter(f"{SVG}rect"):
        if "x" in rect.attrib and "class" in rect.attrib:
            x, y, w, h = (int(rect.attrib[key]) for key in ("x", "y", "width", "height"))
            assert x >= 0
            assert y >= 0
            assert x + w <= width
            assert y + h <= height
    shown = titles(root)
    for domain in found.domains:
        if domain.level in ("leaf-group", "spine-group"):
            assert any(domain.name in one for one in shown)


def test_what_is_wrong_is_drawn_and_told() -> None:
    fabric = small("rail-optimised")
    events = [
        Event(0, Action.NIC, ports=(Port("gpu-3", "eth1"),)),
        Event(0, Action.REPLUG, ports=(Port("leaf-1", "Ethernet0"), Port("leaf-6", "Ethernet28"))),
    ]
    found = build(told(fabric, *events), None, fabric)
    root = drawn(found)
    shown = titles(root)
    assert "gpu-3; lacks rail 1" in shown
    assert any("gpu-1/eth0 leads to leaf-6/Ethernet28, should lead to leaf-1/Ethernet0" in one for one in shown)
    assert [path for path in root.iter(f"{SVG}path") if "stroke-dasharray" in path.attrib.get("style", "")]
    text = describe(found)
    assert "Degraded: gpu-3 has 3 of 4 links" in text
    assert "su-1: gpu-[1-4] on leaf-[1-4]." in text


def test_the_same_map_gives_the_same_bytes_whatever_order_it_was_told_in() -> None:
    reports = told(small("nvl72"))
    assert fabric_svg(build(reports), "t") == fabric_svg(build(reversed(reports)), "t")


def test_names_cannot_break_the_drawing() -> None:
    assert "<script>" not in fabric_svg(build(told(small("rail-optimised"))), "<script>&")


def test_a_large_fabric_is_drawn_without_names_and_an_empty_one_at_all() -> None:
    large = fabric_svg(build(told(small("rail-optimised", units=6, servers=32))), "t")
    assert not re.search(r">gpu-001</text>", large)
    assert "gpu-001" in large
    assert drawn(Map()).attrib["width"] == "560"


def test_the_picture_is_the_one_that_was_looked_at(golden: object) -> None:
    fabric = small("nvl72", units=2, servers=1)
    event = Event(0, Action.REPLUG, ports=(Port("leaf-1", "Ethernet0"), Port("leaf-6", "Ethernet4")))
    golden("fabric.svg", fabric_svg(build(told(fabric, event), None, fabric), "nvl72"))  # type: ignore[operator] # a fixture
