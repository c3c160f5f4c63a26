"""Slots left, against a plain count, and as a promise that is kept: so many gangs do fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from railwise.engine.cycle import Engine
from railwise.engine.slots import slots_left
from railwise.model.plan import State
from tests.engine.random_life import Life
from tests.engine.small import engine, flat, gang, racks, request, running, submitted


def test_gangs_of_each_size_per_level_and_for_the_cluster() -> None:
    lived = engine(racks(4, 3, 5), running("busy", ["n0"], request(1)))
    assert slots_left(lived.state) == {
        "superpod": {1: 11, 2: 5, 4: 2},
        "rack": {1: 11, 2: 1 + 1 + 2, 4: 1},
        "cluster": {1: 11, 2: 5, 4: 2, 8: 1},
    }


def test_nodes_of_several_classes_make_no_gang_together() -> None:
    assert slots_left(engine(flat(8, 8, 4, 4, 4, 0)).state) == {"cluster": {1: 5, 2: 2, 4: 0}}
    assert slots_left(engine([]).state) == {"cluster": {}}


def test_domains_without_a_name_hold_no_gang() -> None:
    nodes = racks(2, 2)
    nodes[2] = replace(nodes[2], places={"fabric": {"superpod": "p0"}})
    left = slots_left(engine(nodes).state)
    assert left["rack"] == {1: 3, 2: 1}
    assert left["superpod"] == {1: 4, 2: 2, 4: 1}


def test_levels_of_every_topology_are_counted() -> None:
    nodes = [
        replace(node, places={**node.places, "nvlink": {"clique": f"c{index % 2}"}})
        for index, node in enumerate(racks(4))
    ]
    assert slots_left(engine(nodes).state)["clique"] == {1: 4, 2: 2}


def test_the_counters_are_those_of_the_nodes_after_any_life() -> None:
    for seed in range(6):
        life = Life(seed)
        lived = Engine(life.scenario)
        for _ in range(6):
            submitted(lived, life.draw_workload())
            lived.cycle([life.draw_change(lived.state.nodes)])
        left = slots_left(lived.state)
        for trees in lived.state.trees:
            tree = trees.tree
            for level, name in enumerate(tree.levels):
                whole: Counter[tuple[int, int]] = Counter()
                for node, room in enumerate(lived.state.room_of):
                    if room.wholly and tree.node_named(level, node):
                        whole[tree.domain_of[level][node], room.spec.cards] += 1
                for size, gangs in left[name].items():
                    assert gangs == sum(count // size for count in whole.values()), (seed, name, size)


def test_as_many_gangs_as_are_counted_do_fit_and_not_one_more() -> None:
    lived = engine(racks(4, 3, 5, 2), running("busy", ["n1", "n5"], request(3)))
    gangs = slots_left(lived.state)["rack"][2]
    for number in range(gangs):
        assert submitted(lived, gang(f"a{number}", 2, request(8), required="rack")).state is State.PLACED
    assert submitted(lived, gang("more", 2, request(8), required="rack")).state is State.PENDING
