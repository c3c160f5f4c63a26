"""A part of an uplink that is promised to a queue: how it is written, and what of it nobody can keep."""

from __future__ import annotations

import pytest

from railwise.model.queue import LinkPart
from tests.formats.reading import fault_lines, queue, spec

LINKED = "topologies: [{name: t, levels: [{name: rack, uplink: 400Gbps}, {name: node, uplink: 3200Gbps}]}]"


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("50%", LinkPart(thousandths=500)),
        ("0.5", LinkPart(thousandths=500)),
        ('"0.25"', LinkPart(thousandths=250)),
        ("12.5%", LinkPart(thousandths=125)),
        ("100%", LinkPart(thousandths=1000)),
        ("1", LinkPart(thousandths=1000)),
        ("1.6Tbps", LinkPart(megabits=1_600_000)),
    ],
)
def test_a_part_of_an_uplink_is_a_share_or_a_bandwidth(written: str, part: LinkPart) -> None:
    assert queue(f"{{name: a, bandwidth: {{rack: {written}}}}}").bandwidth == {"rack": part}


@pytest.mark.parametrize("written", ["50", "101%", "-1%", "half", "true", "[1]", "400GB/s", '""', '"%"'])
def test_what_is_no_part_of_an_uplink_says_what_was_expected(written: str) -> None:
    (line,) = fault_lines(f"queues: [{{name: a, bandwidth: {{rack: {written}}}}}]")
    assert line.startswith(
        "spec.queues[0].bandwidth.rack: expected a part of an uplink such as 50%, 0.5 or 200Gbps, not"
    )


def test_a_part_of_an_uplink_is_never_more_than_all_of_it() -> None:
    assert LinkPart(thousandths=250).of(400) == 100
    assert LinkPart(megabits=1).of(4_000_000) == 1_000_000
    assert LinkPart(megabits=9).of(4_000_000) == 4_000_000


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            f"{LINKED}\nqueues: [{{name: a, bandwidth: {{row: 50%}}}}]",
            "queue 'a': its bandwidth on row uplinks cannot be kept, the first topology has no level 'row'",
        ),
        (
            "topologies: [{name: t, levels: [rack]}]\nqueues: [{name: a, bandwidth: {rack: 50%}}]",
            "queue 'a': its bandwidth on rack uplinks cannot be kept, the level says nothing of its uplink",
        ),
        (
            (
                "topologies: [{name: t, levels: [{name: rack, uplink: 400Gbps}]}]\n"
                "queues: [{name: a, bandwidth: {rack: 50%}}]"
            ),
            (
                "queue 'a': its bandwidth on rack uplinks cannot be kept, "
                "the topology says nothing of the uplink of a node"
            ),
        ),
        (
            f"{LINKED}\nqueues: [{{name: a, bandwidth: {{rack: 70%}}}}, {{name: b, bandwidth: {{rack: 200Gbps}}}}]",
            "queue 'b': its bandwidth on rack uplinks cannot be kept, promises before it leave 120Gbps",
        ),
    ],
)
def test_what_nobody_can_keep_is_warned_about(text: str, warning: str) -> None:
    assert spec(text).warnings == (warning,)


def test_a_part_promised_below_a_parent_is_part_of_the_parents() -> None:
    queues = "[{name: a, bandwidth: {rack: 70%}}, {name: b, parent: a, bandwidth: {rack: 60%}}]"
    assert spec(f"{LINKED}\nqueues: {queues}").warnings == ()
