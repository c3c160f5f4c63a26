"""Who may take from whom: each branch of the rules on small trees of queues."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from railwise.engine.eviction.claim import Claim
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from tests.engine.eviction.scenes import CARD, MINUTE, asks, engine, nodes, quota, record, runs, scene


def claim(scenario: Scenario, claimant: str = "new") -> Claim:
    made = engine(scenario)
    return Claim(record(made, claimant), 0, made.workloads, lambda *_: None)


def may(scenario: Scenario, victim: str = "old") -> bool:
    asked = claim(scenario)
    return asked.rights.may_take(asked.workloads.records[victim])


def valid(scenario: Scenario, *victims: tuple[str, int]) -> bool:
    """Return whether so many cards of these queues may go."""
    asked = claim(scenario)
    return asked.rights.valid([(queue, {"gpu": CARD * gpu}) for queue, gpu in victims], asked.before)


def why(scenario: Scenario) -> str:
    asked = claim(scenario)
    return asked.rights.why(asked.workloads.records["old"], asked.before, asked.rights.ends())


OLD = runs("old", ["n0"], 4)


@pytest.mark.parametrize(
    ("old", "priority", "expected"),
    [
        (OLD, 1, True),
        (OLD, 0, False),
        (replace(OLD, priority=2), 1, False),
        (replace(OLD, preemptible=False), 1, False),
        (replace(OLD, kind="training"), 1, True),
    ],
)
def test_inside_a_queue_strictly_higher_priority_takes_what_is_preemptible(
    old: Workload, priority: int, *, expected: bool
) -> None:
    assert may(scene(nodes(1), old, asks("new", 1, 4, priority=priority))) is expected


def test_what_waits_or_asks_itself_is_no_victim() -> None:
    scenario = scene(nodes(2), asks("other", 1, 4), asks("new", 1, 4, priority=1))
    assert not may(scenario, "other")
    assert not may(scenario, "new")


@pytest.mark.parametrize(
    ("since", "own", "above", "expected"),
    [(10, 10, 0, True), (10, 11, 0, False), (10, 0, 11, False), (10, 5, 11, True), (0, 0, 0, True), (-1, 1, 0, False)],
)
def test_the_nearest_minimum_runtime_protects_the_young(since: int, own: int, above: int, *, expected: bool) -> None:
    queues = [
        Queue("top", preempt_min_runtime=above * MINUTE),
        Queue("leaf", parent="top", preempt_min_runtime=own * MINUTE),
    ]
    old = runs("old", ["n0"], 4, "leaf", since=since)
    assert may(scene(nodes(1), old, asks("new", 1, 4, "leaf", priority=1), queues=queues)) is expected


def test_each_kind_of_minimum_runtime_protects_from_its_own_kind_of_eviction() -> None:
    queues = [quota("a", 4), replace(quota("b", 0), preempt_min_runtime=MINUTE * 60)]
    old = runs("old", ["n0"], 4, "b")
    assert may(scene(nodes(1), old, asks("new", 1, 4, "a"), queues=queues))
    assert not may(scene(nodes(1), old, asks("new", 1, 4, "b", priority=1), queues=queues))
    queues = [quota("a", 4), replace(quota("b", 0), reclaim_min_runtime=MINUTE * 60)]
    assert not may(scene(nodes(1), old, asks("new", 1, 4, "a"), queues=queues))
    assert may(scene(nodes(1), old, asks("new", 1, 4, "b", priority=1), queues=queues))


@pytest.mark.parametrize(
    ("a", "b", "asked", "expected"),
    [
        (4, 4, 4, True),
        (4, 4, 5, False),
        (0, 4, 4, False),
        (4, 8, 4, False),
    ],
)
def test_within_its_quota_a_queue_takes_from_one_above_its_own(a: int, b: int, asked: int, *, expected: bool) -> None:
    old = runs("old", ["n0", "n1"], 4, "b")
    new = asks("new", 1, asked, "a")
    assert may(scene(nodes(2, gpus=8), old, new, queues=[quota("a", a), quota("b", b), quota("c", 4)])) is expected


def test_within_its_fair_share_a_queue_takes_from_one_above_its_own_if_the_larger_share_falls() -> None:
    queues = [quota("a", -1), quota("b", -1)]
    old = runs("old", ["n0", "n1"], 4, "b")
    assert valid(scene(nodes(2), old, asks("new", 1, 4, "a"), queues=queues), ("b", 4))
    grown = runs("mine", ["n1"], 2, "a")
    whole = runs("old", ["n0", "n1"], 3, "b")
    scenario = scene(nodes(2), grown, whole, asks("new", 1, 2, "a"), queues=queues)
    assert valid(scenario, ("b", 3))
    assert not may(scene(nodes(2), old, asks("new", 1, 4, "a", priority=9), queues=[Queue("a", weight=0), queues[1]]))


def test_the_larger_share_must_fall_strictly() -> None:
    queues = [Queue("a"), Queue("b")]
    old = runs("old", ["n0"] * 3, 1, "b")
    new = asks("new", 1, 2, "a")
    mine = asks("more", 1, 1, "a")
    scenario = scene(nodes(1), runs("mine", ["n0"], 1, "a"), old, new, mine, queues=queues)
    assert claim(scenario).rights.share("b", claim(scenario).before) > (False, Fraction(1))
    assert not valid(scenario, ("b", 1))


def test_a_queue_within_its_quota_loses_nothing_more() -> None:
    queues = [quota("a", 8), quota("b", 8)]
    old = runs("old", ["n0"] * 5 + ["n1"] * 5, 1, "b", least=1)
    scenario = scene(nodes(2, gpus=8), old, asks("new", 1, 4, "a"), queues=queues)
    assert valid(scenario, *[("b", 1)] * 2)
    assert not valid(scenario, *[("b", 1)] * 3)
    assert valid(scenario, ("b", 9))


def test_the_smaller_goes_first_so_that_the_larger_may_follow() -> None:
    queues = [quota("a", 8), quota("b", 8)]
    scenario = scene(
        nodes(2, gpus=8), runs("old", ["n0"] * 6 + ["n1"] * 5, 1, "b"), asks("new", 1, 4, "a"), queues=queues
    )
    assert valid(scenario, ("b", 4), ("b", 2))
    assert not valid(scenario, ("b", 2), ("b", 1), ("b", 4), ("b", 1))


def test_every_level_below_the_common_ancestor_is_asked() -> None:
    def tree(top: int, leaf: int) -> list[Queue]:
        return [quota("a", 4), quota("b", top), quota("b1", leaf, "b"), quota("b2", -1, "b")]

    old = runs("old", ["n0"], 4, "b1")
    new = asks("new", 1, 4, "a")
    assert may(scene(nodes(1), old, new, queues=tree(0, 0)))
    assert not may(scene(nodes(2), old, new, queues=tree(4, 0)))
    assert not may(scene(nodes(2), old, new, queues=tree(0, 4)))
    cousin = asks("new", 1, 4, "b2")
    assert not may(scene(nodes(1), old, replace(cousin, queue="b2"), queues=tree(4, 4)))
    inside = [quota("b", 4), quota("b1", 0, "b"), quota("b2", 4, "b")]
    assert may(scene(nodes(1), old, cousin, queues=inside))


def test_what_leaves_the_claimants_own_queue_counts_for_where_it_ends() -> None:
    queues = [quota("a", 4), quota("b", 4)]
    mine, old = runs("mine", ["n0"], 4, "a"), runs("old", ["n1", "n2"], 4, "b")
    scenario = scene(nodes(3), mine, old, asks("new", 1, 4, "a", priority=1), queues=queues)
    assert not valid(scenario, ("b", 4))
    assert valid(scenario, ("a", 4), ("b", 4))
    asked = claim(scenario).rights
    one = [("b", {"gpu": 4 * CARD})]
    before = claim(scenario).before
    relief = asked.relief([("a", {"gpu": 4 * CARD}), *one])
    assert relief == {"a": {"gpu": 4 * CARD}}
    assert asked.conceivable(one, before, relief)
    assert not asked.conceivable(one, before, {})
    assert not asked.conceivable([*one, *one], before, relief)


def test_what_leaves_a_sibling_counts_for_where_their_parent_ends() -> None:
    queues = [quota("top", 4), quota("mine", 4, "top"), quota("sibling", 0, "top"), quota("other", 0)]
    sibling, other = runs("sibling", ["n0"], 2, "sibling"), runs("other", ["n0"], 2, "other")
    scenario = scene(nodes(1), sibling, other, asks("new", 1, 4, "mine"), queues=queues)
    assert not valid(scenario, ("other", 2))
    assert valid(scenario, ("other", 2), ("sibling", 2))
    relief = claim(scenario).rights.relief([("other", {"gpu": 1}), ("sibling", {"gpu": 2})])
    assert relief == {"mine": {}, "top": {"gpu": 2}}


def test_the_right_is_asked_in_what_the_claimant_asks_and_the_victim_holds() -> None:
    queues = [quota("a", 8), Queue("b", quota={"gpu": 8 * CARD, "cpu": 0})]
    scenario = scene(nodes(1), runs("old", ["n0"], 4, "b"), asks("new", 1, 4, "a"), queues=queues)
    asked = claim(scenario).rights
    assert asked.resources == ("gpu",)
    assert not asked.valid([("b", {"gpu": 4 * CARD, "cpu": 500})], {**claim(scenario).before, "b": {"cpu": 500}})


def test_without_declared_queues_only_priority_counts() -> None:
    scenario = scene(nodes(1), OLD, asks("new", 1, 4, priority=1))
    assert valid(scenario, ("default", 4))
    assert why(scenario) == ("preempted: priority 0 is below 1 in queue 'default'")


@pytest.mark.parametrize(
    ("a", "text"),
    [
        (5, "reclaimed: queue 'b' is above its quota, 'a' asks for what is within its own"),
        (4, "reclaimed: queue 'b' is above its fair share, 'a' stays within its own"),
    ],
)
def test_the_right_is_named(a: int, text: str) -> None:
    mine, old = runs("mine", ["n1"], 3, "a"), runs("old", ["n0"], 4, "b")
    scenario = scene(nodes(2), mine, old, asks("new", 1, 2, "a"), queues=[quota("a", a), Queue("b")])
    assert why(scenario) == text
