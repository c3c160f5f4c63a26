"""Nodes, workloads, queues and slots: the table and the data say the same."""

from __future__ import annotations

from dataclasses import replace

from railwise.model.node import Cards, Taint
from railwise.model.workload import Segment, TopologyRule
from railwise.report.lists import (
    as_running,
    node_items,
    nodes_table,
    rule_text,
    workload_items,
    workload_state,
    workloads_table,
)
from railwise.report.occupancy import occupancy
from railwise.report.slots import narrowest, slot_items, slots_line, slots_table
from railwise.report.table import Table
from tests.report.clusters import cluster, entry, gang, nodes, plan_of


def rows(view: Table) -> list[list[str]]:
    return [[cell.text for cell in cells] for cells in view.rows]


def test_nodes_that_look_the_same_are_one_row_unless_wide() -> None:
    moment = occupancy(cluster([gang("a", 1, 8, running=["n1"])]))
    narrow = nodes_table(moment, wide=False)
    assert rows(narrow.view(wide=False))[:3] == [
        ["n1", "ready", "p1/r1", "8", "0", "a"],
        ["n2", "ready", "p1/r1", "8", "8", "–"],
        ["n[3-4]", "ready", "p1/r2", "8", "8", "–"],
    ]
    assert [row[0] for row in rows(nodes_table(moment, wide=True))] == [f"n{number}" for number in range(1, 9)]


def test_a_wide_table_adds_model_and_taints() -> None:
    first, *rest = nodes()
    first = replace(
        first,
        cards=(Cards(8, "H100-80GB"),),
        taints=(Taint("gpu", "true"), Taint("drain", "", "NoExecute")),
        unhealthy=frozenset({1, 2}),
    )
    found = rows(nodes_table(occupancy(cluster([], [first, *rest])), wide=True))[0]
    assert found == ["n1", "ready", "p1/r1", "8", "6", "H100-80GB", "gpu=true:NoSchedule, drain:NoExecute", "2 sick"]


def test_nodes_as_data() -> None:
    moment = occupancy(cluster([gang("a", 2, 2, running=["n1", "n1"])]))
    assert node_items(moment)[0] == {
        "name": "n1",
        "state": "ready",
        "places": {"fabric": {"superpod": "p1", "rack": "r1"}},
        "gpus": 8,
        "freeSlots": 4,
        "unhealthy": [],
        "pods": {"a": 2},
        "keptFor": None,
    }


def test_workloads_in_every_state() -> None:
    part = gang("part", 2, running=["n1", None])
    workloads = [gang("runs", 1, running=["n2"]), part, gang("waits", 1), gang("held", 1, suspend=True)]
    scenario = cluster(workloads)
    assert [workload_state(workload) for workload in workloads] == ["running", "part", "waiting", "suspended"]
    assert [row[:4] for row in rows(workloads_table(scenario))] == [
        ["runs", "default", "running", "1/1"],
        ["part", "default", "part", "1/2"],
        ["waits", "default", "waiting", "0/1"],
        ["held", "default", "suspended", "0/1"],
    ]
    assert [(item["state"], item["running"], item["pods"]) for item in workload_items(scenario)] == [
        ("running", 1, 1),
        ("part", 1, 2),
        ("waiting", 0, 1),
        ("suspended", 0, 1),
    ]


def test_a_planned_moment_shows_what_would_run() -> None:
    waits = gang("waits", 1)
    moment = occupancy(cluster([waits]), plan_of(entry(waits, ["n1"])))
    assert rows(workloads_table(as_running(moment)))[0][2:4] == ["running", "1/1"]


def test_rules_in_short() -> None:
    rule = TopologyRule(required="superpod", preferred="rack", balance="even")
    group = replace(gang("a", 4, rule=rule).root, segment=Segment(2, "rack"))
    assert rule_text(group) == "one superpod, rack preferred, even, runs of 2 in one rack"
    assert rule_text(gang("b", 1, rule=TopologyRule(distinct="rack")).root) == "each in another rack"
    assert rule_text(gang("c", 1).root) == ""


def test_slots_left_beside_those_of_an_empty_cluster() -> None:
    moment = occupancy(cluster([gang("a", 1, 1, running=["n1"])]))
    view = slots_table(moment)
    assert [column.name for column in view.columns] == ["GANG", "GPUS", "IN ONE RACK", "IN ONE SUPERPOD", "IN ALL"]
    assert rows(view) == [
        ["1 node", "8", "7 of 8", "7 of 8", "7 of 8"],
        ["2 nodes", "16", "3 of 4", "3 of 4", "3 of 4"],
        ["4 nodes", "32", "–", "1 of 2", "1 of 2"],
        ["8 nodes", "64", "–", "–", "0 of 1"],
    ]
    assert slot_items(moment)[0] == {"level": "superpod", "nodes": 1, "left": 7, "empty": 8}
    assert slots_line(moment.slots, "rack") == "1 node ×7, 2 nodes ×3"


def test_slots_of_mixed_nodes_name_no_gpus_and_of_a_flat_cluster_no_level() -> None:
    first, *rest = nodes()
    mixed = occupancy(cluster([], [replace(first, cards=(Cards(4),)), *rest]))
    assert [column.name for column in slots_table(mixed).columns][:2] == ["GANG", "IN ONE RACK"]
    flat = occupancy(replace(cluster([]), topologies=()))
    assert [column.name for column in slots_table(flat).columns] == ["GANG", "GPUS", "IN ALL"]
    assert narrowest(flat.scenario, flat.slots) == "cluster"
    assert narrowest(mixed.scenario, mixed.slots) == "rack"
