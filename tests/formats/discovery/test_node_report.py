"""Reports of nodes: what is said comes back, what is too much or made up does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.fabric.mapper import build
from railwise.fabric.observations import LONGEST_TEXT, SERVER, SWITCH, Observation, Report, ScaleUp, SeenPort, Speaker
from railwise.formats.discovery.node_report import (
    LARGEST,
    MOST_NEIGHBOURS,
    NodeFacts,
    read_spec,
    report_spec,
)

NODE = Speaker("n1", SERVER, aliases=("host-7",), chassis=("aa:bb:cc:dd:ee:ff",))
LLDP = Report(
    "lldpd", NODE, 0, (Observation("eth0", "leaf-1", "02:00", "swp7", "ifname", "to n1", addresses=("10.0.0.1",)),)
)
NICS = Report("affinity", NODE, 0, ports=(SeenPort("eth0", "02:01", ("mlx5_0",), False, 3, (0, 1), 400000, "0:1:0.0"),))
CARDS = Report("kfd", NODE, 0, scale_up=(ScaleUp("00000000000000ab", "xgmi", 8),))


def facts(*reports: Report) -> NodeFacts:
    told = [replace(report, links=report.source == "lldpd") for report in reports]
    return NodeFacts(tuple(told), (("nvml", "no driver"),))


def test_what_is_said_comes_back() -> None:
    said = facts(LLDP, NICS, CARDS)
    spec = report_spec(said, 60, "2026-01-01T00:00:00Z")
    assert (spec["everySeconds"], spec["beat"], spec["aliases"]) == (60, "2026-01-01T00:00:00Z", ["host-7"])
    assert spec["sources"][0]["neighbours"] == [
        {
            "port": "eth0",
            "name": "leaf-1",
            "chassis": "02:00",
            "remotePort": "swp7",
            "portKind": "ifname",
            "description": "to n1",
            "addresses": ["10.0.0.1"],
        }
    ]
    assert read_spec("n1", msgspec.json.decode(msgspec.json.encode(spec))) == said


def test_too_much_is_left_out_and_counted() -> None:
    many = Report("lldpd", NODE, 0, tuple(Observation(f"p{index}") for index in range(MOST_NEIGHBOURS + 5)))
    spec = report_spec(NodeFacts((many,)), 60, "")
    assert (len(spec["sources"][0]["neighbours"]), spec["leftOut"]) == (MOST_NEIGHBOURS, 5)
    text, addresses = "x" * 4000, ("y" * 400,) * 100
    long = tuple(Observation(f"p{index}", text, text, text, addresses=addresses) for index in range(150))
    spec = report_spec(NodeFacts((Report("lldpd", NODE, 0, long),)), 60, "")
    assert len(msgspec.json.encode(spec)) < LARGEST + 4096
    assert len(spec["sources"][0]["neighbours"]) + spec["leftOut"] == 150


def test_nobody_speaks_of_another_or_of_what_is_not_his() -> None:
    spec = {
        "sources": [
            {"name": "nvml", "neighbours": [{"port": "eth0", "name": "leaf"}], "links": True, "speaker": "n2"},
            {"name": "gnmi", "neighbours": [{"port": "eth0", "name": "leaf"}]},
        ],
        "role": "leaf",
        "rack": "r1",
    }
    found = read_spec("n1", spec)
    assert found == NodeFacts((Report("nvml", Speaker("n1", SERVER), links=False),), (), 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
ROW = st.dictionaries(
    st.sampled_from(["port", "name", "mac", "kind", "gpus", "rail", "aliases", "addresses", "domain", "up", "speed"]),
    JSON,
)
SAID = st.fixed_dictionaries(
    {"name": st.sampled_from(["lldpd", "nvml", "kfd", "x"])},
    optional={name: st.lists(ROW, max_size=4) for name in ("neighbours", "ports", "scaleUp")},
)


@given(
    value=st.fixed_dictionaries({}, optional={"sources": st.lists(SAID, max_size=12), "aliases": st.lists(JSON)}) | JSON
)
def test_anything_at_all_is_a_bounded_report_or_none(value: Any) -> None:
    if not isinstance(value, dict):
        return
    try:
        found = read_spec("n1", value)
    except ValueError:
        return
    for report in found.reports:
        assert (report.speaker.name, report.speaker.kind, report.speaker.role) == ("n1", SERVER, "")
        texts = [text for one in report.observations for text in one if isinstance(text, str)]
        texts += [text for port in report.ports for text in port if isinstance(text, str)]
        assert all(len(text) <= LONGEST_TEXT and text.isprintable() for text in texts)
        assert all(0 <= gpu < 64 for port in report.ports for gpu in port.gpus)
    assert read_spec("n1", report_spec(found, 60, "")).reports == found.reports


@pytest.mark.parametrize("wrong", [{"sources": 3}, {"sources": [{"name": 1}]}, {"leftOut": "many"}, {"aliases": {}}])
def test_what_is_no_report_is_refused_with_the_place(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\$"):
        read_spec("n1", wrong)


def test_a_switch_that_hears_only_an_address_finds_the_nic_that_the_agent_told() -> None:
    said = Report(
        "affinity", Speaker("n1", SERVER), 0, ports=(SeenPort("eth_r3_p0", "02:00:00:00:00:07"),), links=False
    )
    (told,) = read_spec("n1", report_spec(NodeFacts((said,)), 60, "")).reports
    heard = Observation("swp1", "localhost", "02:00:00:00:00:07", "02:00:00:00:00:07", "mac", mac="02:00:00:00:00:07")
    drawn = build([told, Report("gnmi", Speaker("leaf-1", SWITCH), 0, (heard,))])
    assert [(edge.a.text(), edge.b.text()) for edge in drawn.links()] == [("leaf-1/swp1", "n1/eth_r3_p0")]
