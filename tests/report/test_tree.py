"""The text tree shows every domain once, folds what is alike, and its figures add up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.model.plan import State
from railwise.model.scenario import Scenario
from railwise.report.domains import domain_items, domain_tree
from railwise.report.marks import marks
from railwise.report.occupancy import occupancy
from railwise.report.tree import bar, topology_table
from tests.report.clusters import cluster, entry, gang, nodes, plan_of


def lines(scenario: Scenario, *, show: bool | None = None) -> list[str]:
    view = topology_table(domain_tree(occupancy(scenario)), marks(scenario), nodes=show)
    return [" | ".join(cell.text for cell in cells) for cells in view.rows]


def test_small_clusters_are_shown_card_by_card() -> None:
    scenario = cluster([gang("a", 1, 3, running=["n1"]), gang("b", 2, 8, running=["n3", "n4"])])
    assert lines(scenario) == [
        "fabric | 8 | 45/64 | ███░░░░░ | ",
        "├─ superpod p1 | 4 | 13/32 | █████░░░ | ",
        "│  ├─ rack r1 | 2 | 13/16 | ██░░░░░░ | A a",
        "│  │  ├─ n1 | 1 | 5/8 | AAA····· | ",
        "│  │  └─ n2 | 1 | 8/8 | ········ | ",
        "│  └─ rack r2 | 2 | 0/16 | ████████ | B b ×2",
        "│     └─ n[3-4] | 2 | 0/8 each | BBBBBBBB | ",
        "└─ superpod p2 | 4 | 32/32 | ░░░░░░░░ | ",
        "   └─ rack r[3-4] ×2 | 4 | 16/16 each | ░░░░░░░░ | ",
        "      └─ n[5-8] | 4 | 8/8 each | ········ | ",
    ]


def test_without_nodes_a_domain_names_its_hosts() -> None:
    scenario = cluster([gang("a", 1, 3, running=["n1"])])
    assert lines(scenario, show=False)[1:3] == [
        "├─ superpod p1 | 4 | 29/32 | █░░░░░░░ | ",
        "│  ├─ rack r1 | n[1-2] | 13/16 | ██░░░░░░ | a",
    ]


@pytest.mark.slow
def test_large_clusters_fold_to_few_lines() -> None:
    scenario = cluster([gang("a", 1, 8, running=["n1"])], nodes(2000, per_rack=16, racks_per_superpod=8))
    assert lines(scenario) == [
        "fabric | 2000 | 15992/16000 | █░░░░░░░ | ",
        "├─ superpod p1 | 128 | 1016/1024 | █░░░░░░░ | ",
        "│  ├─ rack r1 | n[1-16] | 120/128 | █░░░░░░░ | a",
        "│  └─ rack r[2-8] ×7 | n[17-128] | 128/128 each | ░░░░░░░░ | ",
        "├─ superpod p[2-15] ×14 | 1792 | 1024/1024 each | ░░░░░░░░ | ",
        "│  └─ rack r[9-120] ×112 | n[129-1920] | 128/128 each | ░░░░░░░░ | ",
        "└─ superpod p16 | 80 | 640/640 | ░░░░░░░░ | ",
        "   └─ rack r[121-125] ×5 | n[1921-2000] | 128/128 each | ░░░░░░░░ | ",
    ]


def test_equal_domains_show_their_nodes_once() -> None:
    scenario = cluster([gang("a", 2, 3, running=["n1", "n3"])], nodes(4))
    assert lines(scenario)[2:] == [
        "   └─ rack r[1-2] ×2 | 4 | 13/16 each | ██░░░░░░ | A a ×2",
        "      ├─ n[1,3] | 2 | 5/8 each | AAA····· | ",
        "      └─ n[2,4] | 2 | 8/8 each | ········ | ",
    ]


def test_a_flat_cluster_lists_its_nodes() -> None:
    scenario = replace(cluster([gang("a", 1, 8, running=["n2"])]), topologies=())
    assert lines(scenario) == [
        "cluster | 8 | 56/64 | █░░░░░░░ | A a",
        "├─ n1 | 1 | 8/8 | ········ | ",
        "├─ n2 | 1 | 0/8 | AAAAAAAA | ",
        "└─ n[3-8] | 6 | 8/8 each | ········ | ",
    ]


def test_nodes_without_a_domain_stand_apart() -> None:
    first, *rest = nodes(3)
    scenario = cluster([], [replace(first, places={"fabric": {"superpod": "p1"}}), *rest])
    assert lines(scenario, show=False)[1:] == [
        "└─ superpod p1 | 3 | 24/24 | ░░░░░░░░ | ",
        "   ├─ (no rack) | n1 | 8/8 | ░░░░░░░░ | ",
        "   └─ rack r[1-2] ×2 | n[2-3] | 8/8 each | ░░░░░░░░ | ",
    ]


def test_nodes_without_a_domain_or_a_card_stand_together() -> None:
    first, second, *rest = nodes(4)
    bare = [replace(node, places={"fabric": {"superpod": "p1"}}, cards=()) for node in (first, second)]
    scenario = cluster([gang("a", 1, 0, running=["n2"])], [*bare, *rest])
    assert lines(scenario)[2:5] == [
        "   ├─ (no rack) | 2 | 0/0 |  | A a",
        "   │  ├─ n1 | 1 | 0/0 |  | ",
        "   │  └─ n2 | 1 | 0/0 | A | ",
    ]


def test_a_level_is_not_said_twice() -> None:
    scenario = cluster(
        [], [replace(node, places={"fabric": {"superpod": "Superpod-1", "rack": "r1"}}) for node in nodes(2)]
    )
    assert [line.split(" | ")[0] for line in lines(scenario, show=False)] == [
        "fabric",
        "└─ Superpod-1",
        "   └─ rack r1",
    ]


def test_trouble_is_named() -> None:
    first, second, *rest = nodes(4)
    scenario = cluster([], [replace(first, ready=False), replace(second, unhealthy=frozenset({0})), *rest])
    assert lines(scenario)[2:5] == [
        "   ├─ rack r1 | 2 | 7/16 | █████░░░ | 1 not ready, 1 with sick cards",
        "   │  ├─ n1 | 1 | 0/8 | ········ | not ready",
        "   │  └─ n2 | 1 | 7/8 | x······· | ",
    ]


def test_the_new_ones_come_first_and_carry_capitals() -> None:
    old, new = gang("old", 1, 2, running=["n1"]), gang("new", 2, 3)
    scenario = cluster([old, new])
    plan = plan_of(entry(old, ["n1"], State.RUNNING, cards=2), entry(new, ["n1", "n2"], cards=3))
    shown = marks(scenario, plan)
    assert (shown["old"].letters, shown["new"].letters) == ("a", "A")


@pytest.mark.parametrize(
    ("used", "total", "text"),
    [
        (0, 64, "░░░░░░░░"),
        (1, 64, "█░░░░░░░"),
        (32, 64, "████░░░░"),
        (63, 64, "███████░"),
        (64, 64, "████████"),
        (0, 0, ""),
    ],
)
def test_a_bar_shows_a_single_card_either_way(used: int, total: int, text: str) -> None:
    assert bar(used, total) == text


def test_domains_as_data_add_up() -> None:
    items = domain_items(occupancy(cluster([gang("a", 1, 3, running=["n1"])])))
    assert [(item["path"], item["nodes"], item["freeSlots"]) for item in items] == [
        ("p1", 4, 29),
        ("p1/r1", 2, 13),
        ("p1/r2", 2, 16),
        ("p2", 4, 32),
        ("p2/r3", 2, 16),
        ("p2/r4", 2, 16),
    ]
    assert items[1]["workloads"] == ["a"]
