"""What can be taken of a workload: whole, pod by pod, group by group; and what it must keep."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.eviction.claim import total
from railwise.engine.eviction.units import lives_on, surplus_units, whole_unit
from railwise.engine.gangs.record import Record
from railwise.model.node import Cards, Node
from railwise.model.workload import Group, Workload
from tests.engine.eviction.scenes import MINUTE, nodes, pods, runs, scene


def booked(workload: Workload, *on: Node) -> tuple[Engine, Record]:
    made = Engine(scene(on or nodes(4), workload))
    made.cycle(())
    return made, made.records[workload.name]


def spare(workload: Workload, *on: Node) -> list[list[tuple[int, int]]]:
    """Return the pods that can go together."""
    made, record = booked(workload, *on)
    return [unit.keys for unit in surplus_units(record, made.state, 0)]


def grouped(least: int, *groups: Group, kind: str = "batch", elastic: bool = False) -> Workload:
    return Workload("w", Group(groups=groups, min_groups=least), kind=kind, elastic=elastic)


def test_a_rigid_gang_has_nothing_to_spare() -> None:
    assert spare(runs("w", ["n0", "n1"], 1)) == []
    assert spare(runs("w", ["n0", "n1"], 1, least=1, kind="training")) == []


def test_any_pod_of_a_batch_on_different_nodes_may_go() -> None:
    assert spare(runs("w", ["n0", "n1", "n2"], 1, least=2)) == [[(0, 2)], [(0, 1)], [(0, 0)]]


def test_of_equal_pods_on_one_node_the_highest_ranks_go_and_no_more_than_may() -> None:
    made, record = booked(runs("w", ["n0", "n0", "n0", "n1"], 1, least=2))
    units = surplus_units(record, made.state, 0)
    assert [(unit.keys, unit.after.keys if unit.after else None) for unit in units] == [
        ([(0, 3)], None),
        ([(0, 2)], None),
        ([(0, 1)], [(0, 2)]),
    ]


def test_pods_of_different_age_or_on_unequal_cards_do_not_wait_for_each_other() -> None:
    made, record = booked(runs("w", ["n0", "n0", "n0"], 1, least=1))
    record.later[0, 1] = 5 * MINUTE
    assert [unit.after is None for unit in surplus_units(record, made.state, 0)] == [True, True, False]
    unequal = Node("n0", cards=(Cards(2, "A"), Cards(2, "B")))
    made, record = booked(runs("w", ["n0", "n0", "n0"], 1, least=1), unequal)
    assert [unit.after for unit in surplus_units(record, made.state, 0)] == [None] * 3


def test_an_elastic_gang_gives_its_highest_ranks_and_pays_once() -> None:
    made, record = booked(runs("w", ["n0", "n1", "n2"], 1, least=1, kind="training", elastic=True))
    units = surplus_units(record, made.state, 0)
    assert [unit.keys for unit in units] == [[(0, 2)], [(0, 1)]]
    assert units[1].after is units[0]
    whole = whole_unit(record, made.state, 0)
    assert total(units)[0] == total(units[:1])[0] == whole.cost[0]


def test_an_elastic_gang_of_groups_pays_once_for_both_of_them() -> None:
    left, right = pods(2, 1, ["n0", "n1"], name="a", least=1), pods(2, 1, ["n2", "n3"], name="b", least=1)
    made, record = booked(grouped(2, left, right, kind="training", elastic=True))
    units = surplus_units(record, made.state, 0)
    assert len(units) == 2
    assert total(units)[0] == units[0].cost[0] == units[1].cost[0]


def test_groups_that_are_not_needed_go_as_a_whole() -> None:
    three = [pods(1, 1, [f"n{number}"], name=f"g{number}") for number in range(3)]
    assert spare(grouped(2, *three)) == [[(0, 0)], [(1, 0)], [(2, 0)]]
    assert spare(grouped(3, *three)) == []


def test_groups_inside_groups_are_spared_at_their_own_level() -> None:
    inner = Group("inner", groups=(pods(1, 1, ["n1"], name="x"), pods(2, 1, ["n2", "n3"], name="y")), min_groups=1)
    workload = grouped(2, pods(1, 1, ["n0"], name="a"), inner)
    assert spare(workload) == [[(1, 0)], [(2, 0), (2, 1)]]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([(0, 0), (1, 0), (2, 0), (2, 1)], True),
        ([(0, 0), (1, 0)], True),
        ([(0, 0), (2, 0), (2, 1)], True),
        ([(0, 0), (1, 0), (2, 0)], False),
        ([(0, 0)], False),
        ([(1, 0), (2, 0), (2, 1)], False),
    ],
)
def test_who_lives_on_has_its_minimum_and_no_part_of_a_group(after: list[tuple[int, int]], *, expected: bool) -> None:
    inner = Group("inner", groups=(pods(1, 1, ["n1"], name="x"), pods(2, 1, ["n2", "n3"], name="y")), min_groups=1)
    _, record = booked(grouped(2, pods(1, 1, ["n0"], name="a"), inner))
    assert lives_on(record, list(record.pods), after) is expected


def test_who_is_short_already_lives_on_with_what_it_had() -> None:
    _, record = booked(runs("w", ["n0", "n1", "n2"], 1, least=3))
    assert lives_on(record, [(0, 0), (0, 1)], [(0, 0), (0, 1)])
    assert not lives_on(record, [(0, 0), (0, 1)], [(0, 0)])


def test_a_whole_counts_all_cards_and_starts_with_its_oldest_pod() -> None:
    made, record = booked(replace(runs("w", ["n0", "n1"], 2), kind="training"))
    record.later[0, 1] = 5 * MINUTE
    whole = whole_unit(record, made.state, 0)
    assert whole.cost[1:] == (1, 4000)
    assert whole.since == record.began
