"""Ranks follow the tree; runs that would like one domain each are kept whole as often as can be."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.gangs.ranks import in_runs
from railwise.model.node import Cards, Node
from tests.engine.small import engine, gang, group, grouped, racks, request, running, segmented, submitted, where


@pytest.mark.parametrize(
    ("places", "size", "dealt"),
    [
        ([0, 1, 2, 3], 2, [0, 1, 2, 3]),
        ([0, 1, 2, 10, 11, 12], 2, [0, 1, 2, 12, 10, 11]),  # two whole runs, then what is left of both domains
        ([0, 1, 2, 10, 11], 2, [0, 1, 10, 11, 2]),  # the short run goes to the domain with one place over
        ([0, 10, 11, 20, 21], 2, [10, 11, 20, 21, 0]),
        ([0, 1, 10, 11, 12], 3, [10, 11, 12, 0, 1]),
        ([0, 10, 20, 30], 2, [0, 10, 20, 30]),
        ([0, 1, 2, 3, 4, 5, 6], 7, [0, 1, 2, 3, 4, 5, 6]),
        ([0, 10], 5, [0, 10]),
    ],
)
def test_runs_of_ranks(places: list[int], size: int, dealt: list[int]) -> None:
    found = in_runs(list(range(len(places))), places, size, lambda place: place // 10)
    assert [found[rank] for rank in range(len(places))] == dealt


@given(st.integers(0, 2**32 - 1))
def test_as_many_runs_as_possible_lie_in_one_domain(seed: int) -> None:
    random = Random(seed)
    size, domains = random.randint(1, 4), random.randint(1, 4)
    places = sorted(10 * random.randrange(domains) + random.randrange(4) for _ in range(random.randint(1, 12)))
    ranks = sorted(random.sample(range(40), len(places)))
    found = in_runs(ranks, places, size, lambda place: place // 10)
    assert sorted(found) == ranks
    assert sorted(found.values()) == places
    runs = [ranks[start : start + size] for start in range(0, len(ranks), size)]
    whole = sum(len({found[rank] // 10 for rank in run}) == 1 for run in runs)
    shares, short = Counter(place // 10 for place in places), len(places) % size
    most = sum(count // size for count in shares.values())
    if short:
        most += any(count % size >= short for count in shares.values())
    assert whole == most


def test_ranks_follow_the_tree_whatever_order_the_pods_were_put_in() -> None:
    nodes = racks(2, 2, 2)
    busy = running("busy", ["n1", "n2"], request(8))
    assert where(submitted(engine(nodes, busy), gang("a", 4, request(8)))) == ["n0", "n3", "n4", "n5"]


def test_every_group_has_ranks_of_its_own() -> None:
    plan = submitted(engine(racks(4)), grouped("a", group("x", 2, request(8)), group("y", 2, request(8))))
    assert [(pod.group, pod.rank, pod.node) for pod in plan.pods] == [
        ("x", 0, "n0"),
        ("x", 1, "n1"),
        ("y", 0, "n2"),
        ("y", 1, "n3"),
    ]


def test_runs_take_whole_nodes_first_where_they_would_like_one() -> None:
    nodes = [Node(f"n{index}", {"fabric": {"superpod": "p", "rack": "r"}}, (Cards(8),)) for index in range(3)]
    busy = running("busy", ["n0"], request(6))
    plan = submitted(engine(nodes, busy), segmented(gang("a", 9, request(2)), 4, preferred="node"))
    assert Counter(where(plan)) == Counter({"n0": 1, "n1": 4, "n2": 4})
    assert where(plan) == ["n1"] * 4 + ["n2"] * 4 + ["n0"]
