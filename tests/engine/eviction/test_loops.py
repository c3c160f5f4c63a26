"""Evictions that would go on for ever, if what moves did not count where its queue ends."""

from __future__ import annotations

from railwise.engine.cycle import Engine
from railwise.model.node import Cards, Node
from railwise.model.plan import State
from railwise.model.queue import Queue
from tests.engine.eviction.scenes import MINUTE, asks, runs, scene


def test_two_queues_do_not_take_from_each_other_by_moving_small_work_of_their_own() -> None:
    nodes = [Node("n0", cards=(Cards(4),)), *(Node(f"n{index}", cards=(Cards(2),)) for index in (1, 2, 3))]
    small = [runs("small-a", ["n1"], 2, "a"), runs("small-b", ["n2"], 2, "b")]
    large = runs("large-b", ["n0"], 4, "b", priority=5)
    waits = asks("large-a", 1, 4, "a", priority=10)
    made = Engine(scene(nodes, *small, large, waits, queues=[Queue("a"), Queue("b")]))
    for minute in range(4):
        plan = made.cycle((), minute * MINUTE)
        assert plan.evictions == ()
        assert {one.name: one.state for one in plan.workloads} == {"large-a": State.PENDING}


def test_work_of_its_own_that_really_has_to_go_does_make_room_in_the_share() -> None:
    nodes = [Node("n0", cards=(Cards(6),)), Node("n1", cards=(Cards(4),))]
    small = runs("small-a", ["n0"], 2, "a")
    large = runs("large-b", ["n0"], 4, "b")
    firm = runs("firm-b", ["n1"], 4, "b", preemptible=False)
    waits = asks("large-a", 1, 5, "a", priority=10)
    made = Engine(scene(nodes, small, large, firm, waits, queues=[Queue("a"), Queue("b")]))
    plan = made.cycle(())
    assert {one.workload for one in plan.evictions} == {"small-a", "large-b"}
    assert made.records["large-a"].pods
    assert made.cycle((), MINUTE).evictions == ()
