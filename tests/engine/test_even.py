"""``balance: even``: as equal shares as can be, but never more domains for it."""

from __future__ import annotations

from collections import Counter

import pytest

from railwise.model.workload import Workload
from tests.engine.small import engine, gang, group, grouped, locked, racks, request, running, submitted, where


def _shares(workload: Workload, *sizes: int, busy: list[str] | None = None) -> list[int]:
    """Return the pods per rack used, in racks of so many nodes."""
    nodes = racks(*sizes, per_superpod=9)
    rack_of = {node.name: node.places["fabric"]["rack"] for node in nodes}
    others = [running(f"busy-{name}", [name], request(8)) for name in busy or []]
    plan = submitted(engine(nodes, *others), workload)
    return list(Counter(rack_of[name] for name in where(plan)).values())


@pytest.mark.parametrize(
    ("pods", "sizes", "shares"),
    [
        (6, (4, 4, 4), [3, 3]),
        (5, (4, 4), [3, 2]),
        (6, (4, 2, 2), [4, 2]),  # two racks are enough, so it is two
        (7, (3, 3, 3), [3, 2, 2]),
        (9, (3, 3, 3), [3, 3, 3]),
        (8, (5, 1, 4), [4, 4]),
        (4, (4, 4), [4]),
    ],
)
def test_equal_shares_of_as_few_racks_as_possible(pods: int, sizes: tuple[int, ...], shares: list[int]) -> None:
    workload = locked(gang("a", pods, request(8)), balance="even")
    assert sorted(_shares(workload, *sizes), reverse=True) == shares


def test_without_it_racks_are_filled() -> None:
    assert sorted(_shares(gang("a", 6, request(8)), 4, 4, 4)) == [2, 4]


def test_groups_may_ask_for_it_themselves_and_nodes_may_be_levelled() -> None:
    workload = grouped("a", group("x", 6, request(8), balance="even", preferred="rack"), group("y", 1, request(8)))
    assert len(_shares(workload, 4, 4)) == 2
    nodes = locked(gang("b", 6, request(2)), balance="even", preferred="node")
    plan = submitted(engine(racks(2)), nodes)
    assert sorted(Counter(where(plan)).values()) == [3, 3]


def test_racks_of_a_large_cluster_are_levelled_too() -> None:
    plan = submitted(engine(racks(*[8] * 160)), locked(gang("a", 12, request(8)), balance="even"))
    assert sorted(Counter(int(name[1:]) // 8 for name in where(plan)).values()) == [6, 6]
