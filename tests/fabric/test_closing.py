"""What a switch in maintenance closes, and what it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.fabric.closing import closed, closed_servers
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Action, Event, Fabric
from railwise.fabric.fabric_map import Map
from railwise.fabric.mapper import build
from railwise.fabric.telling import tell
from railwise.fabric.topologies import labels
from railwise.fabric.wires import Wires
from railwise.model.node import MAINTENANCE_LABEL

LEAVES = {"s1": ["l1", "l2"], "s2": ["l1", "l2"], "s3": ["l3"]}
ABOVE = {"l1": ["sp1", "sp2"], "l2": ["sp1", "sp2"], "l3": ["sp2"], "sp1": ["c1"], "sp2": ["c1"]}


@pytest.mark.parametrize(
    ("shut", "expected"),
    [
        ([], {}),
        (["l2"], {"s1": "l2", "s2": "l2"}),
        (["l10", "l2", "l1"], {"s1": "l1", "s2": "l1"}),
        (["sp1"], {}),
        (["sp2"], {"s3": "sp2"}),
        (["sp1", "sp2"], {"s1": "sp1", "s2": "sp1", "s3": "sp2"}),
        (["c1"], {"s1": "c1", "s2": "c1", "s3": "c1"}),
        (["elsewhere"], {}),
    ],
)
def test_a_leaf_closes_its_servers_and_a_spine_only_where_it_is_the_last(
    shut: list[str], expected: dict[str, str]
) -> None:
    assert closed(shut, LEAVES, ABOVE) == expected


def units() -> Fabric:
    design = DESIGNS["rail-optimised"]
    return design.draw(replace(design.usual, units=2, servers=4, rails=4, spines=2))


def worked_on(*switches: str) -> Map:
    fabric = units()
    wires = Wires(fabric)
    for name in switches:
        wires.apply(Event(0, Action.MAINTENANCE, on=True, device=name))
    return build(tell(wires), None, fabric)


def test_a_map_closes_the_same_servers_and_labels_say_so() -> None:
    drawn = worked_on("leaf-3")
    assert closed_servers(drawn) == {f"gpu-{number}": "leaf-3" for number in range(1, 5)}
    said = {name: mine.get(MAINTENANCE_LABEL) for name, mine in labels(drawn).items()}
    assert said == {f"gpu-{number}": "leaf-3" if number < 5 else None for number in range(1, 9)}
    places = {
        name: {key: value for key, value in mine.items() if key != MAINTENANCE_LABEL}
        for name, mine in labels(drawn).items()
    }
    assert places == labels(worked_on())


def test_one_spine_of_two_closes_nobody_and_both_close_all() -> None:
    assert closed_servers(worked_on("spine-1")) == {}
    assert len(closed_servers(worked_on("spine-1", "spine-2"))) == 8
