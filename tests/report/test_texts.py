"""What people read about a plan: the table, who waits and why, why somebody is where he is. Every figure adds up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.model.plan import Eviction, Move, PodMove, PodPlacement, Reservation, State, WorkloadPlan
from railwise.model.reason import Act, Code, Reason
from railwise.model.workload import CardRequest, Group, Request, Segment, TopologyRule, Workload
from railwise.report.plan_tables import plan_notes, plan_table, plan_totals, preference, rank_map, where
from railwise.report.reason_text import reason_lines
from railwise.report.table import Cell, Table
from railwise.report.where_text import where_lines
from railwise.report.wording import (
    cards_text,
    counted,
    demand_text,
    domain_path,
    gpu_time,
    hosts,
    joined,
    span,
    thousandths,
)
from tests.report.clusters import NO_ROOM, cluster, entry, gang, plan_of


def text(lines: list[Cell]) -> str:
    return "\n".join(line.text for line in lines) + "\n"


def rows(view: Table) -> list[list[str]]:
    return [[cell.text for cell in cells] for cells in view.rows]


RACK = TopologyRule(required="superpod", preferred="rack")


def test_the_plan_table_says_where_and_whether_the_preference_was_met() -> None:
    met, missed, waits = gang("met", 2, rule=RACK), gang("missed", 3, rule=RACK), gang("waits", 3, rule=RACK)
    scenario = cluster([met, missed, waits])
    plan = plan_of(
        entry(met, ["n1", "n2"], domains={"superpod": ("p1",), "rack": ("r1",)}),
        replace(
            entry(missed, ["n5", "n6", "n7"], domains={"superpod": ("p2",), "rack": ("r3", "r4")}), preferred_met=False
        ),
        replace(entry(waits, [], State.PENDING), reason=NO_ROOM),
    )
    assert rows(plan_table(scenario, plan).view(wide=False)) == [
        ["met", "placed", "2", "8 GPUs", "p1/r1", "n[1-2]", "rack: yes"],
        ["missed", "placed", "3", "8 GPUs", "p2/r[3-4]", "n[5-7]", "rack: no"],
        ["waits", "pending", "0/3", "8 GPUs", "–", "–", "–"],
    ]
    assert rows(plan_table(scenario, plan).view(wide=True))[0][-1] == "0 n1, 1 n2"
    assert plan_totals(plan) == "2 placed, 1 pending"


def test_the_table_follows_the_document_and_leaves_out_what_was_not_decided() -> None:
    first, second = gang("b", 1), gang("a", 1)
    plan = plan_of(entry(second, ["n1"]))
    assert [row[0] for row in rows(plan_table(cluster([first, second]), plan))] == ["a"]


def test_notes_name_evictions_moves_reservations_and_who_waits() -> None:
    plan = plan_of(
        WorkloadPlan("big", "default", State.PENDING, reason=NO_ROOM),
        evictions=(Eviction("old", ("old-0", "old-1"), "new", 7200, "…"),),
        moves=(Move("web", (PodMove("web-0", "n1", "n2", ("0",)),), "new", 0),),
        reservations=(Reservation("big", "p1/r1", ("n1", "n2"), 3_600_000_000), Reservation("later", "", ("n3",))),
    )
    assert text(plan_notes(plan)).splitlines() == [
        "evicts 2 pods of old for new, 2 GPU-hours lost",
        "moves web-0 n1 → n2 for new, no work lost",
        "keeps p1/r1 (2 nodes) for big, start in 1h",
        "keeps 1 node for later",
        "big waits, TooFragmented: enough is free for 3 pods of 8 GPUs, but not inside one rack",
    ]


def test_a_reason_in_full(golden: Callable[[str, str], None]) -> None:
    big = gang("big", 3, rule=TopologyRule(required="rack"))
    waiting = replace(entry(big, [], State.PENDING), reason=NO_ROOM)
    plan = plan_of(waiting, reservations=(Reservation("big", "p1/r2", ("n3", "n4"), 5_400_000_000),))
    golden("reason.txt", text(reason_lines(big, waiting, plan)))


def test_a_reason_of_the_workload_itself_has_no_figures() -> None:
    lone = gang("lone", 1)
    waiting = replace(
        entry(lone, [], State.PENDING), reason=Reason(Code.SUSPENDED, "it is suspended", Act.USER, "resume it")
    )
    assert text(reason_lines(lone, waiting, plan_of(waiting))).splitlines() == [
        "lone waits: Suspended",
        "",
        "  It is suspended.",
        "  It asks for 1 pod of 8 GPUs.",
        "",
        "  Who acts  the owner of the workload",
        "  Next      resume it",
        "  More      railwise explain Suspended",
    ]


def test_where_and_why_in_full(golden: Callable[[str, str], None]) -> None:
    train = gang("train", 3, rule=RACK)
    scenario = cluster([gang("old", 1, 2, running=["n1"]), train])
    plan = plan_scenario(scenario)
    golden("where.txt", text(where_lines(scenario, plan, train, plan.workloads[1])))


def test_groups_and_victims_are_told(golden: Callable[[str, str], None]) -> None:
    whole = Request(CardRequest("whole", 8))
    parts = (
        Group("prefill", 2, 2, whole, topology=TopologyRule(required="rack")),
        Group("decode", 1, 1, Request(CardRequest("whole", 4)), topology=TopologyRule(preferred="rack")),
    )
    serve = Workload("serve", Group(groups=parts, min_groups=2, topology=TopologyRule(required="superpod")))
    scenario = cluster([serve])
    pods = (
        PodPlacement("serve-prefill-0", 0, "prefill", "n1", tuple("01234567")),
        PodPlacement("serve-prefill-1", 1, "prefill", "n2", tuple("01234567")),
        PodPlacement("serve-decode-0", 0, "decode", "n3", tuple("0123")),
    )
    placed = WorkloadPlan(
        "serve", "default", State.PLACED, pods, {"superpod": ("p1",), "rack": ("r1", "r2")}, exact=False
    )
    plan = plan_of(placed, evictions=(Eviction("old", ("old-0",), "serve", 40, "…"),))
    golden("groups.txt", text(where_lines(scenario, plan, serve, placed)))


def test_preference_of_groups_and_none() -> None:
    none = gang("a", 1, rule=TopologyRule(preferred="none"))
    assert preference(none, entry(none, ["n1"])).text == "–"
    group = Group("g", 1, 1, topology=TopologyRule(preferred="rack"))
    of_group = Workload("b", Group(groups=(group,)))
    assert preference(of_group, entry(of_group, ["n1"])).text == "rack: yes"
    both = Workload("c", Group(groups=(group,), topology=TopologyRule(preferred="superpod")))
    assert preference(both, replace(entry(both, ["n1"]), preferred_met=False)).text == "levels: no"


def test_what_merely_runs_is_judged_by_where_it_lies() -> None:
    runs = gang("a", 2, rule=RACK)
    apart = entry(runs, ["n1", "n3"], State.RUNNING, domains={"superpod": ("p1",), "rack": ("r1", "r2")})
    assert preference(runs, apart).text == "rack: no"
    assert preference(runs, entry(runs, ["n1", "n2"], State.RUNNING, domains={"rack": ("r1",)})).text == "rack: yes"
    assert preference(runs, entry(runs, ["n1", "n2"], State.RUNNING)).text == "–"


def test_ranks_are_folded_into_runs() -> None:
    pods = [("", 0, "n1"), ("", 1, "n1"), ("", 2, "n2"), ("a/b", 0, "n2"), ("a/b", 2, "n2")]
    placed = WorkloadPlan(
        "w",
        "default",
        State.PLACED,
        tuple(PodPlacement(f"w-{rank}", rank, path, node, ()) for path, rank, node in pods),
    )
    assert rank_map(placed) == "0-1 n1, 2 n2, a/b 0 n2, a/b 2 n2"


def test_where_is_empty_without_a_topology() -> None:
    lone = gang("lone", 1)
    assert where(replace(cluster([lone]), topologies=()), lone, entry(lone, ["n1"])) == ""


@pytest.mark.parametrize(
    ("domains", "path"),
    [
        ({"superpod": ("p1",), "rack": ("r1",)}, "p1/r1"),
        ({"superpod": ("p1",), "rack": ("r1", "r2", "r4")}, "p1/r[1-2,4]"),
        ({"superpod": ("p1", "p2"), "rack": ("r1", "r3")}, "p[1-2]"),
        ({"superpod": ()}, ""),
    ],
)
def test_a_path_ends_where_it_branches(domains: dict[str, tuple[str, ...]], path: str) -> None:
    assert domain_path(domains, ("superpod", "rack")) == path


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        (CardRequest(), ""),
        (CardRequest("whole", 1), "1 GPU"),
        (CardRequest("share", 1, fraction=500), "0.5 GPU"),
        (CardRequest("share", 2, memory=2000), "2000 MiB of a GPU on each of 2 GPUs"),
        (CardRequest("share", 1, memory_percent=25, compute=30), "25 % of the memory and 30 % of the compute of a GPU"),
        (CardRequest("time-slice", 2), "2 time slices"),
        (CardRequest("mig", slices=(("1g.10gb", 2), ("3g.40gb", 1))), "2 × 1g.10gb and 1 × 3g.40gb"),
    ],
)
def test_what_a_pod_asks_of_cards(cards: CardRequest, words: str) -> None:
    assert cards_text(cards) == words


def test_small_wording() -> None:
    assert [counted(1, "pod"), counted(0, "pod"), counted(2, "copy", "copies")] == ["1 pod", "0 pods", "2 copies"]
    assert [joined([]), joined(["a"]), joined(["a", "b", "c"], "or")] == ["", "a", "a, b or c"]
    assert [thousandths(1500), thousandths(8000), thousandths(20)] == ["1.5", "8", "0.02"]
    assert [span(0), span(5_400_000_000), span(-90_000_000), span(100_000_000_000)] == ["0s", "1h30m", "-1m30s", "1d3h"]
    assert [gpu_time(0), gpu_time(40), gpu_time(9000)] == ["no work", "40 GPU-seconds", "2.5 GPU-hours"]
    assert demand_text(Group(pods=2, segment=Segment(1))) == "2 pods"


def test_hosts_are_folded_in_the_order_of_the_document() -> None:
    assert hosts(["n3", "n1", "n2", "n1", "gone"], cluster([])) == "n[1-3],gone"
