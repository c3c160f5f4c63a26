"""Who may start although somebody before him waits: tables of small clusters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.model.plan import Reservation
from railwise.model.policy import MINUTE
from railwise.model.queue import Queue
from railwise.model.workload import Alternative, Group, Workload
from tests.engine.small import flat, gang, group, racks, request
from tests.engine.virtual_time import lasting
from tests.engine.waits import HEAD, LATE, busy, decide, fate


@pytest.mark.parametrize(
    ("minutes", "ends_in_time"),
    [(59, True), (60, True), (61, False), (0, False)],
)
def test_who_ends_before_the_reserved_start_may_use_the_room(minutes: float, *, ends_in_time: bool) -> None:
    plan = decide(flat(8, 8), busy(["n0"], 60), HEAD, lasting(gang("small", 1, request(8)), minutes))
    assert fate(plan)["small"] == ("n1" if ends_in_time else "Reserved")
    assert plan.reservations == (Reservation("head", "", ("n0", "n1"), 60 * MINUTE),)


def test_the_end_counts_from_the_beginning_not_from_now() -> None:
    plan = decide(flat(8, 8), busy(["n0"], 60, began=45), HEAD)
    assert plan.reservations[0].start == 15 * MINUTE


def test_a_start_waits_for_as_many_ends_as_it_needs_and_no_more() -> None:
    others = [busy([f"n{index}"], 10 * (index + 1), name=f"b{index}") for index in range(6)]
    for pods in range(1, 7):
        plan = decide(flat(*[8] * 6), *others, gang("head", pods, request(8)))
        assert plan.reservations[0].start == pods * 10 * MINUTE
        assert plan.reservations[0].nodes == tuple(f"n{index}" for index in range(pods))


def test_the_domain_of_a_required_level_is_named_and_only_its_nodes_are_kept() -> None:
    head = gang("head", 2, request(8), required="rack")
    plan = decide(racks(2, 2), busy(["n0", "n1"], 90, name="a"), busy(["n2"], 60, name="b"), head)
    assert plan.reservations == (Reservation("head", "p0/r1", ("n2", "n3"), 60 * MINUTE),)


def test_a_candidate_goes_to_other_nodes_rather_than_wait() -> None:
    head = gang("head", 2, request(8), required="rack")
    running_now = [busy(["n0"], 60, name="a"), busy(["n2"], 0, cards=4, name="b"), busy(["n3"], 0, cards=8, name="c")]
    plan = decide(racks(2, 2), *running_now, head, gang("small", 1, request(4)), gang("more", 1, request(4)))
    assert fate(plan) == {"head": "NotEnoughFree", "small": "n2", "more": "Reserved"}


def test_a_candidate_on_reserved_nodes_is_fine_where_the_start_stays_possible() -> None:
    """In an hour three nodes are free and two are needed: the third may go, wherever it is."""
    plan = decide(
        flat(8, 8, 8), busy(["n0", "n1"], 60), lasting(gang("head", 2, request(8)), 60), gang("s", 1, request(8))
    )
    assert fate(plan)["s"] == "n2"
    plan = decide(
        flat(8, 8, 8, 8),
        busy(["n2", "n3"], 60),
        gang("head", 3, request(8)),
        gang("s", 1, request(8)),
        gang("t", 1, request(8)),
    )
    assert fate(plan) == {"head": "NotEnoughFree", "s": "n0", "t": "Reserved"}
    assert plan.reservations[0].nodes == ("n1", "n2", "n3")


def test_surplus_does_not_grow_into_reserved_room() -> None:
    grows = Workload("grows", group("", 3, request(8), least=1))
    plan = decide(flat(8, 8, 8, 8), busy(["n0"], 60), lasting(gang("head", 4, request(8)), 60), lasting(grows, 30))
    assert [len(one.pods) for one in plan.workloads] == [1, 0, 3]
    plan = decide(flat(8, 8, 8, 8), busy(["n0", "n1"], 60), lasting(gang("head", 3, request(8)), 60), grows)
    assert [len(one.pods) for one in plan.workloads] == [2, 0, 1]


def test_an_earlier_workload_is_not_held_back_even_in_its_surplus_minimum() -> None:
    urgent = replace(gang("urgent", 1, request(8)), priority=5)
    plan = decide(flat(8, 8), busy(["n0"], 60), HEAD, urgent)
    assert fate(plan) == {"head": "NotEnoughFree", "urgent": "n1"}


def test_who_never_fits_reserves_nothing_and_blocks_nobody() -> None:
    for policy in ("easy", "none", "conservative"):
        never = replace(gang("never", 3, request(8)), submit=-60 * MINUTE)
        plan = decide(flat(8, 8), busy(["n0"], 60), never, gang("small", 1, request(8)), backfill=policy)
        assert fate(plan) == {"never": "NeverFits", "small": "n1"}
        assert plan.reservations == ()


def test_without_reservations_nothing_is_kept() -> None:
    plan = decide(flat(8, 8), busy(["n0"], 60), HEAD, gang("small", 1, request(8)), reservations=0)
    assert fate(plan)["small"] == "n1"


def test_who_outlives_its_duration_is_about_to_end_for_a_while_and_endless_then() -> None:
    for began, start in ((60, 0), (65, 0), (70, 0), (71, None)):
        plan = decide(flat(8, 8), busy(["n0"], 60, began=began), HEAD)
        assert [one.start for one in plan.reservations] == ([] if start is None else [start])


def test_the_slowdown_of_an_alternative_counts() -> None:
    quick = Alternative(Group(pods=1, min_pods=1, request=request(8)))
    slow = Alternative(Group(pods=1, min_pods=1, request=request(4)), 1500)
    both = Workload("both", quick.root, alternatives=(quick, slow), duration=45 * MINUTE)
    plan = decide(flat(8, 8), busy(["n0"], 60), HEAD, both)
    assert fate(plan)["both"] == "n1"
    only_slow = replace(both, alternatives=(replace(quick, root=replace(quick.root, request=request(16))), slow))
    plan = decide(flat(8, 8), busy(["n0"], 60), HEAD, only_slow)
    assert fate(plan)["both"] == "Reserved"


def test_a_workload_short_of_quota_reserves_nothing() -> None:
    queues = (Queue("a", quota={"gpu": 8000}, limit={"gpu": 8000}), Queue("b", quota={"gpu": 8000}))
    head = replace(gang("head", 1, request(8)), queue="a", submit=LATE * MINUTE)
    runs = replace(busy(["n0"]), queue="a")
    plan = decide(flat(8, 8), runs, head, replace(gang("small", 1, request(8)), queue="b"), queues=queues)
    assert fate(plan) == {"head": "OverLimit", "small": "n1"}
    assert plan.reservations == ()


# --- reserveAfter ----------------------------------------------------------------------------------------------------
