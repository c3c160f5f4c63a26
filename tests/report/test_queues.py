"""The queues as a table and as data."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.standing import Books, books
from railwise.model.node import Node
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Request
from railwise.report.queues import amount_text, queue_items, queues_table
from railwise.report.table import Table
from tests.report.clusters import cluster, gang, nodes


def rows(view: Table) -> list[list[str]]:
    return [[cell.text for cell in cells] for cells in view.rows]


def known() -> Scenario:
    workloads = [gang("a", 1, running=["n1"], queue="nlp"), gang("b", 1, queue="nlp"), gang("c", 1)]
    queues = (
        Queue("all", limit={"gpu": 48000}),
        Queue("nlp", "all", {"gpu": 4500}, weight=2500, lend={"gpu": 0}),
        Queue("night", "all", priority=3, stopped=True),
    )
    return replace(cluster(workloads), queues=queues)


def test_a_row_a_queue_with_its_children_below_it() -> None:
    view = queues_table(books(known())).view(wide=False)
    assert [column.name for column in view.columns] == [
        "QUEUE",
        "QUOTA",
        "FAIR SHARE",
        "ALLOCATED",
        "BORROWED",
        "LENT",
        "PENDING",
        "SHARE",
    ]
    assert rows(view) == [
        ["all", "4.5", "16", "8", "3.5", "0", "8", "0.5"],
        ["  nlp", "4.5", "16", "8", "3.5", "0", "8", "0.5"],
        ["  night (stopped)", "–", "0", "0", "0", "0", "0", "0"],
        ["default", "–", "8", "0", "0", "0", "8", "0"],
    ]


def test_a_wide_table_adds_what_the_queue_says_and_how_many_run() -> None:
    view = rows(queues_table(books(known())))
    assert [line[1] for line in view] == ["GPU"] * 4
    assert [line[9:] for line in view] == [
        ["48", "–", "1", "0", "1", "1"],
        ["–", "0", "2.5", "0", "1", "1"],
        ["–", "–", "1", "3", "0", "0"],
        ["–", "–", "1", "0", "0", "1"],
    ]


def both() -> Books:
    made = [replace(node, resources={"cpu": 64_000, "memory": 2048}) for node in nodes(2)]
    work = gang("w", 1, running=["n1"], queue="a")
    asks = Request(work.root.request.cards, (("cpu", 1500), ("memory", 512)))
    work = replace(work, root=replace(work.root, request=asks))
    return books(replace(cluster([work], made), queues=(Queue("a", quota={"gpu": 8000, "cpu": 64_000}),)))


def test_a_row_a_resource_where_several_count() -> None:
    view = queues_table(both()).view(wide=False)
    assert rows(view) == [
        ["a", "GPU", "8", "8", "8", "0", "0", "0", "1"],
        ["", "core", "64", "1.5", "1.5", "0", "0", "0", "–"],
    ]


def test_a_cluster_without_gpus_has_rows_of_what_it_has() -> None:
    made = [Node("n1", resources={"cpu": 4000})]
    found = books(replace(cluster([gang("w", 1, 0, queue="a")], made), queues=(Queue("a", quota={"cpu": 2000}),)))
    assert [line[:2] for line in rows(queues_table(found).view(wide=True))] == [["a", "core"]]


def test_a_queue_in_no_tree_has_dashes() -> None:
    found = books(replace(cluster([]), queues=(Queue("x", "y", {"gpu": 8000}),)))
    assert rows(queues_table(found).view(wide=False)) == [["x (in no tree)", "8", *["–"] * 6]]


def test_data_has_base_units() -> None:
    item = queue_items(books(known()))[1]
    assert {key: item[key] for key in ("name", "parent", "quota", "lend", "fairShare", "allocated", "pending")} == {
        "name": "nlp",
        "parent": "all",
        "quota": {"gpu": 4500},
        "lend": {"gpu": 0},
        "fairShare": {"gpu": 16000},
        "allocated": {"gpu": 8000},
        "pending": {"gpu": 8000},
    }
    assert (item["share"], item["dominant"], item["inTree"], item["running"]) == (500, "gpu", True, 1)


def test_amounts_in_the_units_of_their_column() -> None:
    assert [amount_text("gpu", 1500), amount_text("cpu", 250), amount_text("memory", 1536)] == ["1.5", "0.25", "1.5"]
    assert amount_text("vendor.com/fpga", 3) == "3"
