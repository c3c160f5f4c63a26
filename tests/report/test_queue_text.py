"""The fair share of a queue as sentences: every figure is one of the engine's steps."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.engine.standing import books
from railwise.model.policy import Policy
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from railwise.report.queue_text import exact_text, queue_lines
from railwise.report.queues import queue_data, queue_items, queues_table
from tests.report.clusters import cluster, gang, nodes


def shared(*queues: Queue, workloads: tuple[Workload, ...] = (), count: int = 2) -> Scenario:
    return replace(cluster(workloads, nodes(count)), queues=queues)


def told(scenario: Scenario, name: str) -> list[str]:
    return [cell.text.strip() for cell in queue_lines(books(scenario), name, plan_scenario(scenario))]


def labelled(lines: list[str], label: str) -> list[str]:
    return [line.removeprefix(label).strip() for line in lines if line.startswith(label)]


def test_shrunk_quotas_and_rounding_are_said() -> None:
    queues = tuple(Queue(name, quota={"gpu": 8000}) for name in "abc")
    work = tuple(gang(f"w{name}", 8, 1, queue=name) for name in "abc")
    lines = told(shared(*queues, workloads=work), "b")
    assert lines[0] == "b is due 5 GPUs and holds 0: 5 below its fair share"
    assert labelled(lines, "Quota") == [
        "8 GPUs; all quotas together promise 24 of 16, so all are shrunk; it counts 5.333…"
    ]
    assert labelled(lines, "First")[0].startswith("5.333… GPUs, the smaller of the two. All queues together get 16 so")
    assert labelled(lines, "Rounding") == [
        "5.333… becomes 5, whole GPUs where there are too few; what is over goes by largest remainder to a"
    ]
    assert labelled(lines, "Fair share") == ["5 GPUs"]


def test_tiers_weights_and_the_last_ones_are_said() -> None:
    queues = (Queue("a", priority=5), Queue("b", weight=3000), Queue("c"), Queue("d", weight=0))
    work = tuple(gang(f"w{name}", 4 if name == "a" else 12, 1, queue=name) for name in "abcd")
    lines = told(shared(*queues, workloads=work), "c")
    assert labelled(lines, "Then") == [
        "priority 5, by weight, of 16 left: a (weight 1) +4; a has all asked for",
        "priority 0, by weight, of 12 left: c (weight 1) +3, b (weight 3) +9",
    ]
    plenty = told(shared(*queues, workloads=work, count=6), "d")
    assert labelled(plenty, "Then")[-1] == "weight 0, evenly and last, of 20 left: d +12; d has all asked for"


def test_a_limit_and_what_is_kept_back_are_said() -> None:
    queues = (Queue("a", limit={"gpu": 4000}), Queue("b", quota={"gpu": 8000}, lend={"gpu": 2000}))
    lines = told(shared(*queues, workloads=(gang("v", 4, 1, queue="a"), gang("w", 4, 1, queue="a"))), "a")
    assert labelled(lines, "Demand") == ["4 GPUs, as much as limits allow of 8 asked for (0 allocated, 8 pending)"]
    assert "b lends only a part of what is unused; 10 are left" in labelled(lines, "First")[0]
    assert lines[-1].startswith("w waits, OverLimit: ")


def test_one_block_a_level_from_the_top() -> None:
    queues = (Queue("all", quota={"gpu": 16000}), Queue("a", "all"), Queue("b", "all"))
    work = (gang("run", 1, 8, running=["n1"], queue="a"), gang("more", 1, 8, queue="b"))
    lines = told(shared(*queues, workloads=work), "a")
    assert [line for line in lines if " shares " in line] == [
        "all shares 16 GPUs of the cluster (nodes that are ready and open, and what runs on others), alone",
        "a shares the 16 GPUs of all with b",
    ]
    assert "8 GPUs of what it holds are above its quota" in " ".join(lines)
    assert told(shared(*queues, workloads=work), "all")[-1] == "The next plan starts more in it."


def test_who_holds_more_than_its_share_learns_that_nothing_stops_by_itself() -> None:
    queues = (Queue("a"), Queue("b", quota={"gpu": 16000}))
    work = (gang("run", 1, 8, running=["n1"], queue="a"), gang("more", 2, 8, queue="b"))
    lines = told(shared(*queues, workloads=work), "a")
    assert lines[0] == "a is due 0 GPUs and holds 8: 8 above its fair share"
    assert any(line.startswith("It holds 8 GPUs more than it is due") for line in lines)
    assert "Its share is ∞: allocated ÷ fair share." in lines


def test_many_siblings_are_counted_not_listed() -> None:
    queues = tuple(Queue(f"q{number:02}") for number in range(20))
    work = tuple(gang(f"w{number:02}", 2, 1, queue=f"q{number:02}") for number in range(20))
    lines = told(shared(*queues, workloads=work), "q07")
    assert lines[2].endswith("with q00, q01, q02, q03, q04 and 14 more")
    (then,) = labelled(lines, "Then")
    assert then.startswith("priority 0, by weight, of 16 left: q07 (weight 1) +0.8, q00 (weight 1) +0.8, ")
    assert then.endswith("q04 (weight 1) +0.8, 14 more +11.2")


def test_a_queue_in_no_tree_is_told_so() -> None:
    assert "stands in no tree" in told(shared(Queue("a", "gone")), "a")[0]


def test_data_has_every_level_and_exact_fractions() -> None:
    queues = tuple(Queue(name, quota={"gpu": 8000}) for name in "abc")
    work = tuple(gang(f"w{name}", 8, 1, queue=name) for name in "abc")
    (level,) = queue_data(books(shared(*queues, workloads=work)), "a")
    assert (level["total"], level["quota"], level["countedQuota"]) == (16000, 8000, "16000/3")
    assert (level["exact"], level["roundedUp"], level["fairShare"]) == ("16000/3", True, 6000)


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("gpu", Fraction(16000, 3), "5.333…"),
        ("gpu", Fraction(5000), "5"),
        ("gpu", Fraction(1, 3), "0.…"),
        ("cpu", Fraction(1500), "1.5"),
        ("memory", Fraction(1536), "1.5"),
        ("memory", Fraction(1000), "0.976…"),
        ("vendor.com/fpga", Fraction(7, 2), "3.5"),
        ("vendor.com/fpga", Fraction(7, 3), "2.333…"),
    ],
)
def test_amounts_are_exact_or_say_that_there_is_more(resource: str, amount: Fraction, text: str) -> None:
    assert exact_text(resource, amount) == text


def test_past_usage_is_said_where_it_counts() -> None:
    hour = 3600 * 1_000_000
    ran = gang("ran", 1, 8, running=["n1"], queue="a")
    where = ran.root.running
    assert where is not None
    ran = replace(ran, root=replace(ran.root, running=replace(where, since=-hour)))
    work = (ran, *(gang(f"w{name}", 2, 8, queue=name) for name in "ab"))
    known = shared(Queue("a", weight=2000), Queue("b", weight=2000), workloads=work, count=3)
    assert labelled(told(known, "a"), "Past") == []
    counted = replace(known, policy=Policy(usage_half_life=hour))
    lines = told(counted, "a")
    assert labelled(lines, "Past") == [
        "100 % of the GPU time its siblings and it used, older use less; its weight of 2 counts 0.5"
    ]
    assert labelled(told(counted, "b"), "Past")[0].endswith("its weight of 2 counts 2")
    assert "a (weight 0.5) +" in labelled(lines, "Then")[1]
    view = queues_table(books(counted))
    names = [column.name for column in view.columns]
    assert [[cell.text for cell in cells][names.index("USED") : names.index("PRIORITY")] for cells in view.rows] == [
        ["100 %", "0.5"],
        ["0 %", "2"],
    ]
    items = queue_items(books(counted))
    assert [(item["used"], item["countedWeight"]) for item in items] == [(1000, 500), (0, 2000)]
    assert "used" not in queue_items(books(known))[0]
