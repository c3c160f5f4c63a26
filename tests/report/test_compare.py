"""Policies side by side: a character a node, and the facts that differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.model.plan import State
from railwise.report.compare import facts_table, strips_table
from railwise.report.occupancy import Occupancy, occupancy
from railwise.report.table import Table
from tests.report.clusters import NO_ROOM, cluster, entry, gang, plan_of


def rows(view: Table) -> list[list[str]]:
    return [[cell.text for cell in cells] for cells in view.rows]


@pytest.fixture
def moments() -> list[Occupancy]:
    old, new, big = gang("old", 1, 1, running=["n8"]), gang("new", 2), gang("big", 9)
    scenario = cluster([old, new, big])
    kept = entry(old, ["n8"], State.RUNNING, 1)
    waits = replace(entry(big, [], State.PENDING), reason=NO_ROOM)
    spread = replace(entry(new, ["n1", "n3"], domains={"superpod": ("p1",), "rack": ("r1", "r2")}), preferred_met=False)
    tight = entry(new, ["n5", "n6"], domains={"superpod": ("p2",), "rack": ("r3",)})
    return [occupancy(scenario, plan_of(kept, found, waits)) for found in (spread, tight)]


def test_a_character_a_node(moments: list[Occupancy]) -> None:
    view = strips_table(["spread", "tight"], moments)
    assert [column.name for column in view.columns] == ["RACK", "SPREAD", "TIGHT"]
    assert rows(view) == [
        ["p1/r1", "A·", "··"],
        ["p1/r2", "A·", "··"],
        ["p2/r3", "··", "AA"],
        ["p2/r4", "·▒", "·▒"],
    ]


def test_facts_leave_out_what_ran_before(moments: list[Occupancy]) -> None:
    assert rows(facts_table(["spread", "tight"], moments, "rack", [2])) == [
        ["A new", "p1/r[1-2]", "p2/r3"],
        ["B big", "waits", "waits"],
        ["slots left: 2 nodes in one rack", "1", "2"],
    ]


def test_a_flat_cluster_is_one_strip(moments: list[Occupancy]) -> None:
    flat = occupancy(replace(moments[0].scenario, topologies=()), moments[0].plan)
    assert rows(strips_table(["spread"], [flat])) == [["nodes", "A·A····▒"]]
