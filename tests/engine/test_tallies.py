"""The figures behind refusals follow the state, and are those that counting node by node gives."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from railwise.engine.cluster.alter import alter_node
from railwise.engine.cluster.selection import repelled
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, Submit
from railwise.engine.gangs.record import Record
from railwise.engine.reasons.census import CORDONED, NOT_READY, SELECTOR, TAINT, Census
from railwise.engine.reasons.tallies import Tallies
from railwise.engine.reasons.verdict import Verdict
from railwise.model.node import Node, Taint
from railwise.model.workload import Selection, Workload
from tests.engine.random_life import Life
from tests.engine.small import FABRIC, asks_share, flat, gang, group, grouped, racks, request, shape_of, state_of

GOLD = Selection((("pool", "gold"),))


def _filter(state: ClusterState, shape: Shape, node: int) -> str:
    facts = state.nodes[node]
    if not facts.ready:
        return "notReady"
    if facts.unschedulable:
        return "cordoned"
    if not shape.accepts(facts):
        return "taint" if repelled(shape.selection, facts) else "selector"
    return "fits" if state.fits(shape, node) else "lacks"


def _holds(state: ClusterState, shape: Shape, node: int, most: int) -> int:
    if not shape.accepts(state.nodes[node]):
        return 0
    return len(state.rooms.left(shape, state.room_of[node], most))


def _check(state: ClusterState, tallies: Tallies, shape: Shape, pods: int) -> None:
    """Compare with counting every node by itself."""
    counts = tallies.counts(shape)
    assert sum(counts.values()) == len(state.nodes)
    names = [_filter(state, shape, node) for node in range(len(state.nodes))]
    for name in ("notReady", "cordoned", "taint", "selector", "fits"):
        assert counts.get(name, 0) == names.count(name), (name, shape.request)
    for index, trees in enumerate(state.trees):
        most = 8 if pods <= 8 else 16
        expected = []
        for level in range(trees.tree.depth - 1, -1, -1):
            tier = trees.tree.tiers[level]
            held = [
                (sum(_holds(state, shape, trees.tree.order[place], most) for place in range(start, end)), -domain)
                for domain, (start, end) in enumerate(tier.ranges())
                if tier.named[domain]
            ]
            if held:
                room, domain = max(held)
                path = "/".join(trees.tree.path(level, -domain))
                expected.append((trees.tree.levels[level], path, min(room, pods), pods))
        found = tallies.levels(index, shape, pods)
        assert [(one.level, one.best, one.has, one.needs) for one in found] == expected


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 10))])
def test_figures_follow_whatever_happens(seed: int) -> None:
    life, draw = Life(seed), Random(seed)
    lived = Engine(life.scenario)
    for _ in range(25):
        events: list[Event] = [Submit(life.draw_workload())]
        if draw.random() < 0.4 and lived.records:
            events.append(Finish(draw.choice(sorted(lived.records))))
        if draw.random() < 0.4:
            events.append(life.draw_change(lived.state.nodes))
        if draw.random() < 0.1:
            lived.state.compact()
        lived.cycle(events)
        for group_of in life.shapes:
            shape = lived.state.shapes.of_group(group_of)
            _check(lived.state, lived.verdict.tallies, shape, draw.choice([1, 4, 9]))


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4, 5, 7, 8))])
def test_a_remembered_verdict_is_the_one_that_would_be_found_now(seed: int) -> None:
    life, draw = Life(seed), Random(seed)
    lived = Engine(life.scenario)
    asks = [Record(life.draw_workload(), lived.state).demand for _ in range(6)]
    for _ in range(20):
        names = sorted(lived.records)
        events: list[Event] = [Submit(life.draw_workload())] if draw.random() < 0.7 else []
        if draw.random() < 0.3 and names:
            events.append(Finish(draw.choice(names)))
        if draw.random() < 0.3:
            events.append(life.draw_change(lived.state.nodes))
        lived.cycle(events)
        fresh = Verdict(lived.state)
        for demand in asks:
            for proven in (True, False):
                assert lived.verdict.refuse(demand, proven=proven) == fresh.refuse(demand, proven=proven)


def test_equal_asks_get_the_very_same_reason_until_something_changes() -> None:
    state = state_of(racks(2, 2), FABRIC)
    verdict = Verdict(state)
    first, second = (Record(gang(name, 3, request(8), required="rack"), state).demand for name in "ab")
    reason = verdict.refuse(first, proven=True)
    assert verdict.refuse(second, proven=True) is reason
    shape = shape_of(state, request(1))
    grant = state.put(shape, 0)
    assert grant is not None
    assert verdict.refuse(second, proven=True).nodes == {"gpu": 1, "fits": 3}
    state.take_away(shape, 0, grant)
    assert verdict.refuse(first, proven=True) == reason
    alter_node(state, 0, {"unschedulable": True}, ())
    verdict.forget(0)
    assert verdict.refuse(first, proven=True).nodes == {"cordoned": 1, "fits": 3}
    alter_node(state, 0, {"ready": False}, ())
    verdict.forget(0)
    assert verdict.refuse(first, proven=True).nodes == {"notReady": 1, "fits": 3}


def test_kinds_of_nodes_that_may_not_be_used() -> None:
    plain = flat(8)[0]
    changes: list[dict[str, object]] = [
        {"labels": {"pool": "gold"}},
        {"ready": False, "unschedulable": True},
        {"unschedulable": True, "taints": (Taint("x"),)},
        {"taints": (Taint("x"),)},
        {},
        {"labels": {"pool": "gold"}, "taints": (Taint("x", effect="PreferNoSchedule"),)},
    ]
    nodes = [replace(plain, name=f"n{index}", **change) for index, change in enumerate(changes)]  # type: ignore[arg-type]
    state = state_of(nodes)
    census = Census(state, [shape_of(state, request(1), selection=GOLD)])
    free = state.room_of[0].index
    assert census.kinds == [free, NOT_READY, CORDONED, TAINT, SELECTOR, free]
    both = Census(state, [shape_of(state, request(1), selection=GOLD), shape_of(state, request(1))])
    assert [kind >= 0 for kind in both.kinds] == [True, False, False, False, True, True]


def test_followers_start_again_when_the_moves_have_become_too_many() -> None:
    state = state_of(racks(2, 2), FABRIC)
    shape = shape_of(state, request(4))
    tallies = Tallies(state)
    assert tallies.counts(shape) == {"fits": 4}
    for node in (0, 1, 2, 3, 0, 1):
        assert state.put(shape, node) is not None
        tallies.levels(0, shape, 2)
    assert tallies.counts(shape) == {"gpu": 2, "fits": 2}
    assert [(level.best, level.has) for level in tallies.levels(0, shape, 4)] == [("p0/r1", 2), ("p0", 2)]


MIXED = [
    Node("a", cards=flat(8)[0].cards, resources={"cpu": 8000, "memory": 1000}),
    Node("b", cards=flat(2)[0].cards, resources={"cpu": 1000, "memory": 9000, "example.com/nic": 3}),
    Node("c", resources={"ephemeral-storage": 10}),
]


@pytest.mark.parametrize(
    ("workload", "enough"),
    [
        (gang("a", 10, request(1)), True),
        (gang("a", 11, request(1)), False),
        (gang("a", 5, asks_share(2, part=1000)), True),
        (gang("a", 21, asks_share(part=500)), False),
        (gang("a", 9, request(1, memory=1000)), True),
        (gang("a", 3, request(0, **{"example.com/nic": 1})), True),
        (gang("a", 4, request(0, **{"example.com/nic": 1})), False),
        (gang("a", 1, request(0, **{"example.com/fpga": 1})), False),
        (gang("a", 99, request(0, **{"ephemeral-storage": 9})), True),
        (grouped("a", group("x", 1, request(8)), group("y", 1, request(2))), True),
        (grouped("a", group("x", 1, request(8)), group("y", 1, request(3))), False),
        (grouped("a", group("x", 1, request(8)), group("y", 1, request(3)), least=1), True),
    ],
)
def test_whether_what_is_free_would_do_in_all(workload: Workload, *, enough: bool) -> None:
    state = state_of(MIXED)
    assert Tallies(state).cover(Record(workload, state).demand) is enough


def test_only_nodes_that_may_be_used_count_as_free() -> None:
    nodes = [replace(node, labels={"pool": "gold"} if index else {}) for index, node in enumerate(flat(8, 8, 8))]
    state = state_of(nodes)
    tallies = Tallies(state)
    picky = gang("a", 3, request(8))
    picky = replace(picky, root=replace(picky.root, selection=GOLD))
    demand = Record(picky, state).demand
    assert not tallies.cover(demand)
    alter_node(state, 0, {"labels": {"pool": "gold"}}, ())
    assert tallies.cover(demand)
    alter_node(state, 2, {"unschedulable": True}, ())
    assert not tallies.cover(demand)
